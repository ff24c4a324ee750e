//! Derivatives of the functions of one value, times the gradient `g` of the result: of the input `x` or the output `y`,
//! whichever is cheaper and loses no digits.

use super::{Binary, binary, unary};
use crate::kernels::Lanes;
use crate::kernels::math::Math;

/// The derivative of silu: `s + x s (1 - s)`, `s` the logistic function of `x`.
///
/// Both `s` and `1 - s` come from `z = e^-|x|`: a difference from 1 would lose the digits of the smaller.
#[inline(always)]
pub(super) fn silu_derivative<T: Math, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    let one = l.splat(T::ONE);
    let z = T::exp(l, l.neg(l.abs(x)));
    let larger = l.div(one, l.add(one, z));
    let smaller = l.mul(z, larger);
    let sigmoid = l.select(l.lt(x, l.splat(T::ZERO)), smaller, larger);
    let slope = l.mul_add(x, l.mul(larger, smaller), sigmoid);
    // Where the smaller has vanished x may be infinite: their product is 0, not NaN.
    l.select(l.eq(smaller, l.splat(T::ZERO)), sigmoid, slope)
}

/// `x^2 - square`, exactly if `square` is `x^2` rounded and nothing overflows or is subnormal.
#[inline(always)]
fn square_error<T: Math, L: Lanes<T>>(l: L, x: L::V, square: L::V) -> L::V {
    if L::FUSED {
        return l.mul_add(x, x, l.neg(square));
    }
    // By halves of half the bits (Veltkamp, Dekker 1971): each partial product is exact.
    let splitter = if size_of::<T>() == 4 { 4097.0 } else { 134_217_729.0 };
    let c = l.mul(x, l.splat(T::from_f64(splitter)));
    let high = l.sub(c, l.sub(c, x));
    let low = l.sub(x, high);
    let cross = l.mul(high, low);
    l.add(l.add(l.sub(l.mul(high, high), square), l.add(cross, cross)), l.mul(low, low))
}

/// The derivative of the error function: `2 / sqrt(pi) e^-x^2`.
#[inline(always)]
fn erf_derivative<T: Math, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    let square = l.mul(x, x);
    let density = T::exp(l, l.neg(square));
    // What rounding took from the square: e^-(s + low) = e^-s (1 - low), up to its square.
    let low = square_error(l, x, square);
    let exact = l.mul_add(density, l.neg(low), density);
    // Where the density has vanished `low` may be NaN.
    let vanished = l.eq(density, l.splat(T::ZERO));
    let scale = l.splat(T::from_f64(core::f64::consts::FRAC_2_SQRT_PI));
    l.mul(l.select(vanished, density, exact), scale)
}

binary! {
    "`g` times the sign of `x`: 0 at 0, NaN at NaN." AbsBackward(l, x, g) => {
        let zero = l.splat(T::ZERO);
        let g = l.select(l.lt(x, zero), l.neg(g), l.select(l.lt(zero, x), g, zero));
        l.select(l.eq(x, x), g, x)
    };
    "`2 x g`." SquareBackward(l, x, g) => {
        let half = l.mul(x, g);
        l.add(half, half)
    };
    "`-g y^2` from the output `y`." ReciprocalBackward(l, y, g) => l.neg(l.mul(l.mul(g, y), y));
    "`g e^x`." Expm1Backward(l, x, g) => l.mul(g, T::exp(l, x));
    "`g / (1 + x)`." Log1pBackward(l, x, g) => l.div(g, l.add(x, l.splat(T::ONE)));
    "`g / (2 y)` from the output `y`." SqrtBackward(l, y, g) => l.div(g, l.add(y, y));
    "`-g y^3 / 2` from the output `y`." RsqrtBackward(l, y, g) =>
        l.mul(l.mul(l.mul(g, l.splat(T::from_f64(-0.5))), y), l.mul(y, y));
    "`g cos x`." SinBackward(l, x, g) => l.mul(g, T::cos(l, x));
    "`-g sin x`." CosBackward(l, x, g) => l.neg(l.mul(g, T::sin(l, x)));
    "`g 2 / sqrt(pi) e^-x^2`." ErfBackward(l, x, g) => l.mul(g, erf_derivative(l, x));
    "`g * (1 - y^2)` from the output `y`." TanhBackward(l, y, g) =>
        l.mul(g, l.mul_add(l.neg(y), y, l.splat(T::ONE)));
    "`g * y * (1 - y)` from the output `y`." SigmoidBackward(l, y, g) =>
        l.mul(g, l.mul(y, l.sub(l.splat(T::ONE), y)));
    "`g / (1 + e^-x)`." SoftplusBackward(l, x, g) => l.mul(g, T::sigmoid(l, x));
    "`g` where the input `x` was positive or NaN, else 0." ReluBackward(l, x, g) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.splat(T::ZERO), g);
    "`g * slope` where the input `x` was not positive, else `g`." LeakyReluBackward { slope }(l, x, g) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.mul(g, l.splat(slope)), g);
    "`g * alpha * e^x` where the input `x` was not positive, else `g`." EluBackward { alpha }(l, x, g) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.mul(g, l.mul(T::exp(l, x), l.splat(alpha))), g);
    "`g * silu'(x)` from the input `x`." SiluBackward(l, x, g) => l.mul(g, silu_derivative(l, x));
    "`g * gelu'(x)` from the input `x`." GeluBackward(l, x, g) => l.mul(g, T::gelu_derivative(l, x));
    "`g * gelu_tanh'(x)` from the input `x`." GeluTanhBackward(l, x, g) => l.mul(g, T::gelu_tanh_derivative(l, x));
}
