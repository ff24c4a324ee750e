//! Products of f16 and bf16: constants, as tensors of those types are.

use crate::autograd::Differentiable;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exec::{ExecContext, Widen};
use crate::raw::RawTensor;
use crate::tensor::Tensor;
use crate::tensor::record::finish;

/// A product on raw tensors.
type Multiply<A, B, T> = fn(&ExecContext, &RawTensor<A>, &RawTensor<B>) -> Result<RawTensor<T>>;

impl<A: Element> Tensor<A> {
    /// [`matmul`](Tensor::matmul) of operands that are widened on the way: f16, bf16 and `f32` in any combination, in `f32`. See
    /// [`ExecContext::matmul_widened`].
    ///
    /// Gradient: none.
    ///
    /// # Errors
    /// As [`matmul`](Tensor::matmul); [`Error::UnsupportedGradient`] if an operand carries a gradient.
    #[track_caller]
    pub fn matmul_widened<T: Differentiable, B: Widen<T>>(
        &self,
        ctx: &ExecContext,
        rhs: &Tensor<B>,
    ) -> Result<Tensor<T>>
    where
        A: Widen<T>,
    {
        product(ctx, "matmul_widened", (self, rhs), ExecContext::matmul_widened)
    }

    /// `self * rhs^T`: [`matmul_nt`](Tensor::matmul_nt) as [`matmul_widened`](Self::matmul_widened).
    ///
    /// # Errors
    /// As [`matmul_nt`](Tensor::matmul_nt); [`Error::UnsupportedGradient`] if an operand carries a gradient.
    #[track_caller]
    pub fn matmul_nt_widened<T: Differentiable, B: Widen<T>>(
        &self,
        ctx: &ExecContext,
        rhs: &Tensor<B>,
    ) -> Result<Tensor<T>>
    where
        A: Widen<T>,
    {
        product(ctx, "matmul_nt_widened", (self, rhs), ExecContext::matmul_nt_widened)
    }

    /// `self^T * rhs`: [`matmul_tn`](Tensor::matmul_tn) as [`matmul_widened`](Self::matmul_widened).
    ///
    /// # Errors
    /// As [`matmul_tn`](Tensor::matmul_tn); [`Error::UnsupportedGradient`] if an operand carries a gradient.
    #[track_caller]
    pub fn matmul_tn_widened<T: Differentiable, B: Widen<T>>(
        &self,
        ctx: &ExecContext,
        rhs: &Tensor<B>,
    ) -> Result<Tensor<T>>
    where
        A: Widen<T>,
    {
        product(ctx, "matmul_tn_widened", (self, rhs), ExecContext::matmul_tn_widened)
    }
}

#[track_caller]
fn product<T: Differentiable, A: Widen<T>, B: Widen<T>>(
    ctx: &ExecContext,
    op: &'static str,
    (a, b): (&Tensor<A>, &Tensor<B>),
    multiply: Multiply<A, B, T>,
) -> Result<Tensor<T>> {
    if (a.node.is_some() || b.node.is_some()) && ctx.grad_enabled() {
        return Err(Error::UnsupportedGradient { op });
    }
    let nothing = |_: &_, (), _| unreachable!("nothing is recorded");
    finish(ctx, op, false, || Ok((multiply(ctx, &a.raw, &b.raw)?, ())), nothing)
}
