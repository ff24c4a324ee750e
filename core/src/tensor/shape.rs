//! Ops that only move elements: views where strides can say it, copies where not.

use super::Tensor;
use super::record::{Recording, finish};
use crate::autograd::Differentiable;
use crate::autograd::node::{self, Parents};
use crate::autograd::shape::{BroadcastVjp, ConcatVjp, FlipVjp, PermuteVjp, PickVjp, ReshapeVjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::layout::{Layout, MAX_RANK, Permutation};
use crate::pool::ScratchLease;

impl<T: Differentiable> Tensor<T> {
    /// The same elements under another shape: a view where strides can say it, else a copy.
    ///
    /// Gradient: `g` under the old shape.
    ///
    /// # Errors
    /// [`Error::InvalidShape`](crate::Error::InvalidShape); [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the count differs; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn reshape(&self, ctx: &ExecContext, dims: &[usize]) -> Result<Self> {
        Recording::new(ctx, "reshape", [self])
            .run(|ctx, [x]| ctx.reshape(x, dims), |_, _| ReshapeVjp(*self.shape()))
    }

    /// Axes in another order: result axis `i` is axis `order[i]`. A view.
    ///
    /// Gradient: `g` permuted back.
    ///
    /// # Errors
    /// [`Error::InvalidAxes`](crate::Error::InvalidAxes); [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn permute(&self, ctx: &ExecContext, order: &[usize]) -> Result<Self> {
        let order = Permutation::new("permute", self.shape().rank(), order)?;
        Recording::new(ctx, "permute", [self])
            .run(|_, [x]| Ok(x.permuted(&order)), |_, _| PermuteVjp(order))
    }

    /// Two axes swapped. A view.
    ///
    /// Gradient: `g` with the same axes swapped.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn transpose(&self, ctx: &ExecContext, a: usize, b: usize) -> Result<Self> {
        const OP: &str = "transpose";
        let (a, b) = (self.shape().check_axis(OP, a)?, self.shape().check_axis(OP, b)?);
        let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
        const { assert!(MAX_RANK == 8) };
        order.swap(a, b);
        let rank = self.shape().rank();
        let order = Permutation::new(OP, rank, &order[..rank])?;
        Recording::new(ctx, OP, [self])
            .run(|_, [x]| Ok(x.permuted(&order)), |_, _| PermuteVjp(order))
    }

    /// `len` indices of `axis` from `start` on. A view.
    ///
    /// Gradient: `g` in its place among zeros.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::RangeOutOfBounds`](crate::Error::RangeOutOfBounds) if the range is empty or leaves the axis;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn narrow(&self, ctx: &ExecContext, axis: usize, start: usize, len: usize) -> Result<Self> {
        self.pick(ctx, "narrow", |layout| layout.narrow("narrow", axis, start, len))
    }

    /// Every `step`-th index of `axis`, from the first on. A view.
    ///
    /// Gradient: `g` in its places among zeros.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange);
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a step of 0;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn step(&self, ctx: &ExecContext, axis: usize, step: usize) -> Result<Self> {
        self.pick(ctx, "step", |layout| layout.step("step", axis, step))
    }

    #[track_caller]
    fn pick(
        &self,
        ctx: &ExecContext,
        op: &'static str,
        view: impl Fn(&Layout) -> Result<Layout>,
    ) -> Result<Self> {
        let shape = *self.shape();
        let layout = view(&Layout::contiguous(shape))?;
        Recording::new(ctx, op, [self])
            .run(|_, [x]| Ok(x.with_layout(view(x.layout())?)), |_, _| PickVjp { shape, layout })
    }

    /// `axis` from its last index to its first. A view.
    ///
    /// Gradient: `g` turned round again.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn flip(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "flip", [self]).run(|_, [x]| x.flip(axis), |_, _| FlipVjp(axis))
    }

    /// Stretched to `dims`: axes may be added in front, and ones replaced. A view.
    ///
    /// Gradient: `g` summed over the stretched axes.
    ///
    /// # Errors
    /// [`Error::InvalidShape`](crate::Error::InvalidShape); [`Error::ShapeMismatch`](crate::Error::ShapeMismatch); [`Error::OutOfMemory`](crate::Error::OutOfMemory) for the scope's record or the node.
    #[track_caller]
    pub fn broadcast_to(&self, ctx: &ExecContext, dims: &[usize]) -> Result<Self> {
        Recording::new(ctx, "broadcast_to", [self])
            .run(|_, [x]| x.broadcast_to(dims), |_, _| BroadcastVjp(*self.shape()))
    }

    /// Joins tensors along `axis`.
    ///
    /// Gradient: to each its range of `g`, as a view.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for an empty list; [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if anything
    /// but that axis differs; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn concat(ctx: &ExecContext, xs: &[&Self], axis: usize) -> Result<Self> {
        const OP: &str = "concat";
        let records = ctx.grad_enabled() && xs.iter().any(|x| x.node.is_some());
        finish(
            ctx,
            OP,
            records,
            || Ok((ctx.concat_with(xs, |x| &x.raw, axis)?, ())),
            |_, (), scoped| {
                let mut lens = ScratchLease::acquire(OP, ctx.site(OP)?, xs.len())?;
                for (len, x) in lens.iter_mut().zip(xs) {
                    *len = x.shape()[axis] as u64;
                }
                let parents = Parents::collect(ctx, OP, xs.iter().map(|x| x.node.as_ref()))?;
                node::recorded::<T, _>(ctx, OP, scoped, parents, || ConcatVjp { axis, lens })
            },
        )
    }
}
