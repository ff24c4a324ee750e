//! The VJP of rotary position embedding: the rotation back.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{ExecContext, RopeOptions};
use crate::raw::RawTensor;

/// A rotation.
pub(crate) struct RopeVjp {
    pub(crate) positions: RawTensor<i64>,
    pub(crate) options: RopeOptions,
}

impl<T: Differentiable> Vjp<T> for RopeVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.rope_backward(g, &self.positions, self.options))
    }
}
