//! Elements picked by index along an axis, and gradients added back to where they were picked from.
//!
//! Indices are checked before a result is made. A gradient's elements are added in the order of the indices, one by
//! one: the team shares the rows that receive, each participant looks through all indices for those of its rows.
#![forbid(unsafe_code)]

use core::ops::Range;

use super::context::ExecContext;
use super::copy::{PreparedTensor, around};
use crate::backend::Real;
use crate::dtype::Element;
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::layout::{MAX_RANK, Shape};
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 15;

impl ExecContext {
    /// The slices of `x` along `axis` that `indices` names, in their order; an index may come again.
    ///
    /// - Shapes: the result has those of the indices in the place of `axis`. With `x [classes, dim]`, axis 0 and
    ///   `indices [n]` it is `[n, dim]`, a lookup; with `indices [batch, n]` it is `[batch, n, dim]`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::IndexOutOfRange`] for an index that is negative or not below the length of the axis;
    /// [`Error::InvalidShape`] if the rank would exceed 8; [`Error::Overflow`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn index_select<T: Element>(
        &self,
        x: &RawTensor<T>,
        axis: usize,
        indices: &RawTensor<i64>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "index_select";
        let selected = selected_shape(OP, x.shape(), axis, indices.shape())?;
        let (_, n, inner) = around(x.shape(), axis);
        let indices = self.indices_within(OP, indices, n, None)?;
        let (mut out, x) = (self.fresh(OP, selected)?, self.prepare(OP, x)?);
        let (x, indices, rows) = (x.data(), indices.data(), (PIECE / inner).max(1));
        for_chunks(self.team(), OP, out.data(), rows * inner, |piece, out| {
            let places = places(piece * rows, indices.len());
            if inner == 1 {
                for (out, (matrix, at)) in out.iter_mut().zip(places) {
                    *out = x[matrix * n + indices[at] as usize];
                }
                return;
            }
            for (out, (matrix, at)) in out.chunks_exact_mut(inner).zip(places) {
                let start = (matrix * n + indices[at] as usize) * inner;
                out.copy_from_slice(&x[start..start + inner]);
            }
        });
        Ok(out.done())
    }

    /// The gradient of [`index_select`](Self::index_select) for an operand of `shape`: the slices of `g` added to where they
    /// come from, in their order; 0 where nothing was picked.
    ///
    /// # Errors
    /// As [`index_select`](Self::index_select); [`Error::ShapeMismatch`] unless `g` has its result's shape.
    #[track_caller]
    pub fn index_select_backward<T: Real>(
        &self,
        shape: &Shape,
        axis: usize,
        indices: &RawTensor<i64>,
        g: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "index_select_backward";
        let selected = selected_shape(OP, shape, axis, indices.shape())?;
        let (_, n, inner) = around(shape, axis);
        let indices = self.indices_within(OP, indices, n, None)?;
        selected.check_same(OP, g.shape())?;
        let g = self.prepare(OP, g)?;
        let (g, indices, k) = (g.data(), indices.data(), self.kernels::<T>());
        let work = Work { added: g.len(), looked_through: indices.len() };
        self.add_rows(OP, shape, axis, work, |matrix, rows, out| {
            let g = &g[matrix * indices.len() * inner..];
            for (g, &index) in g.chunks_exact(inner).zip(indices) {
                let index = index as usize;
                if rows.contains(&index) {
                    let out = &mut out[(index - rows.start) * inner..][..inner];
                    match (out, g) {
                        ([out], [g]) => *out = *out + *g,
                        (out, g) => k.accumulate(Operand::Slice(g), out),
                    }
                }
            }
        })
    }

    /// From each line of `x` along `axis` the elements that the same line of `indices` names.
    ///
    /// - Shapes: those of `x` and `indices` differ at most in `axis`; the result has that of `indices`. With axis 1,
    ///   `out[i, j] = x[i, indices[i, j]]`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::ShapeMismatch`]; [`Error::IndexOutOfRange`] for an index that is negative or not below
    /// the length of the axis; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn gather<T: Element>(
        &self,
        x: &RawTensor<T>,
        axis: usize,
        indices: &RawTensor<i64>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "gather";
        let picked = *indices.shape();
        check_lines(OP, x.shape(), axis, &picked)?;
        let ((_, n, inner), m) = (around(x.shape(), axis), picked[axis]);
        let indices = self.indices_within(OP, indices, n, None)?;
        let (mut out, x) = (self.fresh(OP, picked)?, self.prepare(OP, x)?);
        let (x, indices, rows) = (x.data(), indices.data(), (PIECE / inner).max(1));
        for_chunks(self.team(), OP, out.data(), rows * inner, |piece, out| {
            let indices = indices[piece * rows * inner..].chunks_exact(inner);
            let rows = out.chunks_exact_mut(inner).zip(indices).zip(places(piece * rows, m));
            for ((out, indices), (matrix, _)) in rows {
                let x = &x[matrix * n * inner..];
                for (i, (out, &index)) in out.iter_mut().zip(indices).enumerate() {
                    *out = x[index as usize * inner + i];
                }
            }
        });
        Ok(out.done())
    }

    /// The gradient of [`gather`](Self::gather) for an operand of `shape`: the elements of `g` added to where they come from,
    /// in the order of the axis; 0 where nothing was picked.
    ///
    /// # Errors
    /// As [`gather`](Self::gather), also for a `g` of another shape than the indices.
    #[track_caller]
    pub fn gather_backward<T: Real>(
        &self,
        shape: &Shape,
        axis: usize,
        indices: &RawTensor<i64>,
        g: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "gather_backward";
        let picked = *indices.shape();
        check_lines(OP, shape, axis, &picked)?;
        let (_, n, inner) = around(shape, axis);
        let indices = self.indices_within(OP, indices, n, None)?;
        picked.check_same(OP, g.shape())?;
        let (g, matrix_len) = (self.prepare(OP, g)?, picked[axis] * inner);
        let (g, indices) = (g.data(), indices.data());
        let work = Work { added: g.len(), looked_through: matrix_len };
        self.add_rows(OP, shape, axis, work, |matrix, rows, out| {
            let part = matrix * matrix_len..(matrix + 1) * matrix_len;
            let lines = g[part.clone()].chunks_exact(inner).zip(indices[part].chunks_exact(inner));
            for (g, indices) in lines {
                for (i, (&g, &index)) in g.iter().zip(indices).enumerate() {
                    let index = index as usize;
                    if rows.contains(&index) {
                        let out = &mut out[(index - rows.start) * inner + i];
                        *out = *out + g;
                    }
                }
            }
        })
    }

    /// The indices in order, if each is in `0..bound` or the one that is passed over.
    #[track_caller]
    pub(super) fn indices_within<'a>(
        &self,
        op: &'static str,
        indices: &'a RawTensor<i64>,
        bound: usize,
        passed_over: Option<i64>,
    ) -> Result<PreparedTensor<'a, i64>> {
        let indices = self.prepare(op, indices)?;
        let inside = |index| usize::try_from(index).is_ok_and(|index| index < bound);
        let mut each = indices.data().iter().copied().enumerate();
        match each.find(|&(_, index)| !inside(index) && Some(index) != passed_over) {
            Some((position, index)) => Err(Error::IndexOutOfRange { op, position, index, bound }),
            None => Ok(indices),
        }
    }

    /// A result of `shape`, in pieces of rows: what lies inside of `axis`. `add` is told a matrix, the range of its rows that is
    /// to be added to, and where they lie, filled with zeros.
    #[track_caller]
    fn add_rows<T: Real>(
        &self,
        op: &'static str,
        shape: &Shape,
        axis: usize,
        work: Work,
        add: impl Fn(usize, Range<usize>, &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh(op, *shape)?;
        let (outer, n, inner) = around(shape, axis);
        let each = work.rows_of_a_piece(outer * n, inner);
        for_chunks(self.team(), op, out.data(), each * inner, |piece, mut out| {
            out.fill(T::ZERO);
            let mut row = piece * each;
            while !out.is_empty() {
                let (matrix, start) = (row / n, row % n);
                let count = (n - start).min(out.len() / inner);
                let (here, rest) = out.split_at_mut(count * inner);
                add(matrix, start..start + count, here);
                (row, out) = (row + count, rest);
            }
        });
        Ok(out.done())
    }
}

