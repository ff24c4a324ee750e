//! Functions of one value.

use super::{Unary, unary};
use crate::dtype::Float;
use crate::kernels::Lanes;

/// The nearest integer, ties to even, of any `x`: the sign stays, of a zero too.
#[inline(always)]
fn round<T: Float, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    // Adding the first number without bits below the point rounds them off; taking it away is exact.
    let (size, integral) = (l.abs(x), l.splat(T::INTEGRAL));
    let nearest = l.copysign(l.sub(l.add(size, integral), integral), x);
    l.select(l.lt(size, integral), nearest, x)
}

/// The largest integer that is not above `x`.
#[inline(always)]
fn floor<T: Float, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    let nearest = round(l, x);
    l.select(l.lt(x, nearest), l.sub(nearest, l.splat(T::ONE)), nearest)
}

unary! {
    "`-x`." Neg(l, x) => l.neg(x);
    "`|x|`." Abs(l, x) => l.abs(x);
    "1 with the sign of `x`; a zero or NaN as it is." Sign(l, x) => {
        let sign = l.copysign(l.splat(T::ONE), x);
        l.select(l.lt(l.splat(T::ZERO), l.abs(x)), sign, x)
    };
    "`x * x`." Square(l, x) => l.mul(x, x);
    "`1 / x`." Reciprocal(l, x) => l.div(l.splat(T::ONE), x);
    "The largest integer that is not above `x`." Floor(l, x) => floor(l, x);
    "The smallest integer that is not below `x`." Ceil(l, x) => l.neg(floor(l, l.neg(x)));
    "The nearest integer, ties to even." Round(l, x) => round(l, x);
    "`e^x`." Exp(l, x) => T::exp(l, x);
    "`e^x - 1`." Expm1(l, x) => T::expm1(l, x);
    "Natural logarithm." Log(l, x) => T::log(l, x);
    "`ln(1 + x)`." Log1p(l, x) => T::log1p(l, x);
    "Square root." Sqrt(l, x) => l.sqrt(x);
    "`1 / sqrt(x)`." Rsqrt(l, x) => T::rsqrt(l, x);
    "Sine." Sin(l, x) => T::sin(l, x);
    "Cosine." Cos(l, x) => T::cos(l, x);
    "The error function." Erf(l, x) => T::erf(l, x);
    "Hyperbolic tangent." Tanh(l, x) => T::tanh(l, x);
    "`1 / (1 + e^-x)`." Sigmoid(l, x) => T::sigmoid(l, x);
    "`ln(1 + e^x)`." Softplus(l, x) => T::softplus(l, x);
    "`x` where positive or NaN, else 0." Relu(l, x) => l.select(l.le(x, l.splat(T::ZERO)), l.splat(T::ZERO), x);
    "`x * slope` where not positive, else `x`." LeakyRelu { slope }(l, x) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.mul(x, l.splat(slope)), x);
    "`alpha * (e^x - 1)` where not positive, else `x`." Elu { alpha }(l, x) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.mul(T::expm1(l, x), l.splat(alpha)), x);
    "`x / (1 + e^-x)`." Silu(l, x) => T::silu(l, x);
    "`x * Phi(x)`, the exact form." Gelu(l, x) => T::gelu(l, x);
    "`x * Phi(x)`, the tanh form." GeluTanh(l, x) => T::gelu_tanh(l, x);
}
