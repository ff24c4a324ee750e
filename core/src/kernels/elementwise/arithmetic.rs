//! Functions of two values, and their derivatives.

use super::{Binary, Ternary, Unary, binary, ternary, unary};
use crate::kernels::Lanes;
use crate::kernels::math::Math;

/// The larger; +0 is larger than -0. NaN if either is.
#[inline(always)]
fn maximum<T: Math, L: Lanes<T>>(l: L, a: L::V, b: L::V) -> L::V {
    // Of two zeros the sum is -0 only if both are; of other equals it has their sign.
    let equal = l.copysign(a, l.add(a, b));
    let larger = l.select(l.lt(a, b), b, l.select(l.eq(a, b), equal, a));
    l.select(l.eq(b, b), larger, b)
}

/// The smaller; -0 is smaller than +0. NaN if either is.
#[inline(always)]
fn minimum<T: Math, L: Lanes<T>>(l: L, a: L::V, b: L::V) -> L::V {
    l.neg(maximum(l, l.neg(a), l.neg(b)))
}

/// The share of `g` that the larger, `a`, gets of `a` and `b`: all, half of it if they are equal, none; all if `a` is NaN.
#[inline(always)]
fn larger_share<T: Math, L: Lanes<T>>(l: L, a: L::V, b: L::V, g: L::V) -> L::V {
    let (zero, half) = (l.splat(T::ZERO), l.mul(g, l.splat(T::from_f64(0.5))));
    let share = l.select(l.lt(b, a), g, l.select(l.eq(a, b), half, zero));
    l.select(l.eq(a, a), share, g)
}

unary! {
    "`x` moved into `low..=high`: the smaller of `high` and the larger of `x` and `low`. NaN if any is." Clamp { low, high }(l, x) =>
        minimum(l, maximum(l, x, l.splat(low)), l.splat(high));
}

binary! {
    "`a + b`." Add(l, a, b) => l.add(a, b);
    "`a - b`." Sub(l, a, b) => l.sub(a, b);
    "`a * b`." Mul(l, a, b) => l.mul(a, b);
    "`a / b`." Div(l, a, b) => l.div(a, b);
    "The larger of both; NaN if either is." Maximum(l, a, b) => maximum(l, a, b);
    "The smaller of both; NaN if either is." Minimum(l, a, b) => minimum(l, a, b);
    "`a^b`." Pow(l, a, b) => T::pow(l, a, b);
    "`g` unless the input `x` was below `low` or above `high`, else 0." ClampBackward { low, high }(l, x, g) => {
        let zero = l.splat(T::ZERO);
        let inside = l.select(l.lt(x, l.splat(low)), zero, g);
        l.select(l.lt(l.splat(high), x), zero, inside)
    };
}

ternary! {
    "What `a` gets of the gradient `g` of the larger of `a` and `b`." MaximumBackward(l, a, b, g) => larger_share(l, a, b, g);
    "What `a` gets of the gradient `g` of the smaller of `a` and `b`." MinimumBackward(l, a, b, g) =>
        larger_share(l, l.neg(a), l.neg(b), g);
    "`g y x^(y - 1)`: the derivative of `x^y` by `x`; 0 where `y` is 0." PowBaseBackward(l, x, y, g) => {
        let slope = l.mul(y, T::pow(l, x, l.sub(y, l.splat(T::ONE))));
        let zero = l.splat(T::ZERO);
        l.select(l.eq(y, zero), zero, l.mul(g, slope))
    };
    "`g p ln x`, `p` the power `x^y`: its derivative by `y`; 0 where `p` is 0, and where `x` is and `p` finite." PowExponentBackward(l, x, p, g) => {
        let (zero, one) = (l.splat(T::ZERO), l.splat(T::ONE));
        let slope = l.mul(g, l.mul(p, T::log(l, x)));
        let slope = l.select(l.and(l.eq(x, zero), l.eq(p, one)), zero, slope);
        l.select(l.eq(p, zero), zero, slope)
    };
}
