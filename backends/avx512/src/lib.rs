//! The AVX-512 (F, DQ, VL) backend of fucina.
//!
//! [`Avx512`] is both the backend and its own lanes: sixteen `f32` or eight `f64` in a register, of which there are
//! thirty-two. [`detect`] is the only way to one, so a value proves that the CPU has the instructions, and safe code can run
//! them nowhere else. Every kernel of the table goes through one `enter`, and gives the bits of the scalar backend; those
//! that turn squares of at most eight rows run on AVX2's lanes. On another architecture the crate builds, [`detect`] says
//! `None` and the type has no values.
#![no_std]

#[cfg(target_arch = "x86_64")]
#[path = "x86_64.rs"]
mod imp;

#[cfg(not(target_arch = "x86_64"))]
#[path = "absent.rs"]
mod imp;

use fucina_core::backend::Backend;

/// The backend; a value proves that this CPU and its operating system run AVX-512 F, DQ and VL, and AVX2, FMA and F16C.
///
/// Nobody but [`detect`] makes one:
/// ```compile_fail,E0423
/// let avx512 = fucina_avx512::Avx512(());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Avx512(imp::Seen);

/// The backend, if this CPU has AVX-512 F, DQ and VL and the operating system keeps their registers.
///
/// Asks the CPU once a process.
///
/// # Examples
/// ```
/// use fucina_core::backend::{Backend, Kernels};
///
/// if let Some(avx512) = fucina_avx512::detect() {
///     assert_eq!(avx512.name(), "avx512");
///     assert_eq!(avx512.sum_row(&[1.0_f32, 2.0, 3.0]), 6.0);
/// }
/// ```
#[must_use]
pub fn detect() -> Option<&'static Avx512> {
    imp::detect()
}

impl Backend for Avx512 {
    fn name(&self) -> &'static str {
        "avx512"
    }
}
