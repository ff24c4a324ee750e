//! What every op does around its computation: policy, scope slot, recording, adoption.

use super::Tensor;
use crate::autograd::node::{self, NodeRef, Parents};
use crate::autograd::{Differentiable, Vjp};
use crate::error::{Error, Result};
use crate::exec::{ExecContext, ScopePolicy};
use crate::raw::RawTensor;

/// An op on its way from operands to result.
pub(super) struct Recording<'a, X, const N: usize> {
    ctx: &'a ExecContext,
    op: &'static str,
    operands: [X; N],
}

impl<'a, X, const N: usize> Recording<'a, X, N> {
    pub(super) fn new(ctx: &'a ExecContext, op: &'static str, operands: [X; N]) -> Self {
        Self { ctx, op, operands }
    }
}

impl<T: Differentiable, const N: usize> Recording<'_, Option<&Tensor<T>>, N> {
    /// Like [`run`](Recording::run), for operands some of which may not be given.
    #[inline(always)]
    #[track_caller]
    pub(super) fn run_optional<V: Vjp<T>>(
        self,
        compute: impl FnOnce(&ExecContext) -> Result<RawTensor<T>>,
        vjp: impl FnOnce(&RawTensor<T>, [bool; N]) -> V,
    ) -> Result<Tensor<T>> {
        self.run_optional_with(
            |ctx: &ExecContext, _| Ok((compute(ctx)?, ())),
            |out, (), needs| vjp(out, needs),
        )
    }

    /// Like [`run_optional`](Self::run_optional), for a computation that leaves something for the VJP; it is told whether there
    /// will be one.
    #[inline(always)]
    #[track_caller]
    pub(super) fn run_optional_with<V: Vjp<T>, X>(
        self,
        compute: impl FnOnce(&ExecContext, bool) -> Result<(RawTensor<T>, X)>,
        vjp: impl FnOnce(&RawTensor<T>, X, [bool; N]) -> V,
    ) -> Result<Tensor<T>> {
        let Self { ctx, op, operands } = self;
        let nodes = operands.map(|x| x.and_then(|x| x.node.as_ref()));
        finish_with(ctx, op, nodes, |records| compute(ctx, records), vjp)
    }
}

impl<T: Differentiable, const N: usize> Recording<'_, &Tensor<T>, N> {
    /// Computes with `compute`; if an operand carries a gradient, records the VJP that `vjp` makes of the result and
    /// of which operands do.
    #[inline(always)]
    #[track_caller]
    pub(super) fn run<V: Vjp<T>>(
        self,
        compute: impl FnOnce(&ExecContext, [&RawTensor<T>; N]) -> Result<RawTensor<T>>,
        vjp: impl FnOnce(&RawTensor<T>, [bool; N]) -> V,
    ) -> Result<Tensor<T>> {
        self.run_with(
            |ctx: &ExecContext, operands: [&RawTensor<T>; N]| Ok((compute(ctx, operands)?, ())),
            |out, (), needs| vjp(out, needs),
        )
    }

    /// Like [`run`](Self::run), for a computation that leaves something for the VJP.
    #[inline(always)]
    #[track_caller]
    pub(super) fn run_with<V: Vjp<T>, X>(
        self,
        compute: impl FnOnce(&ExecContext, [&RawTensor<T>; N]) -> Result<(RawTensor<T>, X)>,
        vjp: impl FnOnce(&RawTensor<T>, X, [bool; N]) -> V,
    ) -> Result<Tensor<T>> {
        let Self { ctx, op, operands } = self;
        let nodes = operands.map(|x| x.node.as_ref());
        finish_with(ctx, op, nodes, |_| compute(ctx, operands.map(|x| &x.raw)), vjp)
    }
}

/// [`finish`] for operands whose number is known.
#[inline(always)]
#[track_caller]
fn finish_with<T: Differentiable, V: Vjp<T>, X, const N: usize>(
    ctx: &ExecContext,
    op: &'static str,
    nodes: [Option<&NodeRef>; N],
    compute: impl FnOnce(bool) -> Result<(RawTensor<T>, X)>,
    vjp: impl FnOnce(&RawTensor<T>, X, [bool; N]) -> V,
) -> Result<Tensor<T>> {
    let needs = nodes.map(|node| node.is_some() && ctx.grad_enabled());
    let records = needs.contains(&true);
    finish(
        ctx,
        op,
        records,
        || compute(records),
        |out, left, scoped| {
            let parents = Parents::collect(ctx, op, nodes.into_iter())?;
            node::recorded(ctx, op, scoped, parents, || vjp(out, left, needs))
        },
    )
}

/// The common end of every op, for operand lists of any length.
#[inline(always)]
#[track_caller]
pub(super) fn finish<T: Differentiable, X>(
    ctx: &ExecContext,
    op: &'static str,
    records: bool,
    compute: impl FnOnce() -> Result<(RawTensor<T>, X)>,
    record: impl FnOnce(&RawTensor<T>, X, bool) -> Result<node::Made>,
) -> Result<Tensor<T>> {
    let slot = ctx.scope_slot(op)?;
    if records && slot.is_none() && ctx.scope_policy() == ScopePolicy::RequiredForGrad {
        return Err(Error::ActiveExecScopeRequired { op });
    }
    let _answering = ctx.on_behalf_of_caller();
    let (raw, left) = compute()?;
    let made = if records { Some(record(&raw, left, slot.is_some())?) } else { None };
    let (node, for_scope): (Option<NodeRef>, _) = match made {
        Some(made) => (Some(made.node), made.for_scope),
        None => (None, None),
    };
    let scope_owned = slot.is_some_and(|slot| slot.adopt_with_node(&raw, for_scope));
    Ok(Tensor { raw, node, scope_owned })
}
