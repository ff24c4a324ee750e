//! Layer, root-mean-square and group normalisation.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::norm::NormVjp;
use crate::error::Result;
use crate::exec::{ExecContext, Norms};

impl<T: Differentiable> Tensor<T> {
    /// `(self - mean) / sqrt(variance + eps) * weight + bias` over the last `axes` axes.
    ///
    /// - Shapes: any; `weight` and `bias` have the last `axes` dimensions of `self`.
    /// - Numerics: the biased variance, by the corrected two-pass formula, so that rows far from 0 lose nothing; sums by the
    ///   reduction rule. NaN and infinities make their row NaN, no other; so does a constant row with an `eps` of 0.
    /// - Gradient: of all three; the moments are computed again. Memory: one pooled block; backward takes a sixteenth of the
    ///   input for the weights' sums.
    /// - Source: Ba, Kiros and Hinton, "Layer normalization", 2016; Chan, Golub and LeVeque, 1983, for the variance.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if there are not `axes` axes, for 0 axes, or an `eps` that is
    /// negative or not finite; [`Error::ShapeMismatch`](crate::Error::ShapeMismatch);
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, 3.0, -5.0, 5.0])?;
    /// let y = x.layer_norm(&ctx, 1, None, None, 0.0)?;
    /// assert_eq!(y.to_vec()?, [-1.0, 1.0, -1.0, 1.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn layer_norm(
        &self,
        ctx: &ExecContext,
        axes: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: T,
    ) -> Result<Self> {
        let norms = Norms::last("layer_norm", true, self.shape(), axes, eps)?;
        self.normalize(ctx, "layer_norm", norms, weight, bias)
    }

    /// `self / sqrt(mean of self^2 + eps) * weight` over the last `axes` axes.
    ///
    /// Source: Zhang and Sennrich, "Root mean square layer normalization", 2019.
    ///
    /// # Errors
    /// As [`layer_norm`](Self::layer_norm).
    #[track_caller]
    pub fn rms_norm(
        &self,
        ctx: &ExecContext,
        axes: usize,
        weight: Option<&Self>,
        eps: T,
    ) -> Result<Self> {
        let norms = Norms::last("rms_norm", false, self.shape(), axes, eps)?;
        self.normalize(ctx, "rms_norm", norms, weight, None)
    }

    /// [`layer_norm`](Self::layer_norm) over groups of channels.
    ///
    /// - Shapes: `self [n, channels, ...]`, `weight` and `bias` `[channels]`; `groups` divides `channels`. One group is the layer
    ///   norm of an image, as many as channels the instance norm.
    /// - Source: Wu and He, "Group normalization", 2018.
    ///
    /// # Errors
    /// As [`layer_norm`](Self::layer_norm); [`Error::InvalidArgument`](crate::Error::InvalidArgument) unless `groups` divides
    /// the number of channels.
    #[track_caller]
    pub fn group_norm(
        &self,
        ctx: &ExecContext,
        groups: usize,
        weight: Option<&Self>,
        bias: Option<&Self>,
        eps: T,
    ) -> Result<Self> {
        let norms = Norms::groups("group_norm", self.shape(), groups, eps)?;
        self.normalize(ctx, "group_norm", norms, weight, bias)
    }

    #[track_caller]
    fn normalize(
        &self,
        ctx: &ExecContext,
        op: &'static str,
        norms: Norms<T>,
        weight: Option<&Self>,
        bias: Option<&Self>,
    ) -> Result<Self> {
        Recording::new(ctx, op, [Some(self), weight, bias]).run_optional(
            |ctx| ctx.normalize(&norms, &self.raw, weight.map(|w| &w.raw), bias.map(|b| &b.raw)),
            |_, [_, weight_needs, bias_needs]| NormVjp {
                norms,
                x: self.raw.clone(),
                weight: weight.map(|w| w.raw.clone()),
                of_weights: weight_needs || bias_needs,
            },
        )
    }
}
