//! What a context tells of its memory, and how it ends.
#![forbid(unsafe_code)]

use core::fmt;

use super::context::ExecContext;
use crate::dtype::Element;
use crate::error::Result;
use crate::pool::{PoolStats, ScratchLease};

/// A context's pool.
#[derive(Clone, Copy, Debug)]
pub struct Pool<'ctx> {
    ctx: &'ctx ExecContext,
}

impl Pool<'_> {
    /// The counts at this moment.
    #[must_use]
    pub fn stats(self) -> PoolStats {
        self.ctx.heap_if_made().map_or_else(PoolStats::default, |heap| heap.stats())
    }

    /// Frees cached blocks until at most `keep_bytes` are cached.
    pub fn trim(self, keep_bytes: usize) {
        if let Some(heap) = self.ctx.heap_if_made() {
            heap.trim(keep_bytes);
        }
    }

    /// Working memory for `len` elements, contents unspecified; returned when dropped, on any thread.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn acquire_scratch<T: Element>(self, len: usize) -> Result<ScratchLease<T>> {
        const OP: &str = "acquire_scratch";
        ScratchLease::acquire(OP, self.ctx.heap(OP)?, len)
    }
}

/// Blocks that were still counted when their context closed. They stay valid, and free themselves when dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaks {
    /// Tensor and scratch blocks.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Graph nodes and headers of foreign memory.
    pub cells: usize,
}

impl fmt::Display for Leaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, bytes, cells } = self;
        write!(f, "close: {blocks} blocks of {bytes} bytes and {cells} cells still alive; none fit")
    }
}

impl core::error::Error for Leaks {}

impl ExecContext {
    /// The pool.
    #[must_use]
    pub fn pool(&self) -> Pool<'_> {
        Pool { ctx: self }
    }

    /// Ends the context and says what outlives it. Scopes still open are released first.
    ///
    /// # Errors
    /// [`Leaks`] if tensors of this context are still alive.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let kept = Tensor::from_slice(&ctx, &[2], &[1.0_f32, 2.0])?;
    /// assert_eq!(ctx.close().unwrap_err().blocks, 1);
    /// assert_eq!(kept.to_vec()?, [1.0, 2.0]); // still whole; it frees itself
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    pub fn close(self) -> core::result::Result<(), Leaks> {
        self.shut();
        let PoolStats { outstanding, outstanding_bytes, cells, .. } = self.pool().stats();
        if outstanding + cells == 0 {
            return Ok(());
        }
        Err(Leaks { blocks: outstanding, bytes: outstanding_bytes, cells })
    }

    /// Releases open scopes, then the free lists. Doing it twice is the same as once.
    fn shut(&self) {
        self.scopes.release_all();
        if let Some(heap) = self.heap_if_made() {
            heap.close();
        }
    }
}

impl Drop for ExecContext {
    fn drop(&mut self) {
        self.shut();
    }
}
