//! Matrix products: three orientations, any strides, leading axes broadcast; with an addend, or a bias and an activation.
//!
//! The driver stands in `gemm`.
#![forbid(unsafe_code)]

mod widened;

use super::context::ExecContext;
use super::gemm::{Activation, Batch, Epilogue, Operands};
use super::widen::Widen;
use crate::backend::Real;
use crate::dtype::Element;
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::kernels::gemm::Matrix;
use crate::layout::{MAX_RANK, Shape};
use crate::raw::RawTensor;

/// Which operands are transposed.
type Transposed = [bool; 2];

impl ExecContext {
    /// Multiplies matrices: `out[.., i, j] = sum over p of a[.., i, p] * b[.., p, j]`.
    ///
    /// - Shapes: `a [.., m, k]`, `b [.., k, n]`, result `[.., m, n]`: leading axes are broadcast. Any strides, nothing is copied
    ///   but into packed strips.
    /// - Numerics: `k` ascending, one fused step each: the same bits on every fused backend and team. A vector (one row, or one
    ///   column) times a matrix that is contiguous along `k` follows the reduction rule instead. Rows of a whole batch that all
    ///   meet the same `b` count as one matrix.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if one has less than two axes, `b` has not `k` rows or the leading axes do not broadcast;
    /// [`Error::Overflow`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn matmul<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul", (a, b), [false, false], Epilogue::default())
    }

    /// `a * b^T`: `a [.., m, k]`, `b [.., n, k]`, result `[.., m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul), for `b` without `k` columns.
    #[track_caller]
    pub fn matmul_nt<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_nt", (a, b), [false, true], Epilogue::default())
    }

    /// `a^T * b`: `a [.., k, m]`, `b [.., k, n]`, result `[.., m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    #[track_caller]
    pub fn matmul_tn<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_tn", (a, b), [true, false], Epilogue::default())
    }

    /// `c + a * b`: each sum begins with the value of `c`.
    ///
    /// - Shapes: as [`matmul`](Self::matmul); `c` broadcasts to the result.
    /// - Numerics: `c` first, then `k` ascending; where a vector's product is a reduction, it is added to `c`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul); [`Error::ShapeMismatch`] if `c` does not broadcast to the result.
    #[track_caller]
    pub fn matmul_add<T: Real>(
        &self,
        c: &RawTensor<T>,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "matmul_add";
        let joint = Joint::of(OP, [a.shape(), b.shape()], [false, false])?;
        let c = c.with_layout(c.layout().broadcast_to(OP, &joint.shape)?);
        let mut out = self.fresh(OP, joint.shape)?;
        self.copy_into_slice(OP, &c, out.data());
        let operands = Operands { accumulate: true, ..joint.operands(OP, (a, b), [false, false]) };
        self.multiply(&joint, operands, (a, b), out.data())?;
        Ok(out.done())
    }

    /// `activation(x * weight + bias)` in one pass: a linear layer.
    ///
    /// - Shapes: `x [.., m, k]`, `weight [k, n]` (of a `[n, k]` give the transposed view), `bias [n]`, result `[.., m, n]`.
    /// - Numerics: the bits of `matmul`, `add` and the activation, one after the other.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul); [`Error::ShapeMismatch`] if the bias is not `[n]`.
    #[track_caller]
    pub fn linear<T: Real>(
        &self,
        x: &RawTensor<T>,
        weight: &RawTensor<T>,
        bias: Option<&RawTensor<T>>,
        activation: Activation,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "linear";
        let refused = |left: &RawTensor<T>, right: &RawTensor<T>, fits| {
            let (left, right) = (*left.shape(), *right.shape());
            Err(Error::ShapeMismatch { op: OP, left, right, fits })
        };
        let &[_, n] = weight.shape().dims() else {
            return refused(x, weight, Fits::Rank(2));
        };
        let bias = match bias {
            Some(bias) if bias.shape().dims() != [n] => {
                return refused(weight, bias, Fits::Vector(n));
            }
            Some(bias) => Some(self.prepare(OP, bias)?),
            None => None,
        };
        let bias = bias.as_ref().map(|bias| Operand::Slice(bias.data()));
        self.product(OP, (x, weight), [false, false], Epilogue { bias, activation })
    }

    /// `sum over all leading axes of a^T * b`, for `a [.., m, k]`, `b [.., m, n]`: the gradient of what a batch shares.
    #[track_caller]
    pub(crate) fn matmul_tn_joined<T: Real>(
        &self,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "matmul_tn";
        let joined = |x: &RawTensor<T>| {
            let columns = x.shape()[x.shape().rank() - 1];
            self.reshape(x, &[x.shape().count() / columns, columns])
        };
        let [a, b] = [&joined(a)?, &joined(b)?];
        self.product(OP, (a, b), [true, false], Epilogue::default())
    }

    #[track_caller]
    fn product<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        op: &'static str,
        (a, b): (&RawTensor<A>, &RawTensor<B>),
        transposed: Transposed,
        epilogue: Epilogue<'_, T>,
    ) -> Result<RawTensor<T>> {
        let joint = Joint::of(op, [a.shape(), b.shape()], transposed)?;
        let mut out = self.fresh(op, joint.shape)?;
        let operands = Operands { epilogue, ..joint.operands(op, (a, b), transposed) };
        if joint.shape.rank() == 2 {
            self.gemm(operands, out.data())?;
        } else {
            self.multiply(&joint, operands, (a, b), out.data())?;
        }
        Ok(out.done())
    }

    /// Products of all leading axes.
    #[track_caller]
    fn multiply<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        joint: &Joint,
        operands: Operands<'_, T, A, B>,
        (a, b): (&RawTensor<A>, &RawTensor<B>),
        out: &mut [T],
    ) -> Result<()> {
        let rank = joint.shape.rank() - 2;
        let (dims, [left, right]) = (&joint.shape.dims()[..rank], [lead(a, rank), lead(b, rank)]);
        if right == [0; MAX_RANK]
            && let Some(row) = one_axis(dims, &left[..rank], (operands.m, operands.left.row))
        {
            // All rows meet the same right operand: one product.
            let left = Matrix { row, ..operands.left };
            let m = out.len() / operands.n;
            return self.gemm(Operands { left, m, ..operands }, out);
        }
        self.gemm_batch(operands, &Batch { dims, left, right }, out)
    }
}

