//! Rotary position embedding.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::rope::RopeVjp;
use crate::error::Result;
use crate::exec::{ExecContext, RopeOptions};

impl<T: Differentiable> Tensor<T> {
    /// Turns each row's pairs by angles that grow with its position: pair `i` by `position * base^(-2 i / dim)`.
    ///
    /// - Shapes: `self [..., rows, dim]` with an even `dim`, `positions [rows]`, of any sign.
    /// - Numerics: angles, cosines and sines in f64, rounded once; the same on every target.
    /// - Gradient: the rotation back.
    /// - Source: Su et al., "RoFormer: enhanced transformer with rotary position embedding", 2021.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch);
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an odd `dim` or a base that is not positive and finite;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::RopeOptions;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f64, 0.0, 1.0, 0.0])?;
    /// let positions = Tensor::from_slice(&ctx, &[2], &[0_i64, 1])?;
    /// let y = x.rope(&ctx, &positions, RopeOptions::default())?.to_vec()?;
    /// assert_eq!(y[..2], [1.0, 0.0]);
    /// assert!((y[2] - 1.0_f64.cos()).abs() < 1e-15 && (y[3] - 1.0_f64.sin()).abs() < 1e-15);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn rope(
        &self,
        ctx: &ExecContext,
        positions: &Tensor<i64>,
        options: RopeOptions,
    ) -> Result<Self> {
        let positions = &positions.raw;
        Recording::new(ctx, "rope", [self]).run(
            |ctx, [x]| ctx.rope(x, positions, options),
            |_, _| RopeVjp { positions: positions.clone(), options },
        )
    }
}
