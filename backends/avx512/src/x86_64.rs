//! On x86-64: the proof, and the one way from the table of kernels to the instructions.

mod cpu;
mod lanes;

use fucina_avx2::Avx2;
use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::kernels_of_lanes;

use super::Avx512;

/// What only this module can make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(());

pub(crate) fn detect() -> Option<&'static Avx512> {
    static AVX512: Avx512 = Avx512(Seen(()));
    cpu::has_avx512().then_some(&AVX512)
}

impl Avx512 {
    /// Runs a kernel in a function compiled for the instruction set, into which its lanes inline.
    #[inline(always)]
    fn enter<T, O>(&self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
        Avx2: Lanes<T>,
    {
        #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512dq,avx512vl")]
        fn inner<T, O>(l: Avx512, op: O) -> O::Out
        where
            T: Math,
            O: Op<T>,
            Avx512: Lanes<T>,
        {
            op.run(l)
        }
        if O::SQUARES
            && let Some(&narrow) = fucina_avx2::detect()
        {
            return narrow.run(op);
        }
        // SAFETY: `self` came from `detect`, which saw all of these on this CPU.
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
        #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512dq,avx512vl")]
        fn inner<T, O>(l: Avx512, op: O) -> O::Out
        where
            T: Math,
            O: Op<T>,
            Avx512: Lanes<T>,
        {
            op.run(l)
        }
        // SAFETY: `self` came from `detect`, which saw all of these on this CPU.
        unsafe { inner(self, op) }
    }
}

kernels_of_lanes!(Avx512: f32, f64);
