//! The host's context: the best backend of this CPU and a team of threads.

use fucina_core::ExecContext;
use fucina_core::backend::{BackendRef, SCALAR};

/// A context for this machine: the widest backend that its CPU has.
#[must_use]
pub fn context() -> ExecContext {
    ExecContext::builder().backend(best_backend()).build()
}

/// The widest backend of this CPU.
fn best_backend() -> BackendRef {
    &SCALAR
}
