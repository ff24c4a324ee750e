//! Where there is no WASM SIMD: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use fucina_core::backend::Kernels;

use super::Simd128;

pub(crate) type Seen = core::convert::Infallible;

pub(crate) fn detect() -> Option<&'static Simd128> {
    None
}

impl Kernels<f32> for Simd128 {}
impl Kernels<f64> for Simd128 {}
