//! Functions of one operand, and their gradients.

use super::{binary_ops, unary_ops};
use crate::backend::{Real, Table};
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::elementwise::Operand;
use crate::raw::RawTensor;

impl ExecContext {
    unary_ops! {
        "`x * x`, rounded once." square;
        "`1 / x`, rounded once." reciprocal;
        "The largest integer that is not above `x`." floor;
        "The smallest integer that is not below `x`." ceil;
        "The nearest integer, ties to even." round;
        "`e^x`." exp;
        "`e^x - 1`, with all its digits near 0." expm1;
        "The natural logarithm: `-inf` at 0, NaN below." log;
        "`ln(1 + x)`, with all its digits near 0: `-inf` at -1, NaN below." log1p;
        "The square root: NaN below 0." sqrt;
        "`1 / sqrt(x)`: infinite at a zero, with its sign; NaN below." rsqrt;
        "Sine, at any size of `x`; NaN at the infinities." sin;
        "Cosine, at any size of `x`; NaN at the infinities." cos;
        "The error function." erf;
        "The hyperbolic tangent." tanh;
        "The logistic function `1 / (1 + e^-x)`." sigmoid;
        "`ln(1 + e^x)`, without overflow." softplus;
        "`x` where it is positive or NaN, else 0." relu;
        "`x / (1 + e^-x)`." silu;
        "`x * Phi(x)` with the normal distribution function `Phi`: the exact form." gelu;
        "`x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`: the tanh form of gelu." gelu_tanh;
    }

    binary_ops! {
        "The gradient of abs: `g` times the sign of `x`, 0 at 0." abs_backward;
        "The gradient of square: `2 x g`." square_backward;
        "The gradient of reciprocal from its output `y`: `-g y^2`." reciprocal_backward;
        "The gradient of expm1: `g e^x`." expm1_backward;
        "The gradient of log1p: `g / (1 + x)`." log1p_backward;
        "The gradient of sqrt from its output `y`: `g / (2 y)`." sqrt_backward;
        "The gradient of rsqrt from its output `y`: `-g y^3 / 2`." rsqrt_backward;
        "The gradient of sin: `g cos x`." sin_backward;
        "The gradient of cos: `-g sin x`." cos_backward;
        "The gradient of erf: `g 2 / sqrt(pi) e^-x^2`." erf_backward;
        "The gradient of tanh from its output `y`: `g * (1 - y^2)`." tanh_backward;
        "The gradient of sigmoid from its output `y`: `g * y * (1 - y)`." sigmoid_backward;
        "The gradient of softplus: `g / (1 + e^-x)`." softplus_backward;
        "The gradient of relu: `g` where `x` is positive or NaN, else 0." relu_backward;
        "The gradient of silu at `x`, times `g`." silu_backward;
        "The gradient of gelu at `x`, times `g`." gelu_backward;
        "The gradient of gelu_tanh at `x`, times `g`." gelu_tanh_backward;
    }

    /// `slope * x` where `x` is not positive, else `x`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn leaky_relu<T: Real>(&self, x: &RawTensor<T>, slope: T) -> Result<RawTensor<T>> {
        self.unary("leaky_relu", x, |k, x, out| k.leaky_relu(slope, x, out))
    }

    /// The gradient of leaky_relu: `slope * g` where `x` is not positive, else `g`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn leaky_relu_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        slope: T,
    ) -> Result<RawTensor<T>> {
        let row = |k: Table<T>, x: Operand<'_, T>, g: Operand<'_, T>, out: &mut [T]| {
            k.leaky_relu_backward(slope, x, g, out);
        };
        self.binary("leaky_relu_backward", x, g, row)
    }

    /// `alpha * (e^x - 1)` where `x` is not positive, else `x`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn elu<T: Real>(&self, x: &RawTensor<T>, alpha: T) -> Result<RawTensor<T>> {
        self.unary("elu", x, |k, x, out| k.elu(alpha, x, out))
    }

    /// The gradient of elu: `g * alpha * e^x` where `x` is not positive, else `g`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn elu_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        alpha: T,
    ) -> Result<RawTensor<T>> {
        self.binary("elu_backward", x, g, |k, x, g, out| k.elu_backward(alpha, x, g, out))
    }

    /// The gradient of clamp: 0 where `x` is below `low` or above `high`, else `g`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn clamp_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        low: T,
        high: T,
    ) -> Result<RawTensor<T>> {
        let row = |k: Table<T>, x: Operand<'_, T>, g: Operand<'_, T>, out: &mut [T]| {
            k.clamp_backward(low, high, x, g, out);
        };
        self.binary("clamp_backward", x, g, row)
    }
}
