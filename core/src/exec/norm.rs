//! Layer, root-mean-square and group normalisation, and their gradients.
//!
//! A row is what is normalised together: the last axes, or a group of channels. Rows go to the team; each is one participant's.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::kernels::norm::{GROUP, Norm, Normalize, NormalizeBackward};
use crate::layout::Shape;
use crate::parallel::{for_chunks, for_chunks_each};
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 13;

/// Gradients of a normalisation.
#[derive(Debug)]
pub struct NormGradients<T: Real> {
    /// Of the input.
    pub x: RawTensor<T>,
    /// Of the weight, whether or not there was one: `sum of g * normalised`.
    pub weight: RawTensor<T>,
    /// Of the bias: `sum of g`.
    pub bias: RawTensor<T>,
}

/// Which normalisation, of which rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norms<T> {
    op: &'static str,
    centered: bool,
    eps: T,
    row_len: usize,
    inner: usize,
    /// The weights' shape.
    channels: Shape,
    /// What is said of weights of another shape.
    fits: Fits,
}

impl<T: Real> Norms<T> {
    /// The last `axes` axes of `x`.
    pub(crate) fn last(
        op: &'static str,
        centered: bool,
        x: &Shape,
        axes: usize,
        eps: T,
    ) -> Result<Self> {
        if axes == 0 || axes > x.rank() {
            let fits = "at least 1, at most the rank";
            return Err(Error::InvalidArgument { op, argument: "number of axes", fits });
        }
        let channels = Shape::new(op, &x.dims()[x.rank() - axes..])?;
        let row_len = channels.count();
        Self { op, centered, eps, row_len, inner: 1, channels, fits: Fits::LastAxes(axes) }
            .checked()
    }

    /// Groups of the channels of axis 1.
    pub(crate) fn groups(op: &'static str, x: &Shape, groups: usize, eps: T) -> Result<Self> {
        if x.rank() < 2 {
            let (left, right, fits) = (*x, *x, Fits::RankAtLeast(2));
            return Err(Error::ShapeMismatch { op, left, right, fits });
        }
        let channels = x[1];
        if groups == 0 || !channels.is_multiple_of(groups) {
            let fits = "a divisor of the number of channels";
            return Err(Error::InvalidArgument { op, argument: "number of groups", fits });
        }
        let inner = x.dims()[2..].iter().product();
        let (row_len, fits) = (channels / groups * inner, Fits::Entries(channels));
        let channels = Shape::new(op, &[channels])?;
        Self { op, centered: true, eps, row_len, inner, channels, fits }.checked()
    }

    fn checked(self) -> Result<Self> {
        let eps = self.eps.to_f64();
        if eps >= 0.0 && eps.is_finite() {
            return Ok(self);
        }
        let fits = "a number from 0 on";
        Err(Error::InvalidArgument { op: self.op, argument: "eps", fits })
    }

    fn check_weights(&self, x: &Shape, weights: Option<&RawTensor<T>>) -> Result<()> {
        match weights {
            Some(w) if *w.shape() != self.channels => {
                let (op, left, right, fits) = (self.op, *x, *w.shape(), self.fits);
                Err(Error::ShapeMismatch { op, left, right, fits })
            }
            _ => Ok(()),
        }
    }

    fn kernel<'a>(&self, weight: &'a [T], bias: &'a [T]) -> Norm<'a, T> {
        let &Self { centered, eps, row_len, inner, .. } = self;
        Norm { centered, eps, row_len, inner, weight, bias }
    }
}

/// The gradient of the operand, and those of weight and bias.
type AndWeights<T> = (RawTensor<T>, Option<[RawTensor<T>; 2]>);

