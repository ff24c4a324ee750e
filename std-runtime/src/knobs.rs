//! The environment's knobs. This file alone reads the environment, each knob once a process.
//!
//! | knob | value | default | precedence |
//! | --- | --- | --- | --- |
//! | `FUCINA_BACKEND` | `scalar`, `scalar-unfused`, `avx512`, `avx2`, `neon`, `simd128` | the widest this CPU has | a builder's own `.backend()` wins; a name this CPU has not counts as unset |
//! | `FUCINA_MAX_THREADS` | a positive number of threads | what the machine is good for | only lowers; `parallel::set_max_threads` and `context_with_threads` win; anything else counts as unset |
//! | `FUCINA_SPIN_BUDGET` | iterations a worker spins before it sleeps, from 0 | 32,768; 0 for more threads than cores | wins over both defaults; anything else counts as unset |
//! | `FUCINA_POOL_PROFILE` | `1` | off | prints the timing of every dispatch to standard error; anything else counts as unset |
//! | `FUCINA_POOL_TRACE` | a file's path | off | Chrome trace events of every dispatch; the file is made anew |

use std::path::PathBuf;
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

/// Whether `FUCINA_POOL_PROFILE` asks for the timing of every dispatch.
pub(crate) fn pool_profile() -> bool {
    static KNOB: OnceLock<bool> = OnceLock::new();
    *KNOB.get_or_init(|| std::env::var_os("FUCINA_POOL_PROFILE").is_some_and(|value| value == "1"))
}

/// The file that `FUCINA_POOL_TRACE` names.
pub(crate) fn pool_trace() -> Option<PathBuf> {
    static KNOB: OnceLock<Option<PathBuf>> = OnceLock::new();
    let read = || std::env::var_os("FUCINA_POOL_TRACE").filter(|path| !path.is_empty());
    KNOB.get_or_init(|| read().map(PathBuf::from)).clone()
}
