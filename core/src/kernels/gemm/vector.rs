//! Products with a vector. Each output runs over `k` in ascending order, as in any other product.

use super::Matrix;
use crate::dtype::Float;
use crate::kernels::{Lanes, Op};

/// Rows of the matrix that are read side by side.
const ROWS: usize = 8;

/// `out[j] += sum over p of x[p] * matrix[p, j]`: rows of the matrix are contiguous.
///
/// Eight rows are streamed side by side, so that memory is read in order and an output is loaded and stored once in
/// eight steps.
pub struct VectorTimesMatrix<'a, T> {
    /// The vector.
    pub x: &'a [T],
    /// The matrix, of `x.len()` rows.
    pub matrix: Matrix<'a, T>,
    /// The first column.
    pub first: usize,
    /// The outputs; 0 before.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for VectorTimesMatrix<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let n = self.out.len();
        let (eights, rest) = self.x.as_chunks::<ROWS>();
        for (p, x) in eights.iter().enumerate() {
            let row = |r| self.matrix.run(p * ROWS + r, self.first, n);
            add_rows(l, x, core::array::from_fn(row), self.out);
        }
        for (p, &x) in rest.iter().enumerate() {
            let row = self.matrix.run(eights.len() * ROWS + p, self.first, n);
            add_rows(l, &[x], [row], self.out);
        }
    }
}

/// `out += x[0] * rows[0]`, then `x[1] * rows[1]`, ...
#[inline(always)]
fn add_rows<T: Float, L: Lanes<T>, const R: usize>(
    l: L,
    x: &[T; R],
    rows: [&[T]; R],
    out: &mut [T],
) {
    let x = x.map(|x| l.splat(x));
    let n = out.len();
    let rows = rows.map(|row| &row[..n]);
    let whole = n / L::N * L::N;
    for start in (0..whole).step_by(L::N) {
        let mut acc = l.load(&out[start..]);
        for (&x, row) in x.iter().zip(rows) {
            acc = l.mul_add(x, l.load(&row[start..]), acc);
        }
        l.store(acc, &mut out[start..]);
    }
    if whole < n {
        let mut acc = l.load_part(&out[whole..]);
        for (&x, row) in x.iter().zip(rows) {
            acc = l.mul_add(x, l.load_part(&row[whole..]), acc);
        }
        l.store_part(acc, &mut out[whole..]);
    }
}

/// Rows of vectors that are worked on side by side: as many chains of dependent additions.
const CHAINS: usize = 4;
/// The widest square that is transposed.
const MOST_LANES: usize = 8;

/// `out[i] = sum over p of matrix[i, p] * x[p]`: rows of the matrix are contiguous.
///
/// A vector holds the outputs of neighbouring rows; squares of the matrix are transposed to feed it.
pub struct MatrixTimesVector<'a, T> {
    /// The matrix.
    pub matrix: Matrix<'a, T>,
    /// The vector.
    pub x: &'a [T],
    /// The first row.
    pub first: usize,
    /// The outputs.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for MatrixTimesVector<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { matrix, x, first, out } = self;
        if L::N > MOST_LANES {
            return one_by_one(l, matrix, x, first, out);
        }
        let mut wide = out.chunks_exact_mut(CHAINS * L::N);
        let mut at = first;
        for out in wide.by_ref() {
            rows::<T, L, CHAINS>(l, matrix, x, at, out);
            at += CHAINS * L::N;
        }
        let mut narrow = wide.into_remainder().chunks_exact_mut(L::N);
        for out in narrow.by_ref() {
            rows::<T, L, 1>(l, matrix, x, at, out);
            at += L::N;
        }
        one_by_one(l, matrix, x, at, narrow.into_remainder());
    }
}

/// `C` vectors of rows.
#[inline(always)]
fn rows<T: Float, L: Lanes<T>, const C: usize>(
    l: L,
    matrix: Matrix<'_, T>,
    x: &[T],
    first: usize,
    out: &mut [T],
) {
    let mut acc = [l.splat(T::ZERO); C];
    let mut squares = x.chunks_exact(L::N);
    let mut square = [T::ZERO; MOST_LANES * MOST_LANES];
    let mut p = 0;
    for x in squares.by_ref() {
        for (c, acc) in acc.iter_mut().enumerate() {
            let from = matrix.from(first + c * L::N, p);
            l.transpose(from, matrix.row as usize, &mut square, L::N);
            for (&x, column) in x.iter().zip(square.chunks_exact(L::N)) {
                *acc = l.mul_add(l.load(column), l.splat(x), *acc);
            }
        }
        p += L::N;
    }
    for (q, &x) in squares.remainder().iter().enumerate() {
        for (c, acc) in acc.iter_mut().enumerate() {
            let column = &mut square[..L::N];
            for (i, to) in column.iter_mut().enumerate() {
                *to = matrix.from(first + c * L::N + i, p + q)[0];
            }
            *acc = l.mul_add(l.load(column), l.splat(x), *acc);
        }
    }
    for (&acc, out) in acc.iter().zip(out.chunks_exact_mut(L::N)) {
        l.store(acc, out);
    }
}

/// The last rows.
#[inline(always)]
fn one_by_one<T: Float, L: Lanes<T>>(
    l: L,
    matrix: Matrix<'_, T>,
    x: &[T],
    first: usize,
    out: &mut [T],
) {
    for (i, out) in out.iter_mut().enumerate() {
        let row = matrix.run(first + i, 0, x.len());
        let mut acc = [T::ZERO];
        for (&a, &x) in row.iter().zip(x) {
            let v = l.mul_add(l.splat(a), l.splat(x), l.splat(acc[0]));
            l.store_upto(v, &mut acc);
        }
        *out = acc[0];
    }
}
