//! VJPs of the normalisations: three gradients, computed together.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{ExecContext, Norms};
use crate::raw::RawTensor;

/// A normalisation, from its input.
pub(crate) struct NormVjp<T: Differentiable> {
    pub(crate) norms: Norms<T>,
    pub(crate) x: RawTensor<T>,
    pub(crate) weight: Option<RawTensor<T>>,
    /// Whether weight or bias needs a gradient.
    pub(crate) of_weights: bool,
}

impl<T: Differentiable> Vjp<T> for NormVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let Self { norms, x, weight, of_weights } = self;
        let (x, weights) = ctx.normalize_gradients(norms, x, weight.as_ref(), g, *of_weights)?;
        inputs.give(0, || Ok(x))?;
        if let Some([weight, bias]) = weights {
            inputs.give(1, || Ok(weight))?;
            inputs.give(2, || Ok(bias))?;
        }
        Ok(())
    }
}
