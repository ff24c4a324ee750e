//! The VJP of attention: three gradients, computed together.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{AttentionPass, ExecContext};
use crate::raw::RawTensor;

/// Attention, from its whole forward pass.
pub(crate) struct AttentionVjp<T: Differentiable>(pub(crate) AttentionPass<T>);

impl<T: Differentiable> Vjp<T> for AttentionVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let gradients = ctx.scaled_dot_product_attention_backward(&self.0, g)?;
        for (i, gradient) in gradients.into_iter().enumerate() {
            inputs.give(i, || Ok(gradient))?;
        }
        Ok(())
    }
}
