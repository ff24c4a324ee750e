//! Copies: a view made contiguous, ranges moved between tensors, joins.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::dtype::Element;
use crate::error::{Error, Fits, Result};
use crate::layout::{Layout, Shape, collapse};
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it a copy stays on the caller.
const PIECE: usize = 1 << 16;

/// A tensor made contiguous: borrowed if it was already, else a copy of its own.
pub(crate) enum Prepared<'a, T: Element> {
    Borrowed(&'a RawTensor<T>),
    Owned(RawTensor<T>),
}

impl<T: Element> Prepared<'_, T> {
    /// The elements, row-major.
    #[inline]
    pub(crate) fn data(&self) -> &[T] {
        let tensor = match self {
            Self::Borrowed(tensor) => *tensor,
            Self::Owned(tensor) => tensor,
        };
        match tensor.contiguous() {
            Some(data) => data,
            None => unreachable!("prepared tensors are contiguous"),
        }
    }
}

impl ExecContext {
    /// A contiguous copy.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn materialize<T: Element>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.copy_as("materialize", x, *x.shape())
    }

    /// The same as [`materialize`](Self::materialize).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn clone<T: Element>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.materialize(x)
    }

    /// `x` itself if contiguous, else a copy.
    #[inline]
    pub(crate) fn prepare<'a, T: Element>(
        &self,
        op: &'static str,
        x: &'a RawTensor<T>,
    ) -> Result<Prepared<'a, T>> {
        if x.layout().is_contiguous() {
            return Ok(Prepared::Borrowed(x));
        }
        Ok(Prepared::Owned(self.copy_as(op, x, *x.shape())?))
    }

    /// A contiguous copy under another shape of the same count.
    fn copy_as<T: Element>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        shape: Shape,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh(op, shape)?;
        self.copy_into_slice(x, out.data());
        Ok(out.done())
    }

    /// Writes the elements of `x`, row-major, to `out`.
    pub(crate) fn copy_into_slice<T: Element>(&self, x: &RawTensor<T>, out: &mut [T]) {
        let all = x.storage_elements();
        let walk = collapse(x.shape(), [x.layout()]);
        let (len, [stride]) = (walk.row_len(), walk.row_strides());
        let rows_each = (PIECE / len).max(1);
        for_chunks(self.team(), out, rows_each * len, |piece, out| {
            let rows = walk.rows(piece * rows_each, out.len() / len);
            for ([start], row) in rows.zip(out.chunks_exact_mut(len)) {
                copy_row(all, start, stride, row);
            }
        });
    }

    /// The same elements under another shape: a view where strides can say it, else a copy.
    ///
    /// # Errors
    /// [`Error::InvalidShape`]; [`Error::ShapeMismatch`] if the count differs; [`Error::OutOfMemory`].
    pub fn reshape<T: Element>(&self, x: &RawTensor<T>, dims: &[usize]) -> Result<RawTensor<T>> {
        const OP: &str = "reshape";
        let shape = Shape::new(OP, dims)?;
        match x.layout().reshape(OP, &shape)? {
            Some(layout) => Ok(x.with_layout(layout)),
            None => self.copy_as(OP, x, shape),
        }
    }

    /// Joins tensors along `axis`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty list; [`Error::AxisOutOfRange`]; [`Error::ShapeMismatch`] if anything
    /// but that axis differs; [`Error::Overflow`]; [`Error::OutOfMemory`].
    pub fn concat<T: Element>(&self, xs: &[&RawTensor<T>], axis: usize) -> Result<RawTensor<T>> {
        self.concat_with(xs, |x| x, axis)
    }

    /// Joins the tensors that `raw` finds in a list.
    pub(crate) fn concat_with<'a, X, T: Element>(
        &self,
        xs: &'a [X],
        raw: impl Fn(&'a X) -> &'a RawTensor<T>,
        axis: usize,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "concat";
        let first = xs.first().map(&raw).ok_or(Error::InvalidArgument {
            op: OP,
            argument: "list of operands",
            fits: "at least one tensor",
        })?;
        let shape = *first.shape();
        shape.check_axis(OP, axis)?;
        let mut joined = 0_usize;
        for x in xs.iter().map(&raw) {
            let fits = x.shape().rank() == shape.rank()
                && *x.shape() == shape.with_dim(axis, x.shape()[axis]);
            if !fits {
                let (left, right) = (shape, *x.shape());
                return Err(Error::ShapeMismatch {
                    op: OP,
                    left,
                    right,
                    fits: Fits::SameExcept(axis),
                });
            }
            joined = joined.saturating_add(x.shape()[axis]);
        }
        let mut dims = [0; crate::layout::MAX_RANK];
        let dims = &mut dims[..shape.rank()];
        dims.copy_from_slice(shape.dims());
        dims[axis] = joined;
        let mut out = self.fresh(OP, Shape::new(OP, dims)?)?;
        let mut start = 0;
        for x in xs.iter().map(&raw) {
            write_range(out.data(), dims, axis, start, x);
            start += x.shape()[axis];
        }
        Ok(out.done())
    }

    /// Zeros of `shape` with `x` written from index `start` of `axis` on: what `narrow` has cut out, put back.
    pub(crate) fn pad_range<T: Element>(
        &self,
        op: &'static str,
        shape: &Shape,
        axis: usize,
        start: usize,
        x: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh_filled(op, *shape, T::default())?;
        write_range(out.data(), shape.dims(), axis, start, x);
        Ok(out.done())
    }
}