/// What adding gradients back costs.
struct Work {
    /// Elements added.
    added: usize,
    /// Indices that each piece looks through for one matrix.
    looked_through: usize,
}

impl Work {
    /// Rows of a piece: of `PIECE` elements written and added, but no more pieces than keep the looking below the work.
    fn rows_of_a_piece(&self, rows: usize, inner: usize) -> usize {
        let all = self.added.saturating_add(rows * inner);
        let pieces = (all / PIECE).min(all / self.looked_through).clamp(1, rows);
        rows.div_ceil(pieces)
    }
}

/// `(matrix, row)` of the rows from `first` on, with `rows` rows a matrix.
fn places(first: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut next = (first / rows, first % rows);
    core::iter::repeat_with(move || {
        let here = next;
        next = if here.1 + 1 == rows { (here.0 + 1, 0) } else { (here.0, here.1 + 1) };
        here
    })
}

/// The shape of what indices of a shape select of `shape`, if they can.
fn selected_shape(op: &'static str, shape: &Shape, axis: usize, indices: &Shape) -> Result<Shape> {
    shape.check_axis(op, axis)?;
    let (mut dims, mut rank) = ([1; 2 * MAX_RANK], 0);
    let (before, behind) = (&shape.dims()[..axis], &shape.dims()[axis + 1..]);
    for &dim in before.iter().chain(indices.dims()).chain(behind) {
        dims[rank] = dim;
        rank += 1;
    }
    Shape::new(op, &dims[..rank])
}

/// `Ok` if `indices` has a line for each of `shape` along `axis`.
fn check_lines(op: &'static str, shape: &Shape, axis: usize, indices: &Shape) -> Result<()> {
    let (left, right) = (*shape, *indices);
    shape.check_axis(op, axis)?;
    if left.rank() != right.rank() {
        return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Rank(left.rank()) });
    }
    if left.with_dim(axis, right[axis]) != right {
        return Err(Error::ShapeMismatch { op, left, right, fits: Fits::SameExcept(axis) });
    }
    Ok(())
}
