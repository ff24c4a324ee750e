//! The host's context: the best backend of this CPU.
//!
//! [`context`] is what a program on a machine with an operating system starts from.

mod backends;
mod knobs;

use fucina_core::ExecContext;

pub use backends::{best_backend, named_backend};

/// A context for this machine: the widest backend that its CPU has, or the one that `FUCINA_BACKEND` names.
///
/// # Examples
/// ```
/// let ctx = fucina_runtime::context();
/// assert!(ctx.backend().fused() || cfg!(target_arch = "wasm32"));
/// ```
#[must_use]
pub fn context() -> ExecContext {
    ExecContext::builder().backend(best_backend()).build()
}
