//! Convolutions.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::conv::ConvVjp;
use crate::error::{Error, Fits, Result};
use crate::exec::{Conv1dConfig, Conv2dConfig, ExecContext};

impl<T: Differentiable> Tensor<T> {
    /// Two-dimensional cross-correlation, as networks call convolution.
    ///
    /// - Shapes: `self [images, channels, height, width]`, `weight [out, channels / groups, kh, kw]`, `bias [out]`, result
    ///   `[images, out, (height + 2 padding - dilation (kh - 1) - 1) / stride + 1, ..]`.
    /// - Numerics and errors as [`ExecContext::conv2d`].
    /// - Gradient: by the input and by the weight, each a product of the same driver; `bias: g` summed over images and positions.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]; [`Error::InvalidArgument`]; [`Error::Overflow`]; [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::Conv2dConfig;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[1, 1, 2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let edges = Tensor::from_slice(&ctx, &[1, 1, 1, 2], &[-1.0, 1.0])?;
    /// let y = x.conv2d(&ctx, &edges, None, Conv2dConfig::default())?;
    /// assert_eq!(y.to_vec()?, [1.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn conv2d(
        &self,
        ctx: &ExecContext,
        weight: &Self,
        bias: Option<&Self>,
        config: Conv2dConfig,
    ) -> Result<Self> {
        let raw_bias = bias.map(|bias| &bias.raw);
        Recording::new(ctx, "conv2d", [Some(self), Some(weight), bias]).run_optional(
            |ctx| ctx.conv2d(&self.raw, &weight.raw, raw_bias, config),
            |_, [need_x, need_weight, need_bias]| ConvVjp {
                config,
                shapes: [*self.shape(), *weight.shape()],
                x: need_weight.then(|| self.raw.clone()),
                weight: need_x.then(|| weight.raw.clone()),
                bias: need_bias,
            },
        )
    }

    /// One-dimensional cross-correlation: [`conv2d`](Self::conv2d) of an image of one row.
    ///
    /// Shapes: `self [images, channels, length]`, `weight [out, channels / groups, k]`, `bias [out]`, result
    /// `[images, out, (length + 2 padding - dilation (k - 1) - 1) / stride + 1]`.
    ///
    /// # Errors
    /// As [`conv2d`](Self::conv2d).
    #[track_caller]
    pub fn conv1d(
        &self,
        ctx: &ExecContext,
        weight: &Self,
        bias: Option<&Self>,
        config: Conv1dConfig,
    ) -> Result<Self> {
        let (left, right) = (*self.shape(), *weight.shape());
        let (&[images, channels, length], &[out, own, k]) = (left.dims(), right.dims()) else {
            let (op, fits) = ("conv1d", Fits::Rank(3));
            return Err(Error::ShapeMismatch { op, left, right, fits });
        };
        let x = self.reshape(ctx, &[images, channels, 1, length])?;
        let weight = weight.reshape(ctx, &[out, own, 1, k])?;
        let y = x.conv2d(ctx, &weight, bias, config.into())?;
        y.reshape(ctx, &[images, out, y.shape()[3]])
    }
}
