//! The drivers of elementwise ops: one, two or three operands of any layout, row by row.
//!
//! Operands are stretched to one shape, neighbouring axes that all of them walk together are merged, and every
//! innermost row goes to a kernel as slices (stride 1), single values (stride 0) or short gathered tiles (any other
//! stride). The result is contiguous. Pieces of about [`PIECE`] elements go to the team.

use crate::backend::{Real, Table};
use crate::dtype::Element;
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::exec::copy::copy_row;
use crate::kernels::elementwise::Operand;
use crate::layout::{Layout, Shape, broadcast_shape, collapse};
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
pub(super) const PIECE: usize = 1 << 15;
/// Elements gathered at a time from a strided row.
pub(super) const TILE: usize = 64;

impl ExecContext {
    /// `out = f(a, b)` by the kernels of the backend; the shapes broadcast.
    #[inline(always)]
    #[track_caller]
    pub(super) fn binary<T: Real>(
        &self,
        op: &'static str,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
        f: impl Fn(Table<T>, Operand<'_, T>, Operand<'_, T>, &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let k = self.kernels::<T>();
        self.pair(op, a, b, |a, b, out| f(k, a, b, out))
    }

    /// `out = f(a, b)` of any types; the shapes broadcast.
    #[inline(always)]
    #[track_caller]
    pub(super) fn pair<T: Element, O: Element>(
        &self,
        op: &'static str,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
        f: impl Fn(Operand<'_, T>, Operand<'_, T>, &mut [O]) + Sync,
    ) -> Result<RawTensor<O>> {
        if a.shape() == b.shape() {
            let operands = [(a, a.layout()), (b, b.layout())];
            return self.rows(op, *a.shape(), operands, |[a, b], out| f(a, b, out));
        }
        let shape = broadcast_shape(op, a.shape(), b.shape())?;
        let la = a.layout().broadcast_to(op, &shape)?;
        let lb = b.layout().broadcast_to(op, &shape)?;
        self.rows(op, shape, [(a, &la), (b, &lb)], |[a, b], out| f(a, b, out))
    }

    #[inline(always)]
    #[track_caller]
    pub(super) fn unary<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        f: impl Fn(Table<T>, &[T], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let k = self.kernels::<T>();
        self.single(op, x, |x, out| f(k, x, out))
    }

    /// `out = f(x)` of any type.
    #[inline(always)]
    #[track_caller]
    pub(super) fn single<T: Element>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        f: impl Fn(&[T], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        self.rows(op, *x.shape(), [(x, x.layout())], |[x], out| match x {
            Operand::Slice(x) => f(x, out),
            Operand::Splat(x) => {
                let mut one = [x];
                f(&[x], &mut one);
                out.fill(one[0]);
            }
        })
    }

    /// `out = f(a, b, c)`; the three shapes broadcast.
    #[inline(always)]
    #[track_caller]
    pub(super) fn ternary<T: Real>(
        &self,
        op: &'static str,
        [a, b, c]: [&RawTensor<T>; 3],
        f: impl Fn(Table<T>, [Operand<'_, T>; 3], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let shape = broadcast_shape(op, &broadcast_shape(op, a.shape(), b.shape())?, c.shape())?;
        let la = a.layout().broadcast_to(op, &shape)?;
        let lb = b.layout().broadcast_to(op, &shape)?;
        let lc = c.layout().broadcast_to(op, &shape)?;
        self.map(op, shape, [(a, &la), (b, &lb), (c, &lc)], f)
    }

    /// `out = f(operands)` for operands seen through layouts of one shape.
    #[inline(always)]
    #[track_caller]
    pub(in crate::exec) fn map<T: Real, const N: usize>(
        &self,
        op: &'static str,
        shape: Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        f: impl Fn(Table<T>, [Operand<'_, T>; N], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let k = self.kernels::<T>();
        self.rows(op, shape, operands, |operands, out| f(k, operands, out))
    }

    /// The same for operands and results of any types.
    #[inline(always)]
    #[track_caller]
    pub(super) fn rows<T: Element, O: Element, const N: usize>(
        &self,
        op: &'static str,
        shape: Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        f: impl Fn([Operand<'_, T>; N], &mut [O]) + Sync,
    ) -> Result<RawTensor<O>> {
        let mut out = self.fresh(op, shape)?;
        self.for_rows(op, &shape, operands, out.data(), &f);
        Ok(out.done())
    }

    /// Calls `f` with matching stretches of the operands and of the contiguous `out`.
    #[inline(always)]
    pub(in crate::exec) fn for_rows<T: Element, O: Send, const N: usize>(
        &self,
        op: &'static str,
        shape: &Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        out: &mut [O],
        f: &(impl Fn([Operand<'_, T>; N], &mut [O]) + Sync),
    ) {
        if out.len() <= PIECE && operands.iter().all(|(_, layout)| layout.is_contiguous()) {
            return f(stretches(&operands, 0, out.len()), out);
        }
        self.each_row(op, shape, operands, out, f);
    }

    /// The same for whatever is not one piece of contiguous operands. Compiled once for the types, whatever `f` is.
    #[inline(never)]
    fn each_row<T: Element, O: Send, const N: usize>(
        &self,
        op: &'static str,
        shape: &Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        out: &mut [O],
        f: &RowTask<'_, T, O, N>,
    ) {
        if operands.iter().all(|(_, layout)| layout.is_contiguous()) {
            for_chunks(self.team(), op, out, PIECE, |piece, out| {
                f(stretches(&operands, piece * PIECE, out.len()), out);
            });
            return;
        }
        let all = operands.map(|(x, _)| x.storage_elements());
        let layouts = operands.map(|(_, layout)| layout);
        self.for_runs(op, shape, layouts, out, &|starts, strides, out| {
            one_row(all, starts, strides, out, f);
        });
    }

    /// Calls `f` with where each operand starts and its stride, for matching stretches of the contiguous `out`.
    pub(super) fn for_runs<O: Send, const N: usize>(
        &self,
        op: &'static str,
        shape: &Shape,
        layouts: [&Layout; N],
        out: &mut [O],
        f: &RunTask<'_, O, N>,
    ) {
        let walk = collapse(shape, layouts);
        let (len, strides) = (walk.row_len(), walk.row_strides());
        if walk.row_count() == 1 {
            let starts = layouts.map(Layout::offset);
            for_chunks(self.team(), op, out, PIECE, |piece, out| {
                let at =
                    |i: usize| starts[i].wrapping_add_signed(strides[i] * (piece * PIECE) as isize);
                f(core::array::from_fn(at), strides, out);
            });
            return;
        }
        let rows_each = (PIECE / len).max(1);
        for_chunks(self.team(), op, out, rows_each * len, |piece, out| {
            let rows = walk.rows(piece * rows_each, out.len() / len);
            for (starts, row) in rows.zip(out.chunks_exact_mut(len)) {
                f(starts, strides, row);
            }
        });
    }
}

/// What an op does with a stretch of its operands and its result.
type RowTask<'a, T, O, const N: usize> = dyn Fn([Operand<'_, T>; N], &mut [O]) + Sync + 'a;

/// The same told where each operand starts, and its stride.
type RunTask<'a, O, const N: usize> = dyn Fn([usize; N], [isize; N], &mut [O]) + Sync + 'a;

/// `len` elements of each of some contiguous operands, from element `first` on.
#[inline]
fn stretches<'a, T: Element, const N: usize>(
    operands: &[(&'a RawTensor<T>, &Layout); N],
    first: usize,
    len: usize,
) -> [Operand<'a, T>; N] {
    core::array::from_fn(|i| {
        let (x, layout) = operands[i];
        let start = layout.offset() + first;
        Operand::Slice(&x.storage_elements()[start..start + len])
    })
}

/// One row: slices and single values as they are, anything else gathered tile by tile.
fn one_row<T: Element, O, const N: usize>(
    all: [&[T]; N],
    starts: [usize; N],
    strides: [isize; N],
    out: &mut [O],
    f: &RowTask<'_, T, O, N>,
) {
    if strides.iter().all(|&stride| stride == 0 || stride == 1) {
        let operand = |i: usize| match strides[i] {
            0 => Operand::Splat(all[i][starts[i]]),
            _ => Operand::Slice(&all[i][starts[i]..starts[i] + out.len()]),
        };
        return f(core::array::from_fn(operand), out);
    }
    let mut tiles = [[T::default(); TILE]; N];
    for (t, out) in out.chunks_mut(TILE).enumerate() {
        for i in 0..N {
            let start = starts[i].wrapping_add_signed(strides[i] * (t * TILE) as isize);
            copy_row(all[i], start, strides[i], &mut tiles[i][..out.len()]);
        }
        f(core::array::from_fn(|i| Operand::Slice(&tiles[i][..out.len()])), out);
    }
}

/// The elements from `start` on, as long as `tile`: where they lie, or gathered in it.
pub(super) fn run<'a, T: Element>(
    all: &'a [T],
    start: usize,
    stride: isize,
    tile: &'a mut [T],
) -> Operand<'a, T> {
    match stride {
        0 => Operand::Splat(all[start]),
        1 => Operand::Slice(&all[start..start + tile.len()]),
        _ => {
            copy_row(all, start, stride, tile);
            Operand::Slice(tile)
        }
    }
}
