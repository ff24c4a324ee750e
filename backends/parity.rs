//! The parity harness that the SIMD backends share: their bits against the scalar backend's.
//!
//! [`kernels`] runs every kernel of the table, for both types, at lengths around the lane count, at every offset of
//! a lane, over several kinds of values, and compares whole output buffers, guards included. The list of names comes
//! from the table itself, so a kernel without a case fails. [`lanes`] does the same for the operations that kernels
//! are written in. [`tests_of_backend`] is all of it as tests, with the golden digest and the edge values. Two NaNs count as equal, whatever their payload.

#[path = "parity/attention.rs"]
mod attention;
#[path = "parity/edge_values.rs"]
mod edge_values;
#[path = "parity/elementwise.rs"]
mod elementwise;
#[path = "parity/golden.rs"]
pub(crate) mod golden;
#[path = "parity/half.rs"]
mod half;
#[path = "parity/kernels.rs"]
mod kernels;
#[path = "parity/lanes.rs"]
mod lanes;
#[path = "parity/norms.rs"]
mod norms;

use core::fmt::{Arguments, LowerExp, Write};

use fucina_core::backend::{BackendRef, Real, SCALAR, SCALAR_UNFUSED};

pub(crate) use half::conversions;
pub(crate) use kernels::kernels;
pub(crate) use lanes::lanes;

/// The tests of a backend: kernels, lanes, training and edge values, beside the scalar backend of its class of bits.
macro_rules! tests_of_backend {
    // tests_of_backend!("neon", fucina_neon, fused: true, on: target_arch = "aarch64") => mod contexts { .. } #[test] fn .. {} ..
    ($name:literal, $backend:ident, fused: $fused:literal, on: $($target:tt)+) => {
        /// What the tests of values run on.
        mod contexts {
            use fucina_core::ExecContext;

            pub(crate) fn contexts() -> Vec<ExecContext> {
                crate::parity::require($name, $backend::detect())
                    .map(|backend| ExecContext::builder().backend(backend).build())
                    .into_iter()
                    .collect()
            }
        }

        #[test]
        fn every_kernel_has_the_scalar_bits() -> Result<(), String> {
            match parity::require($name, $backend::detect()) {
                Some(backend) => parity::kernels(backend, parity::scalar($fused)),
                None => Ok(()),
            }
        }

        #[test]
        fn halves_convert_as_by_their_crate() {
            for ctx in contexts::contexts() {
                parity::conversions(ctx.backend());
            }
            parity::conversions(parity::scalar($fused));
        }

        #[cfg($($target)+)]
        #[test]
        fn every_lane_operation_has_the_scalar_bits() -> Result<(), String> {
            use fucina_core::kernels::ScalarLanes;

            let Some(&lanes) = parity::require($name, $backend::detect()) else { return Ok(()) };
            parity::lanes::<f32>(lanes, ScalarLanes::<$fused>)?;
            parity::lanes::<f64>(lanes, ScalarLanes::<$fused>)
        }

        #[test]
        fn fifty_training_steps_have_the_golden_digest() -> fucina_core::Result<()> {
            for ctx in contexts::contexts() {
                let digest = parity::golden::training(&ctx)?;
                assert_eq!(digest, parity::golden::digest($fused), "{digest:#018x}");
            }
            Ok(())
        }

        #[test]
        fn the_harness_sees_another_class_of_bits() {
            use fucina_core::kernels::ScalarLanes;

            let report = parity::kernels(parity::scalar(!$fused), parity::scalar($fused)).unwrap_err();
            assert!(report.contains("gemm_block"), "{report}");
            let (other, own) = (ScalarLanes::<{ !$fused }>, ScalarLanes::<$fused>);
            let report = parity::lanes::<f32>(other, own).unwrap_err();
            assert!(report.contains("mul_add"), "{report}");
        }
    };
}

/// The scalar backend of a class of bits.
pub(crate) fn scalar(fused: bool) -> BackendRef {
    if fused { &SCALAR } else { &SCALAR_UNFUSED }
}

/// A computing type that the harness can make values of and compare.
pub(crate) trait Sample: Real + LowerExp {
    /// The smallest positive normal number.
    const MIN_NORMAL: Self;
    /// The largest exponent, either way, that `Lanes::scale_pow2` takes.
    const MAX_SCALE: f64;
    /// The values where kernels go wrong.
    const SPECIAL: &'static [Self];
    /// Whatever these bits mean (for f32 the upper half).
    fn from_bits64(bits: u64) -> Self;
    /// The bits; every NaN gives the same.
    fn canonical(self) -> u64;
}

