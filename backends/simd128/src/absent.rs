//! Where there is no WASM SIMD: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use super::Simd128;

fucina_core::absent_backend!(Simd128);
