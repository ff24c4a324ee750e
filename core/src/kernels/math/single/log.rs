//! The natural logarithm, of `x` and of `1 + x`.
//!
//! `x = 2^e * m` with `m` in `[0.707, 1.414)`, so that `ln x = e ln 2 + ln(1 + f)`, `f = m - 1` exact. The first
//! term's high part (`e` times 16 bits) is exact, and its sum with `f` is kept with its error: where the two nearly
//! cancel (just below 1, `e = -1`) nothing is lost. `ln(1 + f) = f - f^2 / 2 + f^3 P(f)`. Subnormal arguments are
//! scaled by 2^23 first. `ln(1 + x) = ln u + (1 + x - u) / u` with the rounded sum `u`, whose error is exact.
//!
//! `P`, degree 8: Remez, `ln(1 + f)` to 2^-30.3 (relative) on `[0.707 - 1, 1.415 - 1]`.
#![forbid(unsafe_code)]

use super::exp::LN_2;
use super::polynomial;
use crate::kernels::Lanes;

/// `P`, from its constant.
const P: [f32; 9] = [
    3.333_331_3e-1,
    -2.500_001_2e-1,
    2.000_206_9e-1,
    -1.666_787_4e-1,
    1.422_036_9e-1,
    -1.240_776e-1,
    1.188_463e-1,
    -1.166_316_05e-1,
    6.739_952_4e-2,
];

/// `(f, e)` with `x = 2^e * (1 + f)`, `f` in `[-0.293, 0.415)`, for positive finite `x`.
#[inline(always)]
pub(super) fn log_parts<L: Lanes<f32>>(l: L, x: L::V) -> (L::V, L::V) {
    let subnormal = l.lt(x, l.splat(f32::MIN_POSITIVE));
    let (m, e) = l.split_exponent(l.select(subnormal, l.mul(x, l.splat(8_388_608.0)), x));
    let e = l.sub(e, l.select(subnormal, l.splat(23.0), l.splat(0.0)));
    let low = l.lt(m, l.splat(core::f32::consts::FRAC_1_SQRT_2));
    let f = l.sub(l.select(low, l.add(m, m), m), l.splat(1.0));
    (f, l.sub(e, l.select(low, l.splat(1.0), l.splat(0.0))))
}

/// `e ln 2 + ln(1 + f) + low`, for small `low`.
#[inline(always)]
pub(super) fn log_sum<L: Lanes<f32>>(l: L, f: L::V, e: L::V, low: Option<L::V>) -> L::V {
    let ff = l.mul(f, f);
    // f P(f) - 1/2, times f^2.
    let tail = l.mul(ff, l.mul_add(f, polynomial(l, f, &P), l.splat(-0.5)));
    let tail = low.map_or(tail, |low| l.add(tail, low));
    let high = l.mul(e, l.splat(LN_2.0));
    // `high` is 0 or larger than `f`: the sum's error is exact.
    let sum = l.add(high, f);
    let error = l.sub(f, l.sub(sum, high));
    l.add(sum, l.add(l.mul_add(e, l.splat(LN_2.1), tail), error))
}

/// `ln x`; at most 1 ulp.
#[inline(always)]
pub(super) fn log<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (f, e) = log_parts(l, x);
    let y = log_sum(l, f, e, None);
    // 0, infinity and what is not above 0 (NaN too).
    let y = l.select(l.eq(x, l.splat(f32::INFINITY)), x, y);
    let y = l.select(l.lt(l.splat(0.0), x), y, l.splat(f32::NAN));
    l.select(l.eq(x, l.splat(0.0)), l.splat(f32::NEG_INFINITY), y)
}

/// `ln(1 + x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn log1p<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let one = l.splat(1.0);
    let u = l.add(one, x);
    // From 2^24 on it is wrong by at most 1, and `u` takes it away.
    let lost = l.sub(x, l.sub(u, one));
    let (f, e) = log_parts(l, u);
    let y = log_sum(l, f, e, Some(l.div(lost, u)));
    // -0 is its own; then infinity, -1 and what is not above -1 (NaN too).
    let y = l.copysign(y, x);
    let y = l.select(l.eq(x, l.splat(f32::INFINITY)), x, y);
    let y = l.select(l.lt(l.splat(-1.0), x), y, l.splat(f32::NAN));
    l.select(l.eq(x, l.splat(-1.0)), l.splat(f32::NEG_INFINITY), y)
}
