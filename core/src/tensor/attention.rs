//! Scaled dot-product attention.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::attention::AttentionVjp;
use crate::error::{Error, Result};
use crate::exec::{AttentionOptions, AttentionPass, ExecContext, Widen};

impl<T: Differentiable> Tensor<T> {
    /// `softmax(self * keys^T * scale) * values`, head by head, with `self` as the queries.
    ///
    /// - Shapes: `self [batch, heads, queries, dim]`, `keys [batch, kv_heads, keys, dim]`,
    ///   `values [batch, kv_heads, keys, value_dim]`, `heads` a multiple of `kv_heads`; result
    ///   `[batch, heads, queries, value_dim]`.
    /// - Numerics: the same bits for every number of threads. A query that sees no key, or scores of nothing but `-inf`, gives
    ///   zeros, and has zero gradient. A key that a query does not see has no influence, unless its value is not finite.
    /// - Gradient: of all three; scores are made again. Memory: the result and one number a query; scratch in the size of some
    ///   blocks of 64 x 64 scores, never a matrix of them.
    /// - Source: Dao et al., "FlashAttention", 2022; Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]; [`Error::InvalidArgument`] for a window of 0 or a scale that is not finite;
    /// [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::AttentionOptions;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let q = Tensor::from_slice(&ctx, &[1, 1, 2, 1], &[0.0_f32, 0.0])?;
    /// let v = Tensor::from_slice(&ctx, &[1, 1, 2, 1], &[2.0_f32, 4.0])?;
    /// let causal = AttentionOptions { causal: true, ..Default::default() };
    /// assert_eq!(q.scaled_dot_product_attention(&ctx, &q, &v, causal)?.to_vec()?, [2.0, 3.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn scaled_dot_product_attention(
        &self,
        ctx: &ExecContext,
        keys: &Self,
        values: &Self,
        options: AttentionOptions,
    ) -> Result<Self> {
        Recording::new(ctx, "scaled_dot_product_attention", [self, keys, values]).run_with(
            |ctx, [q, k, v]| ctx.scaled_dot_product_attention(q, k, v, options),
            |out, logs, _| {
                let inputs = [self.raw.clone(), keys.raw.clone(), values.raw.clone()];
                AttentionVjp(AttentionPass { inputs, out: out.clone(), logs, options })
            },
        )
    }

    /// [`scaled_dot_product_attention`](Self::scaled_dot_product_attention) with keys and values of another type, f16 or bf16 (a
    /// cache of them, say), widened block by block.
    ///
    /// # Errors
    /// As there; [`Error::UnsupportedGradient`] if `self` carries a gradient.
    #[track_caller]
    pub fn cached_attention<S: Widen<T>>(
        &self,
        ctx: &ExecContext,
        keys: &Tensor<S>,
        values: &Tensor<S>,
        options: AttentionOptions,
    ) -> Result<Self> {
        const OP: &str = "cached_attention";
        if self.node.is_some() && ctx.grad_enabled() {
            return Err(Error::UnsupportedGradient { op: OP });
        }
        super::record::finish(
            ctx,
            OP,
            false,
            || {
                let (k, v) = (&keys.raw, &values.raw);
                Ok((ctx.scaled_dot_product_attention(&self.raw, k, v, options)?.0, ()))
            },
            |_, (), _| unreachable!("nothing is recorded"),
        )
    }
}
