//! Reductions over any set of axes, and those made of several ops.

use super::Tensor;
use crate::autograd::Differentiable;
use crate::error::{Error, Result};
use crate::exec::ExecContext;
use crate::layout::{MAX_RANK, Shape};

/// A reduction over one axis.
type OverAxis<T> = fn(&Tensor<T>, &ExecContext, usize) -> Result<Tensor<T>>;

impl<T: Differentiable> Tensor<T> {
    /// The sum over `axes`, all of them if none is named; they stay, with size 1, if `keepdim` is set (`[1]` is left of all axes if
    /// not).
    ///
    /// The axes are put together, in ascending order, as one: the reduction rule runs along that. A view where strides can say so.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::InvalidAxes`] if an axis is named twice; [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[2, 1, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
    /// assert_eq!(x.sum(&ctx, &[0, 1], false)?.to_vec()?, [4.0, 6.0]);
    /// assert_eq!(x.sum(&ctx, &[2], true)?.shape().dims(), [2, 1, 1]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.over(ctx, "sum", axes, keepdim, Self::sum_axis)
    }

    /// The mean over `axes`, as [`sum`](Self::sum).
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn mean(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.over(ctx, "mean", axes, keepdim, Self::mean_axis)
    }

    /// The maximum over `axes`, as [`sum`](Self::sum). NaN is passed over; nothing but NaN gives `-inf`.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn max(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.over(ctx, "max", axes, keepdim, Self::max_axis)
    }

    /// The minimum over `axes`, as [`sum`](Self::sum). NaN is passed over; nothing but NaN gives `inf`.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn min(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.over(ctx, "min", axes, keepdim, Self::min_axis)
    }

    /// The product over `axes`, as [`sum`](Self::sum).
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn prod(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.over(ctx, "prod", axes, keepdim, Self::prod_axis)
    }

    /// The variance over `axes`, as [`sum`](Self::sum): the sum of squared deviations from the mean, by `n - correction`.
    ///
    /// Two passes, so that nothing cancels. A `correction` of `n` or more gives infinity or NaN, as the division does.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn var(
        &self,
        ctx: &ExecContext,
        axes: &[usize],
        correction: usize,
        keepdim: bool,
    ) -> Result<Self> {
        let mean = self.over(ctx, "var", axes, true, Self::mean_axis)?;
        let deviation = self.sub(ctx, &mean)?;
        let sum = deviation.mul(ctx, &deviation)?.sum(ctx, axes, keepdim)?;
        let freedom = (self.len() / mean.len()).saturating_sub(correction);
        sum.scale(ctx, T::ONE / T::from_f64(freedom as f64))
    }

    /// The standard deviation over `axes`: the root of [`var`](Self::var). The gradient of a deviation of 0 is not finite.
    ///
    /// # Errors
    /// As [`sum`](Self::sum).
    #[track_caller]
    pub fn std(
        &self,
        ctx: &ExecContext,
        axes: &[usize],
        correction: usize,
        keepdim: bool,
    ) -> Result<Self> {
        self.var(ctx, axes, correction, keepdim)?.sqrt(ctx)
    }

    /// The index of the largest element over `axis`: of the first, if there are several. NaN is passed over; 0 if there is nothing
    /// else.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn argmax(&self, ctx: &ExecContext, axis: usize) -> Result<Tensor<i64>> {
        Ok(Tensor::constant(ctx.argmax(&self.raw, axis)?))
    }

    /// The index of the smallest element over `axis`, as [`argmax`](Self::argmax).
    ///
    /// # Errors
    /// As [`argmax`](Self::argmax).
    #[track_caller]
    pub fn argmin(&self, ctx: &ExecContext, axis: usize) -> Result<Tensor<i64>> {
        Ok(Tensor::constant(ctx.argmin(&self.raw, axis)?))
    }

    /// Reduces `axes` as one.
    #[track_caller]
    fn over(
        &self,
        ctx: &ExecContext,
        op: &'static str,
        axes: &[usize],
        keepdim: bool,
        reduce: OverAxis<T>,
    ) -> Result<Self> {
        let plan = together(op, self.shape(), axes)?;
        let moved =
            if plan.order().is_sorted() { self.clone() } else { self.permute(ctx, plan.order())? };
        let joined =
            if plan.rank == plan.kept + 1 { moved } else { moved.reshape(ctx, plan.joined())? };
        let out = reduce(&joined, ctx, plan.kept)?;
        if keepdim { out.reshape(ctx, plan.with_ones()) } else { Ok(out) }
    }
}

/// How some axes of a shape become one, its last.
pub(super) struct Together {
    /// Kept axes, then reduced ones, each in ascending order.
    order: [usize; MAX_RANK],
    /// What is kept, then the reduced axes as one.
    joined: [usize; MAX_RANK],
    /// The shape with 1 for every reduced axis.
    ones: [usize; MAX_RANK],
    rank: usize,
    /// How many axes are kept: the number of the one that is reduced.
    pub(super) kept: usize,
}

impl Together {
    pub(super) fn order(&self) -> &[usize] {
        &self.order[..self.rank]
    }

    pub(super) fn joined(&self) -> &[usize] {
        &self.joined[..=self.kept]
    }

    pub(super) fn with_ones(&self) -> &[usize] {
        &self.ones[..self.rank]
    }
}

/// Plans to reduce `axes`, all of them if none is named, as one.
pub(super) fn together(op: &'static str, shape: &Shape, axes: &[usize]) -> Result<Together> {
    let rank = shape.rank();
    let mut reduced = [axes.is_empty(); MAX_RANK];
    for &axis in axes {
        if core::mem::replace(&mut reduced[shape.check_axis(op, axis)?], true) {
            return Err(Error::InvalidAxes { op, rank });
        }
    }
    let (order, joined, ones) = ([0; MAX_RANK], [1; MAX_RANK], [1; MAX_RANK]);
    let mut plan = Together { order, joined, ones, rank, kept: 0 };
    for axis in (0..rank).filter(|&axis| !reduced[axis]) {
        (plan.order[plan.kept], plan.joined[plan.kept]) = (axis, shape[axis]);
        plan.ones[axis] = shape[axis];
        plan.kept += 1;
    }
    for (at, axis) in (plan.kept..rank).zip((0..rank).filter(|&axis| reduced[axis])) {
        plan.order[at] = axis;
        plan.joined[plan.kept] *= shape[axis];
    }
    Ok(plan)
}
