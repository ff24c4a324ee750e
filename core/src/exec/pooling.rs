//! Pooling of images, forwards and backwards.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::conv::{Conv2dConfig, places};
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::kernels::pooling::{Pool, Pooling};
use crate::kernels::unfold::Axis;
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of the input that go to one participant at a time, at least.
const PIECE: usize = 1 << 14;

/// How a pooling window moves: rows first, columns second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool2dConfig {
    /// Rows and columns of the window.
    pub window: [usize; 2],
    /// Input positions between two windows; at least 1.
    pub stride: [usize; 2],
    /// Rows (columns) before the first and after the last that windows reach into; fewer than the window has. They are not
    /// elements: no maximum, and no part of a mean.
    pub padding: [usize; 2],
}

impl Pool2dConfig {
    /// Windows side by side, without padding.
    #[must_use]
    pub const fn new(window: [usize; 2]) -> Self {
        Self { window, stride: window, padding: [0; 2] }
    }
}

/// Images and their windows.
struct Planes {
    pool: Pool,
    out: [usize; 4],
}

impl Planes {
    fn of(op: &'static str, x: &Shape, pooling: Pooling, config: Pool2dConfig) -> Result<Self> {
        let &[images, channels, height, width] = x.dims() else {
            return Err(Error::ShapeMismatch { op, left: *x, right: *x, fits: Fits::Rank(4) });
        };
        let Pool2dConfig { window, stride, padding } = config;
        let mut axes = [Axis::default(); 2];
        for (i, (axis, source)) in axes.iter_mut().zip([height, width]).enumerate() {
            if window[i] == 0 {
                return Err(Error::InvalidArgument { op, argument: "window", fits: "1 or more" });
            }
            if padding[i] >= window[i] {
                let fits = "less than the window";
                return Err(Error::InvalidArgument { op, argument: "padding", fits });
            }
            let moves = Conv2dConfig { stride, padding, ..Conv2dConfig::default() };
            let positions = places(op, source, window[i], i, &moves)?;
            let (step, offset) = (stride[i] as isize, -(padding[i] as isize));
            let (taps, dilation, spread) = (window[i], 1, 1);
            *axis = Axis { source, positions, taps, step, offset, dilation, spread };
        }
        let out = [images, channels, axes[0].positions, axes[1].positions];
        Ok(Self { pool: Pool { pooling, axes }, out })
    }
}

/// How planes are cut into pieces for the team.
struct Pieces {
    /// Planes of a piece.
    planes: usize,
    /// Elements of a plane.
    plane: usize,
    /// Outputs of a plane.
    outputs: usize,
}

impl Pieces {
    fn of(pool: &Pool) -> Self {
        let [rows, columns] = &pool.axes;
        let plane = rows.source * columns.source;
        let outputs = rows.positions * columns.positions;
        Self { planes: (PIECE / plane).max(1), plane, outputs }
    }
}

impl ExecContext {
    /// The largest element of each window.
    ///
    /// - Shapes: `x [images, channels, height, width]`, result `[images, channels, (height + 2 padding - window) / stride + 1, ..]`.
    /// - Numerics: exact. NaN is passed over, as in [`max_axis`](Self::max_axis); a window of nothing but NaN gives `-inf`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for a rank other than 4; [`Error::InvalidArgument`] for a window or stride of 0, a padding that
    /// is not less than the window, and a window that is larger than the padded input; [`Error::Overflow`];
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn max_pool2d<T: Real>(
        &self,
        x: &RawTensor<T>,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        self.pool2d("max_pool2d", x, Pooling::Max, config)
    }

    /// The mean of each window's elements, those of the padding not counted.
    ///
    /// Shapes as [`max_pool2d`](Self::max_pool2d). Numerics: summed by rows, then divided.
    ///
    /// # Errors
    /// As [`max_pool2d`](Self::max_pool2d).
    #[track_caller]
    pub fn avg_pool2d<T: Real>(
        &self,
        x: &RawTensor<T>,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        self.pool2d("avg_pool2d", x, Pooling::Mean, config)
    }

    /// The gradient of [`max_pool2d`](Self::max_pool2d) from that of its output: to the first element of a window that equals its
    /// maximum.
    ///
    /// # Errors
    /// As [`max_pool2d`](Self::max_pool2d); [`Error::ShapeMismatch`] if `g` has not the output's shape.
    #[track_caller]
    pub fn max_pool2d_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        self.pool2d_backward("max_pool2d_backward", x, g, Pooling::Max, config)
    }

    /// The gradient of [`avg_pool2d`](Self::avg_pool2d) from that of its output: to all elements of a window alike. Of `x` only
    /// the shape counts.
    ///
    /// # Errors
    /// As [`max_pool2d_backward`](Self::max_pool2d_backward).
    #[track_caller]
    pub fn avg_pool2d_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        self.pool2d_backward("avg_pool2d_backward", x, g, Pooling::Mean, config)
    }

    #[track_caller]
    fn pool2d<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        pooling: Pooling,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        let Planes { pool, out } = Planes::of(op, x.shape(), pooling, config)?;
        let mut result = self.fresh(op, Shape::new(op, &out)?)?;
        let x = self.prepare(op, x)?;
        let Pieces { planes, plane, outputs } = Pieces::of(&pool);
        for_chunks(self.team(), op, result.data(), planes * outputs, |piece, out| {
            let x = x.data()[piece * planes * plane..].chunks_exact(plane);
            x.zip(out.chunks_exact_mut(outputs)).for_each(|(x, out)| pool.forward(x, out));
        });
        Ok(result.done())
    }

    #[track_caller]
    fn pool2d_backward<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        pooling: Pooling,
        config: Pool2dConfig,
    ) -> Result<RawTensor<T>> {
        let Planes { pool, out } = Planes::of(op, x.shape(), pooling, config)?;
        g.shape().check_same(op, &Shape::new(op, &out)?)?;
        let mut dx = self.fresh_filled(op, *x.shape(), T::ZERO)?;
        let (x, g) = (self.prepare(op, x)?, self.prepare(op, g)?);
        let Pieces { planes, plane, outputs } = Pieces::of(&pool);
        for_chunks(self.team(), op, dx.data(), planes * plane, |piece, dx| {
            let x = x.data()[piece * planes * plane..].chunks_exact(plane);
            let g = g.data()[piece * planes * outputs..].chunks_exact(outputs);
            let all = x.zip(g).zip(dx.chunks_exact_mut(plane));
            all.for_each(|((x, g), dx)| pool.backward(x, g, dx));
        });
        Ok(dx.done())
    }
}
