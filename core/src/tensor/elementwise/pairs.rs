//! The larger, the smaller and the power of two operands.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::{PairVjp, PowVjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

impl<T: Differentiable> Tensor<T> {
    /// The larger of `self` and `rhs`: +0 above -0, NaN if either is (IEEE 754's `maximum`).
    ///
    /// Gradient: `g` to the larger, half to each where they are equal; where one is NaN it gets `g` (both, if both are).
    /// Summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn maximum(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        Recording::new(ctx, "maximum", [self, rhs]).run(
            |ctx, [a, b]| ctx.maximum(a, b),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: rhs.raw.clone(),
                locals: [ExecContext::maximum_backward, |ctx, a, b, g| {
                    ctx.maximum_backward(b, a, g)
                }],
            },
        )
    }

    /// The smaller of `self` and `rhs`: -0 below +0, NaN if either is (IEEE 754's `minimum`).
    ///
    /// Gradient: `g` to the smaller, half to each where they are equal; where one is NaN it gets `g` (both, if both are).
    /// Summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn minimum(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        Recording::new(ctx, "minimum", [self, rhs]).run(
            |ctx, [a, b]| ctx.minimum(a, b),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: rhs.raw.clone(),
                locals: [ExecContext::minimum_backward, |ctx, a, b, g| {
                    ctx.minimum_backward(b, a, g)
                }],
            },
        )
    }

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
