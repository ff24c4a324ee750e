//! A flush scope: the caller and the team's tasks flush, nobody else, and all are back afterwards.
#![cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]

use core::hint::black_box;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::panic::catch_unwind;
use std::sync::Barrier;

use fucina::ExecContext;
use fucina_core::exec::FlushScope;
use fucina_core::fpenv::{self, Guard, UnderflowMode};

const SUBNORMAL: f32 = 1e-40;

/// # Safety
/// - As for `open_flush_scope`; the tests below bear either value of an operation but where C or a mode is asked.
unsafe fn open(ctx: &ExecContext) -> FlushScope<'_> {
    // SAFETY: asked of the caller.
    unsafe { ctx.open_flush_scope() }
}

/// How many of the team's threads are in flush mode while a task of theirs runs: all threads at once, a task each.
#[inline(never)]
fn flushing_threads(ctx: &ExecContext) -> usize {
    let width = ctx.team().width();
    let (meeting, count) = (Barrier::new(width), AtomicUsize::new(0));
    ctx.team().for_each(width, &|_| {
        meeting.wait();
        let flushes = fpenv::underflow_mode() == Some(UnderflowMode::FlushToZero);
        count.fetch_add(usize::from(flushes), Ordering::Relaxed);
    });
    count.into_inner()
}

fn modes(ctx: &ExecContext) -> (usize, bool) {
    (flushing_threads(ctx), fpenv::assert_default().is_ok())
}

#[test]
fn caller_and_workers_flush_and_go_back() {
    for width in [1, 2, 3, 5] {
        let ctx = fucina::context_with_threads(width);
        assert_eq!(modes(&ctx), (0, true));
        {
            // SAFETY: nothing computes inside.
            let scope = unsafe { open(&ctx) };
            assert_eq!(modes(&ctx), (width, false));
            assert!(ctx.check_float_environment().is_err());
            {
                // SAFETY: as above.
                let _inner = unsafe { open(&ctx) };
                assert_eq!(modes(&ctx), (width, false));
            }
            assert_eq!(modes(&ctx), (width, false), "the outer scope is still open");
            assert!(format!("{scope:?}").starts_with("FlushScope"));
        }
        assert_eq!(modes(&ctx), (0, true));
        assert_eq!(ctx.check_float_environment(), Ok(()));
    }
}

#[test]
fn another_context_on_the_same_team_does_not_flush() {
    static TEAM: std::sync::OnceLock<fucina::WorkerTeam> = std::sync::OnceLock::new();
    let team: &'static dyn fucina::parallel::Team = TEAM.get_or_init(|| fucina::WorkerTeam::new(3));
    let one = ExecContext::builder().team(team).build();
    let other = ExecContext::builder().team(team).build();
    // SAFETY: nothing computes inside.
    let _scope = unsafe { open(&one) };
    assert_eq!(flushing_threads(&one), 3);
    assert_eq!(flushing_threads(&other), 1, "the thread of the scope itself");
}

/// Results on either side of a scope have the promised bits; those inside are zero where the mode reached them.
#[test]
fn products_of_subnormal_numbers_vanish_inside() {
    for width in [1, 3] {
        let ctx = fucina::context_with_threads(width);
        // Enough for pieces of its own on each thread.
        let x = ctx.full(&[1 << 18], black_box(SUBNORMAL)).unwrap();
        let double = || -> Vec<u32> {
            let y = ctx.scale(&x, 2.0).unwrap();
            y.data().unwrap().iter().map(|y| y.to_bits()).collect()
        };
        let wanted = vec![(2.0 * SUBNORMAL).to_bits(); 1 << 18];
        assert_eq!(double(), wanted);
        let inside = {
            // SAFETY: kernels are compiled for operands that are not known then, so their products are the CPU's.
            let _scope = unsafe { open(&ctx) };
            double()
        };
        assert!(inside.iter().all(|&bits| bits == 0), "every thread's products flushed");
        assert_eq!(double(), wanted);
    }
}

#[test]
fn a_panic_inside_puts_everything_back() {
    let ctx = fucina::context_with_threads(3);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: nothing computes inside.
        let _scope = unsafe { open(&ctx) };
        ctx.team().for_each(7, &|i| assert!(i != 4, "task 4"));
    }));
    assert!(panicked.is_err());
    assert_eq!(modes(&ctx), (0, true));
}

#[test]
fn chained_tasks_flush_too() {
    let ctx = fucina::context_with_threads(2);
    let flushing = AtomicUsize::new(0);
    // SAFETY: nothing computes inside.
    let scope = unsafe { open(&ctx) };
    let ran = ctx.team().for_each_chained(6, 1, &|i, chain| {
        let flushes = fpenv::underflow_mode() == Some(UnderflowMode::FlushToZero);
        flushing.fetch_add(usize::from(flushes), Ordering::Relaxed);
        if i < 5 {
            chain.enqueue(i + 1).unwrap();
        }
    });
    drop(scope);
    assert_eq!((ran, flushing.into_inner()), (Ok(true), 6));
    assert_eq!(modes(&ctx), (0, true));
}

#[test]
fn scopes_and_guards_nest() {
    let ctx = fucina::context_with_threads(2);
    // SAFETY: nothing computes outside of the guard.
    let _scope = unsafe { open(&ctx) };
    let guard = Guard::enforce_default();
    assert_eq!(ctx.check_float_environment(), Ok(()), "the caller, until the guard goes");
    drop(guard);
    assert!(ctx.check_float_environment().is_err());
}
