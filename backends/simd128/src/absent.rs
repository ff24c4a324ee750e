//! Where there is no WASM SIMD: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use fucina_core::backend::Kernels;
use fucina_core::kernels::Op;
use fucina_core::kernels::math::Math;
use fucina_core::{for_each_kernel, kernels_through_enter};

use super::Simd128;

pub(crate) type Seen = core::convert::Infallible;

pub(crate) fn detect() -> Option<&'static Simd128> {
    None
}

impl Simd128 {
    /// Never called.
    fn enter<T: Math, O: Op<T>>(&self, _: O) -> O::Out {
        match self.0 {}
    }
}

impl Kernels<f32> for Simd128 {
    for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for Simd128 {
    for_each_kernel!(kernels_through_enter, f64);
}
