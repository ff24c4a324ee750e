//! What a context tells of its memory, and how it ends.
#![forbid(unsafe_code)]

use core::fmt;
use core::panic::Location;

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
        ScratchLease::acquire(OP, self.ctx.site(OP)?, len)
    }
}

/// Blocks that were still counted when their context closed. They stay valid, and free themselves when dropped.
///
/// With the feature `track-origins`, [`sites`](Self::sites) names the source lines of the ops that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leaks {
    /// Tensor and scratch blocks.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Graph nodes and headers of foreign memory.
    pub cells: usize,
    sites: [Option<LeakSite>; SITES],
}

/// Source lines that a [`Leaks`] has room for.
const SITES: usize = 16;

/// A source line whose blocks outlived their context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeakSite {
    /// The line that called the op.
    pub location: &'static Location<'static>,
    /// Its blocks, nodes among them.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
}

impl Leaks {
    /// The lines that made what leaked, newest first, at most 16. Empty without the feature `track-origins`.
    pub fn sites(&self) -> impl Iterator<Item = &LeakSite> {
        self.sites.iter().flatten()
    }

    /// Counts a block to its line, or to none if there is no room for one more.
    fn add(&mut self, location: &'static Location<'static>, bytes: usize) {
        for place in &mut self.sites {
            let site = place.get_or_insert(LeakSite { location, blocks: 0, bytes: 0 });
            if site.location == location {
                site.blocks += 1;
                site.bytes += bytes;
                return;
            }
        }
    }
}

impl fmt::Display for Leaks {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, bytes, cells, .. } = self;
        write!(
            f,
            "close: {blocks} blocks of {bytes} bytes and {cells} cells still alive; none fit"
        )?;
        for LeakSite { location, blocks, bytes } in self.sites() {
            write!(f, "\n  {location}: {blocks} blocks, {bytes} bytes")?;
        }
        Ok(())
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
        let leaks = self.shut();
        self.reported.set(true);
        leaks.map_or(Ok(()), Err)
    }

    /// Releases open scopes, then the free lists; what outlives the context. Doing it twice is the same as once.
    fn shut(&self) -> Option<Leaks> {
        self.scopes.release_all();
        self.recording.stop();
        let heap = self.heap_if_made()?;
        heap.close();
        let stats = heap.stats();
        if stats.outstanding + stats.cells == 0 {
            return None;
        }
        let mut leaks = Leaks {
            blocks: stats.outstanding,
            bytes: stats.outstanding_bytes,
            cells: stats.cells,
            sites: [None; SITES],
        };
        heap.for_each_live(|bytes, origin| {
            if let Some(location) = origin.location() {
                leaks.add(location, bytes);
            }
        });
        Some(leaks)
    }
}

impl Drop for ExecContext {
    /// In debug builds, tensors that outlive their context are a failed assertion; [`close`](Self::close) reports
    /// them as a value instead.
    fn drop(&mut self) {
        let leaks = self.shut();
        if let (Some(leaks), false) = (leaks, self.reported.get()) {
            debug_assert!(false, "{leaks}");
        }
    }
}
