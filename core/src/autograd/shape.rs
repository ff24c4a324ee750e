//! VJPs of the ops that only move elements.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::layout::{Layout, Permutation, Shape};
use crate::raw::RawTensor;

/// Another shape: the gradient gets the old one back.
pub(crate) struct ReshapeVjp(pub(crate) Shape);

impl<T: Differentiable> Vjp<T> for ReshapeVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.reshape(g, self.0.dims()))
    }
}

/// Another order of axes: the gradient is permuted back.
pub(crate) struct PermuteVjp(pub(crate) Permutation);

impl<T: Differentiable> Vjp<T> for PermuteVjp {
    fn backward(&self, _: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || Ok(g.permuted(&self.0.inverse())))
    }
}

/// Some of the elements, picked by a layout: the gradient stands in their places among zeros.
pub(crate) struct PickVjp {
    pub(crate) shape: Shape,
    /// The pick, as a view of a contiguous tensor of `shape`.
    pub(crate) layout: Layout,
}

impl<T: Differentiable> Vjp<T> for PickVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.unview("view_backward", &self.shape, &self.layout, g))
    }
}

/// An axis from its end: the gradient is turned round again.
pub(crate) struct FlipVjp(pub(crate) usize);

impl<T: Differentiable> Vjp<T> for FlipVjp {
    fn backward(&self, _: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || g.flip(self.0))
    }
}

/// Stretched axes: the gradient is summed back.
pub(crate) struct BroadcastVjp(pub(crate) Shape);

impl<T: Differentiable> Vjp<T> for BroadcastVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.reduce_to(g, &self.0))
    }
}

/// A join: each operand gets its range, as a view. `ends[i]` is where operand `i` ends; they are few or pooled.
pub(crate) struct ConcatVjp {
    pub(crate) axis: usize,
    pub(crate) lens: crate::pool::ScratchLease<u64>,
}

impl<T: Differentiable> Vjp<T> for ConcatVjp {
    fn backward(&self, _: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let mut start = 0;
        for (i, &len) in self.lens.iter().enumerate() {
            let len = len as usize;
            inputs.give(i, || g.narrow(self.axis, start, len))?;
            start += len;
        }
        Ok(())
    }
}
