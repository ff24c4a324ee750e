//! Every allocation of every op, made to fail in turn: always `OutOfMemory`, nothing leaked, the next call works.
//!
//! The process's global allocator fails the n-th request after it is armed, on the arming thread: it serves contexts
//! (the default allocator) and whatever else an op allocates.

#[path = "common/op_sources.rs"]
mod op_sources;
#[path = "common/op_table.rs"]
mod op_table;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use std::alloc::System;

use fucina_core::{Error, ExecContext};
use op_table::{Operands, TABLE};

struct Faulty;

std::thread_local! {
    /// Requests until the one that fails; none if disarmed.
    static COUNTDOWN: Cell<Option<usize>> = const { Cell::new(None) };
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

impl Faulty {
    fn fails(&self) -> bool {
        match COUNTDOWN.with(Cell::get) {
            Some(0) => {
                COUNTDOWN.with(|c| c.set(None));
                FAILED.with(|f| f.set(true));
                true
            }
            Some(n) => {
                COUNTDOWN.with(|c| c.set(Some(n - 1)));
                false
            }
            None => false,
        }
    }
}

// SAFETY: every request is the system allocator's, or refused.
unsafe impl GlobalAlloc for Faulty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded.
        if self.fails() { core::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: forwarded.
        if self.fails() { core::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: forwarded.
        unsafe { System.dealloc(ptr, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Faulty = Faulty;

/// Runs `call` with the n-th allocation failing, for every n until none fails; how many did.
fn sweep(
    name: &str,
    mut call: impl FnMut() -> Result<(), Error>,
    mut check: impl FnMut(usize),
) -> usize {
    for n in 0..10_000 {
        FAILED.with(|f| f.set(false));
        COUNTDOWN.with(|c| c.set(Some(n)));
        let result = call();
        COUNTDOWN.with(|c| c.set(None));
        check(n);
        if !FAILED.with(Cell::get) {
            result.unwrap_or_else(|e| panic!("{name}: fails without a failed allocation: {e}"));
            return n;
        }
        assert!(
            matches!(result, Err(Error::OutOfMemory { .. })),
            "{name}: allocation {n} failed, the op said {result:?}"
        );
    }
    panic!("{name}: never ran out of allocations to fail");
}

#[test]
fn the_table_names_every_op() {
    assert_eq!(op_sources::missing(), Vec::<String>::new());
}

#[test]
fn every_op_survives_the_failure_of_every_allocation() {
    let mut failures = 0;
    for (name, call) in TABLE {
        let ctx = ExecContext::new();
        let operands = Operands::new(&ctx, 2, 3);
        let before = ctx.pool().stats();
        failures += sweep(
            name,
            || {
                // A cold pool: every block comes from the allocator.
                ctx.pool().trim(0);
                call(&ctx, &operands, &mut |_| {})
            },
            |n| {
                operands.w.zero_grad();
                let after = ctx.pool().stats();
                let live = |s: &fucina_core::pool::PoolStats| (s.outstanding, s.cells);
                assert_eq!(live(&after), live(&before), "{name}: leak after allocation {n} failed");
                assert!(!ctx.exec_scope_active(), "{name}: scope left open");
            },
        );
        call(&ctx, &operands, &mut |_| {})
            .unwrap_or_else(|e| panic!("{name}: unusable afterwards: {e}"));
    }
    assert!(failures > 300, "only {failures} allocations were made to fail");
}

#[test]
fn a_context_without_memory_for_its_heap_works_once_there_is() {
    let ctx = ExecContext::new();
    let calls = sweep("first tensor", || ctx.zeros::<f32>(&[4]).map(drop), |_| {});
    assert_eq!(calls, 2, "the heap, then the block");
}

#[test]
fn scopes_and_recorders_open_without_memory() {
    let ctx = ExecContext::new();
    let x = ctx.zeros::<f32>(&[4]).unwrap();
    COUNTDOWN.with(|c| c.set(Some(0)));
    let scopes: [_; 12] = core::array::from_fn(|_| ctx.open_exec_scope());
    COUNTDOWN.with(|c| c.set(None));
    assert!(ctx.exec_scope_active());
    assert!(ctx.reserve_scope_slot().unwrap().adopt(&x));
    for scope in scopes.into_iter().rev() {
        scope.close().unwrap();
    }
    assert!(!ctx.exec_scope_active());
    drop(x);
    assert_eq!(ctx.pool().stats().outstanding, 0);
}
