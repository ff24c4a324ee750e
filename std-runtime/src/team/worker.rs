//! A worker's life: look for an opened gate, enter, claim, leave; sleep when there is nothing for a while.

use core::sync::atomic::Ordering;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use fucina_platform::{futex_wait, prefer_performance_cores};

use super::{OPEN, Shared};

/// Starts worker `index`.
pub(super) fn start(index: usize, shared: Arc<Shared>) -> io::Result<JoinHandle<()>> {
    Builder::new().name(format!("fucina-{index}")).spawn(move || {
        prefer_performance_cores();
        shared.live();
    })
}

impl Shared {
    fn live(&self) {
        // A generation older than the first dispatch: a worker that starts late enters the gate if it is still open.
        let mut seen = 0;
        loop {
            seen = self.next_generation(seen);
            // ORDERING: Acquire; pairs with the Release in `WorkerTeam::drop`.
            if self.shutdown.load(Ordering::Acquire) {
                return;
            }
            self.take_part();
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
            core::hint::spin_loop();
        }
        // ORDERING: SeqCst, as the second look: either the dispatcher sees this announcement and wakes us, or we see its
        // bump.
        self.parked.0.fetch_add(1, Ordering::SeqCst);
        let now = loop {
            // ORDERING: SeqCst; see above.
            let now = self.generation.0.load(Ordering::SeqCst);
            if now != seen {
                break now;
            }
            futex_wait(&self.generation.0, seen);
        };
        // ORDERING: Relaxed; a wake-up too many is harmless.
        self.parked.0.fetch_sub(1, Ordering::Relaxed);
        now
    }

    /// Enters the gate, if it is open, and claims until nothing is left.
    fn take_part(&self) {
        // ORDERING: Acquire; pairs with the Release that opened the gate: `job` and `next` are those of the dispatch.
        let before = self.gate.0.fetch_add(1, Ordering::Acquire);
        if before & OPEN != 0 {
            // SAFETY: inside an open gate: the dispatcher does not write the job before we have left.
            let job = unsafe { *self.job.get() };
            self.claim(job);
        }
        // ORDERING: Release; pairs with the Acquire in `wait_until_empty`; publishes what the tasks wrote.
        self.gate.0.fetch_sub(1, Ordering::Release);
    }
}
