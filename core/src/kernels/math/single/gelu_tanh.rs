//! The tanh form of gelu and its derivative.
//!
//! It is `x sigmoid(v)` with `v = 2 sqrt(2 / pi) (x + 0.044715 x^3)`. An error in `v` counts as often as `v` is large: it
//! is computed in two terms.
//!
//! At `-a` the derivative is `D(a) = z (1 + z - a v') / (1 + z)^2` with `z = e^-v(a)`, and `1 - D(a)` at `a`. Every
//! factor but `s` (of `z = 2^n (1 + s)`) has two terms. Around its one zero `-a0`, where even so the bracket loses its
//! digits, `D = t T(t)`, `t = a0 - a`, for `|t| < 0.27`.
//!
//! `T`, degree 7: Remez, 2^-29.1 (relative) on `|t| <= 0.275`.
#![forbid(unsafe_code)]

use super::exp::{clamp, exp_parts};
use super::gates::gate;
use super::{polynomial, product_error, remainder, scale_down};
use crate::kernels::Lanes;

/// `2 sqrt(2 / pi)`, then 0.044715 times it, then three times that; in two terms each.
const LINEAR: (f32, f32) = (1.595_769_2, -4.534_068e-8);
const CUBIC: (f32, f32) = (7.135_481_4e-2, 2.398_832_5e-9);
const SLOPE: (f32, f32) = (2.140_644_5e-1, -2.540_834_2e-10);
/// `a0`, in two terms.
const ZERO: (f32, f32) = (7.524_614_3e-1, -1.133_962_8e-8);
/// `T`: its constant in two terms, and the others from the lowest.
const T: ((f32, f32), [f32; 7]) = (
    (4.304_001e-1, -1.208_052_3e-8),
    [
        3.875_184_4e-1,
        -1.578_294_1e-2,
        -1.139_441_36e-1,
        -1.661_272_9e-2,
        1.968_227_9e-2,
        5.118_816e-3,
        -2.445_283_3e-3,
    ],
);

/// `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`; at most 2 ulp.
#[inline(always)]
pub(super) fn gelu_tanh<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let bounded = clamp(l, x, -11.0, 11.0);
    let (v, v_low) = argument(l, bounded);
    l.select(l.lt(l.splat(11.0), x), x, gate(l, bounded, v, Some(v_low)))
}

/// The derivative of [`gelu_tanh`]; at most 2 ulp.
#[inline(always)]
pub(super) fn gelu_tanh_derivative<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let one = l.splat(1.0);
    let a = l.min(l.splat(11.0), l.abs(x));
    let (v, v_low) = argument(l, a);
    let (s, n) = exp_parts(l, l.neg(v), Some(l.neg(v_low)));
    let e = l.add(one, s);
    let z = scale_down(l, e, n);
    let z_low = scale_down(l, l.sub(s, l.sub(e, one)), n);
    let d = l.add(one, z);
    let d_low = l.add(l.sub(z, l.sub(d, one)), z_low);
    let u = l.div(one, d);
    // The relative error of `u`.
    let u_low = l.mul_add(l.neg(u), d_low, remainder(l, one, u, d));

    // b = d - a v'.
    let (w, w_low) = even(l, a, SLOPE);
    let m = l.mul(a, w);
    let m_low = l.mul_add(a, w_low, product_error(l, a, w, m));
    let (b, b_low) = two_sum(l, d, l.neg(m));
    let b_low = l.add(b_low, l.sub(d_low, m_low));

    // b u u.
    let y = l.mul(b, u);
    let y_low = l.mul_add(y, u_low, l.mul_add(b_low, u, product_error(l, b, u, y)));
    let yy = l.mul(y, u);
    let yy_low = l.mul_add(yy, u_low, l.mul_add(y_low, u, product_error(l, y, u, yy)));
    let far = l.add(yy, l.mul_add(yy, s, l.mul_add(yy_low, s, yy_low)));
    let far = scale_down(l, far, n);

    let t = l.sub(l.splat(ZERO.0), a);
    let p = l.mul_add(t, polynomial(l, t, &T.1), l.splat(T.0.1));
    let first = l.splat(T.0.0);
    let lead = l.mul(t, first);
    let rest = l.mul_add(l.splat(ZERO.1), first, product_error(l, t, first, lead));
    let near = l.add(lead, l.mul_add(t, p, rest));
    let y = l.select(l.lt(l.abs(t), l.splat(0.27)), near, far);
    l.select(l.lt(x, l.splat(0.0)), y, l.sub(one, y))
}

/// `a + b` in two terms, whichever is larger (Knuth).
#[inline(always)]
fn two_sum<L: Lanes<f32>>(l: L, a: L::V, b: L::V) -> (L::V, L::V) {
    let sum = l.add(a, b);
    let back = l.sub(sum, a);
    (sum, l.add(l.sub(a, l.sub(sum, back)), l.sub(b, back)))
}

/// `LINEAR + c x^2` in two terms.
#[inline(always)]
fn even<L: Lanes<f32>>(l: L, x: L::V, c: (f32, f32)) -> (L::V, L::V) {
    let square = l.mul(x, x);
    let square_low = product_error(l, x, x, square);
    let t = l.mul(l.splat(c.0), square);
    let t_low = l.mul_add(l.splat(c.1), square, product_error(l, l.splat(c.0), square, t));
    let t_low = l.mul_add(l.splat(c.0), square_low, t_low);
    let (sum, low) = two_sum(l, l.splat(LINEAR.0), t);
    (sum, l.add(low, l.add(t_low, l.splat(LINEAR.1))))
}

/// `v` in two terms, for `|x| <= 11`.
#[inline(always)]
fn argument<L: Lanes<f32>>(l: L, x: L::V) -> (L::V, L::V) {
    let (i, i_low) = even(l, x, CUBIC);
    let v = l.mul(x, i);
    (v, l.mul_add(x, i_low, product_error(l, x, i, v)))
}
