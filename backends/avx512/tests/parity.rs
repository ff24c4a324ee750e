//! The AVX-512 backend has the scalar backend's bits.

#[path = "../../parity/edge_values.rs"]
mod edge_values;
#[path = "../../parity/golden.rs"]
mod golden;
#[path = "../../parity.rs"]
mod parity;

use fucina_core::ExecContext;
use fucina_core::backend::{SCALAR, SCALAR_UNFUSED};
use fucina_core::kernels::ScalarLanes;

/// What the tests of values run on.
mod contexts {
    use fucina_core::ExecContext;

    pub(crate) fn contexts() -> Vec<ExecContext> {
        crate::parity::require("avx512", fucina_avx512::detect())
            .map(|backend| ExecContext::builder().backend(backend).build())
            .into_iter()
            .collect()
    }
}

#[test]
fn every_kernel_has_the_scalar_bits() -> Result<(), String> {
    match parity::require("avx512", fucina_avx512::detect()) {
        Some(avx512) => parity::kernels(avx512, &SCALAR),
        None => Ok(()),
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn every_lane_operation_has_the_scalar_bits() -> Result<(), String> {
    let Some(&avx512) = parity::require("avx512", fucina_avx512::detect()) else { return Ok(()) };
    parity::lanes::<f32>(avx512, ScalarLanes::<true>)?;
    parity::lanes::<f64>(avx512, ScalarLanes::<true>)
}

#[test]
fn fifty_training_steps_have_the_golden_digest() -> fucina_core::Result<()> {
    let Some(backend) = parity::require("avx512", fucina_avx512::detect()) else { return Ok(()) };
    let digest = golden::training(&ExecContext::builder().backend(backend).build())?;
    assert_eq!(digest, golden::digest(true), "{digest:#018x}");
    Ok(())
}

#[test]
fn the_harness_sees_another_class_of_bits() {
    let report = parity::kernels(&SCALAR_UNFUSED, &SCALAR).unwrap_err();
    assert!(report.contains("gemm_block"), "{report}");
    let report = parity::lanes::<f32>(ScalarLanes::<false>, ScalarLanes::<true>).unwrap_err();
    assert!(report.contains("mul_add"), "{report}");
}
