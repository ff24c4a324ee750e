//! The environment's knobs. This file alone reads the environment, each knob once a process.
//!
//! | knob | value | default | precedence |
//! | --- | --- | --- | --- |
//! | `FUCINA_BACKEND` | `scalar`, `scalar-unfused`, `avx2`, `neon`, `simd128` | the widest this CPU has | a builder's own `.backend()` wins; a name this CPU has not counts as unset |
//! | `FUCINA_MAX_THREADS` | a positive number of threads | what the machine is good for | only lowers; `parallel::set_max_threads` and `context_with_threads` win; anything else counts as unset |
//! | `FUCINA_SPIN_BUDGET` | iterations a worker spins before it sleeps, from 0 | 32,768; 0 for more threads than cores | wins over both defaults; anything else counts as unset |

use std::sync::OnceLock;

use fucina_core::backend::BackendRef;

use crate::backends::named_backend;

/// The backend that `FUCINA_BACKEND` names, if this CPU has it.
pub(crate) fn backend() -> Option<BackendRef> {
    static KNOB: OnceLock<Option<BackendRef>> = OnceLock::new();
    *KNOB.get_or_init(|| named_backend(std::env::var("FUCINA_BACKEND").ok()?.trim()))
}

/// The limit of `FUCINA_MAX_THREADS`.
pub(crate) fn max_threads() -> Option<usize> {
    static KNOB: OnceLock<Option<usize>> = OnceLock::new();
    *KNOB.get_or_init(|| fucina_platform::env_positive_usize("FUCINA_MAX_THREADS"))
}

/// The iterations of `FUCINA_SPIN_BUDGET`.
pub(crate) fn spin_budget() -> Option<u32> {
    static KNOB: OnceLock<Option<u32>> = OnceLock::new();
    *KNOB.get_or_init(|| fucina_platform::env_spin_budget("FUCINA_SPIN_BUDGET"))
}
