//! Ops that go along an axis element by element: positions of extremes, running sums, products without one factor.
//!
//! Each line along the axis is walked in order, by one participant; the lines are shared by the team.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::copy::around;
use crate::backend::Real;
use crate::error::Result;
use crate::layout::MAX_RANK;
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 14;

impl ExecContext {
    /// The index of the largest element over `axis`: of the first, if there are several. NaN is passed over; 0 if there is
    /// nothing else.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn argmax<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<i64>> {
        self.first_best("argmax", x, axis, |best, x| best < x)
    }

    /// The index of the smallest element over `axis`, as [`argmax`](Self::argmax).
    ///
    /// # Errors
    /// As [`argmax`](Self::argmax).
    #[track_caller]
    pub fn argmin<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<i64>> {
        self.first_best("argmin", x, axis, |best, x| x < best)
    }

    #[track_caller]
    fn first_best<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        axis: usize,
        better: impl Fn(T, T) -> bool + Sync,
    ) -> Result<RawTensor<i64>> {
        let shape = *x.shape();
        shape.check_axis(op, axis)?;
        let mut out = self.fresh(op, shape.without(axis))?;
        let x = self.prepare(op, x)?;
        let (x, (_, n, inner)) = (x.data(), around(&shape, axis));
        let each = (PIECE / n).max(1);
        for_chunks(self.team(), op, out.data(), each, |piece, out: &mut [i64]| {
            for (i, out) in out.iter_mut().enumerate() {
                let line = piece * each + i;
                let start = line / inner * n * inner + line % inner;
                let mut best: Option<(usize, T)> = None;
                for (at, &x) in x[start..].iter().step_by(inner).take(n).enumerate() {
                    let wins = best.map_or(!x.is_not_a_number(), |(_, best)| better(best, x));
                    if wins {
                        best = Some((at, x));
                    }
                }
                *out = best.map_or(0, |(at, _)| at as i64);
            }
        });
        Ok(out.done())
    }

    /// Running sums along `axis`: element `i` is the sum of the elements up to `i`, added in order.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn cumsum<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        self.along("cumsum", [x], axis, |_, [x], out| {
            let mut sum = T::ZERO;
            for (out, &x) in out.iter_mut().zip(x) {
                sum = sum + x;
                *out = sum;
            }
        })
    }

    /// The gradient of [`cumsum`](Self::cumsum): running sums from the end.
    ///
    /// # Errors
    /// As [`cumsum`](Self::cumsum).
    #[track_caller]
    pub fn cumsum_backward<T: Real>(&self, g: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        self.along("cumsum_backward", [g], axis, |_, [g], out| {
            let mut sum = T::ZERO;
            for (out, &g) in out.iter_mut().zip(g).rev() {
                sum = sum + g;
                *out = sum;
            }
        })
    }

    /// The logarithm of the sum of exponentials over `axis`, without its overflow: `max + log(sum of e^(x - max))`. Nothing but `-inf`
    /// gives `-inf`.
    ///
    /// # Errors
    /// As [`cumsum`](Self::cumsum).
    #[track_caller]
    pub fn logsumexp<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        const OP: &str = "logsumexp";
        let shape = *x.shape();
        shape.check_axis(OP, axis)?;
        let mut out = self.fresh(OP, shape.without(axis))?;
        let (last, n) = (shape.rank() - 1, shape[axis]);
        // The axis last, the others in their order.
        let mut order = [0; MAX_RANK];
        for (i, to) in order[..last].iter_mut().enumerate() {
            *to = i + usize::from(i >= axis);
        }
        order[last] = axis;
        let moved = x.permute(&order[..=last])?;
        let moved = self.prepare(OP, &moved)?;
        let (k, x, each) = (self.kernels::<T>(), moved.data(), (PIECE / n).max(1));
        for_chunks(self.team(), OP, out.data(), each, |piece, out| {
            let rows = x[piece * each * n..].chunks_exact(n);
            out.iter_mut().zip(rows).for_each(|(out, x)| *out = k.log_sum_exp_row(x));
        });
        Ok(out.done())
    }

    /// For each element the product of the others along `axis`: what a product's gradient is multiplied with. No division: zeros
    /// do no harm.
    ///
    /// # Errors
    /// As [`cumsum`](Self::cumsum).
    #[track_caller]
    pub fn product_of_others<T: Real>(
        &self,
        x: &RawTensor<T>,
        axis: usize,
    ) -> Result<RawTensor<T>> {
        self.along("product_of_others", [x], axis, |_, [x], out| {
            let mut before = T::ONE;
            for (out, &x) in out.iter_mut().zip(x) {
                *out = before;
                before = before * x;
            }
            let mut behind = T::ONE;
            for (out, &x) in out.iter_mut().zip(x).rev() {
                *out = *out * behind;
                behind = behind * x;
            }
        })
    }
}
