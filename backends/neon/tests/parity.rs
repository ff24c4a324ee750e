//! The NEON backend has the scalar backend's bits.

#[macro_use]
#[path = "../../parity.rs"]
mod parity;

tests_of_backend!("neon", fucina_neon, fused: true, on: target_arch = "aarch64");
