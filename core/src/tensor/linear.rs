//! The linear layer.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::linear::LinearVjp;
use crate::error::Result;
use crate::exec::{Activation, BinaryOp, ExecContext};
use crate::raw::RawTensor;

/// A result, and what the activation's gradient is computed from.
type WithSaved<T> = (RawTensor<T>, Option<(RawTensor<T>, BinaryOp<T>)>);

impl<T: Differentiable> Tensor<T> {
    /// `activation(self * weight + bias)` in one pass.
    ///
    /// - Shapes: `self [.., m, k]`, `weight [k, n]` (of a `[n, k]` give the transposed view, which copies nothing), `bias [n]`,
    ///   result `[.., m, n]`.
    /// - Numerics: the bits of [`matmul`](Self::matmul), [`add`](Self::add) and the activation, one after the other.
    /// - Gradient: with `g'` for `g` times the activation's derivative, `self: g' * weight^T`, `weight: self^T * g'`,
    ///   `bias: g'` summed over all axes but the last. Memory: one pooled block for the result; a recorded
    ///   silu or gelu keeps its operand too.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch); [`Error::Overflow`](crate::Error::Overflow);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::Activation;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[1, 2], &[1.0_f32, 2.0])?;
    /// let weight = Tensor::from_slice(&ctx, &[2, 2], &[3.0, -4.0, 5.0, -6.0])?;
    /// let bias = Tensor::from_slice(&ctx, &[2], &[0.5, 0.5])?;
    /// let y = x.linear(&ctx, &weight, Some(&bias), Activation::Relu)?;
    /// assert_eq!(y.to_vec()?, [13.5, 0.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn linear(
        &self,
        ctx: &ExecContext,
        weight: &Self,
        bias: Option<&Self>,
        activation: Activation,
    ) -> Result<Self> {
        let raw_bias = bias.map(|bias| &bias.raw);
        Recording::new(ctx, "linear", [Some(self), Some(weight), bias]).run_optional_with(
            |ctx, records| forward(ctx, [&self.raw, &weight.raw], raw_bias, activation, records),
            |_, activation, [need_x, need_weight, _]| LinearVjp {
                x: need_weight.then(|| self.raw.clone()),
                weight: need_x.then(|| weight.raw.clone()),
                bias: bias.map(|bias| *bias.shape()),
                activation,
            },
        )
    }
}

/// A gradient from the output lets the activation go into the product; one from its operand needs that kept.
#[track_caller]
fn forward<T: Differentiable>(
    ctx: &ExecContext,
    [x, weight]: [&RawTensor<T>; 2],
    bias: Option<&RawTensor<T>>,
    activation: Activation,
    records: bool,
) -> Result<WithSaved<T>> {
    let by_output: BinaryOp<T> = match activation {
        // The output is positive where the operand is, and NaN where it is.
        Activation::Relu => ExecContext::relu_backward,
        Activation::Tanh => ExecContext::tanh_backward,
        Activation::Sigmoid => ExecContext::sigmoid_backward,
        Activation::Silu | Activation::Gelu | Activation::GeluTanh if records => {
            let inner = ctx.linear(x, weight, bias, Activation::Identity)?;
            let (out, local): (_, BinaryOp<T>) = match activation {
                Activation::Silu => (ctx.silu(&inner)?, ExecContext::silu_backward),
                Activation::Gelu => (ctx.gelu(&inner)?, ExecContext::gelu_backward),
                _ => (ctx.gelu_tanh(&inner)?, ExecContext::gelu_tanh_backward),
            };
            return Ok((out, Some((inner, local))));
        }
        _ => return Ok((ctx.linear(x, weight, bias, activation)?, None)),
    };
    let out = ctx.linear(x, weight, bias, activation)?;
    let saved = records.then(|| (out.clone(), by_output));
    Ok((out, saved))
}
