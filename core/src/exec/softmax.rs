//! Softmax and its logarithm along any axis.
//!
//! Kernels work on rows; another axis than the last is swapped there and back, with one contiguous copy each way.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::copy::axis_moved_back;
use crate::backend::{Real, Table};
use crate::error::Result;
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 13;

impl ExecContext {
    /// `e^(x - max) / sum of e^(x - max)` along `axis`. A row of nothing but `-inf` gives zeros; NaN spreads to its row.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn softmax<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        self.along("softmax", [x], axis, |k, [x], out| k.softmax_row(x, out))
    }

    /// The logarithm of [`softmax`](Self::softmax), without its underflow.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn log_softmax<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        self.along("log_softmax", [x], axis, |k, [x], out| k.log_softmax_row(x, out))
    }

    /// The gradient of softmax from its output `y`: `y * (g - sum of g * y)`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes differ;
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn softmax_backward<T: Real>(
        &self,
        y: &RawTensor<T>,
        g: &RawTensor<T>,
        axis: usize,
    ) -> Result<RawTensor<T>> {
        self.along("softmax_backward", [y, g], axis, |k, [y, g], out| {
            k.softmax_backward_row(y, g, out);
        })
    }

    /// The gradient of log_softmax from its output `y`: `g - e^y * sum of g`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes differ;
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn log_softmax_backward<T: Real>(
        &self,
        y: &RawTensor<T>,
        g: &RawTensor<T>,
        axis: usize,
    ) -> Result<RawTensor<T>> {
        self.along("log_softmax_backward", [y, g], axis, |k, [y, g], out| {
            k.log_softmax_backward_row(y, g, out);
        })
    }

    /// Calls `f` with the operands' rows along `axis`.
    #[track_caller]
    pub(super) fn along<T: Real, const N: usize>(
        &self,
        op: &'static str,
        xs: [&RawTensor<T>; N],
        axis: usize,
        f: impl Fn(Table<T>, [&[T]; N], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let shape = *xs[0].shape();
        shape.check_axis(op, axis)?;
        for x in xs {
            shape.check_same(op, x.shape())?;
        }
        let last = shape.rank() - 1;
        let swapped = shape.with_dim(axis, shape[last]).with_dim(last, shape[axis]);
        let mut out = self.fresh(op, swapped)?;
        let (k, n) = (self.kernels::<T>(), shape[axis]);
        let mut rows = [const { None }; N];
        for (row, x) in rows.iter_mut().zip(xs) {
            *row = Some(if axis == last { x.clone() } else { x.transpose(axis, last)? });
        }
        let mut prepared = [const { None }; N];
        for (prepared, row) in prepared.iter_mut().zip(rows.iter().flatten()) {
            *prepared = Some(self.prepare(op, row)?);
        }
        let mut data = [&[] as &[T]; N];
        for (data, prepared) in data.iter_mut().zip(prepared.iter().flatten()) {
            *data = prepared.data();
        }
        let each = (PIECE / n).max(1);
        for_chunks(self.team(), op, out.data(), each * n, |piece, out| {
            for (i, out) in out.chunks_exact_mut(n).enumerate() {
                let start = (piece * each + i) * n;
                f(k, data.map(|x| &x[start..start + n]), out);
            }
        });
        let out = out.done();
        if axis == last {
            return Ok(out);
        }
        self.materialize(&out.with_layout(axis_moved_back(&shape, axis)))
    }
}
