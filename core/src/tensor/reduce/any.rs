//! Whether any, or all, of a mask's elements are set. Results are constants, the caller's inside a scope too.

use super::axes::together;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::raw::RawTensor;
use crate::tensor::Tensor;

/// A reduction of a mask over one axis.
type OverAxis = fn(&ExecContext, &RawTensor<bool>, usize) -> Result<RawTensor<bool>>;

impl Tensor<bool> {
    /// Whether any element along `axis` is set.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn any_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Ok(Self::constant(ctx.any_axis(&self.raw, axis)?))
    }

    /// Whether all elements along `axis` are set.
    ///
    /// # Errors
    /// As [`any_axis`](Self::any_axis).
    #[track_caller]
    pub fn all_axis(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Ok(Self::constant(ctx.all_axis(&self.raw, axis)?))
    }

    /// Whether any element over `axes` is set; over all axes if none is named. The axes stay, with size 1, if `keepdim` is set (`[1]`
    /// is left of all axes if not).
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::InvalidAxes`](crate::Error::InvalidAxes) if an axis is named
    /// twice; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, -1.0, 2.0, 3.0])?;
    /// let positive = x.gt(&ctx, &Tensor::scalar(&ctx, 0.0)?)?;
    /// assert!(positive.any(&ctx, &[], false)?.item()?);
    /// assert_eq!(positive.all(&ctx, &[1], false)?.to_vec()?, [false, true]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn any(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.decided(ctx, "any", axes, keepdim, ExecContext::any_axis)
    }

    /// Whether all elements over `axes` are set, as [`any`](Self::any).
    ///
    /// # Errors
    /// As [`any`](Self::any).
    #[track_caller]
    pub fn all(&self, ctx: &ExecContext, axes: &[usize], keepdim: bool) -> Result<Self> {
        self.decided(ctx, "all", axes, keepdim, ExecContext::all_axis)
    }

    #[track_caller]
    fn decided(
        &self,
        ctx: &ExecContext,
        op: &'static str,
        axes: &[usize],
        keepdim: bool,
        reduce: OverAxis,
    ) -> Result<Self> {
        let plan = together(op, self.shape(), axes)?;
        let joined = ctx.reshape(&self.raw.permute(plan.order())?, plan.joined())?;
        let out = reduce(ctx, &joined, plan.kept)?;
        let out = if keepdim { ctx.reshape(&out, plan.with_ones())? } else { out };
        Ok(Self::constant(out))
    }
}
