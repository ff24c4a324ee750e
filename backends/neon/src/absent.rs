//! Where there is no NEON: no value, so no kernel ever runs.
#![forbid(unsafe_code)]

use super::Neon;

fucina_core::absent_backend!(Neon);
