//! Matrix products in their three orientations.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::matmul::{MatmulVjp, Orientation};
use crate::error::Result;
use crate::exec::{BinaryOp, ExecContext};

impl<T: Differentiable> Tensor<T> {
    /// Multiplies matrices: `out[i, j] = sum over p of self[i, p] * rhs[p, j]`.
    ///
    /// - Shapes: `self [m, k]`, `rhs [k, n]`, result `[m, n]`; any strides.
    /// - Numerics: `k` ascending, one fused step each: the same bits on every fused backend and team. A vector (one row, or one
    ///   column) times a matrix that is contiguous along `k` follows the reduction rule instead.
    /// - Gradient: `self: g * rhs^T`, `rhs: self^T * g`. Memory: one pooled block of `m * n`; scratch returned.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if one is not a matrix or `rhs` has not `k` rows;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let a = Tensor::from_slice(&ctx, &[1, 2], &[1.0_f32, 2.0])?;
    /// let b = Tensor::from_slice(&ctx, &[2, 2], &[3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(a.matmul(&ctx, &b)?.to_vec()?, [13.0, 16.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn matmul(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        self.product(ctx, "matmul", rhs, Orientation::Nn, ExecContext::matmul)
    }

    /// `self * rhs^T`: `self [m, k]`, `rhs [n, k]`, result `[m, n]`.
    ///
    /// Gradient: `self: g * rhs`, `rhs: g^T * self`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul), for `rhs` without `k` columns.
    #[track_caller]
    pub fn matmul_nt(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        self.product(ctx, "matmul_nt", rhs, Orientation::Nt, ExecContext::matmul_nt)
    }

    /// `self^T * rhs`: `self [k, m]`, `rhs [k, n]`, result `[m, n]`.
    ///
    /// Gradient: `self: rhs * g^T`, `rhs: self * g`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    #[track_caller]
    pub fn matmul_tn(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        self.product(ctx, "matmul_tn", rhs, Orientation::Tn, ExecContext::matmul_tn)
    }

    #[track_caller]
    fn product(
        &self,
        ctx: &ExecContext,
        op: &'static str,
        rhs: &Self,
        orientation: Orientation,
        multiply: BinaryOp<T>,
    ) -> Result<Self> {
        Recording::new(ctx, op, [self, rhs]).run(
            |ctx, [a, b]| multiply(ctx, a, b),
            |_, [lhs, other]| MatmulVjp {
                orientation,
                lhs: other.then(|| self.raw.clone()),
                rhs: lhs.then(|| rhs.raw.clone()),
            },
        )
    }
}
