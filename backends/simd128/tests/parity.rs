//! The WASM SIMD backend has the unfused scalar backend's bits.

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
        crate::parity::require("simd128", fucina_simd128::detect())
            .map(|backend| ExecContext::builder().backend(backend).build())
            .into_iter()
            .collect()
    }
}

#[test]
fn every_kernel_has_the_unfused_scalar_bits() -> Result<(), String> {
    match parity::require("simd128", fucina_simd128::detect()) {
        Some(simd128) => parity::kernels(simd128, &SCALAR_UNFUSED),
        None => Ok(()),
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[test]
fn every_lane_operation_has_the_unfused_scalar_bits() -> Result<(), String> {
    let Some(&simd128) = parity::require("simd128", fucina_simd128::detect()) else {
        return Ok(());
    };
    parity::lanes::<f32>(simd128, ScalarLanes::<false>)?;
    parity::lanes::<f64>(simd128, ScalarLanes::<false>)
}

#[test]
fn fifty_training_steps_have_the_golden_digest() -> fucina_core::Result<()> {
    let Some(backend) = parity::require("simd128", fucina_simd128::detect()) else { return Ok(()) };
    let digest = golden::training(&ExecContext::builder().backend(backend).build())?;
    assert_eq!(digest, golden::digest(false), "{digest:#018x}");
    Ok(())
}

#[test]
fn the_harness_sees_another_class_of_bits() {
    let report = parity::kernels(&SCALAR, &SCALAR_UNFUSED).unwrap_err();
    assert!(report.contains("gemm_block"), "{report}");
    let report = parity::lanes::<f32>(ScalarLanes::<true>, ScalarLanes::<false>).unwrap_err();
    assert!(report.contains("mul_add"), "{report}");
}
