//! The NEON backend of fucina.
//!
//! [`Neon`] is both the backend and its own lanes: four `f32` or two `f64` in a register. NEON is part of every
//! AArch64 target that has floating-point registers, so [`detect`] asks nothing there; a value still is the proof
//! that the target has it. Every kernel of the table goes through one `enter`, and gives the bits of the scalar
//! backend. On another architecture the crate builds, [`detect`] says `None` and the type has no values.
#![no_std]

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[path = "aarch64.rs"]
mod imp;

#[cfg(not(all(target_arch = "aarch64", target_feature = "neon")))]
#[path = "absent.rs"]
mod imp;

use fucina_core::backend::Backend;

/// The backend; a value proves that this target has NEON.
///
/// Nobody but [`detect`] makes one:
/// ```compile_fail,E0423
/// let neon = fucina_neon::Neon(());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Neon(imp::Seen);

/// The backend, if this target has NEON.
///
/// # Examples
/// ```
/// use fucina_core::backend::{Backend, Kernels};
///
/// if let Some(neon) = fucina_neon::detect() {
///     assert_eq!(neon.name(), "neon");
///     assert_eq!(neon.sum_row(&[1.0_f32, 2.0, 3.0]), 6.0);
/// }
/// ```
#[must_use]
pub fn detect() -> Option<&'static Neon> {
    imp::detect()
}

impl Backend for Neon {
    fn name(&self) -> &'static str {
        "neon"
    }
}
