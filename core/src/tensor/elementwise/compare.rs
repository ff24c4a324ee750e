//! Comparisons, logic on masks, and choices by them. Masks are constants, the caller's inside a scope too.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::SelectVjp;
use crate::dtype::Element;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

macro_rules! mask_ops {
    // mask_ops! { "docs" lt; } => pub fn lt(&self, ctx: &ExecContext, rhs: &Self) -> Result<Tensor<bool>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast. The result is a constant.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
        /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name(&self, ctx: &ExecContext, rhs: &Self) -> Result<Tensor<bool>> {
            Ok(Tensor::constant(ctx.$name(&self.raw, &rhs.raw)?))
        }
    )*};
}

impl<T: Element> Tensor<T> {
    mask_ops! {
        "`self == rhs`: false where either is NaN." eq;
        "`self != rhs`: true where either is NaN." ne;
        "`self < rhs`: false where either is NaN." lt;
        "`self <= rhs`: false where either is NaN." le;
        "`self > rhs`: false where either is NaN." gt;
        "`self >= rhs`: false where either is NaN." ge;
    }
}

impl Tensor<bool> {
    mask_ops! {
        "Both." and;
        "Either, or both." or;
        "Either, not both." xor;
    }

    /// The opposite.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn not(&self, ctx: &ExecContext) -> Result<Self> {
        Ok(Self::constant(ctx.not(&self.raw)?))
    }

    /// `a` where this mask is set, else `b`. Bits are moved, nothing is computed.
    ///
    /// The three shapes broadcast. Gradient: `g` where the operand was taken, exactly 0 elsewhere (whatever `g` is there),
    /// summed over broadcast axes.
    ///
    /// # Errors
    /// As [`eq`](Self::eq).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::variable_from_slice(&ctx, &[3], &[-1.0_f32, 0.0, 4.0])?;
    /// let zero = Tensor::scalar(&ctx, 0.0)?;
    /// // The root where there is one: no NaN comes through, of the value or of the gradient.
    /// let positive = x.gt(&ctx, &zero)?;
    /// let safe = positive.where_select(&ctx, &x, &Tensor::scalar(&ctx, 1.0)?)?;
    /// let y = positive.where_select(&ctx, &safe.sqrt(&ctx)?, &zero)?;
    /// assert_eq!(y.to_vec()?, [0.0, 0.0, 2.0]);
    /// y.sum_all(&ctx)?.backward(&ctx)?;
    /// assert_eq!(x.grad(&ctx)?.unwrap().to_vec()?, [0.0, 0.0, 0.25]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn where_select<T: Differentiable>(
        &self,
        ctx: &ExecContext,
        a: &Tensor<T>,
        b: &Tensor<T>,
    ) -> Result<Tensor<T>> {
        Recording::new(ctx, "where_select", [a, b]).run(
            |ctx, [a, b]| ctx.where_select(&self.raw, a, b),
            |_, _| SelectVjp { mask: self.raw.clone(), shapes: [*a.shape(), *b.shape()] },
        )
    }
}
