//! The hyperbolic tangent and the logistic function: what a rounded exponential gives in one division.
//!
//! `tanh x = x + x^3 P(x^2)` for `|x| < 0.55`, where the result is below 1/2; beyond, `1 - 2 / (e^2|x| + 1)`, where
//! the quotient is below 1/2 and hands on less than half of its error. The sign is put on last. From `|x| = 10` on
//! the result is 1.
//!
//! `sigmoid x` is `1 / (1 + z)` or `z / (1 + z)` for `x` above or below 0, `z = e^-|x|`: both sides keep their digits.
//!
//! `P`, degree 4: Remez, `tanh x` to 2^-29.7 (relative) on `|x| <= 0.5494`.
#![forbid(unsafe_code)]

use super::exp::{exp, exp_parts};
use super::polynomial;
use crate::kernels::Lanes;

/// `P`, from its constant.
const P: [f32; 5] =
    [-3.333_331_6e-1, 1.333_254_4e-1, -5.384_754_8e-2, 2.105_071_4e-2, -6.242_849_4e-3];

/// `tanh x`; at most 2 ulp.
#[inline(always)]
pub(super) fn tanh<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let size = l.abs(x);
    let xx = l.mul(x, x);
    let small = l.mul_add(l.mul(size, xx), polynomial(l, xx, &P), size);
    let one = l.splat(1.0);
    let capped = l.select(l.lt(l.splat(10.0), size), l.splat(10.0), size);
    let (s, n) = exp_parts(l, l.add(capped, capped), None);
    let e = l.scale_pow2(l.add(s, one), n);
    let large = l.sub(one, l.div(l.splat(2.0), l.add(e, one)));
    l.copysign(l.select(l.lt(size, l.splat(0.549_3)), small, large), x)
}

/// `1 / (1 + e^-x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn sigmoid<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let one = l.splat(1.0);
    let z = exp(l, l.neg(l.abs(x)));
    l.div(l.select(l.lt(x, l.splat(0.0)), z, one), l.add(one, z))
}
