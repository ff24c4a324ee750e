//! VJPs of the elementwise ops. A broadcast operand's gradient is summed back to its shape.

use super::{Differentiable, Inputs, Vjp};
use crate::dtype::CastFrom;
use crate::error::Result;
use crate::exec::{BinaryOp, ExecContext, ScalarsOp, TernaryOp};
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

/// An op whose gradient is 0 everywhere: steps.
pub(crate) struct ZeroVjp(pub(crate) Shape);

impl<T: Differentiable> Vjp<T> for ZeroVjp {
    fn backward(&self, ctx: &ExecContext, _: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.full_shape("zero_backward", self.0, T::ZERO))
    }
}

/// `x + value`: the gradient as it is.
pub(crate) struct KeepVjp;

impl<T: Differentiable> Vjp<T> for KeepVjp {
    fn backward(&self, _: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || Ok(g.clone()))
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

/// The same with two scalars of the op's.
pub(crate) struct ScalarsVjp<T: Differentiable> {
    pub(crate) saved: RawTensor<T>,
    pub(crate) scalars: [T; 2],
    pub(crate) local: ScalarsOp<T>,
}

impl<T: Differentiable> Vjp<T> for ScalarsVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || (self.local)(ctx, &self.saved, g, self.scalars))
    }
}

/// A binary op whose gradient by operand `i` is `locals[i](a, b, g)`.
pub(crate) struct PairVjp<T: Differentiable> {
    pub(crate) a: RawTensor<T>,
    pub(crate) b: RawTensor<T>,
    pub(crate) locals: [TernaryOp<T>; 2],
}

impl<T: Differentiable> Vjp<T> for PairVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let (a, b) = (&self.a, &self.b);
        for (i, (local, to)) in self.locals.iter().zip([a, b]).enumerate() {
            inputs.give(i, || ctx.reduce_to(&local(ctx, a, b, g)?, to.shape()))?;
        }
        Ok(())
    }
}

/// `p = x^y`. What only one gradient needs is saved only for it.
pub(crate) struct PowVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) y: RawTensor<T>,
    /// The output, if the exponent needs a gradient.
    pub(crate) out: Option<RawTensor<T>>,
}

impl<T: Differentiable> Vjp<T> for PowVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let Self { x, y, out } = self;
        inputs.give(0, || ctx.reduce_to(&ctx.pow_base_backward(x, y, g)?, x.shape()))?;
        let Some(p) = out else { return Ok(()) };
        inputs.give(1, || ctx.reduce_to(&ctx.pow_exponent_backward(x, p, g)?, y.shape()))
    }
}

/// A gated unit of the halves of its operand's last axis.
pub(crate) struct HalvesVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) by_gate: TernaryOp<T>,
    pub(crate) unit: BinaryOp<T>,
}

impl<T: Differentiable> Vjp<T> for HalvesVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.halves_backward(&self.x, g, self.by_gate, self.unit))
    }
}

/// A choice by a mask: each side gets the gradient where it was taken, exactly 0 elsewhere.
pub(crate) struct SelectVjp {
    pub(crate) mask: RawTensor<bool>,
    pub(crate) shapes: [Shape; 2],
}

impl<T: Differentiable> Vjp<T> for SelectVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let (mask, shapes) = (&self.mask, &self.shapes);
        let zero = ctx.full_shape("select_backward", Shape::scalar(), T::ZERO)?;
        inputs.give(0, || ctx.reduce_to(&ctx.where_select(mask, g, &zero)?, &shapes[0]))?;
        inputs.give(1, || ctx.reduce_to(&ctx.where_select(mask, &zero, g)?, &shapes[1]))
    }
}

/// A conversion from the type `A`: the gradient is converted back.
pub(crate) struct CastVjp<A>(pub(crate) core::marker::PhantomData<A>);

impl<A: Differentiable + CastFrom<T>, T: Differentiable> Vjp<T> for CastVjp<A> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give::<A>(0, || ctx.cast(g))
    }
}
