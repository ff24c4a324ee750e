//! The environment's knobs. This file alone reads the environment, each knob once a process.
//!
//! | knob | value | default | precedence |
//! | --- | --- | --- | --- |
//! | `FUCINA_BACKEND` | `scalar`, `scalar-unfused`, `avx2`, `neon`, `simd128` | the widest this CPU has | a builder's own `.backend()` wins; a name this CPU has not counts as unset |

use std::sync::OnceLock;

use fucina_core::backend::BackendRef;

use crate::backends::named_backend;

/// The backend that `FUCINA_BACKEND` names, if this CPU has it.
pub(crate) fn backend() -> Option<BackendRef> {
    static KNOB: OnceLock<Option<BackendRef>> = OnceLock::new();
    *KNOB.get_or_init(|| named_backend(std::env::var("FUCINA_BACKEND").ok()?.trim()))
}
