//! Pooling of images.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::pooling::PoolVjp;
use crate::error::Result;
use crate::exec::{ExecContext, Pool2dConfig};

impl<T: Differentiable> Tensor<T> {
    /// The largest element of each window of `self [images, channels, height, width]`.
    ///
    /// Shapes, numerics and errors as [`ExecContext::max_pool2d`]. Gradient: to the first element of a window that equals its
    /// maximum.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch); [`Error::InvalidArgument`](crate::Error::InvalidArgument);
    /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::Pool2dConfig;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[1, 1, 2, 4], &[1.0_f32, 5.0, 2.0, 0.0, 3.0, 4.0, 8.0, 6.0])?;
    /// let windows = Pool2dConfig::new([2, 2]);
    /// assert_eq!(x.max_pool2d(&ctx, windows)?.to_vec()?, [5.0, 8.0]);
    /// assert_eq!(x.avg_pool2d(&ctx, windows)?.to_vec()?, [3.25, 4.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn max_pool2d(&self, ctx: &ExecContext, config: Pool2dConfig) -> Result<Self> {
        Recording::new(ctx, "max_pool2d", [self]).run(
            |ctx, [x]| ctx.max_pool2d(x, config),
            |_, _| PoolVjp { x: self.raw.clone(), config, local: ExecContext::max_pool2d_backward },
        )
    }

    /// The mean of each window's elements, those of the padding not counted.
    ///
    /// As [`max_pool2d`](Self::max_pool2d), but the gradient goes to all elements of a window alike.
    ///
    /// # Errors
    /// As [`max_pool2d`](Self::max_pool2d).
    #[track_caller]
    pub fn avg_pool2d(&self, ctx: &ExecContext, config: Pool2dConfig) -> Result<Self> {
        Recording::new(ctx, "avg_pool2d", [self]).run(
            |ctx, [x]| ctx.avg_pool2d(x, config),
            |_, _| PoolVjp { x: self.raw.clone(), config, local: ExecContext::avg_pool2d_backward },
        )
    }
}
