//! The power of two operands, and the gradients of the larger, the smaller and the power.

use super::{binary_ops, ternary_ops};
use crate::backend::Real;
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::elementwise::Operand;
use crate::raw::RawTensor;

impl ExecContext {
    binary_ops! {
        "`a^b`, with IEEE 754's special cases: `x^0` and `1^y` are 1." pow;
    }

    ternary_ops! {
        "What `a` gets of the gradient of maximum: `g` where it is larger or NaN, half where `b` is equal, else 0." maximum_backward(a, b, g);
        "What `a` gets of the gradient of minimum: `g` where it is smaller or NaN, half where `b` is equal, else 0." minimum_backward(a, b, g);
        "The gradient of pow by its base: `g y x^(y - 1)`, 0 where `y` is 0." pow_base_backward(x, y, g);
        "The gradient of pow by its exponent, from its output `p`: `g p ln x`; 0 where `p` is 0, and where `x` is and `p` finite." pow_exponent_backward(x, p, g);
    }

    /// `x^exponent`, the same bits as [`pow`](Self::pow).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn powf<T: Real>(&self, x: &RawTensor<T>, exponent: T) -> Result<RawTensor<T>> {
        self.map("powf", *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.pow(x, Operand::Splat(exponent), out);
        })
    }

    /// The gradient of powf: `g * exponent * x^(exponent - 1)`, 0 where the exponent is 0.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
    /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn powf_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        exponent: T,
    ) -> Result<RawTensor<T>> {
        self.binary("powf_backward", x, g, |k, x, g, out| {
            k.pow_base_backward(x, Operand::Splat(exponent), g, out);
        })
    }
}
