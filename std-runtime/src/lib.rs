//! The host's context: the best backend of this CPU, and a team of as many threads as the machine is good for.
//!
//! [`context`] is what a program on a machine with an operating system starts from.

mod backends;
mod knobs;
mod one_shot;
pub mod parallel;
mod sync;
mod tasks;
mod team;

use fucina_core::ExecContext;

pub use backends::{backends, best_backend, named_backend};
pub use one_shot::OneShotWorker;
pub use tasks::{TaskPool, WaitGroup};
pub use team::{SpinPolicy, TeamConfig, WorkerTeam};

/// A context for this machine: the widest backend that its CPU has, or the one that `FUCINA_BACKEND` names, and a team of
/// [`parallel::cpu_thread_count`] threads, none of which starts before there is work for it.
///
/// # Examples
/// ```
/// let ctx = fucina_runtime::context();
/// assert!(ctx.backend().fused() || cfg!(target_arch = "wasm32"));
/// assert!(ctx.team().width() >= 1);
/// ```
#[must_use]
pub fn context() -> ExecContext {
    context_with_threads(parallel::cpu_thread_count(usize::MAX))
}

/// The same with a team of `threads`, the caller among them; with 0 or 1 everything runs on the caller.
#[must_use]
pub fn context_with_threads(threads: usize) -> ExecContext {
    let builder = ExecContext::builder().backend(best_backend());
    if threads < 2 {
        return builder.build();
    }
    builder.team(Box::new(WorkerTeam::new(threads))).build()
}
