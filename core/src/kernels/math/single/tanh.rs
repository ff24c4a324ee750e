//! The hyperbolic tangent and the logistic function: what `e^y = 2^n (1 + s)` gives in one division.
//!
//! `tanh |x| = 1 - 2 / (e^2|x| + 1)` from `|x| = 0.55` on, where the quotient is below 1/2 and hands on less than half
//! of its error; `e^2|x| + 1 = 2^n s + (2^n + 1)` with an exact bracket rounds once (fused). Below,
//! `tanh x = x + x^3 P(x^2)`. From `|x| = 10` on the result is 1.
//!
//! `sigmoid x` is `1 / (1 + z)` or `z / (1 + z)` for `x` above or below 0, `z = e^-|x|`: both sides keep their digits.
//! The second is `2^n (u + u s)` with `u = 1 / (1 + z)`, so that the factor `z` is never rounded, and a subnormal
//! result once; what the sum `1 + z` lost is given back.
//!
//! `P`, degree 3: Remez, `tanh x` to 2^-24.7 (relative) on `|x| <= 0.5494`.
#![forbid(unsafe_code)]

use super::exp::exp_parts;
use super::{chain, scale_down};
use crate::kernels::Lanes;

/// `P`, from its constant.
const P: [f32; 4] = [-3.333_295e-1, 1.332_080_2e-1, -5.267_690_5e-2, 1.644_754_6e-2];

/// `tanh x`; at most 2 ulp.
#[inline(always)]
pub(super) fn tanh<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let xx = l.mul(x, x);
    let small = l.mul_add(l.mul(x, xx), chain(l, xx, &P), x);
    let one = l.splat(1.0);
    let size = l.min(l.splat(10.0), l.abs(x));
    let (s, n) = exp_parts(l, l.add(size, size), None);
    let p = l.pow2(n);
    let d = l.mul_add(p, s, l.add(p, one));
    let large = l.sub(one, l.div(l.splat(2.0), d));
    l.copysign(l.select(l.lt(size, l.splat(0.549_3)), small, large), x)
}

/// `1 / (1 + e^-x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn sigmoid<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (one, zero) = (l.splat(1.0), l.splat(0.0));
    let (s, n) = exp_parts(l, l.max(l.splat(-105.0), l.neg(l.abs(x))), None);
    let z = scale_down(l, l.add(one, s), n);
    let d = l.add(one, z);
    let lost = l.sub(z, l.sub(d, one));
    let u = l.div(one, d);
    let negative = l.lt(x, zero);
    let s = l.select(negative, s, zero);
    let rough = l.mul_add(u, s, u);
    let y = l.mul_add(u, l.mul_add(l.neg(lost), rough, s), u);
    scale_down(l, y, l.select(negative, n, zero))
}
