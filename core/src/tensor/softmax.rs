//! Softmax, its logarithm, and cross entropy.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::softmax::{CrossEntropyVjp, SoftmaxVjp};
use crate::error::Result;
use crate::exec::ExecContext;

impl<T: Differentiable> Tensor<T> {
    /// `e^(x - max) / sum of e^(x - max)` along `axis`. A row of nothing but `-inf` gives zeros, and zero gradient; NaN
    /// spreads to its row.
    ///
    /// Gradient: `out * (g - sum of g * out)`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn softmax(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "softmax", [self]).run(
            |ctx, [x]| ctx.softmax(x, axis),
            |out, _| SoftmaxVjp { out: out.clone(), axis, log: false },
        )
    }

    /// The logarithm of [`softmax`](Self::softmax), without its underflow.
    ///
    /// Gradient: `g - e^out * sum of g`.
    ///
    /// # Errors
    /// As [`softmax`](Self::softmax).
    #[track_caller]
    pub fn log_softmax(&self, ctx: &ExecContext, axis: usize) -> Result<Self> {
        Recording::new(ctx, "log_softmax", [self]).run(
            |ctx, [x]| ctx.log_softmax(x, axis),
            |out, _| SoftmaxVjp { out: out.clone(), axis, log: true },
        )
    }

    /// The mean over rows of `-log softmax(self)[row, target]`, of shape `[1]`: the loss of a classifier.
    ///
    /// - Shapes: `self [n, classes]`, `targets [n]`.
    /// - Gradient: `(softmax(self) - onehot) * g / n`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch);
    /// [`Error::IndexOutOfRange`](crate::Error::IndexOutOfRange) for a target outside `0..classes`;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let logits = Tensor::from_slice(&ctx, &[2, 2], &[0.0_f32, 0.0, 0.0, 0.0])?;
    /// let targets = Tensor::from_slice(&ctx, &[2], &[0_i64, 1])?;
    /// let loss = logits.cross_entropy(&ctx, &targets)?.item()?;
    /// assert!((loss - 2.0_f32.ln()).abs() < 1e-6);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn cross_entropy(&self, ctx: &ExecContext, targets: &Tensor<i64>) -> Result<Self> {
        let targets = &targets.raw;
        Recording::new(ctx, "cross_entropy", [self]).run_with(
            |ctx, [x]| ctx.cross_entropy(x, targets),
            |_, log_probs, _| CrossEntropyVjp { log_probs, targets: targets.clone() },
        )
    }
}
