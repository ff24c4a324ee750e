//! Where there is no NEON: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use fucina_core::backend::Kernels;
use fucina_core::kernels::Op;
use fucina_core::kernels::math::Math;
use fucina_core::{for_each_kernel, kernels_through_enter};

use super::Neon;

pub(crate) type Seen = core::convert::Infallible;

pub(crate) fn detect() -> Option<&'static Neon> {
    None
}

impl Neon {
    /// Never called.
    fn enter<T: Math, O: Op<T>>(&self, _: O) -> O::Out {
        match self.0 {}
    }
}

impl Kernels<f32> for Neon {
    for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for Neon {
    for_each_kernel!(kernels_through_enter, f64);
}
