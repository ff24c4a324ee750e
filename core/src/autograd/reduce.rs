//! VJPs of the reductions: gradients are stretched back, as views where nothing is computed.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::layout::Shape;
use crate::raw::RawTensor;

/// Sum or mean, over an axis or over all: the gradient, divided by `count` for a mean, reaches every element.
pub(crate) struct SumVjp {
    pub(crate) shape: Shape,
    /// The axis, or none for all.
    pub(crate) axis: Option<usize>,
    /// What the sum was divided by, for a mean.
    pub(crate) count: Option<usize>,
}

impl<T: Differentiable> Vjp<T> for SumVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || {
            let g = match self.count {
                Some(count) => ctx.divide_by("mean_backward", g, T::from_f64(count as f64))?,
                None => g.clone(),
            };
            stretch(ctx, &g, &self.shape, self.axis)
        })
    }
}

/// Maximum, over an axis or over all: the gradient goes to the first element that equals it.
pub(crate) struct MaxVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) max: RawTensor<T>,
    pub(crate) axis: Option<usize>,
}

impl<T: Differentiable> Vjp<T> for MaxVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.max_backward(&self.x, &self.max, g, self.axis))
    }
}

/// Product over an axis: the gradient times the product of the others.
pub(crate) struct ProdVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) axis: usize,
}

impl<T: Differentiable> Vjp<T> for ProdVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || {
            let others = ctx.product_of_others(&self.x, self.axis)?;
            ctx.mul(&others, &stretch(ctx, g, self.x.shape(), Some(self.axis))?)
        })
    }
}

/// Logarithm of a sum of exponentials: the gradient goes by the softmax.
pub(crate) struct LogSumExpVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) axis: usize,
}

impl<T: Differentiable> Vjp<T> for LogSumExpVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || {
            let shares = ctx.softmax(&self.x, self.axis)?;
            ctx.mul(&shares, &stretch(ctx, g, self.x.shape(), Some(self.axis))?)
        })
    }
}

/// Running sums.
pub(crate) struct CumsumVjp {
    pub(crate) axis: usize,
}

impl<T: Differentiable> Vjp<T> for CumsumVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.cumsum_backward(g, self.axis))
    }
}

/// A reduced tensor as a view of the shape it was reduced from.
fn stretch<T: Differentiable>(
    ctx: &ExecContext,
    g: &RawTensor<T>,
    shape: &Shape,
    axis: Option<usize>,
) -> Result<RawTensor<T>> {
    let kept = match axis {
        Some(axis) => ctx.reshape(g, shape.with_dim(axis, 1).dims())?,
        None => g.clone(),
    };
    kept.broadcast_to(shape.dims())
}
