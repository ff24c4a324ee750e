//! [`Chain`]: fork-join of tasks that make each other runnable.
//!
//! Runnable indices stand in a queue that only grows: ticket `t` of a dispatch is written once and taken once, so there is
//! no slot to be reused and no ABA. Every index has to become runnable exactly once, as a seed or by [`Chain::enqueue`];
//! that is checked always, and a breach ends the dispatch with an error.
//!
//! Protocol:
//! 1. `enqueue(i)` swaps the flag of `i`; who finds it set has broken the contract. It takes a ticket from `tail`, then
//!    writes `i` to the ticket's slot.
//! 2. A participant takes the ticket at `head` by compare-and-swap, if its slot is written; then it runs the task and counts
//!    it in `finished`.
//! 3. `finished == tail`, read in this order, means that nobody runs: each finished task's tickets happened before its
//!    count, and an unfinished task's own ticket was taken by a finished one, by a seed or by another unfinished task, so
//!    the first of them in line would be counted in `tail`. Nobody can enqueue any more: all are done, or the rest never comes.
#![forbid(unsafe_code)]

use crate::error::{ChainFault, Error, Result};
use crate::sync::{AtomicUsize, Ordering};

/// The name that errors give.
const OP: &str = "for_each_chained";

/// Room for one index of a [`Chain`].
#[derive(Debug)]
pub struct ChainSlot {
    /// The index whose turn the ticket of this slot's number is, plus one; 0 until it is known.
    ready: AtomicUsize,
    /// 1 once the index of this slot's number was enqueued.
    queued: AtomicUsize,
}

impl ChainSlot {
    /// Room that is not in use.
    #[must_use]
    pub fn new() -> Self {
        Self { ready: AtomicUsize::new(0), queued: AtomicUsize::new(0) }
    }
}

impl Default for ChainSlot {
    fn default() -> Self {
        Self::new()
    }
}

/// How participants wait for a task to become runnable.
pub trait ChainWait: Sync {
    /// Nothing is runnable; called with 0, 1, 2, ... until something is. Returns soon, at the latest when something may have
    /// changed or a millisecond is over.
    fn idle(&self, round: u32);
    /// Something may have become runnable, or the dispatch has ended.
    fn notify(&self) {}
}

/// A value on its own cache line (and the one that its prefetcher brings).
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicUsize);

/// The queue of one chained dispatch; tasks get it to enqueue their successors.
pub struct Chain<'a> {
    slots: &'a [ChainSlot],
    wait: &'a dyn ChainWait,
    head: Line,
    tail: Line,
    finished: Line,
    /// 0, or what broke the contract first.
    fault: AtomicUsize,
}

/// `fault` of a dispatch that a panic has ended.
const ABORTED: usize = 1;
/// `fault` of a dispatch in which nothing could become runnable any more.
const STALLED: usize = 2;
/// `fault` from here on: twice the index, plus 1 if it was out of range.
const ENQUEUE: usize = 4;

impl<'a> Chain<'a> {
    /// A dispatch of as many tasks as there are slots, the first `seeds` of them runnable. `None` unless `1 <= seeds <= n`.
    pub fn new(slots: &'a mut [ChainSlot], seeds: usize, wait: &'a dyn ChainWait) -> Option<Self> {
        if seeds == 0 || seeds > slots.len() {
            return None;
        }
        for (i, slot) in slots.iter_mut().enumerate() {
            *slot = ChainSlot {
                ready: AtomicUsize::new(if i < seeds { i + 1 } else { 0 }),
                queued: AtomicUsize::new(usize::from(i < seeds)),
            };
        }
        let line = |value| Line(AtomicUsize::new(value));
        let (head, tail, finished) = (line(0), line(seeds), line(0));
        Some(Self { slots, wait, head, tail, finished, fault: AtomicUsize::new(0) })
    }

    /// Makes task `index` runnable.
    ///
    /// # Errors
    /// [`Error::BrokenChain`] if there is no such task or it was made runnable before; the dispatch ends with the same error.
    pub fn enqueue(&self, index: usize) -> Result<()> {
        let Some(slot) = self.slots.get(index) else {
            return self.break_with(index, ChainFault::OutOfRange);
        };
        // ORDERING: Relaxed; the swap decides who was first, and publishes nothing.
        if slot.queued.swap(1, Ordering::Relaxed) == 1 {
            return self.break_with(index, ChainFault::EnqueuedTwice);
        }
        // ORDERING: Relaxed; `over` sees it through the Release of `finished` that follows in this task.
        let ticket = self.tail.0.fetch_add(1, Ordering::Relaxed);
        // ORDERING: Release; pairs with the Acquire in `claim`; publishes what this task wrote for its successor. There are as
        // many tickets as indices, since each takes one.
        self.slots[ticket].ready.store(index + 1, Ordering::Release);
        self.wait.notify();
        Ok(())
    }

