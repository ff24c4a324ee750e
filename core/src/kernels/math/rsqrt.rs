//! `1 / sqrt(x)`, of either type.
//!
//! Root and quotient round once each; one Newton step `y + y e / 2`, `e = 1 - x y^2` by fused operations, takes both
//! errors off again and leaves the last rounding. Without fused operations the quotient stands.
#![forbid(unsafe_code)]

use crate::dtype::Float;
use crate::kernels::Lanes;

/// `1 / sqrt(x)`; at most 1 ulp, unfused 1.5.
#[inline(always)]
pub(super) fn rsqrt<T: Float, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    let (zero, one) = (l.splat(T::ZERO), l.splat(T::ONE));
    let y = l.div(one, l.sqrt(x));
    if !L::FUSED {
        return y;
    }
    let xy = l.mul(x, y);
    let low = l.mul_add(x, y, l.neg(xy));
    let e = l.mul_add(l.neg(low), y, l.mul_add(l.neg(xy), y, one));
    let better = l.mul_add(l.mul(y, l.splat(T::from_f64(0.5))), e, y);
    // 0 and infinity would multiply each other.
    let inside = l.and(l.lt(zero, x), l.lt(x, l.neg(l.splat(T::NEG_INFINITY))));
    l.select(inside, better, y)
}
