//! Spec 6.3: exec scopes own what ops return.

use fucina::exec::ScopePolicy;
use fucina::{Error, ExecContext, Result, Tensor};

fn variable(ctx: &ExecContext, values: &[f32]) -> Tensor {
    Tensor::variable_from_slice(ctx, &[values.len()], values).unwrap()
}

fn outstanding(ctx: &ExecContext) -> usize {
    ctx.pool().stats().outstanding
}

/// The spec's snippet "training step under an exec scope".
#[test]
fn training_steps_each_under_a_scope() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0, 3.0]);
    for _ in 0..2 {
        let _scope = ctx.open_exec_scope();
        let y = w.mul(&ctx, &w).unwrap();
        let loss = y.sum_all(&ctx).unwrap();
        loss.backward(&ctx).unwrap();
        let gw = w.grad(&ctx).unwrap().unwrap();
        assert_eq!(gw.data().unwrap(), [2.0, 4.0, 6.0]);
        w.zero_grad();
    }
    assert_eq!(outstanding(&ctx), 1);
}

/// The spec's snippet "deinit on a scope-owned result is a safe no-op".
#[test]
fn dropping_a_scope_owned_result_releases_nothing() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2], &[3.0_f32, 4.0]).unwrap();
    let scope = ctx.open_exec_scope();
    let y = x.add(&ctx, &x).unwrap();
    assert!(y.is_scope_owned());
    assert_eq!(y.data().unwrap(), [6.0, 8.0]);
    drop(y);
    assert_eq!(outstanding(&ctx), 2);
    scope.close().unwrap();
    assert_eq!(outstanding(&ctx), 1);
}

#[test]
fn every_facade_result_is_adopted_with_or_without_a_gradient() {
    let ctx = ExecContext::new();
    let (w, c) =
        (variable(&ctx, &[1.0, 2.0]), Tensor::from_slice(&ctx, &[2], &[1.0_f64, 2.0]).unwrap());
    let _scope = ctx.open_exec_scope();
    let _no_grad = ctx.no_grad();
    let results = [w.exp(&ctx).unwrap(), w.reshape(&ctx, &[2, 1]).unwrap()];
    assert!(results.iter().all(Tensor::is_scope_owned));
    assert!(c.sum_all(&ctx).unwrap().is_scope_owned());
}

#[test]
fn constructors_gradients_and_raw_results_stay_the_callers() {
    let ctx = ExecContext::new();
    let scope = ctx.open_exec_scope();
    let w = variable(&ctx, &[1.0, 2.0]);
    let made = [Tensor::zeros(&ctx, &[2]).unwrap(), Tensor::scalar(&ctx, 1.0_f32).unwrap()];
    let raw = ctx.exp(w.raw()).unwrap();
    w.mul(&ctx, &w).unwrap().sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    let grads = [w.grad(&ctx).unwrap().unwrap(), w.grad_view().unwrap()];
    assert!(made.iter().chain(&grads).chain([&w]).all(|x| !x.is_scope_owned()));
    scope.close().unwrap();
    assert_eq!(grads[0].data().unwrap(), [2.0, 4.0]);
    assert_eq!(raw.data().unwrap()[0], 1.0_f32.exp());
    drop((made, raw, grads, w));
    assert_eq!(outstanding(&ctx), 0);
}

#[test]
fn an_inner_close_releases_only_its_suffix() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap();
    let outer = ctx.open_exec_scope();
    let a = x.exp(&ctx).unwrap();
    let inner = ctx.open_exec_scope();
    drop((a.exp(&ctx).unwrap(), a.neg(&ctx).unwrap()));
    assert_eq!(outstanding(&ctx), 4);
    inner.close().unwrap();
    assert_eq!(outstanding(&ctx), 2);
    assert_eq!(a.neg(&ctx).unwrap().data().unwrap()[0], -(1.0_f32.exp()));
    drop(a);
    outer.close().unwrap();
    assert_eq!(outstanding(&ctx), 1);
}

#[test]
fn scopes_nest_deeper_than_the_inline_frames() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap();
    let mut scopes = Vec::new();
    for depth in 1..=20 {
        scopes.push(ctx.open_exec_scope());
        drop(x.neg(&ctx).unwrap());
        assert_eq!(outstanding(&ctx), 1 + depth);
    }
    for depth in (0..20).rev() {
        scopes.pop().unwrap().close().unwrap();
        assert_eq!(outstanding(&ctx), 1 + depth);
    }
    assert!(!ctx.exec_scope_active());
}

#[test]
fn a_wrong_close_order_is_an_error_and_releases_nothing_early() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap();
    let (outer, inner) = (ctx.open_exec_scope(), ctx.open_exec_scope());
    let y = x.exp(&ctx).unwrap();
    let innermost = ctx.open_exec_scope();
    assert_eq!(outer.close(), Err(Error::ScopeOrder { inner_open: 2 }));
    drop(inner);
    drop(y);
    assert_eq!(outstanding(&ctx), 2, "the innermost scope is still open");
    innermost.close().unwrap();
    assert_eq!(outstanding(&ctx), 1);
    assert!(!ctx.exec_scope_active());
}

