//! The VJP of a convolution.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::{Conv2dConfig, ExecContext};
use crate::layout::Shape;
use crate::raw::RawTensor;

/// Operands of a convolution, each saved for the other's sake.
pub(crate) struct ConvVjp<T: Differentiable> {
    pub(crate) config: Conv2dConfig,
    pub(crate) shapes: [Shape; 2],
    pub(crate) x: Option<RawTensor<T>>,
    pub(crate) weight: Option<RawTensor<T>>,
    pub(crate) bias: bool,
}

impl<T: Differentiable> Vjp<T> for ConvVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let [x_shape, weight_shape] = &self.shapes;
        if let Some(weight) = &self.weight {
            inputs.give(0, || ctx.conv2d_input_backward(x_shape, weight, g, self.config))?;
        }
        if let Some(x) = &self.x {
            inputs.give(1, || ctx.conv2d_weight_backward(x, weight_shape, g, self.config))?;
        }
        if self.bias {
            inputs.give(2, || {
                let channels = weight_shape[0];
                let planes = Shape::new("conv2d", &[channels, 1, 1])?;
                ctx.reshape(&ctx.reduce_to(g, &planes)?, &[channels])
            })?;
        }
        Ok(())
    }
}
