//! The power of two operands.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::PowVjp;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

impl<T: Differentiable> Tensor<T> {
    /// `self^rhs`, with IEEE 754's special cases: `x^0` and `1^y` are 1.
    ///
    /// Gradient: `g * rhs * self^(rhs - 1)`, 0 where `rhs` is 0; and `g * out * ln(self)`, 0 where `out` is 0 and at `0^0`,
    /// not evaluated if `rhs` is a constant. Summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn pow(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        Recording::new(ctx, "pow", [self, rhs]).run(
            |ctx, [a, b]| ctx.pow(a, b),
            |out, [_, exponent]| PowVjp {
                x: self.raw.clone(),
                y: rhs.raw.clone(),
                out: exponent.then(|| out.clone()),
            },
        )
    }
}
