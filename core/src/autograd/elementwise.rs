//! VJPs of the elementwise ops. A broadcast operand's gradient is summed back to its shape.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{BinaryOp, ExecContext};
use crate::layout::Shape;
use crate::raw::RawTensor;

/// `a + b` (`sign` 1) and `a - b` (`sign` -1).
pub(crate) struct AddVjp {
    pub(crate) shapes: [Shape; 2],
    pub(crate) subtract: bool,
}

impl<T: Differentiable> Vjp<T> for AddVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.reduce_to(g, &self.shapes[0]))?;
        inputs.give(1, || {
            let g = ctx.reduce_to(g, &self.shapes[1])?;
            if self.subtract { ctx.neg(&g) } else { Ok(g) }
        })
    }
}

/// `a * b`. Each operand is saved for the other's sake.
pub(crate) struct MulVjp<T: Differentiable> {
    pub(crate) shapes: [Shape; 2],
    pub(crate) lhs: Option<RawTensor<T>>,
    pub(crate) rhs: Option<RawTensor<T>>,
}

impl<T: Differentiable> Vjp<T> for MulVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        for (i, other) in [&self.rhs, &self.lhs].into_iter().enumerate() {
            if let Some(other) = other {
                inputs.give(i, || ctx.reduce_to(&ctx.mul(g, other)?, &self.shapes[i]))?;
            }
        }
        Ok(())
    }
}

/// `y = a / b`: `g / b` and `-(g / b) * y`.
pub(crate) struct DivVjp<T: Differentiable> {
    pub(crate) shapes: [Shape; 2],
    pub(crate) rhs: RawTensor<T>,
    /// The output, if `b` needs a gradient.
    pub(crate) out: Option<RawTensor<T>>,
}

impl<T: Differentiable> Vjp<T> for DivVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let quotient = ctx.div(g, &self.rhs)?;
        inputs.give(0, || ctx.reduce_to(&quotient, &self.shapes[0]))?;
        if let Some(out) = &self.out {
            inputs
                .give(1, || ctx.neg(&ctx.reduce_to(&ctx.mul(&quotient, out)?, &self.shapes[1])?))?;
        }
        Ok(())
    }
}

/// `x * factor`; -1 for negation.
pub(crate) struct ScaleVjp<T>(pub(crate) T);

impl<T: Differentiable> Vjp<T> for ScaleVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.scale(g, self.0))
    }
}

/// A unary op whose gradient is `local(saved, g)`: the saved tensor is its input or its output.
pub(crate) struct UnaryVjp<T: Differentiable> {
    pub(crate) saved: RawTensor<T>,
    pub(crate) local: BinaryOp<T>,
}

impl<T: Differentiable> Vjp<T> for UnaryVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || (self.local)(ctx, &self.saved, g))
    }
}
