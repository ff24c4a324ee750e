//! Sine and cosine.
//!
//! `x = n pi / 2 + r` with `|r| <= 0.786`; `pi / 2` is four terms, the first three of 12 bits, so that `n` times each is
//! exact up to `n = 2^12`, fused or not (Cody and Waite). The first two differences are exact, the third is kept with
//! its error: `r` has two terms, and keeps its digits where `x` is close to a multiple of `pi / 2`. `n` modulo 4 chooses
//! function and sign. Beyond 6,433 the `libm` crate's f64 functions (Payne and Hanek) answer, lane by lane.
//!
//! `S`, degree 3: Remez, `sin r` to 2^-32.5 (relative) for `r + r^3 S(r^2)`; `C`, degree 2: `cos r` to 2^-33.0 for
//! `1 - r^2 / 2 + r^4 C(r^2)`; both on `|r| <= 0.7862`.
#![forbid(unsafe_code)]

use super::polynomial;
use crate::kernels::Lanes;

/// 12 bits of `pi / 2`, 12 more, 12 more, the rest.
const HALF_PI: [f32; 4] = [1.570_312_5, 4.837_513e-4, 7.549_533_6e-8, 2.563_344e-12];
/// `n` stays below 2^12.
const LIMIT: f32 = 6_433.0;
/// `S`, from its constant.
const S: [f32; 4] = [-1.666_666_7e-1, 8.333_379e-3, -1.985_306_4e-4, 2.832_509_8e-6];
/// `C`, from its constant.
const C: [f32; 3] = [4.166_664_6e-2, -1.388_731e-3, 2.443_232_7e-5];

/// `(sin r, cos r, j)` with `x = n pi / 2 + r`, `j` one of -2, -1, 0, 1, 2 and equal to `n` modulo 4.
#[inline(always)]
fn quarter<L: Lanes<f32>>(l: L, x: L::V) -> (L::V, L::V, L::V) {
    let n = l.round(l.mul(x, l.splat(core::f32::consts::FRAC_2_PI)));
    let minus = |c: f32| l.splat(-c);
    let r = l.mul_add(n, minus(HALF_PI[0]), x);
    let exact = l.mul_add(n, minus(HALF_PI[1]), r);
    let r = l.mul_add(n, minus(HALF_PI[2]), exact);
    let low = l.mul_add(n, minus(HALF_PI[2]), l.sub(exact, r));
    let low = l.mul_add(n, minus(HALF_PI[3]), low);
    let rr = l.mul(r, r);
    let sin = l.add(r, l.mul_add(l.mul(r, rr), polynomial(l, rr, &S), low));
    // cos(r + low) = cos r - r low.
    let tail = l.mul_add(l.mul(rr, rr), polynomial(l, rr, &C), l.neg(l.mul(r, low)));
    let cos = l.add(l.splat(1.0), l.mul_add(rr, l.splat(-0.5), tail));
    let j = l.mul_add(l.round(l.mul(n, l.splat(0.25))), l.splat(-4.0), n);
    (sin, cos, j)
}

/// `fast` where `|x|` is below the limit, else `slow` of f64; NaN of infinities.
#[inline(always)]
fn guarded<L: Lanes<f32>>(l: L, x: L::V, fast: L::V, slow: fn(f64) -> f64) -> L::V {
    let far = l.map(x, |x| if x.abs() < LIMIT { 0.0 } else { slow(f64::from(x)) as f32 });
    l.select(l.lt(l.abs(x), l.splat(LIMIT)), fast, far)
}

/// `sin x`; at most 2 ulp.
#[inline(always)]
pub(super) fn sin<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (sin, cos, j) = quarter(l, x);
    let size = l.abs(j);
    let odd = l.eq(size, l.splat(1.0));
    // Signs by quarter -2 .. 2: -sin, -cos, sin, cos, -sin.
    let sign = l.select(odd, j, l.sub(l.splat(1.0), size));
    let y = l.mul(l.select(odd, cos, sin), sign);
    guarded(l, x, l.select(l.eq(x, l.splat(0.0)), x, y), libm::sin)
}

/// `cos x`; at most 2 ulp.
#[inline(always)]
pub(super) fn cos<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let (sin, cos, j) = quarter(l, x);
    let size = l.abs(j);
    let odd = l.eq(size, l.splat(1.0));
    // Signs by quarter -2 .. 2: -cos, sin, cos, -sin, -cos.
    let sign = l.select(odd, l.neg(j), l.sub(l.splat(1.0), size));
    guarded(l, x, l.mul(l.select(odd, sin, cos), sign), libm::cos)
}
