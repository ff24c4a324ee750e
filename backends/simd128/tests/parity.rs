//! The WASM SIMD backend has the unfused scalar backend's bits.

#[macro_use]
#[path = "../../parity.rs"]
mod parity;

tests_of_backend!("simd128", fucina_simd128, fused: false, on: all(target_arch = "wasm32", target_feature = "simd128"));
