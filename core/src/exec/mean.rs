//! Means: sums divided by their length, finite where only the sum is not.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::Result;
use crate::raw::RawTensor;

/// Values that are looked at together.
const TOGETHER: usize = 64;

impl ExecContext {
    /// The mean over `axis`.
    ///
    /// - Numerics: the sum divided by the length. Where that is not finite, the sum is taken again of `x` times a power of two
    ///   of at most 1 over the length: a mean of finite values is finite though their sum overflows, but for means within
    ///   rounding of the largest number. That takes memory for another `x`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn mean_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        const OP: &str = "mean_axis";
        let sum = self.sum_axis_as(OP, x, axis)?;
        let again = |x: &RawTensor<T>| self.sum_axis_as(OP, x, axis);
        self.mean_of(OP, (x, x.shape()[axis]), &sum, &again)
    }

    /// The mean of all elements, of shape `[1]`.
    ///
    /// - Numerics: as [`mean_axis`](Self::mean_axis).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn mean_all<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        const OP: &str = "mean_all";
        let sum = self.sum_all_as(OP, x)?;
        self.mean_of(OP, (x, x.len()), &sum, &|x| self.sum_all_as(OP, x))
    }

    /// `sum / count`; where that is not finite, from what `again` makes of a smaller `x`.
    #[track_caller]
    fn mean_of<T: Real>(
        &self,
        op: &'static str,
        (x, count): (&RawTensor<T>, usize),
        sum: &RawTensor<T>,
        again: &dyn Fn(&RawTensor<T>) -> Result<RawTensor<T>>,
    ) -> Result<RawTensor<T>> {
        let mean = self.divide_by(op, sum, T::from_f64(count as f64))?;
        if all_finite(mean.data()?) {
            return Ok(mean);
        }
        let factor = 1.0 / count.next_power_of_two() as f64;
        let small = self.scale_as(op, x, T::from_f64(factor))?;
        let small = self.divide_by(op, &again(&small)?, T::from_f64(count as f64 * factor))?;
        let mut out = self.fresh(op, *mean.shape())?;
        for ((out, &mean), &small) in out.data().iter_mut().zip(mean.data()?).zip(small.data()?) {
            *out = if is_finite(mean) { mean } else { small };
        }
        Ok(out.done())
    }
}

#[inline(always)]
fn is_finite<T: Real>(x: T) -> bool {
    x.magnitude() < T::INFINITY
}

fn all_finite<T: Real>(x: &[T]) -> bool {
    x.chunks(TOGETHER).all(|x| x.iter().fold(true, |all, &x| all & is_finite(x)))
}
