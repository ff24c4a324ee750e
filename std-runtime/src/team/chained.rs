//! Chained dispatches: every participant takes part in one queue of runnable tasks.

use core::time::Duration;
use std::sync::Mutex;

use fucina_core::parallel::{Chain, ChainSlot, ChainWait};
use fucina_core::{Error, Result};

use super::{NAP, Taken};
use crate::sync::{AtomicU32, Futex, Ordering, lock, spin_loop};

/// Room for the queue, kept from one dispatch to the next.
#[derive(Default)]
pub(super) struct ChainRoom(Mutex<Vec<ChainSlot>>);

impl Taken<'_> {
    /// One chained dispatch.
    pub(super) fn dispatch_chained(
        &self,
        n: usize,
        seeds: usize,
        task: &(dyn Fn(usize, &Chain<'_>) + Sync),
    ) -> Result<bool> {
        const OP: &str = "for_each_chained";
        // Taken out, not locked: tasks may panic.
        let mut slots = core::mem::take(&mut *lock(&self.team.chains.0));
        let missing = n.saturating_sub(slots.len());
        let refused =
            Error::OutOfMemory { op: OP, bytes: missing.saturating_mul(size_of::<ChainSlot>()) };
        slots.try_reserve(missing).map_err(|_| refused)?;
        slots.extend((0..missing).map(|_| ChainSlot::new()));
        let wait = Bell {
            spin: self.team.shared.spin.join.min(32_768),
            sleepers: AtomicU32::new(0),
            rings: Futex::new(0),
        };
        let Some(chain) = Chain::new(&mut slots[..n], seeds, &wait) else { return Ok(false) };
        self.dispatch(OP, self.team.width, &|_| chain.take_part(task));
        chain.finish()?;
        *lock(&self.team.chains.0) = slots;
        Ok(true)
    }
}

/// Participants without a task spin, then nap until the bell rings.
///
/// A ring that is missed costs one nap, so the counts need no order between them.
struct Bell {
    spin: u32,
    sleepers: AtomicU32,
    rings: Futex,
}

impl ChainWait for Bell {
    fn idle(&self, round: u32) {
        if round <= self.spin {
            return spin_loop();
        }
        const LONGEST: Duration = NAP;
        // ORDERING: Relaxed, all of them; see above.
        let heard = self.rings.load(Ordering::Relaxed);
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        self.rings.nap(heard, LONGEST);
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    fn notify(&self) {
        // ORDERING: Relaxed; see above.
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            self.rings.fetch_add(1, Ordering::Relaxed);
            self.rings.wake_all();
        }
    }
}
