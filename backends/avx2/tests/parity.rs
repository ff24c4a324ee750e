//! The AVX2 backend has the scalar backend's bits.

#[macro_use]
#[path = "../../parity.rs"]
mod parity;

tests_of_backend!("avx2", fucina_avx2, fused: true, on: target_arch = "x86_64");