/// The geometry of a product.
struct Joint {
    shape: Shape,
    m: usize,
    k: usize,
    n: usize,
}

impl Joint {
    fn of(op: &'static str, [a, b]: [&Shape; 2], [ta, tb]: Transposed) -> Result<Self> {
        let refused = |fits| Err(Error::ShapeMismatch { op, left: *a, right: *b, fits });
        if a.rank() < 2 || b.rank() < 2 {
            return refused(Fits::RankAtLeast(2));
        }
        let [[rows_a, columns_a], [rows_b, columns_b]] =
            [a, b].map(|x| [x[x.rank() - 2], x[x.rank() - 1]]);
        let (m, k) = if ta { (columns_a, rows_a) } else { (rows_a, columns_a) };
        let (found, n) = if tb { (columns_b, rows_b) } else { (rows_b, columns_b) };
        if found != k {
            return refused(if tb { Fits::Columns(k) } else { Fits::Rows(k) });
        }
        let rank = a.rank().max(b.rank());
        let mut dims = [1; MAX_RANK];
        for back in 3..=rank {
            let [a, b] = [a, b].map(|x| if back <= x.rank() { x[x.rank() - back] } else { 1 });
            if a != b && a != 1 && b != 1 {
                return refused(Fits::BroadcastLeading);
            }
            dims[rank - back] = a.max(b);
        }
        (dims[rank - 2], dims[rank - 1]) = (m, n);
        Ok(Self { shape: Shape::new(op, &dims[..rank])?, m, k, n })
    }

    /// The operands of the first product.
    fn operands<'a, T: Real, A: Element, B: Element>(
        &self,
        op: &'static str,
        (a, b): (&'a RawTensor<A>, &'a RawTensor<B>),
        [ta, tb]: Transposed,
    ) -> Operands<'a, T, A, B> {
        let (left, right, epilogue) = (matrix(a, ta), matrix(b, tb), Epilogue::default());
        let &Self { m, k, n, .. } = self;
        Operands { op, left, right, m, k, n, accumulate: false, epilogue }
    }
}

/// The first matrix of a batch.
fn matrix<T: Element>(x: &RawTensor<T>, transposed: bool) -> Matrix<'_, T> {
    let (l, rank) = (x.layout(), x.shape().rank());
    let (row, column) = (l.strides()[rank - 2], l.strides()[rank - 1]);
    let matrix = Matrix { data: x.storage_elements(), start: l.offset(), row, column };
    if transposed { matrix.transposed() } else { matrix }
}

/// The strides of the `rank` leading axes of a joint shape in an operand: 0 where it is broadcast.
fn lead<T: Element>(x: &RawTensor<T>, rank: usize) -> [isize; MAX_RANK] {
    let (own, mut strides) = (x.shape().rank() - 2, [0; MAX_RANK]);
    for axis in 0..own {
        if x.shape()[axis] != 1 {
            strides[rank - own + axis] = x.layout().strides()[axis];
        }
    }
    strides
}

/// The distance of rows if the leading axes and the rows are one axis.
fn one_axis(dims: &[usize], strides: &[isize], (m, row): (usize, isize)) -> Option<isize> {
    let (mut each, mut next) = (row, row.checked_mul(m as isize)?);
    let mut known = m > 1;
    for (&dim, &stride) in dims.iter().zip(strides).rev().filter(|&(&dim, _)| dim > 1) {
        if !known {
            (each, next, known) = (stride, stride, true);
        } else if stride != next {
            return None;
        }
        next = next.checked_mul(dim as isize)?;
    }
    Some(each)
}
