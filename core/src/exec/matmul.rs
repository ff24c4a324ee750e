//! Matrix products: one driver, any strides, three orientations.
//!
//! The driver stands in `gemm`.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::gemm::Operands;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::kernels::gemm::Matrix;
use crate::layout::Shape;
use crate::raw::RawTensor;

impl ExecContext {
    /// Multiplies matrices: `out[i, j] = sum over p of a[i, p] * b[p, j]`.
    ///
    /// - Shapes: `a [m, k]`, `b [k, n]`, result `[m, n]`; any strides, nothing is copied but into packed strips.
    /// - Numerics: `k` ascending, one fused step each: the same bits on every fused backend and team. A vector (one row, or one
    ///   column) times a matrix that is contiguous along `k` follows the reduction rule instead.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if one is not a matrix or `b` has not `k` rows; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn matmul<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul", a, b, [false, false])
    }

    /// `a * b^T`: `a [m, k]`, `b [n, k]`, result `[m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul), for `b` without `k` columns.
    #[track_caller]
    pub fn matmul_nt<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_nt", a, b, [false, true])
    }

    /// `a^T * b`: `a [k, m]`, `b [k, n]`, result `[m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    #[track_caller]
    pub fn matmul_tn<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_tn", a, b, [true, false])
    }

    #[track_caller]
    fn product<T: Real>(
        &self,
        op: &'static str,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
        transposed: [bool; 2],
    ) -> Result<RawTensor<T>> {
        let (left, right) = (*a.shape(), *b.shape());
        for shape in [left, right] {
            if shape.rank() != 2 {
                return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Rank(2) });
            }
        }
        let [ta, tb] = transposed.map(usize::from);
        let (m, k, n) = (left[ta], left[1 - ta], right[1 - tb]);
        if right[tb] != k {
            let fits = if tb == 1 { Fits::Columns(k) } else { Fits::Rows(k) };
            return Err(Error::ShapeMismatch { op, left, right, fits });
        }
        let mut out = self.fresh(op, Shape::new(op, &[m, n])?)?;
        let [a, b] = [(a, ta), (b, tb)].map(|(x, t)| {
            let l = x.layout();
            let (data, start) = (x.storage_elements(), l.offset());
            let matrix = Matrix { data, start, row: l.strides()[0], column: l.strides()[1] };
            if t == 1 { matrix.transposed() } else { matrix }
        });
        self.gemm(Operands { op, left: a, right: b, m, k, n }, out.data())?;
        Ok(out.done())
    }
}
