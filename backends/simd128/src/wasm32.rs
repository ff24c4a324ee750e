//! On WASM with SIMD: the proof, and the one way from the table of kernels to the instructions.

mod lanes;

use fucina_core::backend::{Kernels, TileShape};
use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::{for_each_kernel, kernels_through_enter};

use super::Simd128;

/// What only this module can make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(());

pub(crate) fn detect() -> Option<&'static Simd128> {
    // The `cfg` of this module is the check: the whole WASM module has SIMD.
    static SIMD128: Simd128 = Simd128(Seen(()));
    Some(&SIMD128)
}

impl Simd128 {
    /// Runs a kernel on the registers. It carries no `target_feature`: the whole module has it.
    #[inline]
    fn enter<T, O>(&self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        op.run(*self)
    }
}

impl Kernels<f32> for Simd128 {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f32, Self>()
    }
    for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for Simd128 {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f64, Self>()
    }
    for_each_kernel!(kernels_through_enter, f64);
}
