//! The exponential.
//!
//! `e^x = 2^n * (1 + s)` with `n` the integer nearest to `x / ln 2` and `s = e^r - 1`, `r = x - n ln 2` in
//! `[-0.347, 0.347]`. `ln 2` is two terms of which the first has 16 bits, so that `n` times it is exact and the
//! subtraction `a = x - n ln2_high` too, fused or not. `s = a + (r^2 Q(r) - n ln2_low)`: its last addition alone rounds
//! by more than a few hundredths of a unit of the result. Then `1 + s`, and the scaling, which is exact or, where the
//! result is subnormal, rounds once.
//!
//! `Q`, degree 4: Remez, `e^r` to 2^-28.2 (relative) on `|r| <= ln 2 / 2`.
#![forbid(unsafe_code)]

use super::polynomial;
use crate::kernels::Lanes;

/// 16 bits of `ln 2`, and the rest.
pub(super) const LN_2: (f32, f32) = (0.693_145_75, 1.428_606_8e-6);
/// `Q`, from its constant.
const Q: [f32; 5] =
    [4.999_999_4e-1, 1.666_651_7e-1, 4.166_810_2e-2, 8.369_165_5e-3, 1.383_801_6e-3];

/// `(s, n)` with `e^(x + low) = 2^n * (1 + s)`, `s` in `[-0.3, 0.42]`; for `|x| < 10^4`, `low` beneath a unit of `x`.
#[inline(always)]
pub(super) fn exp_parts<L: Lanes<f32>>(l: L, x: L::V, low: Option<L::V>) -> (L::V, L::V) {
    let n = l.round(l.mul(x, l.splat(core::f32::consts::LOG2_E)));
    let a = l.mul_add(n, l.splat(-LN_2.0), x);
    let b = match low {
        None => l.mul(n, l.splat(-LN_2.1)),
        Some(low) => l.mul_add(n, l.splat(-LN_2.1), low),
    };
    let r = l.add(a, b);
    let rr = l.mul(r, r);
    (l.add(a, l.mul_add(rr, polynomial(l, r, &Q), b)), n)
}

/// `x` no further from 0 than the bounds; NaN stays.
#[inline(always)]
pub(super) fn clamp<L: Lanes<f32>>(l: L, x: L::V, low: f32, high: f32) -> L::V {
    l.min(l.splat(high), l.max(l.splat(low), x))
}

/// `e^x`; at most 1 ulp.
#[inline(always)]
pub(super) fn exp<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    // At the bounds the result is 0 and infinite.
    let (s, n) = exp_parts(l, clamp(l, x, -105.0, 90.0), None);
    l.scale_pow2(l.add(s, l.splat(1.0)), n)
}