/// Writes `x` into the contiguous tensor `out` of shape `dims`, from index `start` of `axis` on.
fn write_range<T: Element>(
    out: &mut [T],
    dims: &[usize],
    axis: usize,
    start: usize,
    x: &RawTensor<T>,
) {
    let inner: usize = dims[axis + 1..].iter().product();
    let (block, run) = (dims[axis] * inner, x.shape()[axis] * inner);
    let all = x.storage_elements();
    let walk = collapse(x.shape(), [x.layout()]);
    let (len, [stride]) = (walk.row_len(), walk.row_strides());
    // `at` counts the elements of `x` written so far; a row may cover several runs or a part of one.
    let mut at = 0;
    for [row_start] in walk.rows(0, walk.row_count()) {
        let mut done = 0;
        while done < len {
            let within = at % run;
            let n = (run - within).min(len - done);
            let to = at / run * block + start * inner + within;
            let from = row_start.wrapping_add_signed(stride * done as isize);
            copy_row(all, from, stride, &mut out[to..to + n]);
            (at, done) = (at + n, done + n);
        }
    }
}

/// Writes `all[start]`, `all[start + stride]`, ... to `row`.
#[inline]
pub(super) fn copy_row<T: Element>(all: &[T], start: usize, stride: isize, row: &mut [T]) {
    match stride {
        1 => row.copy_from_slice(&all[start..start + row.len()]),
        0 => row.fill(all[start]),
        _ => {
            for (i, to) in row.iter_mut().enumerate() {
                *to = all[start.wrapping_add_signed(stride * i as isize)];
            }
        }
    }
}

/// A contiguous layout's length along `axis`, with what lies outside and inside of it.
pub(super) fn around(shape: &Shape, axis: usize) -> (usize, usize, usize) {
    let dims = shape.dims();
    (dims[..axis].iter().product(), dims[axis], dims[axis + 1..].iter().product())
}

/// The layout of `shape` with `axis` moved to the end, over storage that lies row-major in that order.
pub(super) fn axis_moved_back(shape: &Shape, axis: usize) -> Layout {
    let last = shape.rank() - 1;
    let moved = shape.with_dim(axis, shape[last]).with_dim(last, shape[axis]);
    let contiguous = Layout::contiguous(moved);
    match contiguous.transpose("softmax", axis, last) {
        Ok(layout) => layout,
        Err(_) => unreachable!("both axes are below the rank"),
    }
}