macro_rules! sample {
    // sample!(f32, |bits| (bits >> 32) as u32) => impl Sample for f32 { .. }
    ($t:ty, |$bits:ident| $from:expr) => {
        impl Sample for $t {
            const MIN_NORMAL: Self = <$t>::MIN_POSITIVE;
            const MAX_SCALE: f64 = 2.0 * (<$t>::MAX_EXP as f64 - 2.0);
            const SPECIAL: &'static [Self] = &[
                <$t>::NAN,
                -<$t>::NAN,
                <$t>::INFINITY,
                <$t>::NEG_INFINITY,
                0.0,
                -0.0,
                <$t>::from_bits(1),
                -<$t>::from_bits(1),
                <$t>::MIN_POSITIVE / 2.0,
                <$t>::MIN_POSITIVE,
                -<$t>::MIN_POSITIVE,
                <$t>::MAX,
                <$t>::MIN,
                <$t>::EPSILON,
                1.0,
                -1.0,
                0.5,
                -0.5,
                1.5,
                2.5,
                -3.5,
            ];
            fn from_bits64($bits: u64) -> Self {
                <$t>::from_bits($from)
            }
            fn canonical(self) -> u64 {
                if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) }
            }
        }
    };
}

sample!(f32, |bits| (bits >> 32) as u32);
sample!(f64, |bits| bits);

/// `backend`, or `None` with a note; fails where `FUCINA_REQUIRE_BACKEND` (now or at build time) asks for it.
pub(crate) fn require<B>(name: &str, backend: Option<B>) -> Option<B> {
    if backend.is_none() {
        let required = std::env::var("FUCINA_REQUIRE_BACKEND").ok();
        let required = required.as_deref().or(option_env!("FUCINA_REQUIRE_BACKEND"));
        let is_required = required.is_some_and(|all| all.split(',').any(|one| one == name));
        assert!(
            !is_required,
            "FUCINA_REQUIRE_BACKEND asks for {name}, which is not to be had here"
        );
        eprintln!("skipped: no {name} here");
    }
    backend
}

/// Values of one kind each: folds of special values are all NaN, so that one kind would hide the others.
fn pools<T: Sample>() -> Vec<(&'static str, Vec<T>)> {
    const LEN: usize = 60_000;
    let mut state = 0x5eed_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let mut pool = |value: fn(u64) -> T| (0..LEN).map(|_| value(next())).collect();
    vec![
        ("ordinary", pool(|r| T::from_f64((r >> 11) as f64 / (1_u64 << 50) as f64 - 4.0))),
        (
            "wild finite",
            pool(|r| {
                let x = T::from_bits64(r);
                if x.magnitude() < -T::NEG_INFINITY { x } else { T::ONE }
            }),
        ),
        (
            "special",
            pool(|r| match r % 3 {
                0 => T::from_f64((r >> 11) as f64 / (1_u64 << 50) as f64 - 4.0),
                1 => T::from_bits64(r),
                _ => T::SPECIAL[(r >> 33) as usize % T::SPECIAL.len()],
            }),
        ),
        (
            "zero and infinite",
            pool(|r| match r >> 60 {
                0 => T::NEG_INFINITY,
                1..8 => T::ZERO,
                _ => -T::ZERO,
            }),
        ),
        ("minus infinite", pool(|_| T::NEG_INFINITY)),
    ]
}

/// Gathers what differs; the first few in full.
struct Report {
    backend: &'static str,
    text: String,
    count: usize,
}

impl Report {
    const SHOWN: usize = 20;

    fn new(backend: &'static str) -> Self {
        Self { backend, text: String::new(), count: 0 }
    }

    fn compare<T: Sample>(&mut self, place: Arguments<'_>, ours: &[T], theirs: &[T]) {
        assert_eq!(ours.len(), theirs.len(), "{place}");
        for (index, (a, b)) in ours.iter().zip(theirs).enumerate() {
            if a.canonical() != b.canonical() {
                self.count += 1;
                if self.count <= Self::SHOWN {
                    let (dtype, backend) = (T::DTYPE, self.backend);
                    let (abits, bbits) = (a.canonical(), b.canonical());
                    writeln!(
                        self.text,
                        "{backend}: {dtype} {place}, index {index}: {a:e} ({abits:#x}), scalar {b:e} ({bbits:#x})"
                    )
                    .expect("a String takes any text");
                }
            }
        }
    }

    fn finish(self) -> Result<(), String> {
        match self.count {
            0 => Ok(()),
            count => Err(format!("{count} values differ:\n{}", self.text)),
        }
    }
}