    /// Runs tasks until all have run or the dispatch has ended. Every participant calls it.
    pub fn take_part(&self, task: &(dyn Fn(usize, &Chain<'_>) + Sync)) {
        let mut round = 0;
        loop {
            if let Some(index) = self.claim() {
                let abort = Abort(self);
                task(index, self);
                core::mem::forget(abort);
                // ORDERING: Release; pairs with the Acquire in `over`; its tickets are taken by now.
                self.finished.0.fetch_add(1, Ordering::Release);
                round = 0;
            } else if self.over() {
                return self.wait.notify();
            } else {
                self.wait.idle(round);
                round = round.saturating_add(1);
            }
        }
    }

    /// How it went, once every participant has returned.
    ///
    /// # Errors
    /// [`Error::BrokenChain`] if an index became runnable twice or never, or there is no such index.
    pub fn finish(&self) -> Result<()> {
        // ORDERING: Relaxed; the participants' return happened before.
        match self.fault.load(Ordering::Relaxed) {
            0 | ABORTED => Ok(()),
            STALLED => {
                let queued = |slot: &ChainSlot| slot.queued.load(Ordering::Relaxed) == 1;
                let index = self.slots.iter().position(|slot| !queued(slot)).unwrap_or(0);
                Err(self.broken(index, ChainFault::NeverEnqueued))
            }
            code => {
                let out_of_range = (code - ENQUEUE) % 2 == 1;
                let fault =
                    if out_of_range { ChainFault::OutOfRange } else { ChainFault::EnqueuedTwice };
                Err(self.broken((code - ENQUEUE) / 2, fault))
            }
        }
    }

    /// Takes the next runnable index.
    fn claim(&self) -> Option<usize> {
        // ORDERING: Relaxed; a fault is looked at again in `over`, and stops the claiming as soon as it is seen.
        if self.fault.load(Ordering::Relaxed) != 0 {
            return None;
        }
        // ORDERING: Relaxed; a late value makes the exchange below fail.
        let mut at = self.head.0.load(Ordering::Relaxed);
        loop {
            // ORDERING: Acquire; pairs with the Release in `enqueue`: what the predecessor wrote is visible to the task.
            let index = self.slots.get(at)?.ready.load(Ordering::Acquire).checked_sub(1)?;
            // ORDERING: Relaxed; only the uniqueness of the claim matters.
            match self.head.0.compare_exchange_weak(
                at,
                at + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(index),
                Err(now) => at = now,
            }
        }
    }

    /// Whether nothing will become runnable any more; records a stall.
    fn over(&self) -> bool {
        // ORDERING: Acquire; pairs with the Release in `take_part` (protocol, 3).
        let finished = self.finished.0.load(Ordering::Acquire);
        // ORDERING: Relaxed; after the line above, see the protocol.
        let all_quiet = finished == self.tail.0.load(Ordering::Relaxed);
        if all_quiet && finished < self.slots.len() {
            self.record(STALLED);
        }
        // ORDERING: Relaxed; a flag of its own.
        all_quiet || self.fault.load(Ordering::Relaxed) != 0
    }

    #[cold]
    fn break_with(&self, index: usize, fault: ChainFault) -> Result<()> {
        // An index too large to be told in the code is told as the largest that can be.
        let told = index.min((usize::MAX - ENQUEUE) / 2 - 1);
        self.record(ENQUEUE + 2 * told + usize::from(fault == ChainFault::OutOfRange));
        self.wait.notify();
        Err(self.broken(index, fault))
    }

    /// The first fault stays.
    fn record(&self, code: usize) {
        // ORDERING: Relaxed; a flag of its own.
        let _ = self.fault.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn broken(&self, index: usize, fault: ChainFault) -> Error {
        Error::BrokenChain { op: OP, index, tasks: self.slots.len(), fault }
    }
}

impl core::fmt::Debug for Chain<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Chain").field("tasks", &self.slots.len()).finish_non_exhaustive()
    }
}

/// Dropped by a task that panics: the others leave.
struct Abort<'a, 'b>(&'a Chain<'b>);

impl Drop for Abort<'_, '_> {
    fn drop(&mut self) {
        self.0.record(ABORTED);
        self.0.wait.notify();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    struct Never;
    impl ChainWait for Never {
        fn idle(&self, _: u32) {
            unreachable!("one participant never waits")
        }
    }

    fn run(n: usize, seeds: usize, task: impl Fn(usize, &Chain<'_>) + Sync) -> Option<Result<()>> {
        let mut slots: Vec<_> = (0..n).map(|_| ChainSlot::new()).collect();
        let chain = Chain::new(&mut slots, seeds, &Never)?;
        chain.take_part(&task);
        Some(chain.finish())
    }

    fn broken(index: usize, tasks: usize, fault: ChainFault) -> Option<Result<()>> {
        Some(Err(Error::BrokenChain { op: OP, index, tasks, fault }))
    }

    #[test]
    fn each_task_runs_once_after_its_predecessor() {
        let order = crate::sync::Mutex::new(Vec::new());
        let ran = run(6, 2, |i, chain| {
            order.lock().push(i);
            if i + 2 < 6 {
                chain.enqueue(i + 2).unwrap();
            }
        });
        assert_eq!(ran, Some(Ok(())));
        assert_eq!(order.lock()[..], [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_broken_contract_is_an_error() {
        let nothing = |_: usize, _: &Chain<'_>| {};
        assert_eq!(run(4, 0, nothing), None);
        assert_eq!(run(4, 5, nothing), None);
        assert_eq!(run(4, 2, nothing), broken(2, 4, ChainFault::NeverEnqueued));
        let twice = run(4, 2, |_, chain| {
            let _ = chain.enqueue(3);
        });
        assert_eq!(twice, broken(3, 4, ChainFault::EnqueuedTwice));
        let seed = run(4, 2, |_, chain| {
            let _ = chain.enqueue(0);
        });
        assert_eq!(seed, broken(0, 4, ChainFault::EnqueuedTwice));
        for index in [4, 9, usize::MAX / 4] {
            let beyond = run(4, 2, |_, chain| {
                let _ = chain.enqueue(index);
            });
            assert_eq!(beyond, broken(index, 4, ChainFault::OutOfRange));
        }
        let farthest = run(4, 2, |_, chain| {
            let _ = chain.enqueue(usize::MAX);
        });
        assert!(farthest.is_some_and(|ran| ran.is_err()));
    }
}
