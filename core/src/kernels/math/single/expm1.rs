//! `e^x - 1`, to a small relative error near 0 too.
//!
//! With `e^x = 2^n (1 + s)` it is `2 (2^(n-1) s + (2^(n-1) - 1/2))`: the bracket is exact up to `n = 24` and hardly
//! matters beyond, so one operation rounds (fused). Half the power keeps `n = 128` in range. At `n = 0` the result is
//! `s` itself, which is rounded once.
#![forbid(unsafe_code)]

use super::exp::{clamp, exp_parts};
use crate::kernels::Lanes;

/// `e^x - 1`; at most 2 ulp.
#[inline(always)]
pub(super) fn expm1<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    // At the bounds the result is -1 and infinite.
    let (s, n) = exp_parts(l, clamp(l, x, -18.0, 89.0), None);
    let p = l.pow2(l.sub(n, l.splat(1.0)));
    let y = l.mul_add(p, s, l.sub(p, l.splat(0.5)));
    let y = l.select(l.eq(n, l.splat(0.0)), s, l.add(y, y));
    // -0 is its own.
    l.copysign(y, x)
}
