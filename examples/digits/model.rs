//! The network: 64 pixels, one hidden layer, 10 scores.

use fucina::rng::{Key, gaussian_fill};
use fucina::{ExecContext, Tensor};

use super::data::{CLASSES, Digits, PIXELS};

/// A multilayer perceptron. Weights are `[outputs, inputs]`.
pub(crate) struct Mlp {
    w1: Tensor,
    b1: Tensor,
    w2: Tensor,
    b2: Tensor,
}

impl Mlp {
    /// Weights from normal distributions of variance `2 / inputs` (He et al., 2015), biases 0.
    pub(crate) fn new(ctx: &ExecContext, hidden: usize, key: Key) -> fucina::Result<Self> {
        let weights = |outputs: usize, inputs: usize, layer: u64| {
            let mut values = vec![0.0; outputs * inputs];
            gaussian_fill(key.fold_in(layer).seed(), &mut values, (2.0 / inputs as f32).sqrt());
            Tensor::variable_from_slice(ctx, &[outputs, inputs], &values)
        };
        let bias = |outputs: usize| Tensor::variable(ctx, ctx.zeros(&[outputs])?);
        Ok(Self {
            w1: weights(hidden, PIXELS, 1)?,
            b1: bias(hidden)?,
            w2: weights(CLASSES, hidden, 2)?,
            b2: bias(CLASSES)?,
        })
    }

    /// Scores `[n, 10]` of images `[n, 64]`.
    pub(crate) fn forward(&self, ctx: &ExecContext, images: &Tensor) -> fucina::Result<Tensor> {
        let hidden = images.matmul_nt(ctx, &self.w1)?.add(ctx, &self.b1)?.gelu(ctx)?;
        hidden.matmul_nt(ctx, &self.w2)?.add(ctx, &self.b2)
    }

    /// What the optimiser moves.
    pub(crate) fn parameters(&mut self) -> [&mut Tensor; 4] {
        [&mut self.w1, &mut self.b1, &mut self.w2, &mut self.b2]
    }

    /// The class with the highest score, for each image.
    pub(crate) fn classify(
        &self,
        ctx: &ExecContext,
        digits: &Digits,
        images: &[usize],
    ) -> fucina::Result<Vec<usize>> {
        let _no_grad = ctx.no_grad();
        let scores = self.forward(ctx, &digits.images(ctx, images)?)?;
        let best =
            |row: &[f32]| (0..CLASSES).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
        Ok(scores.data()?.chunks_exact(CLASSES).map(best).collect())
    }
}
