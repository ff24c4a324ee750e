//! The pool: where every block of a context comes from and returns to.
//!
//! `Heap` owns the allocator and three arms of free lists under one byte budget: **f32** (every `f32` tensor; sizes
//! rounded to the next power of two up to 1,024 elements, then to multiples of 1,024), **slab** (every other element
//! type and scratch; rounded to 4,096 bytes, shared by all types) and **cell** (graph nodes, release hooks, own lists;
//! rounded to 64 bytes). An arm hands out its smallest cached block that fits, the most recently released one first.
//!
//! Protocol:
//! 1. All counts and free lists change under one lock; the allocator is called outside of it.
//! 2. A heap lives while anything counts on it: `holders` (`HeapRef`, the context's own among them), `outstanding`
//!    blocks and `cells`. Whoever brings the sum to zero frees it, after unlocking.
//! 3. A count is taken before the memory is, and given up after the memory is: while the allocator runs outside the
//!    lock, the heap cannot disappear.
//! 4. When the context closes, the free lists are emptied and `open` turns false: later releases free at once.

mod bins;
mod config;
mod heap;
mod live;
mod scratch;
#[cfg(test)]
mod tests;

pub use config::{PoolConfig, PoolStats};
pub(crate) use heap::{Arm, Heap, HeapRef};
pub use scratch::ScratchLease;
