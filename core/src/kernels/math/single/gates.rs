//! Functions made from the logistic one: `softplus`, `silu` and the gate that gelu's tanh form has too.
//!
//! All start from `z = e^-|v| = 2^n (1 + s)`, which never overflows. `softplus x = max(x, 0) + ln(1 + z)`.
//! `x sigmoid(v)` is `x u (1 + s) 2^n` or `x u` for `v` below or above 0, `u = 1 / (1 + z)`: `u` and `x u` are kept with
//! their errors, so the last sum is the one large rounding, and the power of two is put on last.
#![forbid(unsafe_code)]

use super::exp::{clamp, exp_parts};
use super::log::{log_parts, log_sum};
use super::{product_error, remainder, scale_down};
use crate::kernels::Lanes;

/// `ln(1 + e^x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn softplus<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (one, zero) = (l.splat(1.0), l.splat(0.0));
    let (s, n) = exp_parts(l, l.max(l.splat(-105.0), l.neg(l.abs(x))), None);
    let e = l.add(s, one);
    let z = scale_down(l, e, n);
    let z_low = scale_down(l, l.sub(s, l.sub(e, one)), n);
    let u = l.add(one, z);
    let lost = l.add(l.sub(z, l.sub(u, one)), z_low);
    let (f, e) = log_parts(l, u);
    l.add(l.max(zero, x), log_sum(l, f, e, Some(l.div(lost, u))))
}

/// `x sigmoid(v + v_low)`, for `|v| <= 115`, `v` and `x` of one sign.
#[inline(always)]
pub(super) fn gate<L: Lanes<f32>>(l: L, x: L::V, v: L::V, v_low: Option<L::V>) -> L::V {
    let (one, zero) = (l.splat(1.0), l.splat(0.0));
    let negative = l.lt(v, zero);
    let v_low = v_low.map(|low| l.select(negative, low, l.neg(low)));
    let (s, n) = exp_parts(l, l.neg(l.abs(v)), v_low);
    let z = scale_down(l, l.add(one, s), n);
    let d = l.add(one, z);
    let lost = l.sub(z, l.sub(d, one));
    let u = l.div(one, d);
    // The relative error of `u`.
    let u_low = l.mul_add(l.neg(u), lost, remainder(l, one, u, d));
    let y = l.mul(x, u);
    let y_low = l.mul_add(y, u_low, product_error(l, x, u, y));
    let s = l.select(negative, s, zero);
    let y = l.add(y, l.mul_add(y, s, l.mul_add(y_low, s, y_low)));
    // -0 is its own.
    l.copysign(scale_down(l, y, l.select(negative, n, zero)), x)
}

/// `x / (1 + e^-x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn silu<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let v = clamp(l, x, -112.0, 112.0);
    l.select(l.lt(l.splat(112.0), x), x, gate(l, v, v, None))
}
