//! Elementwise ops: one driver for any number of operands of any layout.
//!
//! Operands are stretched to one shape, neighbouring axes that all of them walk together are merged, and every
//! innermost row goes to a kernel as slices (stride 1), single values (stride 0) or short gathered tiles (any other
//! stride). The result is contiguous. Pieces of about [`PIECE`] elements go to the team.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::copy::copy_row;
use crate::backend::{Real, Table};
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::layout::{Layout, Shape, broadcast_shape, collapse};
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 15;
/// Elements gathered at a time from a strided row.
const TILE: usize = 64;

macro_rules! binary_ops {
    // binary_ops! { "docs" add } => pub fn add<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous. Rounded once an element.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::Overflow`]; [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
            self.binary(stringify!($name), a, b, |k, a, b, out| k.$name(a, b, out))
        }
    )*};
}

macro_rules! unary_ops {
    // unary_ops! { "docs" exp } => pub fn exp<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
            self.unary(stringify!($name), x, |k, x, out| k.$name(x, out))
        }
    )*};
}

impl ExecContext {
    binary_ops! {
        "`a + b`." add;
        "`a - b`." sub;
        "`a * b`." mul;
        "`a / b`." div;
        "The gradient of relu: `g` where `x` is positive or NaN, else 0." relu_backward;
        "The gradient of gelu at `x`, times `g`." gelu_backward;
        "The gradient of tanh from its output `y`: `g * (1 - y^2)`." tanh_backward;
        "The gradient of sigmoid from its output `y`: `g * y * (1 - y)`." sigmoid_backward;
        "The gradient of sqrt from its output `y`: `g / (2 y)`." sqrt_backward;
    }

    unary_ops! {
        "`-x`: the sign flipped, of NaN too." neg;
        "`e^x`." exp;
        "The natural logarithm: `-inf` at 0, NaN below." log;
        "The square root: NaN below 0." sqrt;
        "The hyperbolic tangent." tanh;
        "The logistic function `1 / (1 + e^-x)`." sigmoid;
        "`x` where it is positive or NaN, else 0." relu;
        "`x * Phi(x)` with the normal distribution function `Phi`: the exact form." gelu;
    }

