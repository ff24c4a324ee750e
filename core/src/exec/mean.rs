//! Means: sums divided by their length, finite where only the sum is not.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::{Real, Table};
use crate::error::Result;
use crate::kernels::reduce::Sum;
use crate::layout::Shape;
use crate::raw::RawTensor;

/// Values that are looked at together, as vectors.
const TOGETHER: usize = 64;

impl ExecContext {
    /// The mean over `axis`.
    ///
    /// - Numerics: the sum divided by the length. Where that is not finite, the sum is taken again of `x` divided by a power of
    ///   two of at least the length: a mean of finite values is finite though their sum overflows, but for means within
    ///   rounding of the largest number. That takes memory for another `x`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn mean_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        const OP: &str = "mean_axis";
        let sum = self.sum_axis_as(OP, x, axis)?;
        let count = x.shape()[axis];
        let mean = self.divide_by(OP, &sum, T::from_f64(count as f64))?;
        if all_finite(mean.data()?) {
            return Ok(mean);
        }
        let (power, rest) = power_and_rest(count);
        let small = self.sum_axis_as(OP, &self.divide_by(OP, x, power)?, axis)?;
        let again = self.divide_by(OP, &small, rest)?;
        let mut out = self.fresh(OP, *mean.shape())?;
        for ((out, &mean), &again) in out.data().iter_mut().zip(mean.data()?).zip(again.data()?) {
            *out = if is_finite(mean) { mean } else { again };
        }
        Ok(out.done())
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
        let row = |k: Table<T>, x: &[T]| k.sum_row(x);
        let mut mean = self.total(OP, x, Sum, row)? / T::from_f64(x.len() as f64);
        if !is_finite(mean) {
            let (power, rest) = power_and_rest(x.len());
            mean = self.total(OP, &self.divide_by(OP, x, power)?, Sum, row)? / rest;
        }
        self.full_shape(OP, Shape::scalar(), mean)
    }
}

/// A power of two of at least `count`, and `count` in units of it.
fn power_and_rest<T: Real>(count: usize) -> (T, T) {
    let power = count.next_power_of_two() as f64;
    (T::from_f64(power), T::from_f64(count as f64 / power))
}

#[inline(always)]
fn is_finite<T: Real>(x: T) -> bool {
    x.magnitude() < T::INFINITY
}

fn all_finite<T: Real>(x: &[T]) -> bool {
    x.chunks(TOGETHER).all(|x| x.iter().fold(true, |all, &x| all & is_finite(x)))
}
