//! On WASM with SIMD: the proof, and the one way from the table of kernels to the instructions.

mod lanes;

use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::kernels_of_lanes;

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

kernels_of_lanes!(Simd128: f32, f64);
