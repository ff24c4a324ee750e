//! Products with a vector: a row of the matrix after the other, whichever way they stand.

use super::Matrix;
use crate::dtype::Float;
use crate::kernels::half::Stored;
use crate::kernels::reduce::dot;
use crate::kernels::{Lanes, Op};

/// Rows of the matrix that are read side by side.
const ROWS: usize = 8;
/// Vectors of one row that are set together.
const TOGETHER: usize = 4;

/// `out[j] += sum over p of x[p] * matrix[p, j]`: rows of the matrix are contiguous.
///
/// Eight rows are streamed side by side, so that memory is read in order and an output is loaded and stored once in
/// eight steps.
pub struct VectorTimesMatrix<'a, T, S = T> {
    /// The vector.
    pub x: &'a [T],
    /// The matrix, of `x.len()` rows; it may be of halves.
    pub matrix: Matrix<'a, S>,
    /// The first column.
    pub first: usize,
    /// The outputs, to which it is added.
    pub out: &'a mut [T],
}

impl<T: Float, S: Stored<T>> Op<T> for VectorTimesMatrix<'_, T, S> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let n = self.out.len();
        let (eights, rest) = self.x.as_chunks::<ROWS>();
        for (p, x) in eights.iter().enumerate() {
            let row = |r| self.matrix.run(p * ROWS + r, self.first, n);
            add_rows(l, x, core::array::from_fn(row), self.out, false);
        }
        for (p, &x) in rest.iter().enumerate() {
            let row = self.matrix.run(eights.len() * ROWS + p, self.first, n);
            add_rows(l, &[x], [row], self.out, false);
        }
    }
}

/// `out += x[0] * rows[0]`, then `x[1] * rows[1]`, ...; from 0 if it is `fresh`.
#[inline(always)]
fn add_rows<T: Float, L: Lanes<T>, S: Stored<T>, const R: usize>(
    l: L,
    x: &[T; R],
    rows: [&[S]; R],
    out: &mut [T],
    fresh: bool,
) {
    let zero = l.splat(T::ZERO);
    let x = x.map(|x| l.splat(x));
    let n = out.len();
    let rows = rows.map(|row| &row[..n]);
    let whole = n / L::N * L::N;
    for start in (0..whole).step_by(L::N) {
        let mut acc = if fresh { zero } else { l.load(&out[start..]) };
        for (&x, row) in x.iter().zip(rows) {
            acc = l.mul_add(x, S::load(l, &row[start..]), acc);
        }
        l.store(acc, &mut out[start..]);
    }
    if whole < n {
        let mut acc = if fresh { zero } else { l.load_part(&out[whole..]) };
        for (&x, row) in x.iter().zip(rows) {
            acc = l.mul_add(x, S::load_part(l, &row[whole..]), acc);
        }
        l.store_part(acc, &mut out[whole..]);
    }
}

/// `out += x * row`; from 0 if it is `fresh`.
#[inline(always)]
pub(super) fn set_row<T: Float, L: Lanes<T>>(l: L, x: T, row: &[T], out: &mut [T], fresh: bool) {
    let each = TOGETHER * L::N;
    let (out, out_rest) = out.split_at_mut(out.len() / each * each);
    let (row, row_rest) = row.split_at(out.len());
    let (value, zero) = (l.splat(x), l.splat(T::ZERO));
    for (out, row) in out.chunks_exact_mut(each).zip(row.chunks_exact(each)) {
        for (out, row) in out.chunks_exact_mut(L::N).zip(row.chunks_exact(L::N)) {
            let acc = if fresh { zero } else { l.load(out) };
            l.store(l.mul_add(value, l.load(row), acc), out);
        }
    }
    add_rows(l, &[x], [row_rest], out_rest, fresh);
}

/// `out[i] += sum over p of matrix[i, p] * x[p]`: rows of the matrix are contiguous, so the products must run along them. The one
/// product that follows the reduction rule ([`reduce`](crate::kernels::reduce)) instead of the order of `k`.
pub struct MatrixTimesVector<'a, T, S = T> {
    /// The matrix; it may be of halves.
    pub matrix: Matrix<'a, S>,
    /// The vector.
    pub x: &'a [T],
    /// The first row.
    pub first: usize,
    /// The outputs, to which it is added.
    pub out: &'a mut [T],
}

impl<T: Float, S: Stored<T>> Op<T> for MatrixTimesVector<'_, T, S> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        for (i, out) in self.out.iter_mut().enumerate() {
            let row = self.matrix.run(self.first + i, 0, self.x.len());
            *out = *out + dot(l, row, self.x);
        }
    }
}