impl ExecContext {
    /// `(x - mean) / sqrt(variance + eps) * weight + bias` over the last `axes` axes.
    ///
    /// - Shapes: `weight` and `bias` have the last `axes` dimensions of `x`.
    /// - Numerics: the biased variance, by the corrected two-pass formula; sums by the reduction rule. NaN and infinities make
    ///   their row NaN, no other.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there are not `axes` axes, for 0 axes, or an `eps` that is negative or not finite;
    /// [`Error::ShapeMismatch`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn layer_norm<T: Real>(
        &self,
        x: &RawTensor<T>,
        axes: usize,
        weight: Option<&RawTensor<T>>,
        bias: Option<&RawTensor<T>>,
        eps: T,
    ) -> Result<RawTensor<T>> {
        let norms = Norms::last("layer_norm", true, x.shape(), axes, eps)?;
        self.normalize(&norms, x, weight, bias)
    }

    /// `x / sqrt(mean of x^2 + eps) * weight` over the last `axes` axes.
    ///
    /// # Errors
    /// As [`layer_norm`](Self::layer_norm).
    #[track_caller]
    pub fn rms_norm<T: Real>(
        &self,
        x: &RawTensor<T>,
        axes: usize,
        weight: Option<&RawTensor<T>>,
        eps: T,
    ) -> Result<RawTensor<T>> {
        self.normalize(&Norms::last("rms_norm", false, x.shape(), axes, eps)?, x, weight, None)
    }

    /// [`layer_norm`](Self::layer_norm) over groups of channels: `x [n, channels, ...]`, `weight` and `bias` `[channels]`.
    ///
    /// # Errors
    /// As [`layer_norm`](Self::layer_norm); [`Error::InvalidArgument`] unless `groups` divides the number of channels.
    #[track_caller]
    pub fn group_norm<T: Real>(
        &self,
        x: &RawTensor<T>,
        groups: usize,
        weight: Option<&RawTensor<T>>,
        bias: Option<&RawTensor<T>>,
        eps: T,
    ) -> Result<RawTensor<T>> {
        self.normalize(&Norms::groups("group_norm", x.shape(), groups, eps)?, x, weight, bias)
    }

    /// The gradients of [`layer_norm`](Self::layer_norm) from its input and the output's gradient `g`.
    ///
    /// # Errors
    /// As [`layer_norm`](Self::layer_norm); [`Error::ShapeMismatch`] unless `g` has the shape of `x`.
    #[track_caller]
    pub fn layer_norm_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        axes: usize,
        weight: Option<&RawTensor<T>>,
        g: &RawTensor<T>,
        eps: T,
    ) -> Result<NormGradients<T>> {
        let norms = Norms::last("layer_norm_backward", true, x.shape(), axes, eps)?;
        self.normalize_backward(&norms, x, weight, g)
    }

    /// The gradients of [`rms_norm`](Self::rms_norm).
    ///
    /// # Errors
    /// As [`layer_norm_backward`](Self::layer_norm_backward).
    #[track_caller]
    pub fn rms_norm_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        axes: usize,
        weight: Option<&RawTensor<T>>,
        g: &RawTensor<T>,
        eps: T,
    ) -> Result<NormGradients<T>> {
        let norms = Norms::last("rms_norm_backward", false, x.shape(), axes, eps)?;
        self.normalize_backward(&norms, x, weight, g)
    }

    /// The gradients of [`group_norm`](Self::group_norm).
    ///
    /// # Errors
    /// As [`layer_norm_backward`](Self::layer_norm_backward).
    #[track_caller]
    pub fn group_norm_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        groups: usize,
        weight: Option<&RawTensor<T>>,
        g: &RawTensor<T>,
        eps: T,
    ) -> Result<NormGradients<T>> {
        let norms = Norms::groups("group_norm_backward", x.shape(), groups, eps)?;
        self.normalize_backward(&norms, x, weight, g)
    }

    #[track_caller]
    pub(crate) fn normalize<T: Real>(
        &self,
        norms: &Norms<T>,
        x: &RawTensor<T>,
        weight: Option<&RawTensor<T>>,
        bias: Option<&RawTensor<T>>,
    ) -> Result<RawTensor<T>> {
        let op = norms.op;
        norms.check_weights(x.shape(), weight)?;
        norms.check_weights(x.shape(), bias)?;
        let mut out = self.fresh(op, *x.shape())?;
        let x = self.prepare(op, x)?;
        let weight = weight.map(|w| self.prepare(op, w)).transpose()?;
        let bias = bias.map(|b| self.prepare(op, b)).transpose()?;
        let weight = weight.as_ref().map_or(&[][..], |w| w.data());
        let bias = bias.as_ref().map_or(&[][..], |b| b.data());
        let (norm, k, x) = (norms.kernel(weight, bias), self.kernels::<T>(), x.data());
        let rows = (PIECE / norm.row_len).max(1);
        let each = rows * norm.row_len;
        for_chunks(self.team(), op, out.data(), each, |piece, out| {
            let x = &x[piece * each..][..out.len()];
            k.normalize(Normalize { norm, first: piece * rows, x, out });
        });
        Ok(out.done())
    }

    #[track_caller]
    fn normalize_backward<T: Real>(
        &self,
        norms: &Norms<T>,
        x: &RawTensor<T>,
        weight: Option<&RawTensor<T>>,
        g: &RawTensor<T>,
    ) -> Result<NormGradients<T>> {
        let (x, weights) = self.normalize_gradients(norms, x, weight, g, true)?;
        match weights {
            Some([weight, bias]) => Ok(NormGradients { x, weight, bias }),
            None => unreachable!("the weights' gradients were asked for"),
        }
    }

    /// The gradient of `x` and, if asked for, those of weight and bias.
    #[track_caller]
    pub(crate) fn normalize_gradients<T: Real>(
        &self,
        norms: &Norms<T>,
        x: &RawTensor<T>,
        weight: Option<&RawTensor<T>>,
        g: &RawTensor<T>,
        of_weights: bool,
    ) -> Result<AndWeights<T>> {
        let (op, shape) = (norms.op, *x.shape());
        norms.check_weights(&shape, weight)?;
        shape.check_same(op, g.shape())?;
        let mut dx = self.fresh(op, shape)?;
        let (x, g) = (self.prepare(op, x)?, self.prepare(op, g)?);
        let weight = weight.map(|w| self.prepare(op, w)).transpose()?;
        let weight = weight.as_ref().map_or(&[][..], |w| w.data());
        let (norm, k, x, g) = (norms.kernel(weight, &[]), self.kernels::<T>(), x.data(), g.data());
        let channels = norms.channels.count();
        let groups = (PIECE / norm.row_len / GROUP).max(1);
        let (rows, each) = (groups * GROUP, groups * GROUP * norm.row_len);
        let all_groups = (x.len() / norm.row_len).div_ceil(GROUP);
        let len = if of_weights { all_groups.saturating_mul(2 * channels) } else { 0 };
        let mut sums = ScratchLease::acquire(op, self.site(op)?, len)?;
        let data = [(dx.data(), each), (&mut sums[..], groups * 2 * channels)];
        for_chunks_each(self.team(), op, data, |piece, [dx, sums]| {
            let part = piece * each..piece * each + dx.len();
            let (x, g, first) = (&x[part.clone()], &g[part], piece * rows);
            k.normalize_backward(NormalizeBackward { norm, first, x, g, dx, sums, channels });
        });
        if !of_weights {
            return Ok((dx.done(), None));
        }
        let (mut weight, mut bias) =
            (self.fresh(op, norms.channels)?, self.fresh(op, norms.channels)?);
        k.sum_columns(&sums, 2 * channels, weight.data());
        k.sum_columns(&sums[channels..], 2 * channels, bias.data());
        Ok((dx.done(), Some([weight.done(), bias.done()])))
    }
}
