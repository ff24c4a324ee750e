//! Contexts over allocators of every kind: counting, bump, arena, shared, and one that threads cannot share.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use allocator_api2::alloc::{AllocError, Allocator, Global};
use fucina_core::pool::PoolConfig;
use fucina_core::{Error, ExecContext, Tensor};

/// Counts what it hands out and takes back.
#[derive(Default)]
struct Counting {
    live: AtomicUsize,
    calls: AtomicUsize,
    dropped: Option<Arc<AtomicUsize>>,
}

// SAFETY: the global allocator's blocks.
unsafe impl Allocator for Counting {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.live.fetch_add(layout.size(), Ordering::Relaxed);
        Global.allocate(layout)
    }
    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        self.live.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: forwarded.
        unsafe { Global.deallocate(ptr, layout) };
    }
}

/// A counted handle to one.
#[derive(Clone)]
struct Handle(Arc<Counting>);

// SAFETY: forwarded to the same allocator, which lives as long as its handles.
unsafe impl Allocator for Handle {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.allocate(layout)
    }
    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        // SAFETY: forwarded.
        unsafe { self.0.deallocate(ptr, layout) };
    }
}

impl Counting {
    const fn new() -> Self {
        Self { live: AtomicUsize::new(0), calls: AtomicUsize::new(0), dropped: None }
    }

    fn noting(dropped: &Arc<AtomicUsize>) -> Self {
        let mut own = Self::new();
        own.dropped = Some(dropped.clone());
        own
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        if let Some(dropped) = &self.dropped {
            dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Hands out one buffer from front to back and takes nothing back: the allocator of a firmware's static RAM.
struct Bump<const N: usize> {
    memory: core::cell::UnsafeCell<[u8; N]>,
    used: Cell<usize>,
}

impl<const N: usize> Bump<N> {
    const fn new() -> Self {
        Self { memory: core::cell::UnsafeCell::new([0; N]), used: Cell::new(0) }
    }
}

// SAFETY: ranges handed out do not overlap and live as long as the buffer, which is static: it never moves.
unsafe impl<const N: usize> Allocator for &'static Bump<N> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let base = self.memory.get().cast::<u8>();
        let start = (base.addr() + self.used.get()).next_multiple_of(layout.align()) - base.addr();
        let end = start.checked_add(layout.size()).filter(|&end| end <= N).ok_or(AllocError)?;
        self.used.set(end);
        let place = NonNull::new(base.wrapping_add(start)).ok_or(AllocError)?;
        Ok(NonNull::slice_from_raw_parts(place, layout.size()))
    }
    unsafe fn deallocate(&self, _: NonNull<u8>, _: Layout) {}
}

/// A bump allocator behind a type that is `Send`, as a firmware's would be: one context owns it.
struct Owned<const N: usize>(&'static Bump<N>);

// SAFETY: the buffer is there for this one owner.
unsafe impl<const N: usize> Send for Owned<N> {}

/// A static bump allocator.
struct Firmware(Bump<65_536>);

// SAFETY: one test uses it, through the lock of one context.
unsafe impl Sync for Firmware {}

// SAFETY: forwarded.
unsafe impl<const N: usize> Allocator for Owned<N> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        (&self.0).allocate(layout)
    }
    unsafe fn deallocate(&self, _: NonNull<u8>, _: Layout) {}
}

/// One training step; the gradient of `sum(w * w)` is `2 w`.
fn train(ctx: &ExecContext) -> Result<Vec<f32>, Error> {
    let w = Tensor::variable_from_slice(ctx, &[3], &[1.0_f32, 2.0, 3.0])?;
    let _scope = ctx.open_exec_scope();
    w.mul(ctx, &w)?.sum_all(ctx)?.backward(ctx)?;
    w.grad(ctx)?.map_or(Ok(Vec::new()), |g| g.to_vec())
}

#[test]
fn making_a_context_allocates_nothing() {
    static COUNTING: Counting = Counting::new();
    let counting = &COUNTING;
    let ctx = ExecContext::builder().allocator(counting).pool(PoolConfig::EMBEDDED).build();
    let moved = ctx;
    assert_eq!(counting.calls.load(Ordering::Relaxed), 0);
    assert_eq!(train(&moved).unwrap(), [2.0, 4.0, 6.0]);
    assert!(counting.calls.load(Ordering::Relaxed) > 0);
}

#[test]
fn everything_is_given_back_and_the_allocator_dropped_last() {
    let (dropped, counting) = (Arc::new(AtomicUsize::new(0)), Handle(Arc::default()));
    let own = Counting::noting(&dropped);
    let shared = ExecContext::builder().allocator(counting.clone()).build();
    let owning = ExecContext::builder().allocator(Handle(Arc::new(own))).build();
    for ctx in [shared, owning] {
        train(&ctx).unwrap();
        let kept = ctx.zeros::<f64>(&[5]).unwrap();
        assert_eq!(ctx.close().unwrap_err().blocks, 1);
        assert_eq!(kept.data().unwrap(), [0.0; 5]);
    }
    assert_eq!(counting.0.live.load(Ordering::Relaxed), 0);
    assert_eq!((Arc::strong_count(&counting.0), dropped.load(Ordering::Relaxed)), (1, 1));
}

#[test]
fn an_unused_builder_drops_its_allocator() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let own = || Handle(Arc::new(Counting::noting(&dropped)));
    drop(ExecContext::builder().allocator(own()));
    drop(ExecContext::builder().allocator(own()).allocator(own()).build());
    assert_eq!(dropped.load(Ordering::Relaxed), 3);
}

#[test]
fn an_arena_that_threads_cannot_share_trains_until_it_is_full() {
    static MEMORY: Firmware = Firmware(Bump::new());
    let bump = &MEMORY.0;
    let ctx =
        ExecContext::builder().allocator_locked(Owned(bump)).pool(PoolConfig::EMBEDDED).build();
    assert_eq!(train(&ctx).unwrap(), [2.0, 4.0, 6.0]);
    let used = bump.used.get();
    for _ in 0..1000 {
        train(&ctx).unwrap();
    }
    assert_eq!(bump.used.get(), used, "the second step on takes nothing new");
    let too_much = ctx.zeros::<f32>(&[65_536]);
    assert!(matches!(too_much, Err(Error::OutOfMemory { op: "zeros", .. })));
    assert_eq!(train(&ctx).unwrap(), [2.0, 4.0, 6.0]);
    // Tensors of such a context may still be dropped on other threads: the lock serialises them.
    let x = ctx.zeros::<f32>(&[8]).unwrap();
    std::thread::spawn(move || drop(x)).join().unwrap();
    ctx.close().unwrap();
}
