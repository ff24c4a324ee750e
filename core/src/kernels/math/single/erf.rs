//! The error function.
//!
//! `erf x = x + x P(x^2)` for `|x| < 1/2`. Beyond, `1 - e^L(|x|)` with `L = ln erfc`, a polynomial: what it must reach
//! is the absolute accuracy of `erfc`, which is below 1/2 and falls, so a low degree and one rounded argument do.
//! From `|x| = 4` on the result is 1.
//!
//! `P`, degree 4: Remez, `erf x` to 2^-29.3 (relative) on `|x| <= 1/2`.
//! `L`, degree 6: Remez, `erf x` to 2^-27.7 (relative) on `[0.49, 4]`.
#![forbid(unsafe_code)]

use super::exp::exp_parts;
use super::polynomial;
use crate::kernels::Lanes;

/// `P`, from its constant.
const P: [f32; 5] = [1.283_791_7e-1, -3.761_261e-1, 1.128_285_1e-1, -2.675_826e-2, 4.719_16e-3];
/// `L`, from its constant.
const LOG_ERFC: [f32; 7] = [
    3.642_87e-5,
    -1.128_718_5,
    -6.352_755e-1,
    -1.057_443_2e-1,
    2.317_054_2e-2,
    -3.297_930_6e-3,
    2.237_665_5e-4,
];

/// `erf x`; at most 2 ulp.
#[inline(always)]
pub(super) fn erf<L: Lanes<f32>>(l: L, x: L::V) -> L::V {
    let one = l.splat(1.0);
    let small = l.mul_add(x, polynomial(l, l.mul(x, x), &P), x);
    let a = l.min(l.splat(4.0), l.abs(x));
    let (s, n) = exp_parts(l, polynomial(l, a, &LOG_ERFC), None);
    let large = l.sub(one, l.mul(l.pow2(n), l.add(one, s)));
    l.copysign(l.select(l.lt(a, l.splat(0.5)), small, large), x)
}
