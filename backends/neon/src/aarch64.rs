//! On AArch64: the proof, and the one way from the table of kernels to the instructions.

mod lanes;

use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::kernels_of_lanes;

use super::Neon;

/// What only this module can make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen(());

pub(crate) fn detect() -> Option<&'static Neon> {
    // The `cfg` of this module is the check: NEON is on for the whole target.
    static NEON: Neon = Neon(Seen(()));
    Some(&NEON)
}

impl Neon {
    /// Runs a kernel in a function compiled for the instruction set, into which its lanes inline.
    #[inline(always)]
    fn enter<T, O>(&self, op: O) -> O::Out
    where
        T: Math,
        O: Op<T>,
        Self: Lanes<T>,
    {
        #[target_feature(enable = "neon")]
        fn inner<T, O>(l: Neon, op: O) -> O::Out
        where
            T: Math,
            O: Op<T>,
            Neon: Lanes<T>,
        {
            op.run(l)
        }
        // SAFETY: the target has neon (the `cfg` of this module).
        unsafe { inner(*self, op) }
    }
}

kernels_of_lanes!(Neon: f32, f64);
