//! VJPs of the ops that pick by index: the gradient is added back to where the elements were picked from.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::layout::Shape;
use crate::raw::RawTensor;

/// Slices, or single elements, of an operand of `shape`, picked along `axis`.
pub(crate) struct IndexVjp {
    pub(crate) shape: Shape,
    pub(crate) axis: usize,
    pub(crate) indices: RawTensor<i64>,
    /// Whether each line has indices of its own.
    pub(crate) by_line: bool,
}

impl<T: Differentiable> Vjp<T> for IndexVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let Self { shape, axis, indices, by_line } = self;
        inputs.give(0, || {
            if *by_line {
                ctx.gather_backward(shape, *axis, indices, g)
            } else {
                ctx.index_select_backward(shape, *axis, indices, g)
            }
        })
    }
}
