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

/// A tensor made contiguous for a hot path: borrowed if it was already, else a copy of its own.
#[derive(Debug)]
pub enum PreparedTensor<'a, T: Element> {
    /// It was contiguous.
    Borrowed(&'a RawTensor<T>),
    /// A pooled copy, returned when dropped.
    Owned(RawTensor<T>),
}

impl<T: Element> PreparedTensor<'_, T> {
    /// The elements, row-major.
    #[must_use]
    #[inline]
    pub fn data(&self) -> &[T] {
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
    #[track_caller]
    pub fn materialize<T: Element>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.copy_as("materialize", x, *x.shape())
    }

    /// The same as [`materialize`](Self::materialize).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn clone<T: Element>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.materialize(x)
    }

    /// `x` itself if contiguous, else a copy.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn prepare_contiguous<'a, T: Element>(
        &self,
        x: &'a RawTensor<T>,
    ) -> Result<PreparedTensor<'a, T>> {
        self.prepare("prepare_contiguous", x)
    }

    #[inline]
    #[track_caller]
    pub(crate) fn prepare<'a, T: Element>(
        &self,
        op: &'static str,
        x: &'a RawTensor<T>,
    ) -> Result<PreparedTensor<'a, T>> {
        if x.layout().is_contiguous() {
            return Ok(PreparedTensor::Borrowed(x));
        }
        Ok(PreparedTensor::Owned(self.copy_as(op, x, *x.shape())?))
    }

    /// A contiguous copy under another shape of the same count.
    #[track_caller]
    fn copy_as<T: Element>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        shape: Shape,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh(op, shape)?;
        self.copy_into_slice(op, x, out.data());
        Ok(out.done())
    }

    /// Writes the elements of `x`, row-major, to `out`.
    pub(crate) fn copy_into_slice<T: Element>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        out: &mut [T],
    ) {
        let all = x.storage_elements();
        let walk = collapse(x.shape(), [x.layout()]);
        let (len, [stride]) = (walk.row_len(), walk.row_strides());
        let rows_each = (PIECE / len).max(1);
        for_chunks(self.team(), op, out, rows_each * len, |piece, out| {
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
    #[track_caller]
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
    #[track_caller]
    pub fn concat<T: Element>(&self, xs: &[&RawTensor<T>], axis: usize) -> Result<RawTensor<T>> {
        self.concat_with(xs, |x| x, axis)
    }

    /// Joins the tensors that `raw` finds in a list.
    #[track_caller]
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
        let shape = Shape::new(OP, dims)?;
        let (mut out, joint) = (self.fresh(OP, shape)?, Layout::contiguous(shape));
        let mut start = 0;
        for x in xs.iter().map(&raw) {
            let len = x.shape()[axis];
            if axis == 0 {
                let row = shape.count() / joined;
                self.copy_into_slice(OP, x, &mut out.data()[start * row..][..len * row]);
            } else {
                write_view(out.data(), &joint.narrow(OP, axis, start, len)?, x);
            }
            start += len;
        }
        Ok(out.done())
    }

    /// Writes `x` into `target` through a view of it: `view` makes the view's layout of the target's.
    ///
    /// # Errors
    /// What `view` returns; [`Error::ShapeMismatch`] if `x` does not have the view's shape;
    /// [`Error::InvalidDataLength`] if the view reaches past the target's last element; [`Error::UnsupportedView`] if its elements
    /// overlap, or another tensor (`x`, perhaps) shares the target's storage. Nothing is written then.
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let mut base = ctx.zeros(&[4])?;
    /// let values = ctx.from_slice(&[4], &[6.0_f32, 4.0, 2.0, 0.0])?;
    /// ctx.assign_view(&mut base, |layout| layout.flip("flip", 0), &values)?;
    /// assert_eq!(base.data()?, [0.0, 2.0, 4.0, 6.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn assign_view<T: Element>(
        &self,
        target: &mut RawTensor<T>,
        view: impl FnOnce(&Layout) -> Result<Layout>,
        x: &RawTensor<T>,
    ) -> Result<()> {
        const OP: &str = "assign_view";
        let layout = view(target.layout())?;
        layout.shape().check_same(OP, x.shape())?;
        let expected = layout.span().end;
        let fits = "elements that do not overlap, in storage that nothing else shares";
        let refused = Error::UnsupportedView { op: OP, fits };
        if layout.overlaps() {
            return Err(refused);
        }
        let found = target.layout().span().end;
        if expected > found {
            return Err(Error::InvalidDataLength { op: OP, expected, found });
        }
        let all = target.storage_mut().ok_or(refused)?;
        write_view(all, &layout, x);
        Ok(())
    }

    /// Zeros of `shape` with `x` written through `layout`, a view of such a tensor: what a view has picked out, put back.
    #[track_caller]
    pub(crate) fn unview<T: Element>(
        &self,
        op: &'static str,
        shape: &Shape,
        layout: &Layout,
        x: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh_filled(op, *shape, T::default())?;
        write_view(out.data(), layout, x);
        Ok(out.done())
    }
}

/// Writes `x` to the elements of `out` that `layout`, of the same shape, picks.
fn write_view<T: Element>(out: &mut [T], layout: &Layout, x: &RawTensor<T>) {
    let all = x.storage_elements();
    let walk = collapse(x.shape(), [layout, x.layout()]);
    let (len, [out_stride, stride]) = (walk.row_len(), walk.row_strides());
    for [to, from] in walk.rows(0, walk.row_count()) {
        if out_stride == 1 {
            copy_row(all, from, stride, &mut out[to..to + len]);
            continue;
        }
        for i in 0..len as isize {
            out[to.wrapping_add_signed(out_stride * i)] = all[from.wrapping_add_signed(stride * i)];
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
