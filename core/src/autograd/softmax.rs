//! VJPs of the softmax family.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{CrossEntropyOptions, ExecContext};
use crate::raw::RawTensor;

/// Softmax, from its output.
pub(crate) struct SoftmaxVjp<T: Differentiable> {
    pub(crate) out: RawTensor<T>,
    pub(crate) axis: usize,
    pub(crate) log: bool,
}

impl<T: Differentiable> Vjp<T> for SoftmaxVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || {
            if self.log {
                ctx.log_softmax_backward(&self.out, g, self.axis)
            } else {
                ctx.softmax_backward(&self.out, g, self.axis)
            }
        })
    }
}

/// Cross entropy, from the log probabilities of its forward pass.
pub(crate) struct CrossEntropyVjp<T: Differentiable> {
    pub(crate) log_probs: RawTensor<T>,
    pub(crate) targets: RawTensor<i64>,
    pub(crate) options: CrossEntropyOptions,
}

impl<T: Differentiable> Vjp<T> for CrossEntropyVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let Self { log_probs, targets, options } = self;
        inputs.give(0, || ctx.cross_entropy_with_backward(log_probs, targets, g, *options))
    }
}
