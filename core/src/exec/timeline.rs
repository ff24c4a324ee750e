//! A recording of memory over ops: live and cached bytes at every block an op asked for.
#![forbid(unsafe_code)]

use core::cell::{Cell, RefCell};
use core::fmt;

use allocator_api2::vec::Vec;

use super::context::ExecContext;
use crate::pool::HeapRef;

/// What a context's pool held right after an op had taken a block for its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemorySample {
    /// The op.
    pub op: &'static str,
    /// Bytes of all live tensor and scratch blocks.
    pub live_bytes: usize,
    /// Bytes of all cached blocks.
    pub cached_bytes: usize,
}

/// A context's recording in progress.
pub(super) struct Recording {
    on: Cell<bool>,
    samples: RefCell<Option<Vec<MemorySample, HeapRef>>>,
    lost: Cell<usize>,
}

impl Recording {
    pub(super) const fn new() -> Self {
        Self { on: Cell::new(false), samples: RefCell::new(None), lost: Cell::new(0) }
    }

    /// Notes what the pool holds, if a recorder is alive.
    #[inline(always)]
    pub(super) fn sample(&self, op: &'static str, heap: &HeapRef) {
        if self.on.get() {
            self.push(op, heap);
        }
    }

    #[cold]
    fn push(&self, op: &'static str, heap: &HeapRef) {
        let stats = heap.stats();
        let mut samples = self.samples.borrow_mut();
        let samples = samples.get_or_insert_with(|| Vec::new_in(heap.clone()));
        if samples.try_reserve(1).is_err() {
            self.lost.set(self.lost.get() + 1);
            return;
        }
        let (live_bytes, cached_bytes) = (stats.outstanding_bytes, stats.cached_bytes);
        samples.push(MemorySample { op, live_bytes, cached_bytes });
    }

    pub(super) fn stop(&self) {
        self.on.set(false);
        self.lost.set(0);
        let samples = self.samples.take();
        drop(samples);
    }
}

impl ExecContext {
    /// Records live and cached bytes at every block that an op asks for, until the recorder is dropped. A second
    /// recorder starts anew.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[4], &[1.0_f32, 2.0, 3.0, 4.0])?;
    /// let memory = ctx.record_memory();
    /// let y = x.exp(&ctx)?.neg(&ctx)?;
    /// let ops = memory.samples(|samples| samples.iter().map(|s| (s.op, s.live_bytes)).collect::<Vec<_>>());
    /// assert_eq!(ops, [("exp", 32), ("neg", 48)]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[must_use = "recording ends when the recorder is dropped"]
    pub fn record_memory(&self) -> MemoryRecorder<'_> {
        self.recording.stop();
        self.recording.on.set(true);
        MemoryRecorder { ctx: self }
    }
}

/// A recording of memory over ops, of [`ExecContext::record_memory`].
pub struct MemoryRecorder<'ctx> {
    ctx: &'ctx ExecContext,
}

impl MemoryRecorder<'_> {
    /// Calls `f` with what was recorded so far, oldest first. What `f` itself computes is not recorded.
    pub fn samples<R>(&self, f: impl FnOnce(&[MemorySample]) -> R) -> R {
        let recording = &self.ctx.recording;
        let samples = recording.samples.take();
        let result = f(samples.as_deref().unwrap_or(&[]));
        recording.samples.replace(samples);
        result
    }

    /// Samples that found no memory to stand in.
    #[must_use]
    pub fn lost(&self) -> usize {
        self.ctx.recording.lost.get()
    }
}

impl Drop for MemoryRecorder<'_> {
    fn drop(&mut self) {
        self.ctx.recording.stop();
    }
}

impl fmt::Debug for MemoryRecorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.samples(<[MemorySample]>::len);
        f.debug_struct("MemoryRecorder").field("samples", &count).finish_non_exhaustive()
    }
}
