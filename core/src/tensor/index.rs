//! Elements picked by index along an axis.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::index::IndexVjp;
use crate::error::Result;
use crate::exec::ExecContext;

impl<T: Differentiable> Tensor<T> {
    /// The slices along `axis` that `indices` names, in their order; an index may come again. With axis 0 of a `[classes, dim]`
    /// table, an embedding.
    ///
    /// - Shapes: the result has those of the indices in the place of `axis`: `[classes, dim]` at `[batch, n]` along axis 0 is
    ///   `[batch, n, dim]`.
    /// - Gradient: `g` added to where its slices come from, in the order of the indices: one result on any team.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange);
    /// [`Error::IndexOutOfRange`](crate::Error::IndexOutOfRange) for an index that is negative or not below the length of the axis;
    /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the rank would exceed 8;
    /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let table = Tensor::variable_from_slice(&ctx, &[3, 2], &[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// let words = Tensor::from_slice(&ctx, &[3], &[2_i64, 0, 2])?;
    /// let x = table.index_select(&ctx, 0, &words)?;
    /// assert_eq!(x.to_vec()?, [4.0, 5.0, 0.0, 1.0, 4.0, 5.0]);
    /// x.sum_all(&ctx)?.backward(&ctx)?;
    /// assert_eq!(table.grad(&ctx)?.unwrap().to_vec()?, [1.0, 1.0, 0.0, 0.0, 2.0, 2.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn index_select(
        &self,
        ctx: &ExecContext,
        axis: usize,
        indices: &Tensor<i64>,
    ) -> Result<Self> {
        Recording::new(ctx, "index_select", [self]).run(
            |ctx, [x]| ctx.index_select(x, axis, &indices.raw),
            |_, _| self.index_vjp(axis, indices, false),
        )
    }

    /// From each line along `axis` the elements that the same line of `indices` names: with axis 1,
    /// `out[i, j] = self[i, indices[i, j]]`.
    ///
    /// - Shapes: those of `self` and `indices` differ at most in `axis`; the result has that of `indices`.
    /// - Gradient: `g` added to where its elements come from, in the order of the axis: one result on any team.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::ShapeMismatch`](crate::Error::ShapeMismatch);
    /// [`Error::IndexOutOfRange`](crate::Error::IndexOutOfRange) for an index that is negative or not below the length of the axis;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let scores = Tensor::from_slice(&ctx, &[2, 3], &[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// let classes = Tensor::from_slice(&ctx, &[2, 1], &[2_i64, 0])?;
    /// assert_eq!(scores.gather(&ctx, 1, &classes)?.to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn gather(&self, ctx: &ExecContext, axis: usize, indices: &Tensor<i64>) -> Result<Self> {
        Recording::new(ctx, "gather", [self]).run(
            |ctx, [x]| ctx.gather(x, axis, &indices.raw),
            |_, _| self.index_vjp(axis, indices, true),
        )
    }

    fn index_vjp(&self, axis: usize, indices: &Tensor<i64>, by_line: bool) -> IndexVjp {
        IndexVjp { shape: *self.shape(), axis, indices: indices.raw.clone(), by_line }
    }
}
