//! Spec 6.1: one context owns everything, is a plain value, and says what outlives it.

use fucina::exec::Leaks;
use fucina::layout::LayoutClass;
use fucina::pool::PoolConfig;
use fucina::{Error, ExecContext, Tensor};

/// The spec's snippet "context lifecycle".
#[test]
fn a_context_runs_ops_and_ends() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    let y = x.scale(&ctx, 2.0).unwrap();
    assert_eq!(y.data().unwrap(), [2.0, 4.0, 6.0, 8.0]);
    drop((x, y));
    ctx.close().unwrap();
}

#[test]
fn a_context_can_be_a_constant_and_moves_freely() {
    const NEW: fn() -> ExecContext = ExecContext::new;
    let ctx = const { ExecContext::new() };
    let x = Tensor::from_slice(&ctx, &[2], &[1.0_f32, 2.0]).unwrap();
    let mut moved = Box::new(ctx);
    assert_eq!(x.scale(&moved, 3.0).unwrap().data().unwrap(), [3.0, 6.0]);
    drop(x);
    *moved = NEW();
    moved.close().unwrap();
}

#[test]
fn a_context_goes_to_another_thread() {
    let ctx = fucina::context();
    let x = Tensor::from_slice(&ctx, &[3], &[1.0_f32, 2.0, 3.0]).unwrap();
    let sum = std::thread::spawn(move || {
        let sum = x.sum_all(&ctx).unwrap().item().unwrap();
        drop(x);
        ctx.close().unwrap();
        sum
    });
    assert_eq!(sum.join().unwrap(), 6.0);
}

#[test]
fn closing_reports_what_leaked_and_leaves_it_whole() {
    let ctx = ExecContext::new();
    let kept = Tensor::variable_from_slice(&ctx, &[16], &[1.0_f32; 16]).unwrap();
    let Leaks { blocks, bytes, cells, .. } = ctx.close().unwrap_err();
    assert_eq!((blocks, bytes, cells), (1, 64, 1));
    assert_eq!(kept.data().unwrap(), [1.0; 16]);
}

#[test]
#[cfg(debug_assertions)]
fn dropping_a_context_under_its_tensors_fails_an_assertion_in_debug_builds() {
    let unwound = std::panic::catch_unwind(|| {
        let ctx = ExecContext::new();
        let kept = ctx.zeros::<f32>(&[16]).unwrap();
        drop(ctx);
        drop(kept);
    });
    let message = *unwound.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("1 blocks of 64 bytes"), "{message}");
}

#[test]
fn scopes_still_open_are_released_before_the_pool_is_checked() {
    let ctx = ExecContext::new();
    let w = Tensor::variable_from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap();
    core::mem::forget(ctx.open_exec_scope());
    drop(w.exp(&ctx).unwrap());
    core::mem::forget(ctx.open_exec_scope());
    drop(w.exp(&ctx).unwrap());
    drop(w);
    ctx.close().unwrap();
}

#[test]
fn layouts_are_classified() {
    let ctx = ExecContext::new();
    let x = ctx.ones::<f32>(&[2, 3]).unwrap();
    let row = ctx.ones::<f32>(&[3]).unwrap().broadcast_to(&[2, 3]).unwrap();
    let one = ctx.scalar(1.0_f32).unwrap().broadcast_to(&[2, 3]).unwrap();
    assert_eq!(x.classify(), LayoutClass::Contiguous);
    assert_eq!(row.classify(), LayoutClass::TailBroadcast);
    assert_eq!(one.classify(), LayoutClass::Scalar);
    assert_eq!(x.transpose(0, 1).unwrap().classify(), LayoutClass::Arbitrary);
    assert!(row.storage().same_block(row.broadcast_to(&[4, 2, 3]).unwrap().storage()));
}

#[test]
fn the_builder_sets_the_pool() {
    let ctx = ExecContext::builder().pool(PoolConfig::EMBEDDED.with_max_cached_bytes(128)).build();
    drop((ctx.zeros::<f32>(&[32]).unwrap(), ctx.zeros::<f32>(&[32]).unwrap()));
    assert_eq!(ctx.pool().stats().cached_bytes, 128);
    ctx.pool().trim(0);
    assert_eq!(ctx.pool().stats().cached_bytes, 0);
}

#[test]
fn an_error_in_one_op_leaves_the_context_usable() {
    let ctx = ExecContext::new();
    let (x, y) = (ctx.zeros::<f32>(&[2]).unwrap(), ctx.zeros::<f32>(&[3]).unwrap());
    assert!(matches!(ctx.add(&x, &y), Err(Error::ShapeMismatch { .. })));
    assert_eq!(ctx.add(&x, &x).unwrap().data().unwrap(), [0.0, 0.0]);
}
