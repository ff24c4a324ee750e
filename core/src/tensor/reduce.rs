//! Sums, means and maxima. An axis form drops its axis (`[1]` is left of a vector).

mod any;
mod axes;

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::reduce::{CumsumVjp, LogSumExpVjp, MaxVjp, ProdVjp, SumVjp};
use crate::error::Result;
use crate::exec::ExecContext;

impl<T: Differentiable> Tensor<T> {
    /// The sum over `axis`.
    ///
    /// Gradient: `g` to every element of the axis.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sum_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "sum_axis", [self]).run(
            |ctx, [x]| ctx.sum_axis(x, axis),
            |_, _| SumVjp { shape: *self.shape(), axis: Some(axis), count: None },
        )
    }

    /// The mean over `axis`.
    ///
    /// Gradient: `g / n` to every element of the axis.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn mean_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "mean_axis", [self]).run(
            |ctx, [x]| ctx.mean_axis(x, axis),
            |_, _| {
                let shape = *self.shape();
                SumVjp { shape, axis: Some(axis), count: Some(shape[axis]) }
            },
        )
    }

    /// The maximum over `axis`. NaN is passed over; nothing but NaN gives `-inf`.
    ///
    /// Gradient: `g` to the first element that is the maximum.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn max_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "max_axis", [self]).run(
            |ctx, [x]| ctx.max_axis(x, axis),
            |max, _| MaxVjp { x: self.raw.clone(), max: max.clone(), axis: Some(axis) },
        )
    }

    /// The minimum over `axis`. NaN is passed over; nothing but NaN gives `inf`.
    ///
    /// Gradient: `g` to the first element that is the minimum.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn min_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "min_axis", [self]).run(
            |ctx, [x]| ctx.min_axis(x, axis),
            |min, _| MaxVjp { x: self.raw.clone(), max: min.clone(), axis: Some(axis) },
        )
    }

    /// The product over `axis`; NaN spreads.
    ///
    /// Gradient: `g` times the product of the other elements, without a division, so that zeros do no harm.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn prod_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "prod_axis", [self])
            .run(|ctx, [x]| ctx.prod_axis(x, axis), |_, _| ProdVjp { x: self.raw.clone(), axis })
    }

    /// The logarithm of the sum of exponentials over `axis`, without its overflow. Nothing but `-inf` gives `-inf`, with a gradient
    /// of zeros; `inf` and NaN give NaN.
    ///
    /// Gradient: `g * softmax(self)`.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn logsumexp(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "logsumexp", [self]).run(
            |ctx, [x]| ctx.logsumexp(x, axis),
            |_, _| LogSumExpVjp { x: self.raw.clone(), axis },
        )
    }

    /// Running sums along `axis`: element `i` is the sum of the elements up to `i`, added in order.
    ///
    /// Gradient: running sums of `g` from the end.
    ///
    /// # Errors
    /// As [`sum_axis`](Self::sum_axis).
    #[track_caller]
    pub fn cumsum(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "cumsum", [self])
            .run(|ctx, [x]| ctx.cumsum(x, axis), |_, _| CumsumVjp { axis })
    }

    /// The sum of all elements, of shape `[1]`.
    ///
    /// Gradient: `g` to every element.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sum_all(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "sum_all", [self]).run(
            |ctx, [x]| ctx.sum_all(x),
            |_, _| SumVjp { shape: *self.shape(), axis: None, count: None },
        )
    }

    /// The mean of all elements, of shape `[1]`.
    ///
    /// Gradient: `g / n` to every element.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn mean_all(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "mean_all", [self]).run(
            |ctx, [x]| ctx.mean_all(x),
            |_, _| SumVjp { shape: *self.shape(), axis: None, count: Some(self.len()) },
        )
    }

    /// The maximum of all elements, of shape `[1]`. NaN is passed over; nothing but NaN gives `-inf`.
    ///
    /// Gradient: `g` to the first element that is the maximum.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn max_all(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "max_all", [self]).run(
            |ctx, [x]| ctx.max_all(x),
            |max, _| MaxVjp { x: self.raw.clone(), max: max.clone(), axis: None },
        )
    }
}
