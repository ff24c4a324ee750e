//! [`Flushing`]: a team whose tasks run in flush-to-zero mode, whichever thread they land on.
//!
//! The team beneath knows nothing of it: each task turns the mode on for itself and puts back what it found, so that the
//! threads are in the default environment again before the dispatch returns, also if a task panics. Two writes of a control
//! register a task are nothing beside a task's work.
//!
//! Unsafe code here, and why it holds: a `Flushing` runs tasks only for a context with an open
//! [`FlushScope`](crate::exec::FlushScope), whose opener answers for the mode; all else goes to the team beneath as it is.

use super::{Chain, Team};
use crate::error::Result;
use crate::fpenv::Guard;

/// The team behind a reference, its tasks in flush mode.
pub(crate) struct Flushing<R>(pub(crate) R);

// SAFETY: what is called, how often and until when is up to the team beneath.
unsafe impl<R: AsRef<dyn Team> + Send + Sync> Team for Flushing<R> {
    fn width(&self) -> usize {
        self.0.as_ref().width()
    }
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.as_ref().for_each(n, &|i| in_flush_mode(|| task(i)));
    }
    fn for_each_named(&self, op: &'static str, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.as_ref().for_each_named(op, n, &|i| in_flush_mode(|| task(i)));
    }
    fn for_each_chained(
        &self,
        n: usize,
        seeds: usize,
        task: &(dyn Fn(usize, &Chain<'_>) + Sync),
    ) -> Result<bool> {
        self.0.as_ref().for_each_chained(n, seeds, &|i, chain| in_flush_mode(|| task(i, chain)))
    }
}

fn in_flush_mode(task: impl FnOnce()) {
    // SAFETY: who opened the flush scope answers for tasks in this mode; the guard goes when the task is done.
    let _guard = unsafe { Guard::flush_to_zero() };
    task();
}
