//! Where there is no AVX2: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use super::Avx2;

fucina_core::absent_backend!(Avx2);
