//! The normal distribution function times its argument.
//!
//! From `|x| = 1/2` on everything is made from the tail `Q(a) = e^(-a^2 / 2) R(a)` at `a = |x|`: `gelu(-a) = -a Q(a)`
//! and `gelu(a) = a - a Q(a)`. `R` (Mills' ratio times a constant) falls smoothly from 1/2 to about `0.4 / a`; with
//! `q = a / (a + 1.75)` it is `a R(a) = q G(q)`, `G` within `[0.45, 0.8]`, a polynomial in `q - 47/64`. (The centre is
//! where most of the tail lies, and its constant term is close to an f32.) `a^2` is kept in two terms, and so are `q`,
//! `G` and their product: the polynomial's lower steps, `s` and the last sum round. The power of two is put on last, so
//! that a subnormal result rounds once. Below 1/2, `Phi(x) = 1/2 + x P(x^2)`.
//!
//! `G`, degree 9: Remez, 2^-26.3 (relative) for `a` in `[0.49, 13.3]`; at 14.2 the last subnormal is passed.
//! `P`, degree 3: Remez, `Phi(-|x|)` to 2^-28.6 (relative) on `|x| <= 0.505`.
#![forbid(unsafe_code)]

use super::exp::exp_parts;
use super::{chain, polynomial, product_error, remainder, scale_down};
use crate::kernels::Lanes;

const SHIFT: f32 = 1.75;
const CENTRE: f32 = 47.0 / 64.0;
/// `G`: its constant, and the others from the lowest.
const G: (f32, [f32; 9]) = (
    5.225_119e-1,
    [
        -5.203_689e-1,
        1.447_329_7e-1,
        3.022_590_6e-1,
        -1.617_467e-1,
        -3.887_921_6e-1,
        7.588_059e-2,
        6.873_031e-1,
        6.884_720_3e-1,
        2.408_222e-1,
    ],
);
/// The derivative of `q G` by `q`, to a tenth (it weighs a rounding error).
const SLOPE: [f32; 2] = [0.889_597, -1.001_747];
/// `P`, from its constant.
const P: [f32; 4] = [3.989_422_6e-1, -6.648_946e-2, 9.960_901e-3, -1.122_020_8e-3];

/// `(y, n)` with `a Q(a) = 2^n y`, for `0 <= a <= 15`; `n` is in `[-163, 0]`.
#[inline(always)]
fn tail<L: Lanes<f32>>(l: L, a: L::V) -> (L::V, L::V) {
    let d = l.add(a, l.splat(SHIFT));
    let d_low = l.sub(a, l.sub(d, l.splat(SHIFT)));
    let u = l.div(l.splat(1.0), d);
    let q = l.mul(a, u);
    let q_low = l.mul(l.mul_add(l.neg(q), d_low, remainder(l, a, q, d)), u);
    let minus_half = l.mul(a, l.splat(-0.5));
    let square = l.mul(minus_half, a);
    let square_low = product_error(l, minus_half, a, square);
    let (s, n) = exp_parts(l, square, Some(square_low));
    let t = l.sub(q, l.splat(CENTRE));
    let p = polynomial(l, t, &G.1);
    let g = l.mul_add(t, p, l.splat(G.0));
    let g_low = l.mul_add(t, p, l.sub(l.splat(G.0), g));
    let y = l.mul(q, g);
    let y_low = l.mul_add(q, g_low, product_error(l, q, g, y));
    let y_low = l.mul_add(q_low, polynomial(l, q, &SLOPE), y_low);
    (l.add(y, l.mul_add(y, s, l.mul_add(y_low, s, y_low))), n)
}

/// `Phi(x)` for `|x| <= 1/2`.
#[inline(always)]
fn phi_near_zero<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    l.mul_add(x, chain(l, l.mul(x, x), &P), l.splat(0.5))
}

/// `x Phi(x)`; at most 2 ulp.
#[inline(always)]
pub(super) fn gelu<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (y, n) = tail(l, l.min(l.splat(15.0), l.abs(x)));
    let y = scale_down(l, y, n);
    let large = l.select(l.lt(x, l.splat(0.0)), l.neg(y), l.sub(x, y));
    l.select(l.lt(l.abs(x), l.splat(0.5)), l.mul(x, phi_near_zero(l, x)), large)
}
