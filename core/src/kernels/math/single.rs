//! [`Math`] for f32, by the f64 functions, lane by lane.

use super::Math;
use crate::kernels::{Lanes, ScalarLanes};

/// Rounds a function of f64 to f32.
#[inline(always)]
fn through_f64<L: Lanes<f32>>(l: L, x: L::V, f: impl Fn(f64) -> f64) -> L::V {
    l.map(x, |x| f(f64::from(x)) as f32)
}

impl Math for f32 {
    #[inline(always)]
    fn exp<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::exp(ScalarLanes::<true>, x))
    }
    #[inline(always)]
    fn log<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::log(ScalarLanes::<true>, x))
    }
    #[inline(always)]
    fn tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::tanh(ScalarLanes::<true>, x))
    }
    #[inline(always)]
    fn sigmoid<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::sigmoid(ScalarLanes::<true>, x))
    }
    #[inline(always)]
    fn gelu<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::gelu(ScalarLanes::<true>, x))
    }
    #[inline(always)]
    fn gelu_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        through_f64(l, x, |x| <f64 as Math>::gelu_derivative(ScalarLanes::<true>, x))
    }
}
