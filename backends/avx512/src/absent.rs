//! Where there is no AVX-512: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use super::Avx512;

fucina_core::absent_backend!(Avx512);
