//! How many threads a host's contexts use, and why.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::string::String;
use std::sync::OnceLock;

use fucina_platform::Topology;

use crate::knobs;

/// What [`set_max_threads`] was told; 0 if nothing.
static EXPLICIT: AtomicUsize = AtomicUsize::new(0);

/// The machine, looked at once a process.
pub(crate) fn host() -> &'static Topology {
    static HOST: OnceLock<Topology> = OnceLock::new();
    HOST.get_or_init(Topology::host)
}

/// Replaces the detected number of threads for contexts made from now on; it may be more than the machine has. 0 is
/// ignored. Wins over `FUCINA_MAX_THREADS`.
pub fn set_max_threads(n: usize) {
    if n > 0 {
        // ORDERING: Relaxed; a number of its own, nothing hangs on it.
        EXPLICIT.store(n, Ordering::Relaxed);
    }
}

/// Threads that a context made now would use, at most `cap`; at least 1.
#[must_use]
pub fn cpu_thread_count(cap: usize) -> usize {
    // ORDERING: Relaxed; as in `set_max_threads`.
    let count = match EXPLICIT.load(Ordering::Relaxed) {
        0 => {
            let detected = host().default_width();
            knobs::max_threads().map_or(detected, |limit| limit.min(detected))
        }
        explicit => explicit,
    };
    count.min(cap).max(1)
}

/// How the number of threads came about, in words.
#[must_use]
pub fn topology_report() -> String {
    // ORDERING: Relaxed; as in `set_max_threads`.
    let explicit = EXPLICIT.load(Ordering::Relaxed);
    let why = match (explicit, knobs::max_threads()) {
        (0, None) => "the default width below".to_string(),
        (0, Some(limit)) => format!("the default width below, at most FUCINA_MAX_THREADS={limit}"),
        _ => format!("set_max_threads({explicit}), whatever the machine has"),
    };
    format!("threads {}: {why}.\n{}", cpu_thread_count(usize::MAX), host().report())
}
