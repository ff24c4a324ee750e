//! A worker's life: look for an opened gate, enter, claim, leave; sleep when there is nothing for a while.

use std::io;
use std::sync::Arc;

use fucina_core::fpenv;
use fucina_platform::prefer_performance_cores;

use super::{OPEN, Shared};
use crate::sync::{Builder, JoinHandle, Ordering, spin_loop};

/// Starts worker `index`.
pub(super) fn start(index: usize, shared: Arc<Shared>) -> io::Result<JoinHandle<()>> {
    Builder::new().name(format!("fucina-{index}")).spawn(move || {
        prefer_performance_cores();
        // A thread begins in the floating-point environment of the one that made it, whatever that was.
        fpenv::reset();
        shared.live(index);
    })
}

impl Shared {
    fn live(&self, index: usize) {
        // A generation older than the first dispatch: a worker that starts late enters the gate if it is still open.
        let mut seen = 0;
        loop {
            seen = self.next_generation(seen);
            // ORDERING: Acquire; pairs with the Release in `WorkerTeam::drop`.
            if self.shutdown.load(Ordering::Acquire) {
                return;
            }
            self.take_part(index);
        }
    }

    /// Waits for a generation other than `seen`.
    fn next_generation(&self, seen: u32) -> u32 {
        // ORDERING: Acquire; what the dispatcher did before the bump, shutdown among it, happened before.
        let look = || self.generation.0.load(Ordering::Acquire);
        for _ in 0..=self.spin.worker {
            let now = look();
            if now != seen {
                return now;
            }
            spin_loop();
        }
        // ORDERING: Relaxed; published by the second look.
        self.parked.0.fetch_add(1, Ordering::Relaxed);
        // ORDERING: AcqRel; pairs with the dispatcher's bump (protocol, 5).
        let mut now = self.generation.0.fetch_add(0, Ordering::AcqRel);
        while now == seen {
            self.generation.0.wait(seen);
            now = look();
        }
        // ORDERING: Relaxed; a wake-up too many is harmless.
        self.parked.0.fetch_sub(1, Ordering::Relaxed);
        now
    }

    /// Enters the gate, if it is open, and claims until nothing is left.
    fn take_part(&self, index: usize) {
        // ORDERING: Acquire; pairs with the Release that opened the gate: `job` and `next` are those of the dispatch.
        let before = self.gate.0.fetch_add(1, Ordering::Acquire);
        if before & OPEN != 0 {
            // SAFETY: inside an open gate: the dispatcher does not write the job before we have left.
            let job = self.job.with(|job| unsafe { *job });
            self.claim(job, self.slot(index));
        }
        // ORDERING: Release; pairs with the Acquire in `wait_until_empty`; publishes what the tasks wrote.
        self.gate.0.fetch_sub(1, Ordering::Release);
    }
}
