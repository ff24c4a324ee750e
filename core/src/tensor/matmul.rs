//! Matrix products in their three orientations.

mod widened;

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::matmul::{MatmulAddVjp, MatmulVjp, Orientation};
use crate::error::Result;
use crate::exec::{BinaryOp, ExecContext};

impl<T: Differentiable> Tensor<T> {
    /// Multiplies matrices: `out[i, j] = sum over p of self[i, p] * rhs[p, j]`.
    ///
    /// - Shapes: `self [.., m, k]`, `rhs [.., k, n]`, result `[.., m, n]`: leading axes are broadcast; any strides.
    /// - Numerics: `k` ascending, one fused step each: the same bits on every fused backend and team. A vector (one row, or one
    ///   column) times a matrix that is contiguous along `k` follows the reduction rule instead. Rows of a whole batch that all
    ///   meet the same `rhs` count as one matrix.
    /// - Gradient: `self: g * rhs^T`, `rhs: self^T * g`, summed over broadcast axes. Memory: one pooled block for the result;
    ///   scratch returned.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if one has less than two axes, `rhs` has not `k` rows or the leading
    /// axes do not broadcast; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
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

    /// `self + a * b`: each sum begins with the value of `self`, which broadcasts to the result.
    ///
    /// Shapes, numerics and the gradients of `a` and `b` as [`matmul`](Self::matmul); `self` gets the gradient as it is, summed
    /// over broadcast axes.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul), and if `self` does not broadcast to the result.
    #[track_caller]
    pub fn matmul_add(&self, ctx: &ExecContext, a: &Self, b: &Self) -> Result<Self> {
        Recording::new(ctx, "matmul_add", [a, b, self]).run(
            |ctx, [a, b, c]| ctx.matmul_add(c, a, b),
            |_, [need_a, need_b, _]| MatmulAddVjp {
                addend: *self.shape(),
                product: a.matmul_vjp(b, Orientation::Nn, [need_a, need_b]),
            },
        )
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
            |_, needs| self.matmul_vjp(rhs, orientation, needs),
        )
    }
    /// Saves each operand if the other needs a gradient.
    fn matmul_vjp(
        &self,
        rhs: &Self,
        orientation: Orientation,
        [need_lhs, need_rhs]: [bool; 2],
    ) -> MatmulVjp<T> {
        MatmulVjp {
            orientation,
            shapes: [*self.shape(), *rhs.shape()],
            lhs: need_rhs.then(|| self.raw.clone()),
            rhs: need_lhs.then(|| rhs.raw.clone()),
        }
    }
}
