//! The WASM SIMD backend of fucina.
//!
//! [`Simd128`] is both the backend and its own lanes: four `f32` or two `f64` in a register. A WASM module either
//! has SIMD or not as a whole, so [`detect`] answers what the target feature `simd128` was at build time
//! (`RUSTFLAGS=-Ctarget-feature=+simd128`). WASM has no fused multiply-add that gives one answer everywhere: products
//! round after each step, and the bits are those of the unfused scalar backend. Elsewhere the crate builds,
//! [`detect`] says `None` and the type has no values.
#![no_std]

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[path = "wasm32.rs"]
mod imp;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
#[path = "absent.rs"]
mod imp;

use fucina_core::backend::Backend;

/// The backend; a value proves that this module has WASM SIMD.
///
/// Nobody but [`detect`] makes one:
/// ```compile_fail,E0423
/// let simd128 = fucina_simd128::Simd128(());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Simd128(imp::Seen);

/// The backend, if this module was built with WASM SIMD.
///
/// # Examples
/// ```
/// use fucina_core::backend::{Backend, Kernels};
///
/// if let Some(simd128) = fucina_simd128::detect() {
///     assert_eq!((simd128.name(), simd128.fused()), ("simd128", false));
///     assert_eq!(simd128.sum_row(&[1.0_f32, 2.0, 3.0]), 6.0);
/// }
/// ```
#[must_use]
pub fn detect() -> Option<&'static Simd128> {
    imp::detect()
}

impl Backend for Simd128 {
    fn name(&self) -> &'static str {
        "simd128"
    }
    fn fused(&self) -> bool {
        false
    }
}
