//! A priority queue of nodes by time, latest first, that grows fallibly.

use allocator_api2::vec::Vec;

use crate::error::{Error, Result};
use crate::pool::HeapRef;

/// A binary heap of `(time, index)`, latest time on top.
pub(super) struct Queue(Vec<(u64, usize), HeapRef>);

impl Queue {
    pub(super) fn new(heap: HeapRef) -> Self {
        Self(Vec::new_in(heap))
    }

    pub(super) fn push(&mut self, time: u64, index: usize) -> Result<()> {
        let bytes = size_of::<(u64, usize)>();
        self.0.try_reserve(1).map_err(|_| Error::OutOfMemory { op: "backward", bytes })?;
        let mut at = self.0.len();
        self.0.push((time, index));
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.0[parent].0 >= self.0[at].0 {
                break;
            }
            self.0.swap(parent, at);
            at = parent;
        }
        Ok(())
    }

    /// Takes the index with the latest time.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let last = self.0.len().checked_sub(1)?;
        self.0.swap(0, last);
        let (_, index) = self.0.pop()?;
        let mut at = 0;
        loop {
            let mut latest = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < last && self.0[child].0 > self.0[latest].0 {
                    latest = child;
                }
            }
            if latest == at {
                return Some(index);
            }
            self.0.swap(at, latest);
            at = latest;
        }
    }
}
