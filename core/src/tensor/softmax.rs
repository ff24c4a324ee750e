//! Softmax, its logarithm, and cross entropy.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::softmax::{CrossEntropyVjp, SoftmaxVjp};
use crate::error::Result;
use crate::exec::{CrossEntropyOptions, ExecContext};

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
            |_, log_probs, _| {
                let options = CrossEntropyOptions::default();
                CrossEntropyVjp { log_probs, targets: targets.clone(), options }
            },
        )
    }

    /// [`cross_entropy`](Self::cross_entropy) against smoothed targets, without the rows that are ignored, as a mean or a sum: with
    /// `q` a row's own class by `1 - label_smoothing`, and every class by `label_smoothing / classes` more, the mean or sum over rows
    /// of `-sum of q * log softmax(self)`, of shape `[1]`.
    ///
    /// - Shapes: `self [n, classes]`, `targets [n]`.
    /// - An ignored row has no influence, whatever its logits; a mean is by the rows that count. If all rows are ignored the loss is
    ///   0 (not the NaN of a division by 0), and so is its gradient.
    /// - Gradient: `(softmax(self) - q) * g`, divided by the number of rows that count for a mean; exactly 0 in ignored rows.
    /// - Numerics: the default options give the bits of [`cross_entropy`](Self::cross_entropy).
    /// - Source: Szegedy et al., "Rethinking the Inception architecture for computer vision", 2016, section 7.
    ///
    /// For the loss of each row on its own, [`gather`](Self::gather) from [`log_softmax`](Self::log_softmax).
    ///
    /// # Errors
    /// As [`cross_entropy`](Self::cross_entropy), but for a target that is ignored;
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a smoothing outside `0..=1`.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::exec::CrossEntropyOptions;
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let logits = Tensor::variable_from_slice(&ctx, &[3, 2], &[0.0_f32, 0.0, 5.0, 9.0, 0.0, 0.0])?;
    /// let targets = Tensor::from_slice(&ctx, &[3], &[0_i64, -100, 1])?;
    /// let options = CrossEntropyOptions { ignore_index: Some(-100), ..Default::default() };
    /// let loss = logits.cross_entropy_with(&ctx, &targets, options)?;
    /// assert!((loss.item()? - 2.0_f32.ln()).abs() < 1e-6);
    /// loss.backward(&ctx)?;
    /// assert_eq!(logits.grad(&ctx)?.unwrap().to_vec()?, [-0.25, 0.25, 0.0, 0.0, 0.25, -0.25]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn cross_entropy_with(
        &self,
        ctx: &ExecContext,
        targets: &Tensor<i64>,
        options: CrossEntropyOptions,
    ) -> Result<Self> {
        let targets = &targets.raw;
        Recording::new(ctx, "cross_entropy_with", [self]).run_with(
            |ctx, [x]| ctx.cross_entropy_with(x, targets, options),
            |_, log_probs, _| CrossEntropyVjp { log_probs, targets: targets.clone(), options },
        )
    }
}
