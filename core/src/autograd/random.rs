//! VJP of dropout.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::raw::RawTensor;

/// Dropout: the same mask and scale on the gradient; nothing is saved.
pub(crate) struct DropoutVjp {
    pub(crate) p: f32,
    pub(crate) seed: u64,
}

impl<T: Differentiable> Vjp<T> for DropoutVjp {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || ctx.dropout(g, self.p, self.seed))
    }
}
