//! Where there is no AVX2: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use fucina_core::backend::Kernels;

use super::Avx2;

pub(crate) type Seen = core::convert::Infallible;

pub(crate) fn detect() -> Option<&'static Avx2> {
    None
}

impl Kernels<f32> for Avx2 {}
impl Kernels<f64> for Avx2 {}
