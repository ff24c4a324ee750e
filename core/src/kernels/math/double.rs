//! [`Math`] for f64, by the `libm` crate.

use super::Math;
use super::rsqrt::rsqrt;
use crate::kernels::Lanes;

const TWICE_SQRT_2_OVER_PI: f64 = 1.595_769_121_605_731;

/// `Phi(x)`, through erfc so that the left tail keeps its digits.
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

/// `x / (1 + e^-v)`, for `v` of the sign of `x`.
fn gate(x: f64, v: f64) -> f64 {
    if v >= 0.0 {
        return x / (1.0 + libm::exp(-v));
    }
    // The factor vanishes first: at -inf the limit is 0, the product NaN.
    let z = libm::exp(v);
    if z == 0.0 { -0.0 } else { x * (z / (1.0 + z)) }
}

impl Math for f64 {
    #[inline(always)]
    fn exp<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::exp)
    }
    #[inline(always)]
    fn log<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::log)
    }
    #[inline(always)]
    fn tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::tanh)
    }
    #[inline(always)]
    fn sigmoid<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, |x| 1.0 / (1.0 + libm::exp(-x)))
    }
    #[inline(always)]
    fn gelu<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        // At -inf the limit is 0, the product NaN.
        l.map(x, |x| if x == Self::NEG_INFINITY { -0.0 } else { x * phi(x) })
    }
    #[inline(always)]
    fn gelu_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
        l.map(x, |x| {
            let density = INV_SQRT_TAU * libm::exp(-0.5 * x * x);
            // Where the density has vanished x may be infinite: their product is 0, not NaN, and comes from below.
            if density > 0.0 || x.is_nan() {
                x * density + phi(x)
            } else if x < 0.0 {
                -0.0
            } else {
                1.0
            }
        })
    }
    #[inline(always)]
    fn expm1<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::expm1)
    }
    #[inline(always)]
    fn log1p<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::log1p)
    }
    #[inline(always)]
    fn rsqrt<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        rsqrt(l, x)
    }
    #[inline(always)]
    fn erf<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::erf)
    }
    #[inline(always)]
    fn sin<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::sin)
    }
    #[inline(always)]
    fn cos<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, libm::cos)
    }
    #[inline(always)]
    fn softplus<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(
            x,
            |x| if x > 0.0 { x + libm::log1p(libm::exp(-x)) } else { libm::log1p(libm::exp(x)) },
        )
    }
    #[inline(always)]
    fn silu<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, |x| gate(x, x))
    }
    #[inline(always)]
    fn gelu_tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, |x| gate(x, TWICE_SQRT_2_OVER_PI * (x + 0.044_715 * x * x * x)))
    }
    #[inline(always)]
    fn gelu_tanh_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        l.map(x, |x| {
            let v = TWICE_SQRT_2_OVER_PI * (x + 0.044_715 * x * x * x);
            let z = libm::exp(-v.abs());
            let (larger, smaller) = (1.0 / (1.0 + z), z / (1.0 + z));
            let sigmoid = if v < 0.0 { smaller } else { larger };
            // Where it has vanished x may be infinite: their product is 0, not NaN, and comes from below.
            if smaller == 0.0 {
                return if v < 0.0 { -0.0 } else { 1.0 };
            }
            let slope = TWICE_SQRT_2_OVER_PI * (1.0 + 3.0 * 0.044_715 * x * x);
            sigmoid + x * slope * (larger * smaller)
        })
    }
    #[inline(always)]
    fn pow<L: Lanes<Self>>(l: L, x: L::V, y: L::V) -> L::V {
        l.map2(x, y, libm::pow)
    }
}
