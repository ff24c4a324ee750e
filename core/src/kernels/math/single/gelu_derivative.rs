//! The derivative of gelu, `Phi(x) + x phi(x)`, to a small relative error around its zero too.
//!
//! With `a = |x|` its value at `-a` is `D(a) = e^(-a^2 / 2) (R(a) - a / sqrt(2 pi))` (see [`gelu`](super::gelu)), and
//! `1 - D(a)` at `a`. The bracket has one zero, `a0 = 0.7518`, and is `(a0 - a) K(a)` with `K` falling from 0.665 to
//! 0.399: a polynomial in `1 / (a + 3.5) - 31/256`. `a0 - a`, the reciprocal and the product are kept in two terms.
//!
//! `K`, degree 9: Remez, 2^-28.5 (relative) on `a <= 14`; at 14.3 the last subnormal is passed.
#![forbid(unsafe_code)]

use super::exp::exp_parts;
use super::{polynomial, product_error, remainder, scale_down};
use crate::kernels::Lanes;

/// The zero, in two terms.
const ZERO: (f32, f32) = (7.517_915_4e-1, -1.211_445e-8);
const SHIFT: f32 = 3.5;
const CENTRE: f32 = 31.0 / 256.0;
/// `K`: its constant, and the others from the lowest.
const K: (f32, [f32; 9]) = (
    4.536_996e-1,
    [
        6.650_741_7e-1,
        2.397_339_3,
        6.561_382_3,
        1.136_612_2e1,
        2.292_454_7,
        -4.503_605_3e1,
        -6.479_674_5e1,
        2.804_009_4e2,
        -1.457_524_3e2,
    ],
);
/// The derivative of `K`, to a tenth (it weighs a rounding error).
const SLOPE: [f32; 2] = [0.6, 9.0];

/// `Phi(x) + x phi(x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn gelu_derivative<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (one, zero) = (l.splat(1.0), l.splat(ZERO.0));
    let a = l.min(l.splat(15.0), l.abs(x));
    let minus_half = l.mul(a, l.splat(-0.5));
    let square = l.mul(minus_half, a);
    let square_low = product_error(l, minus_half, a, square);
    let (s, n) = exp_parts(l, square, Some(square_low));

    let d = l.add(a, l.splat(SHIFT));
    let d_low = l.sub(a, l.sub(d, l.splat(SHIFT)));
    let u = l.div(one, d);
    let u_low = l.mul(l.mul_add(l.neg(u), d_low, remainder(l, one, u, d)), u);
    let t = l.sub(u, l.splat(CENTRE));
    let p = polynomial(l, t, &K.1);
    let k = l.mul_add(t, p, l.splat(K.0));
    let k_low = l.mul_add(t, p, l.sub(l.splat(K.0), k));
    let k_low = l.mul_add(u_low, polynomial(l, t, &SLOPE), k_low);

    // a0 - a and its error, whichever is larger (Knuth's two-sum).
    let w = l.sub(zero, a);
    let back = l.sub(w, zero);
    let w_low = l.sub(l.sub(zero, l.sub(w, back)), l.add(a, back));
    let w_low = l.add(w_low, l.splat(ZERO.1));
    let y = l.mul(w, k);
    let y_low = l.mul_add(w, k_low, l.mul_add(w_low, k, product_error(l, w, k, y)));
    let y = scale_down(l, l.add(y, l.mul_add(y, s, l.mul_add(y_low, s, y_low))), n);
    l.select(l.lt(x, l.splat(0.0)), y, l.sub(one, y))
}
