//! The AVX2 backend has the scalar backend's bits.

#[path = "../../parity.rs"]
mod parity;

use fucina_core::backend::{SCALAR, SCALAR_UNFUSED};
use fucina_core::kernels::ScalarLanes;

#[test]
fn every_kernel_has_the_scalar_bits() -> Result<(), String> {
    match parity::require("avx2", fucina_avx2::detect()) {
        Some(avx2) => parity::kernels(avx2, &SCALAR),
        None => Ok(()),
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn every_lane_operation_has_the_scalar_bits() -> Result<(), String> {
    let Some(&avx2) = parity::require("avx2", fucina_avx2::detect()) else { return Ok(()) };
    parity::lanes::<f32>(avx2, ScalarLanes::<true>)?;
    parity::lanes::<f64>(avx2, ScalarLanes::<true>)
}

#[test]
fn the_harness_sees_another_class_of_bits() {
    let report = parity::kernels(&SCALAR_UNFUSED, &SCALAR).unwrap_err();
    assert!(report.contains("gemm_block"), "{report}");
    let report = parity::lanes::<f32>(ScalarLanes::<false>, ScalarLanes::<true>).unwrap_err();
    assert!(report.contains("mul_add"), "{report}");
}