    /// `x * factor`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn scale<T: Real>(&self, x: &RawTensor<T>, factor: T) -> Result<RawTensor<T>> {
        self.map("scale", *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.mul(x, Operand::Splat(factor), out);
        })
    }

    /// `x / divisor`.
    #[track_caller]
    pub(crate) fn divide_by<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        divisor: T,
    ) -> Result<RawTensor<T>> {
        self.map(op, *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.div(x, Operand::Splat(divisor), out);
        })
    }

    /// `acc += x`, for contiguous unshared `acc` of the same shape.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the shapes differ; [`Error::UnsupportedView`] if `acc` is shared or not contiguous.
    #[track_caller]
    pub fn add_in_place<T: Real>(&self, acc: &mut RawTensor<T>, x: &RawTensor<T>) -> Result<()> {
        const OP: &str = "add_in_place";
        if acc.shape() != x.shape() {
            let (left, right) = (*acc.shape(), *x.shape());
            return Err(Error::ShapeMismatch { op: OP, left, right, fits: Fits::Same });
        }
        let k = self.kernels::<T>();
        let shape = *x.shape();
        let fits = "a contiguous tensor that is the only owner of its storage";
        let out = acc.unique_mut().ok_or(Error::UnsupportedView { op: OP, fits })?;
        self.for_rows(OP, &shape, [(x, x.layout())], out, &|[x], out| k.accumulate(x, out));
        Ok(())
    }

    #[inline(always)]
    #[track_caller]
    fn binary<T: Real>(
        &self,
        op: &'static str,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
        f: impl Fn(Table<T>, Operand<'_, T>, Operand<'_, T>, &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        if a.shape() == b.shape() {
            let operands = [(a, a.layout()), (b, b.layout())];
            return self.map(op, *a.shape(), operands, |k, [a, b], out| f(k, a, b, out));
        }
        let shape = broadcast_shape(op, a.shape(), b.shape())?;
        let la = a.layout().broadcast_to(op, &shape)?;
        let lb = b.layout().broadcast_to(op, &shape)?;
        self.map(op, shape, [(a, &la), (b, &lb)], |k, [a, b], out| f(k, a, b, out))
    }

    #[inline(always)]
    #[track_caller]
    fn unary<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        f: impl Fn(Table<T>, &[T], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        self.map(op, *x.shape(), [(x, x.layout())], |k, [x], out| match x {
            Operand::Slice(x) => f(k, x, out),
            Operand::Splat(x) => {
                let mut one = [x];
                f(k, &[x], &mut one);
                out.fill(one[0]);
            }
        })
    }

    /// `out = f(operands)` for operands seen through layouts of one shape.
    #[inline(always)]
    #[track_caller]
    fn map<T: Real, const N: usize>(
        &self,
        op: &'static str,
        shape: Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        f: impl Fn(Table<T>, [Operand<'_, T>; N], &mut [T]) + Sync,
    ) -> Result<RawTensor<T>> {
        let mut out = self.fresh(op, shape)?;
        let k = self.kernels::<T>();
        self.for_rows(op, &shape, operands, out.data(), &|operands, out| f(k, operands, out));
        Ok(out.done())
    }

    /// Calls `f` with matching stretches of the operands and of the contiguous `out`.
    #[inline(always)]
    pub(super) fn for_rows<T: Real, const N: usize>(
        &self,
        op: &'static str,
        shape: &Shape,
        operands: [(&RawTensor<T>, &Layout); N],
        out: &mut [T],
        f: &(impl Fn([Operand<'_, T>; N], &mut [T]) + Sync),
    ) {
        let all = operands.map(|(x, _)| x.storage_elements());
        let layouts = operands.map(|(_, layout)| layout);
        if layouts.iter().all(|layout| layout.is_contiguous()) {
            for_chunks(self.team(), op, out, PIECE, |piece, out| {
                let operand = |i: usize| {
                    let start = layouts[i].offset() + piece * PIECE;
                    Operand::Slice(&all[i][start..start + out.len()])
                };
                f(core::array::from_fn(operand), out);
            });
            return;
        }
        self.for_strided_rows(op, shape, layouts, all, out, f);
    }

    fn for_strided_rows<T: Real, const N: usize>(
        &self,
        op: &'static str,
        shape: &Shape,
        layouts: [&Layout; N],
        all: [&[T]; N],
        out: &mut [T],
        f: &(impl Fn([Operand<'_, T>; N], &mut [T]) + Sync),
    ) {
        let walk = collapse(shape, layouts);
        let (len, strides) = (walk.row_len(), walk.row_strides());
        if walk.row_count() == 1 {
            let starts = layouts.map(Layout::offset);
            for_chunks(self.team(), op, out, PIECE, |piece, out| {
                let at =
                    |i: usize| starts[i].wrapping_add_signed(strides[i] * (piece * PIECE) as isize);
                one_row(all, core::array::from_fn(at), strides, out, f);
            });
            return;
        }
        let rows_each = (PIECE / len).max(1);
        for_chunks(self.team(), op, out, rows_each * len, |piece, out| {
            let rows = walk.rows(piece * rows_each, out.len() / len);
            for (starts, row) in rows.zip(out.chunks_exact_mut(len)) {
                one_row(all, starts, strides, row, f);
            }
        });
    }
}

/// One row: slices and single values as they are, anything else gathered tile by tile.
fn one_row<T: Real, const N: usize>(
    all: [&[T]; N],
    starts: [usize; N],
    strides: [isize; N],
    out: &mut [T],
    f: &impl Fn([Operand<'_, T>; N], &mut [T]),
) {
    if strides.iter().all(|&stride| stride == 0 || stride == 1) {
        let operand = |i: usize| match strides[i] {
            0 => Operand::Splat(all[i][starts[i]]),
            _ => Operand::Slice(&all[i][starts[i]..starts[i] + out.len()]),
        };
        return f(core::array::from_fn(operand), out);
    }
    let mut tiles = [[T::ZERO; TILE]; N];
    for (t, out) in out.chunks_mut(TILE).enumerate() {
        for i in 0..N {
            let start = starts[i].wrapping_add_signed(strides[i] * (t * TILE) as isize);
            copy_row(all[i], start, strides[i], &mut tiles[i][..out.len()]);
        }
        f(core::array::from_fn(|i| Operand::Slice(&tiles[i][..out.len()])), out);
    }
}
