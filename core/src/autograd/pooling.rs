//! The VJP of pooling.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{ExecContext, Pool2dConfig};
use crate::raw::RawTensor;

/// The gradient of a kind of pooling, from its operand and the output's gradient.
type Local<T> =
    fn(&ExecContext, &RawTensor<T>, &RawTensor<T>, Pool2dConfig) -> Result<RawTensor<T>>;

pub(crate) struct PoolVjp<T: Differentiable> {
    pub(crate) x: RawTensor<T>,
    pub(crate) config: Pool2dConfig,
    pub(crate) local: Local<T>,
}

impl<T: Differentiable> Vjp<T> for PoolVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        inputs.give(0, || (self.local)(ctx, &self.x, g, self.config))
    }
}
