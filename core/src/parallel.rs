//! [`Team`]: who runs the pieces of a parallel op; and how work is cut into pieces.
//!
//! Pieces are cut by size, never by the number of threads: what a piece computes, and in which order, is the same
//! whoever runs it.
//!
//! Unsafe code here, and why it holds: `for_chunks` makes `&mut` slices of one buffer for the pieces; they are
//! disjoint by their index, and a [`Team`] promises to run each index exactly once and to return after all of them.

mod chain;
mod flush;
mod grid;

use core::marker::PhantomData;
use core::ptr::NonNull;

pub use chain::{Chain, ChainSlot, ChainWait};

pub(crate) use flush::Flushing;
pub use grid::Block;
pub(crate) use grid::{BlockShape, for_blocks, for_blocks_with};

use crate::error::Result;

/// Runs the pieces of one op on some threads, the caller's among them.
///
/// # Safety
/// An implementation's `for_each(n, task)` must
/// - call `task(i)` exactly once for each `i` in `0..n`,
/// - return (or unwind) only after every call has returned, with their effects visible to the caller.
pub unsafe trait Team: Send + Sync {
    /// How many threads take part at most; at least 1.
    fn width(&self) -> usize;
    /// Calls `task` with each of `0..n`, in any order, on any of its threads. A nested or concurrent call runs
    /// serially on its caller.
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
    /// [`for_each`](Self::for_each) on behalf of `op`: a team that measures says whose dispatch it was. By default the name
    /// is dropped.
    fn for_each_named(&self, op: &'static str, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let _ = op;
        self.for_each(n, task);
    }
    /// Runs tasks `0..n`, of which the first `seeds` are runnable and the others become so by [`Chain::enqueue`], without a
    /// barrier between them. `false`, and nothing has run, if the team cannot now (it has no threads, is busy, or `seeds`
    /// is 0 or above `n`): the caller then runs them itself. By default it never can, but for no tasks.
    ///
    /// # Errors
    /// [`Error::BrokenChain`](crate::Error::BrokenChain) if an index does not become runnable exactly once, and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    fn for_each_chained(
        &self,
        n: usize,
        seeds: usize,
        task: &(dyn Fn(usize, &Chain<'_>) + Sync),
    ) -> Result<bool> {
        let _ = (seeds, task);
        Ok(n == 0)
    }
}

/// The team of one: everything runs on the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct SerialTeam;

// SAFETY: a plain loop.
unsafe impl Team for SerialTeam {
    fn width(&self) -> usize {
        1
    }
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }
}

/// A buffer that pieces write side by side.
struct Shared<'a, T> {
    start: NonNull<T>,
    len: usize,
    chunk: usize,
    borrow: PhantomData<&'a mut [T]>,
}

// SAFETY: threads get disjoint pieces of a `&mut [T]`, which is what `T: Send` allows.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<T> Shared<'_, T> {
    /// # Safety
    /// Each `index` is asked for once.
    #[expect(clippy::mut_from_ref, reason = "the pieces are disjoint")]
    unsafe fn piece(&self, index: usize) -> &mut [T] {
        let start = index * self.chunk;
        let len = self.chunk.min(self.len - start);
        // SAFETY: `start + len` is within the buffer (a piece's index is below the number of pieces).
        let first = unsafe { self.start.add(start) };
        // SAFETY: pieces of different indices do not overlap, and each is made once.
        unsafe { core::slice::from_raw_parts_mut(first.as_ptr(), len) }
    }
}

/// Cuts `data` into pieces of `chunk` elements (the last may be shorter) and calls `task(index, piece)` for each, on
/// behalf of `op`.
#[inline]
pub(crate) fn for_chunks<T: Send>(
    team: &dyn Team,
    op: &'static str,
    data: &mut [T],
    chunk: usize,
    task: impl Fn(usize, &mut [T]) + Sync,
) {
    if data.len() <= chunk {
        return task(0, data);
    }
    dispatch(team, op, [(data, chunk)], &|index, [piece]| task(index, piece));
}

/// The same for several buffers of one length, cut alike.
#[inline]
pub(crate) fn for_chunks_of<T: Send, const N: usize>(
    team: &dyn Team,
    op: &'static str,
    data: [&mut [T]; N],
    chunk: usize,
    task: impl Fn(usize, [&mut [T]; N]) + Sync,
) {
    debug_assert!(data.iter().all(|x| x.len() == data[0].len()));
    for_chunks_each(team, op, data.map(|data| (data, chunk)), task);
}

/// The same for buffers of several lengths, each cut into pieces of its own size: as many as the first has. One may be empty.
#[inline]
pub(crate) fn for_chunks_each<T: Send, const N: usize>(
    team: &dyn Team,
    op: &'static str,
    data: [(&mut [T], usize); N],
    task: impl Fn(usize, [&mut [T]; N]) + Sync,
) {
    if data[0].0.len() <= data[0].1 {
        return task(0, whole(data));
    }
    dispatch(team, op, data, &task);
}

/// What the only piece of each buffer holds.
#[inline]
fn whole<T, const N: usize>(data: [(&mut [T], usize); N]) -> [&mut [T]; N] {
    data.map(|(data, _)| data)
}

/// What a piece of several buffers does.
type PieceTask<'a, T, const N: usize> = dyn Fn(usize, [&mut [T]; N]) + Sync + 'a;

/// Calls `task` for every piece. Compiled once for an element type, whatever the task: hundreds of ops share it.
#[inline(never)]
fn dispatch<T: Send, const N: usize>(
    team: &dyn Team,
    op: &'static str,
    data: [(&mut [T], usize); N],
    task: &PieceTask<'_, T, N>,
) {
    let pieces = data[0].0.len().div_ceil(data[0].1);
    // A piece that is missing would be made of memory beyond its buffer.
    assert!(data.iter().all(|(x, c)| x.is_empty() || x.len().div_ceil(*c) == pieces));
    let shared = data.map(|(data, chunk)| Shared {
        len: data.len(),
        chunk: if data.is_empty() { 0 } else { chunk },
        start: NonNull::from(data).cast(),
        borrow: PhantomData,
    });
    team.for_each_named(op, pieces, &|index| {
        // SAFETY: the team runs each index once.
        task(index, core::array::from_fn(|i| unsafe { shared[i].piece(index) }));
    });
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;

    use super::*;

    #[test]
    fn chunks_cover_the_buffer_once() {
        for (len, chunk) in [(1, 4), (4, 4), (5, 4), (12, 4), (13, 4)] {
            let mut data = vec![0_usize; len];
            for_chunks(&SerialTeam, "test", &mut data, chunk, |index, piece| {
                piece.iter_mut().enumerate().for_each(|(i, x)| *x += 1 + index * chunk + i);
            });
            assert!(data.iter().enumerate().all(|(i, &x)| x == i + 1), "{len} {chunk}");
        }
    }
}
