//! The protocols of storage and pool, model-checked: `RUSTFLAGS="--cfg loom" cargo test --release -p fucina-core --test
//! loom`.
//!
//! Every interleaving (of up to three preemptions) of a few small programs is run: release against retain, releases
//! from two threads into one pool, the hook of foreign memory, and a heap that outlives its context.
#![cfg(loom)]

use core::ptr::NonNull;

use fucina_core::{ExecContext, RawTensor};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

fn model(program: impl Fn() + Sync + Send + Copy + 'static) {
    for spawned_first in [false, true] {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(move || {
            SPAWNED_FIRST.with(|first| first.set(spawned_first));
            program();
        });
    }
}

std::thread_local! {
    static SPAWNED_FIRST: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

/// Lets the spawned thread run first in one of the two searches: loom remembers only the last access to an atomic, so
/// a thread that loads before it counts down hides the other thread's load, and that order is never tried.
fn meanwhile() {
    if SPAWNED_FIRST.with(core::cell::Cell::get) {
        thread::yield_now();
    }
}

/// A tensor whose hook counts.
fn counted(ctx: &ExecContext, count: &Arc<AtomicUsize>) -> RawTensor<f32> {
    static VALUES: [f32; 2] = [1.0, 2.0];
    let (data, count) = (NonNull::from(&VALUES).cast(), count.clone());
    // SAFETY: a static array of two elements.
    unsafe {
        ctx.from_foreign(&[2], data, 2, move || {
            count.fetch_add(1, Ordering::Relaxed);
        })
    }
    .unwrap()
}

#[test]
fn the_last_of_three_handles_runs_the_hook_once() {
    model(|| {
        let ctx = ExecContext::new();
        let count = Arc::new(AtomicUsize::new(0));
        let x = counted(&ctx, &count);
        let there = x.clone();
        let thread = thread::spawn(move || {
            let again = there.clone();
            drop(there);
            assert_eq!(again.data().unwrap()[1], 2.0);
        });
        meanwhile();
        drop(x);
        thread.join().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert_eq!(ctx.pool().stats().cells, 0);
    });
}

/// What an owner did before it let go happens before the hook, whichever thread runs that.
#[test]
fn the_hook_sees_what_every_owner_did() {
    struct Shared(UnsafeCell<usize>);
    // SAFETY: loom checks every access to the cell.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}

    model(|| {
        static VALUES: [f32; 2] = [1.0, 2.0];
        let ctx = ExecContext::new();
        let shared = Arc::new(Shared(UnsafeCell::new(0)));
        let seen = shared.clone();
        let hook = move || {
            // SAFETY: all handles are gone, and with them every write.
            assert_eq!(seen.0.with(|value| unsafe { *value }), 1);
        };
        let data = NonNull::from(&VALUES).cast();
        // SAFETY: a static array of two elements.
        let x = unsafe { ctx.from_foreign(&[2], data, 2, hook) }.unwrap();
        let there: RawTensor<f32> = x.clone();
        let thread = thread::spawn(move || {
            // SAFETY: only this thread writes, and the hook runs after its handle is gone.
            shared.0.with_mut(|value| unsafe { *value = 1 });
            drop(there);
        });
        meanwhile();
        drop(x);
        thread.join().unwrap();
    });
}

#[test]
fn what_other_owners_read_happens_before_the_buffer_is_written_again() {
    model(|| {
        let ctx = ExecContext::new();
        let x = ctx.from_slice(&[1], &[7.0_f32]).unwrap();
        let there = x.clone();
        let thread = thread::spawn(move || assert_eq!(there.data().unwrap(), [7.0]));
        let mut x = x;
        meanwhile();
        // Either the other handle is gone, and its read with it, or the write is refused.
        if let Ok(data) = x.data_mut() {
            data[0] = 8.0;
        }
        thread.join().unwrap();
    });
}

#[test]
fn two_threads_release_into_one_pool() {
    model(|| {
        let ctx = ExecContext::new();
        let (a, b) = (ctx.zeros::<f32>(&[4]).unwrap(), ctx.zeros::<f32>(&[4]).unwrap());
        let thread = thread::spawn(move || drop(a));
        meanwhile();
        drop(b);
        let c = ctx.zeros::<f32>(&[4]).unwrap();
        thread.join().unwrap();
        let stats = ctx.pool().stats();
        assert_eq!((stats.outstanding, stats.cached_buffers), (1, 1));
        drop(c);
        assert_eq!(ctx.pool().stats().cached_buffers, 2);
    });
}

#[test]
fn a_block_dropped_while_its_context_closes_frees_the_heap_once() {
    model(|| {
        let ctx = ExecContext::new();
        let x = ctx.zeros::<f32>(&[4]).unwrap();
        let thread = thread::spawn(move || drop(x));
        meanwhile();
        // Leaked or not, depending on who was first.
        let _ = ctx.close();
        thread.join().unwrap();
    });
}
