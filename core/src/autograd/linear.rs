//! The VJP of a linear layer.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{BinaryOp, ExecContext};
use crate::layout::Shape;
use crate::raw::RawTensor;

/// `activation(x * weight + bias)`: the activation's gradient first, then that of each operand.
pub(crate) struct LinearVjp<T: Differentiable> {
    pub(crate) x: Option<RawTensor<T>>,
    pub(crate) weight: Option<RawTensor<T>>,
    pub(crate) bias: Option<Shape>,
    /// What the activation's gradient is computed from, and how.
    pub(crate) activation: Option<(RawTensor<T>, BinaryOp<T>)>,
}

impl<T: Differentiable> Vjp<T> for LinearVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let inner = match &self.activation {
            Some((saved, local)) => &local(ctx, saved, g)?,
            None => g,
        };
        if let Some(weight) = &self.weight {
            inputs.give(0, || ctx.matmul_nt(inner, weight))?;
        }
        if let Some(x) = &self.x {
            inputs.give(1, || ctx.matmul_tn_joined(x, inner))?;
        }
        if let Some(shape) = &self.bias {
            inputs.give(2, || ctx.reduce_to(inner, shape))?;
        }
        Ok(())
    }
}
