//! On x86-64: the proof, and the one way from the table of kernels to the instructions.

mod cpu;
mod lanes;

use fucina_core::backend::{Kernels, TileShape};
use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::{for_each_kernel, kernels_through_enter};

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
    fn enter<T, O>(&self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        if O::PLAIN && cpu::has_avx512() {
            // SAFETY: `self` came from `detect`, and the CPU has just been seen to have the rest.
            return unsafe { self.enter_wide(op) };
        }
        // SAFETY: `self` came from `detect`, which saw avx2, fma and f16c on this CPU.
        unsafe { self.enter_narrow(op) }
    }

    /// That function.
    #[target_feature(enable = "avx2,fma,f16c")]
    fn enter_narrow<T, O>(self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        op.run(self)
    }

    /// The same for a kernel of plain loops, which the compiler makes twice as wide, with products of 64-bit integers.
    #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512dq,avx512vl")]
    fn enter_wide<T, O>(self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        op.run(self)
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

impl Kernels<f32> for Avx2 {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f32, Self>()
    }
    for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for Avx2 {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f64, Self>()
    }
    for_each_kernel!(kernels_through_enter, f64);
}

#[cfg(test)]
mod tests {
    use fucina_core::kernels::fill::Fill;
    use fucina_core::rng::Distribution;

    use super::{cpu, detect};

    #[test]
    fn random_fills_have_the_same_bits_however_wide() {
        let Some(&avx2) = detect().filter(|_| cpu::has_avx512()) else { return };
        let all = [
            Distribution::Uniform { lo: -1.0, hi: 3.0 },
            Distribution::Gaussian { scale: 1.5 },
            Distribution::FastGaussian { scale: 0.5 },
            Distribution::Normal { mean: 4.0, std_dev: 2.0 },
            Distribution::Gumbel,
            Distribution::Bernoulli { p: 0.3 },
        ];
        for distribution in all {
            for first in [0, 1, u64::MAX - 5_000] {
                let [mut narrow, mut wide] = [[0.0_f32; 10_001]; 2];
                let fill = |out| Fill { distribution, seed: 42, first, out };
                // SAFETY: `detect` saw what this is compiled for.
                unsafe { avx2.enter_narrow(fill(&mut narrow)) };
                // SAFETY: and `has_avx512` the rest.
                unsafe { avx2.enter_wide(fill(&mut wide)) };
                assert_eq!(narrow.map(f32::to_bits), wide.map(f32::to_bits), "{distribution:?}");
            }
        }
    }
}
