//! `x^y`.
//!
//! `|x|^y = e^(y ln |x|)`, where an error of the logarithm counts as often as the exponent is large, up to 104: it is
//! computed to 2^-34, in two terms. With `|x| = 2^e (1 + f)` and `s = f / (2 + f)`, `w = s^2`,
//! `ln(1 + f) = 2 s (1 + w / 3 + w^2 R(w))`: `s`, `w / 3` and the products that lead have two terms, the rest one. The
//! sign is that of `x` where `y` is an odd integer.
//!
//! `R`, degree 2: Remez, the bracket to 2^-36.7 on `w <= 0.0296`.
#![forbid(unsafe_code)]

use super::exp::{LN_2, clamp, exp_parts};
use super::log::log_parts;
use super::{polynomial, product_error, remainder};
use crate::kernels::Lanes;

/// A third, in two terms.
const THIRD: (f32, f32) = (3.333_333_4e-1, -9.934_108e-9);
/// `R`, from its constant.
const R: [f32; 3] = [2.000_007_6e-1, 1.427_352_9e-1, 1.171_050_1e-1];
/// From here on an f32 has no bits below the point.
const TWO_23: f32 = 8_388_608.0;

/// `ln x` in two terms, for positive finite `x`.
#[inline(always)]
fn log_pair<L: Lanes<f32>>(l: L, x: L::V) -> (L::V, L::V) {
    let (f, e) = log_parts(l, x);
    let two = l.splat(2.0);
    let d = l.add(two, f);
    let d_low = l.sub(f, l.sub(d, two));
    let u = l.div(l.splat(1.0), d);
    let s = l.mul(f, u);
    let s_low = l.mul(l.mul_add(l.neg(s), d_low, remainder(l, f, s, d)), u);
    let p = l.add(s, s);
    let p_low = l.add(s_low, s_low);

    let w = l.mul(s, s);
    let w_low = l.mul_add(p, s_low, product_error(l, s, s, w));
    let third = l.splat(THIRD.0);
    let c = l.mul(w, third);
    let c_low = l.mul_add(w, l.splat(THIRD.1), product_error(l, w, third, c));
    let c_low = l.mul_add(l.mul(w, w), polynomial(l, w, &R), l.mul_add(w_low, third, c_low));
    let q = l.mul(p, c);
    let q_low = l.mul_add(p_low, c, l.mul_add(p, c_low, product_error(l, p, c, q)));

    // e ln 2 + p + q, each sum with its error: the first operand is larger or 0.
    let high = l.mul(e, l.splat(LN_2.0));
    let a = l.add(high, p);
    let a_low = l.sub(p, l.sub(a, high));
    let b = l.add(a, q);
    let b_low = l.sub(q, l.sub(b, a));
    let low = l.add(l.add(a_low, b_low), l.add(q_low, l.mul_add(e, l.splat(LN_2.1), p_low)));
    let sum = l.add(b, low);
    (sum, l.sub(low, l.sub(sum, b)))
}

/// Whether `a`, not negative, is an integer.
#[inline(always)]
fn is_integer<L: Lanes<f32>>(l: L, a: L::V) -> L::M {
    let offset = l.splat(TWO_23);
    // From 2^23 on the sum could round; 0 stands for all of them.
    let a = l.select(l.lt(a, offset), a, l.splat(0.0));
    l.eq(l.sub(l.add(a, offset), offset), a)
}

/// `x^y`; at most 2 ulp, with IEEE 754's special cases.
#[inline(always)]
pub(super) fn pow<L: Lanes<f32>>(l: L, x: L::V, y: L::V) -> L::V {
    let (zero, one, inf) = (l.splat(0.0), l.splat(1.0), l.splat(f32::INFINITY));
    let (size, y_size) = (l.abs(x), l.abs(y));
    let (log, log_low) = log_pair(l, size);
    // Beyond 2^40 the result is 0, 1 or infinite as it is there.
    let bounded = clamp(l, y, -1.099_511_6e12, 1.099_511_6e12);
    let v = l.mul(bounded, log);
    let v_low = l.mul_add(bounded, log_low, product_error(l, bounded, log, v));
    // At the bounds the result is 0 and infinite, whatever follows.
    let v_low = l.select(l.lt(l.abs(v), l.splat(200.0)), v_low, zero);
    let (s, n) = exp_parts(l, clamp(l, v, -105.0, 90.0), Some(v_low));
    let z = l.scale_pow2(l.add(one, s), n);

    // |x| of 0 and infinity.
    let falls = l.lt(y, zero);
    let z = l.select(l.eq(size, zero), l.select(falls, inf, zero), z);
    let z = l.select(l.eq(size, inf), l.select(falls, zero, inf), z);
    // Odd: an integer whose half is none.
    let half = is_integer(l, l.mul(y_size, l.splat(0.5)));
    let whole = is_integer(l, y_size);
    let sign = l.copysign(one, x);
    let odd_sign = l.select(half, one, l.select(whole, sign, one));
    let z = l.mul(z, odd_sign);
    // A negative base has no power that is not an integer; 0 and infinity do.
    let nan = l.splat(f32::NAN);
    let of_negative = l.select(whole, z, l.select(l.eq(size, inf), z, nan));
    let z = l.select(l.lt(x, zero), of_negative, z);
    // NaN, but not of x^0 and 1^y.
    let z = l.select(l.eq(x, x), l.select(l.eq(y, y), z, y), x);
    let z = l.select(l.eq(x, one), one, z);
    l.select(l.eq(y, zero), one, z)
}
