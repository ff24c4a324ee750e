//! Sums and maxima: over one axis or over everything.
//!
//! Every reduction follows the rule of `kernels::reduce`, along the logical axis: a transposed view and its copy give
//! the same bits.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::copy::around;
use crate::backend::{Real, Table};
use crate::dtype::Element;
use crate::error::{Error, Fits, Result};
use crate::kernels::reduce::{Fold, Max, Min, Prod, SEGMENT, Sum, WIDEST_TILE, pairwise};
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements read for one piece: below it a reduction stays on the caller.
const PIECE: usize = 1 << 16;
/// Columns of one piece at least, where there are few: a cache line of f32. Where there are many, it is [`WIDEST_TILE`].
const NARROW: usize = 16;

/// A fold, and its two kernels: of a row, and of the columns of rows some distance apart.
struct Forms<F, R, C> {
    fold: F,
    row: R,
    columns: C,
}

/// The same for elements and results of any types: `long` is a row's form above a segment, and may ask the team for help.
pub(super) struct Lines<R, L, C> {
    pub(super) row: R,
    pub(super) long: L,
    pub(super) columns: C,
}

impl ExecContext {
    /// Sums `axis` away (`[1]` if it was the only one).
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn sum_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        self.sum_axis_as("sum_axis", x, axis)
    }

    #[track_caller]
    pub(super) fn sum_axis_as<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        axis: usize,
    ) -> Result<RawTensor<T>> {
        let forms = Forms {
            fold: Sum,
            row: |k: Table<T>, x: &[T]| k.sum_row(x),
            columns: |k: Table<T>, x: &[T], s, out: &mut [T]| k.sum_columns(x, s, out),
        };
        self.fold_axis(op, x, axis, forms)
    }

    /// The maximum over `axis`. NaN is passed over; an axis of nothing but NaN gives `-inf`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn max_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        let forms = Forms {
            fold: Max,
            row: |k: Table<T>, x: &[T]| k.max_row(x),
            columns: |k: Table<T>, x: &[T], s, out: &mut [T]| k.max_columns(x, s, out),
        };
        self.fold_axis("max_axis", x, axis, forms)
    }

    /// The minimum over `axis`. NaN is passed over; an axis of nothing but NaN gives `inf`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn min_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        let forms = Forms {
            fold: Min,
            row: |k: Table<T>, x: &[T]| k.min_row(x),
            columns: |k: Table<T>, x: &[T], s, out: &mut [T]| k.min_columns(x, s, out),
        };
        self.fold_axis("min_axis", x, axis, forms)
    }

    /// The product over `axis`, by the reduction rule.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn prod_axis<T: Real>(&self, x: &RawTensor<T>, axis: usize) -> Result<RawTensor<T>> {
        let forms = Forms {
            fold: Prod,
            row: |k: Table<T>, x: &[T]| k.prod_row(x),
            columns: |k: Table<T>, x: &[T], s, out: &mut [T]| k.prod_columns(x, s, out),
        };
        self.fold_axis("prod_axis", x, axis, forms)
    }

    /// The sum of all elements, of shape `[1]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn sum_all<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.fold_all("sum_all", x, Sum, |k, x| k.sum_row(x))
    }

    /// The maximum of all elements, of shape `[1]`. NaN is passed over.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn max_all<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.fold_all("max_all", x, Max, |k, x| k.max_row(x))
    }

    /// Sums `x` down to `target`: undoes the broadcast of `target` to the shape of `x`. A view if the shapes are the
    /// same.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if `target` does not broadcast to the shape of `x`; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn reduce_to<T: Real>(&self, x: &RawTensor<T>, target: &Shape) -> Result<RawTensor<T>> {
        const OP: &str = "reduce_to";
        if x.shape() == target {
            return Ok(x.clone());
        }
        let (left, right) = (*x.shape(), *target);
        let lead = left.rank().checked_sub(right.rank());
        let fits = lead.is_some_and(|lead| {
            (0..right.rank()).all(|i| right[i] == 1 || right[i] == left[lead + i])
        });
        let (Some(lead), true) = (lead, fits) else {
            return Err(Error::ShapeMismatch { op: OP, left, right, fits: Fits::BroadcastTarget });
        };
        // From the last axis on, so that the axes still to come keep their numbers.
        let mut sum = x.clone();
        for axis in (0..left.rank()).rev() {
            let stretched = axis < lead || (right[axis - lead] == 1 && left[axis] != 1);
            if stretched && left[axis] != 1 {
                sum = self.sum_axis_as(OP, &sum, axis)?;
            } else if axis < lead {
                sum = sum.with_layout(
                    match sum.layout().reshape(OP, &sum.shape().without(axis))? {
                        Some(layout) => layout,
                        None => unreachable!("an axis of size 1 can always go"),
                    },
                );
            }
        }
        self.reshape(&sum, right.dims())
    }

    /// The gradient of a maximum over `axis` (or over all): `g` at the first element that equals `max`, else 0.
    #[track_caller]
    pub(crate) fn max_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        max: &RawTensor<T>,
        g: &RawTensor<T>,
        axis: Option<usize>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "max_backward";
        let shape = *x.shape();
        let mut out = self.fresh_filled(OP, shape, T::ZERO)?;
        let (x, max, g) = (self.prepare(OP, x)?, self.prepare(OP, max)?, self.prepare(OP, g)?);
        let (_, n, inner) = axis.map_or((1, shape.count(), 1), |axis| around(&shape, axis));
        let (x, max, g, matrix) = (x.data(), max.data(), g.data(), n * inner);
        let each = (PIECE / matrix).max(1);
        for_chunks(self.team(), OP, out.data(), each * matrix, |piece, out| {
            let matrices =
                out.chunks_exact_mut(matrix).zip(x[piece * each * matrix..].chunks_exact(matrix));
            let from = piece * each * inner;
            let results = max[from..].chunks_exact(inner).zip(g[from..].chunks_exact(inner));
            for ((out, x), (max, g)) in matrices.zip(results) {
                for (i, (&max, &g)) in max.iter().zip(g).enumerate() {
                    let first = (i..matrix).step_by(inner).find(|&at| x[at] == max);
                    if let Some(first) = first {
                        out[first] = g;
                    }
                }
            }
        });
        Ok(out.done())
    }

    #[track_caller]
    fn fold_all<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        fold: impl Fold<T>,
        row: impl Fn(Table<T>, &[T]) -> T + Sync,
    ) -> Result<RawTensor<T>> {
        let total = self.total(op, x, fold, row)?;
        self.full_shape(op, Shape::scalar(), total)
    }

    /// The fold of all elements.
    #[track_caller]
    pub(super) fn total<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        fold: impl Fold<T>,
        row: impl Fn(Table<T>, &[T]) -> T + Sync,
    ) -> Result<T> {
        let x = self.prepare(op, x)?;
        self.fold_row(op, x.data(), &fold, &row)
    }

    /// One row; a long one by segments, which the team shares.
    #[track_caller]
    fn fold_row<T: Real, F: Fold<T>>(
        &self,
        op: &'static str,
        x: &[T],
        fold: &F,
        row: &(impl Fn(Table<T>, &[T]) -> T + Sync),
    ) -> Result<T> {
        let k = self.kernels::<T>();
        if x.len() <= SEGMENT {
            return Ok(row(k, x));
        }
        let mut folds = ScratchLease::acquire(op, self.site(op)?, x.len().div_ceil(SEGMENT))?;
        for_chunks(self.team(), op, &mut folds, 1, |i, out| {
            let start = i * SEGMENT;
            out.fill(row(k, &x[start..x.len().min(start + SEGMENT)]));
        });
        Ok(pairwise(fold, &folds))
    }

    #[track_caller]
    fn fold_axis<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        axis: usize,
        forms: Forms<
            impl Fold<T>,
            impl Fn(Table<T>, &[T]) -> T + Sync,
            impl Fn(Table<T>, &[T], usize, &mut [T]) + Sync,
        >,
    ) -> Result<RawTensor<T>> {
        let k = self.kernels::<T>();
        let lines = Lines {
            row: |x: &[T]| (forms.row)(k, x),
            long: |x: &[T]| self.fold_row(op, x, &forms.fold, &forms.row),
            columns: |x: &[T], stride, out: &mut [T]| (forms.columns)(k, x, stride, out),
        };
        self.reduce_axis(op, x, axis, lines)
    }

    /// Reduces `axis` by `lines`: rows where it is the last, else columns.
    #[track_caller]
    pub(super) fn reduce_axis<T: Element, O: Element>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        axis: usize,
        lines: Lines<
            impl Fn(&[T]) -> O + Sync,
            impl Fn(&[T]) -> Result<O>,
            impl Fn(&[T], usize, &mut [O]) + Sync,
        >,
    ) -> Result<RawTensor<O>> {
        let shape = *x.shape();
        shape.check_axis(op, axis)?;
        let mut out = self.fresh(op, shape.without(axis))?;
        let x = self.prepare(op, x)?;
        let x = x.data();
        let (_, n, inner) = around(&shape, axis);
        if inner == 1 && n > SEGMENT {
            for (out, x) in out.data().iter_mut().zip(x.chunks_exact(n)) {
                *out = (lines.long)(x)?;
            }
            return Ok(out.done());
        }
        if inner == 1 {
            let rows = (PIECE / n).max(1);
            for_chunks(self.team(), op, out.data(), rows, |piece, out| {
                let x = x[piece * rows * n..].chunks_exact(n);
                out.iter_mut().zip(x).for_each(|(out, x)| *out = (lines.row)(x));
            });
            return Ok(out.done());
        }
        // A piece is some columns of one matrix, or some whole matrices.
        let least = if inner >= 2 * WIDEST_TILE { WIDEST_TILE } else { NARROW };
        let columns = (PIECE / n).max(least);
        if columns >= inner {
            let each = (columns / inner).max(1);
            for_chunks(self.team(), op, out.data(), each * inner, |piece, out| {
                let x = x[piece * each * n * inner..].chunks_exact(n * inner);
                for (out, x) in out.chunks_exact_mut(inner).zip(x) {
                    (lines.columns)(x, inner, out);
                }
            });
            return Ok(out.done());
        }
        for (out, x) in out.data().chunks_exact_mut(inner).zip(x.chunks_exact(n * inner)) {
            for_chunks(self.team(), op, out, columns, |piece, out| {
                (lines.columns)(&x[piece * columns..], inner, out);
            });
        }
        Ok(out.done())
    }
}
