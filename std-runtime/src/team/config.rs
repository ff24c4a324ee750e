//! What a team is made of: width, spinning, and who watches it.

use std::path::PathBuf;

/// How long threads spin before they sleep, in iterations of a spin hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinPolicy {
    /// A worker looking for the next dispatch.
    pub worker: u32,
    /// The dispatcher waiting for the last worker; then it naps.
    pub join: u32,
}

impl SpinPolicy {
    /// The policy for a team of `width` on a machine with `cores` to run it on. Spinning on more threads than cores takes
    /// the very cores that the others need, so such a team sleeps at once. `worker` overrides the workers' half.
    #[must_use]
    pub fn of(width: usize, cores: Option<usize>, worker: Option<u32>) -> Self {
        let oversubscribed = cores.is_some_and(|cores| width > cores);
        let (own, join) = if oversubscribed { (0, 4096) } else { (32_768, 1 << 20) };
        Self { worker: worker.unwrap_or(own), join }
    }
}

/// What a [`WorkerTeam`](crate::WorkerTeam) is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamConfig {
    /// Participants at most, the caller among them.
    pub width: usize,
    /// How long they spin.
    pub spin: SpinPolicy,
    /// Print the timing of every dispatch to standard error.
    pub profile: bool,
    /// Write every dispatch to this file as Chrome trace events, which Perfetto opens.
    pub trace: Option<PathBuf>,
}

impl TeamConfig {
    /// The configuration that the knobs ask for.
    #[must_use]
    pub fn of(width: usize) -> Self {
        use crate::knobs;
        let cores = crate::parallel::host().schedulable();
        Self {
            width,
            spin: SpinPolicy::of(width, cores, knobs::spin_budget()),
            profile: knobs::pool_profile(),
            trace: knobs::pool_trace(),
        }
    }
}
