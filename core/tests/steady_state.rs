//! Memory is flat: a training loop of 10,000 steps, chains with and without a scope, and what a pool keeps.

use std::collections::HashSet;

use fucina_core::optim::{Sgd, SgdConfig};
use fucina_core::pool::PoolStats;
use fucina_core::{ExecContext, Result, Tensor};

/// Live and cached, blocks and bytes.
fn held(stats: &PoolStats) -> [usize; 8] {
    let cached = [stats.cached_buffers, stats.cached_slabs, stats.cached_cells, stats.cached_bytes];
    let live = [stats.outstanding, stats.outstanding_bytes, stats.cells, stats.peak_bytes];
    [live, cached].concat().try_into().unwrap()
}

fn step(
    ctx: &ExecContext,
    x: &Tensor,
    w: &mut Tensor,
    b: &mut Tensor,
    sgd: &mut Sgd,
) -> Result<()> {
    let targets = Tensor::from_slice(ctx, &[4], &[0_i64, 1, 2, 0])?;
    let logits = x.matmul_nt(ctx, w)?.add(ctx, b)?.tanh(ctx)?;
    logits.cross_entropy(ctx, &targets)?.backward(ctx)?;
    sgd.step(ctx, &mut [w, b])?;
    w.zero_grad();
    b.zero_grad();
    Ok(())
}

#[test]
fn ten_thousand_training_steps_hold_what_two_did() {
    for scoped in [true, false] {
        let ctx = ExecContext::new();
        let ramp: Vec<f32> = (0..20).map(|i| i as f32 / 10.0 - 1.0).collect();
        let x = Tensor::from_slice(&ctx, &[4, 5], &ramp).unwrap();
        let mut w = Tensor::variable_from_slice(&ctx, &[3, 5], &ramp[..15]).unwrap();
        let mut b = Tensor::variable_from_slice(&ctx, &[3], &[0.0; 3]).unwrap();
        let mut sgd = Sgd::new(SgdConfig { momentum: 0.9, ..SgdConfig::default() }).unwrap();
        let mut after_two = [0; 8];
        for i in 1..=10_000 {
            let scope = scoped.then(|| ctx.open_exec_scope());
            step(&ctx, &x, &mut w, &mut b, &mut sgd).unwrap();
            drop(scope);
            match i {
                1 => {}
                2 => after_two = held(&ctx.pool().stats()),
                _ => assert_eq!(held(&ctx.pool().stats()), after_two, "step {i}, scoped {scoped}"),
            }
        }
        assert_eq!(ctx.pool().stats().outstanding, 5, "x, w, b and two velocities");
    }
}

#[test]
fn a_chain_uses_2_blocks_unscoped_and_32_scoped() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[64], &[1.0_f32; 64]).unwrap();
    let chain = |ctx: &ExecContext| {
        let mut blocks = HashSet::new();
        let mut y = x.scale(ctx, 0.5).unwrap();
        blocks.insert(y.raw().storage().address());
        for _ in 1..32 {
            y = y.scale(ctx, 0.5).unwrap();
            blocks.insert(y.raw().storage().address());
        }
        blocks.len()
    };
    assert_eq!(chain(&ctx), 2);
    let scope = ctx.open_exec_scope();
    assert_eq!(chain(&ctx), 32);
    assert_eq!(ctx.pool().stats().outstanding, 33);
    scope.close().unwrap();
    assert_eq!(ctx.pool().stats().outstanding, 1);
}

#[test]
fn a_warm_recorded_op_takes_no_allocation() {
    let ctx = ExecContext::new();
    let w = Tensor::variable_from_slice(&ctx, &[16], &[1.0_f32; 16]).unwrap();
    drop(w.mul(&ctx, &w).unwrap());
    let before = ctx.pool().stats();
    for _ in 0..100 {
        drop(w.mul(&ctx, &w).unwrap());
    }
    let after = ctx.pool().stats();
    assert_eq!(after.misses, before.misses);
    assert_eq!(after.hits, before.hits + 200, "a block and a node each");
}

#[test]
fn a_panic_under_open_scopes_leaves_everything_released() {
    let ctx = ExecContext::new();
    let w = Tensor::variable_from_slice(&ctx, &[16], &[1.0_f32; 16]).unwrap();
    let held = |ctx: &ExecContext| (ctx.pool().stats().outstanding, ctx.pool().stats().cells);
    let before = held(&ctx);
    let unwound = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
        let _outer = ctx.open_exec_scope();
        let y = w.exp(&ctx).unwrap();
        let _inner = ctx.open_exec_scope();
        let _ = y.mul(&ctx, &w).unwrap();
        assert_eq!(ctx.pool().stats().outstanding, 3);
        std::panic::resume_unwind(Box::new("in flight"));
    }));
    assert!(unwound.is_err() && !ctx.exec_scope_active());
    assert_eq!(held(&ctx), before);
    w.exp(&ctx).unwrap();
}

/// Recursion would need a gigabyte of stack.
#[test]
fn a_graph_a_million_ops_deep_drops_and_differentiates_on_a_small_stack() {
    let deep = || {
        let ctx = ExecContext::new();
        let w = Tensor::variable_from_slice(&ctx, &[1], &[1.0_f32]).unwrap();
        let chain = |n: usize| {
            let mut y = w.neg(&ctx).unwrap();
            for _ in 1..n {
                y = y.neg(&ctx).unwrap();
            }
            y
        };
        drop(chain(1_000_000));
        chain(1_000_000).sum_all(&ctx).unwrap().backward(&ctx).unwrap();
        assert_eq!(w.grad(&ctx).unwrap().unwrap().item().unwrap(), 1.0);
        {
            let _scope = ctx.open_exec_scope();
            chain(100_000);
        }
        assert_eq!(ctx.pool().stats().outstanding, 2, "w and its gradient");
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(deep).unwrap();
    thread.join().unwrap();
}
