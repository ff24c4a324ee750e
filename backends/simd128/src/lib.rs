//! The WASM SIMD backend of fucina.
