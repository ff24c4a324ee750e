//! What a convolution is made of, and what of it fits together.

use crate::error::{Error, Fits, Result};
use crate::kernels::unfold::Axis;
use crate::layout::Shape;

/// How a two-dimensional window moves: rows first, columns second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv2dConfig {
    /// Input positions between two windows; at least 1.
    pub stride: [usize; 2],
    /// Rows (columns) of zeros before the first and after the last.
    pub padding: [usize; 2],
    /// Input positions between two taps of a window; at least 1.
    pub dilation: [usize; 2],
    /// Parts into which the channels are cut; each output channel sees the input channels of its own part.
    pub groups: usize,
}

impl Default for Conv2dConfig {
    /// Stride 1, no padding, dilation 1, one group.
    fn default() -> Self {
        Self { stride: [1; 2], padding: [0; 2], dilation: [1; 2], groups: 1 }
    }
}

/// How a one-dimensional window moves: as [`Conv2dConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv1dConfig {
    /// Input positions between two windows; at least 1.
    pub stride: usize,
    /// Zeros before the first position and after the last.
    pub padding: usize,
    /// Input positions between two taps; at least 1.
    pub dilation: usize,
    /// Parts into which the channels are cut.
    pub groups: usize,
}

impl Default for Conv1dConfig {
    /// Stride 1, no padding, dilation 1, one group.
    fn default() -> Self {
        Self { stride: 1, padding: 0, dilation: 1, groups: 1 }
    }
}

impl From<Conv1dConfig> for Conv2dConfig {
    /// For an image of one row.
    fn from(config: Conv1dConfig) -> Self {
        let Conv1dConfig { stride, padding, dilation, groups } = config;
        Self { stride: [1, stride], padding: [0, padding], dilation: [1, dilation], groups }
    }
}

/// A convolution whose operands fit.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    pub(super) groups: usize,
    /// Input channels of a group.
    pub(super) channels: usize,
    pub(super) window: [usize; 2],
    /// `[images, channels, height, width]` of the output.
    pub(super) out: [usize; 4],
    source: [usize; 2],
    config: Conv2dConfig,
}

impl Geometry {
    pub(super) fn of(
        op: &'static str,
        x: &Shape,
        weight: &Shape,
        config: Conv2dConfig,
    ) -> Result<Self> {
        let mismatch = |fits| Error::ShapeMismatch { op, left: *x, right: *weight, fits };
        let (&[images, channels, height, width], &[out, own, kh, kw]) = (x.dims(), weight.dims())
        else {
            return Err(mismatch(Fits::Rank(4)));
        };
        let (source, window, groups) = ([height, width], [kh, kw], config.groups);
        if groups == 0 || channels % groups != 0 || out % groups != 0 {
            let (argument, fits) = ("groups", "a divisor of both numbers of channels");
            return Err(Error::InvalidArgument { op, argument, fits });
        }
        if own != channels / groups {
            return Err(mismatch(Fits::Channels(channels / groups)));
        }
        let mut positions = [0; 2];
        for axis in 0..2 {
            positions[axis] = places(op, source[axis], window[axis], axis, &config)?;
        }
        let [rows, columns] = positions;
        let out = [images, out, rows, columns];
        Ok(Self { groups, channels: own, window, out, source, config })
    }

    /// An output's gradient must have the output's shape.
    pub(super) fn check_gradient(&self, op: &'static str, g: &Shape) -> Result<()> {
        g.check_same(op, &Shape::new(op, &self.out)?)
    }

    /// Windows over the input, one an output position.
    pub(super) fn forward(&self) -> [Axis; 2] {
        let Self { source, window, out, config, .. } = self;
        [0, 1].map(|i| Axis {
            source: source[i],
            positions: out[2 + i],
            taps: window[i],
            step: config.stride[i] as isize,
            offset: -(config.padding[i] as isize),
            dilation: config.dilation[i] as isize,
            spread: 1,
        })
    }

    /// Windows over the output, one an input position: those that it took part in.
    pub(super) fn backward(&self) -> [Axis; 2] {
        let Self { source, window, out, config, .. } = self;
        [0, 1].map(|i| Axis {
            source: out[2 + i],
            positions: source[i],
            taps: window[i],
            step: 1,
            offset: config.padding[i] as isize,
            dilation: -(config.dilation[i] as isize),
            spread: config.stride[i] as isize,
        })
    }
}

/// Output positions along an axis.
pub(in crate::exec) fn places(
    op: &'static str,
    source: usize,
    window: usize,
    axis: usize,
    config: &Conv2dConfig,
) -> Result<usize> {
    let (stride, dilation) = (config.stride[axis], config.dilation[axis]);
    for (argument, value) in [("stride", stride), ("dilation", dilation)] {
        if value == 0 {
            return Err(Error::InvalidArgument { op, argument, fits: "1 or more" });
        }
    }
    let (argument, fits) = ("extent of the window", "one that an address space holds");
    let overflow = Error::InvalidArgument { op, argument, fits };
    // Every place that a window can name fits an isize.
    let fitting = |x: usize| (x <= isize::MAX as usize / 4).then_some(x);
    let padded = config.padding[axis].checked_mul(2).and_then(|both| both.checked_add(source));
    let span = dilation.checked_mul(window - 1).and_then(|taps| taps.checked_add(1));
    let (padded, span) = (padded.and_then(fitting), span.and_then(fitting));
    let (padded, span) = (padded.ok_or(overflow)?, span.ok_or(overflow)?);
    fitting(stride).ok_or(overflow)?;
    let room = padded.checked_sub(span).ok_or(Error::InvalidArgument {
        op,
        argument: "window",
        fits: "one no larger than the padded input",
    })?;
    Ok(room / stride + 1)
}
