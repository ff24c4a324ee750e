//! The AVX-512 backend has the scalar backend's bits.

#[macro_use]
#[path = "../../parity.rs"]
mod parity;

tests_of_backend!("avx512", fucina_avx512, fused: true, on: target_arch = "x86_64");
