//! [`Math`] for f64, by the `libm` crate.

use super::Math;
use crate::kernels::Lanes;

/// `Phi(x)`, through erfc so that the left tail keeps its digits.
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
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
            // Where the density has vanished x may be infinite: their product is 0, not NaN.
            if density == 0.0 { phi(x) } else { x * density + phi(x) }
        })
    }
}