#[test]
fn a_value_kept_past_its_scope_stays_readable_without_its_graph() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0]);
    let scope = ctx.open_exec_scope();
    let loss = w.mul(&ctx, &w).unwrap().sum_all(&ctx).unwrap();
    scope.close().unwrap();
    assert_eq!(loss.item().unwrap(), 5.0);
    assert_eq!(loss.backward(&ctx), Err(Error::ScopeClosed { op: "sum_all" }));
    // A graph grown on it afterwards meets the closed part.
    let grown = loss.scale(&ctx, 2.0).unwrap();
    assert_eq!(grown.backward(&ctx), Err(Error::ScopeClosed { op: "sum_all" }));
    assert!(w.grad(&ctx).unwrap().is_none());
}

#[test]
fn a_failed_op_leaves_the_prefix_owned() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0]);
    let forward = |ctx: &ExecContext| -> Result<Tensor> {
        let y = w.exp(ctx)?;
        let z = y.mul(ctx, &w)?;
        z.reshape(ctx, &[3])
    };
    let scope = ctx.open_exec_scope();
    assert!(forward(&ctx).is_err());
    assert_eq!(outstanding(&ctx), 3);
    scope.close().unwrap();
    assert_eq!(outstanding(&ctx), 1);
}

#[test]
fn one_forward_source_runs_scoped_and_unscoped() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[0.5, -1.5, 2.0]);
    let loss = |ctx: &ExecContext| -> Result<f32> {
        let mut x = w.scale(ctx, 1.5)?;
        for _ in 0..3 {
            ctx.replace(&mut x, |x| x.tanh(ctx)?.add(ctx, &w))?;
        }
        let loss = x.mul(ctx, &x)?.mean_all(ctx)?;
        loss.backward(ctx)?;
        loss.item()
    };
    let unscoped = (loss(&ctx).unwrap(), w.grad(&ctx).unwrap().unwrap().to_vec().unwrap());
    w.zero_grad();
    let _scope = ctx.open_exec_scope();
    let scoped = (loss(&ctx).unwrap(), w.grad(&ctx).unwrap().unwrap().to_vec().unwrap());
    assert_eq!(scoped, unscoped);
}

#[test]
fn the_strict_policy_wants_a_scope_for_every_recorded_op() {
    let ctx = ExecContext::builder().scope_policy(ScopePolicy::RequiredForGrad).build();
    let w = variable(&ctx, &[1.0, 2.0]);
    assert_eq!(w.exp(&ctx).unwrap_err(), Error::ActiveExecScopeRequired { op: "exp" });
    assert_eq!(
        Tensor::concat(&ctx, &[&w, &w], 0).unwrap_err(),
        Error::ActiveExecScopeRequired { op: "concat" }
    );
    w.detach().exp(&ctx).unwrap();
    {
        let _no_grad = ctx.no_grad();
        w.exp(&ctx).unwrap();
    }
    let _scope = ctx.open_exec_scope();
    w.exp(&ctx).unwrap().sum_all(&ctx).unwrap().backward(&ctx).unwrap();
}

#[test]
fn extensions_adopt_in_two_phases() {
    let ctx = ExecContext::new();
    assert!(matches!(ctx.reserve_scope_slot(), Err(Error::ActiveExecScopeRequired { .. })));
    let scope = ctx.open_exec_scope();
    let slot = ctx.reserve_scope_slot().unwrap();
    let value = ctx.ones::<f32>(&[2]).unwrap();
    assert!(slot.adopt(&value));
    drop(value);
    assert_eq!(outstanding(&ctx), 1);
    let unused = ctx.reserve_scope_slot().unwrap();
    scope.close().unwrap();
    assert_eq!(outstanding(&ctx), 0);
    // All scopes closed between the phases: the value stays its caller's.
    assert!(!unused.adopt(&ctx.ones::<f32>(&[2]).unwrap()));
}

#[test]
fn no_grad_nests_and_moves_with_its_context() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0]);
    let outer = ctx.no_grad();
    {
        let _inner = ctx.no_grad();
        assert!(!w.exp(&ctx).unwrap().requires_grad());
    }
    assert!(!w.exp(&ctx).unwrap().requires_grad());
    drop(outer);
    assert!(w.exp(&ctx).unwrap().requires_grad());
    // The guard belongs to the context, not to a thread.
    core::mem::forget(ctx.no_grad());
    let recorded = std::thread::spawn(move || {
        let recorded = w.exp(&ctx).unwrap().requires_grad();
        drop(w);
        ctx.close().unwrap();
        recorded
    });
    assert!(!recorded.join().unwrap());
}
