//! The AVX2, FMA and F16C backend of fucina.
//!
//! [`Avx2`] is both the backend and its own lanes: eight `f32` or four `f64` in a register. [`detect`] is the only
//! way to one, so a value proves that the CPU has the instructions, and safe code can run them nowhere else. Every
//! kernel of the table goes through one `enter`, and gives the bits of the scalar backend. On another architecture
//! the crate builds, [`detect`] says `None` and the type has no values.
#![no_std]

#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod imp;

#[cfg(not(target_arch = "x86_64"))]
#[path = "absent.rs"]
mod imp;

use fucina_core::backend::Backend;
use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op};

/// The backend; a value proves that this CPU and its operating system run AVX2, FMA and F16C.
///
/// Nobody but [`detect`] makes one:
/// ```compile_fail,E0423
/// let avx2 = fucina_avx2::Avx2(());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Avx2(imp::Seen);

/// The backend, if this CPU has AVX2, FMA and F16C and the operating system keeps their registers.
///
/// Asks the CPU once a process.
///
/// # Examples
/// ```
/// use fucina_core::backend::{Backend, Kernels};
///
/// if let Some(avx2) = fucina_avx2::detect() {
///     assert_eq!(avx2.name(), "avx2");
///     assert_eq!(avx2.sum_row(&[1.0_f32, 2.0, 3.0]), 6.0);
/// }
/// ```
#[must_use]
pub fn detect() -> Option<&'static Avx2> {
    imp::detect()
}

impl Avx2 {
    /// Runs a kernel on these lanes: for a backend that borrows them.
    #[inline(always)]
    pub fn run<T: Math, O: Op<T>>(&self, op: O) -> O::Out
    where
        Self: Lanes<T>,
    {
        self.enter(op)
    }
}

impl Backend for Avx2 {
    fn name(&self) -> &'static str {
        "avx2"
    }
}
