//! On x86-64: the proof, and the one way from the table of kernels to the instructions.

mod cpu;
mod lanes;

use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::kernels_of_lanes;

use super::Avx2;

/// What only this module can make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(());

pub(crate) fn detect() -> Option<&'static Avx2> {
    static AVX2: Avx2 = Avx2(Seen(()));
    cpu::has_avx2_fma_f16c().then_some(&AVX2)
}

impl Avx2 {
    /// Runs a kernel in a function compiled for the instruction set, into which its lanes inline.
    #[inline(always)]
    pub(crate) fn enter<T, O>(&self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn inner<T, O>(l: Avx2, op: O) -> O::Out
        where
            T: Math,
            O: Op<T>,
            Avx2: Lanes<T>,
        {
            op.run(l)
        }
        // SAFETY: `self` came from `detect`, which saw avx2, fma and f16c on this CPU.
        unsafe { inner(*self, op) }
    }

    /// The same as a call that is never inlined.
    #[inline(always)]
    fn enter_outlined<T, O>(self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        #[inline(never)]
        #[target_feature(enable = "avx2,fma,f16c")]
        fn inner<T, O>(l: Avx2, op: O) -> O::Out
        where
            T: Math,
            O: Op<T>,
            Avx2: Lanes<T>,
        {
            op.run(l)
        }
        // SAFETY: `self` came from `detect`, which saw avx2, fma and f16c on this CPU.
        unsafe { inner(self, op) }
    }
}

kernels_of_lanes!(Avx2: f32, f64);
