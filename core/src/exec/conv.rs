//! Convolutions, forwards and backwards, through the driver of matrix products.
//!
//! Forward, an output plane is `weight [o, c * kh * kw]` times the image's windows; they are laid into strips for a block of
//! output positions at a time, in scratch that each participant has its own of, so an im2col buffer never exists. The input's
//! gradient is the same product over the output's gradient, with windows that run backwards; the weight's gradient runs along
//! the positions of all images. Each output runs over its taps (or positions) in ascending order, one multiply-add a step.
#![forbid(unsafe_code)]

mod config;

pub use config::{Conv1dConfig, Conv2dConfig};

use config::Geometry;
pub(super) use config::places;

use super::context::ExecContext;
use super::gemm::DEPTH;
use crate::backend::{Real, TileShape};
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::kernels::gemm::{Matrix, Product, Source};
use crate::kernels::unfold::{Axis, Windows};
use crate::layout::Shape;
use crate::parallel::{BlockShape, for_blocks_with};
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements that a participant's strips should not exceed: with the left panels they stay in the second-level cache.
const STRIPS: usize = 1 << 15;

/// Windows of all images times one matrix a group.
struct Convolution<'a, T> {
    op: &'static str,
    /// `[groups, rows, depth]`.
    left: &'a [T],
    /// `[images, groups, channels, ..]`: planes.
    images: &'a [T],
    groups: usize,
    /// Output channels of a group.
    rows: usize,
    /// Input channels of a group.
    channels: usize,
    axes: [Axis; 2],
    /// One value an output channel.
    bias: Option<&'a [T]>,
}

impl ExecContext {
    /// Two-dimensional cross-correlation, as networks call convolution:
    /// `out[i, o, y, x] = bias[o] + sum over c, u, v of x[i, c, y * stride + u * dilation - padding, ..] * weight[o, c, u, v]`.
    ///
    /// - Shapes: `x [images, channels, height, width]`, `weight [out, channels / groups, kh, kw]`, `bias [out]`, result
    ///   `[images, out, (height + 2 padding - dilation (kh - 1) - 1) / stride + 1, ..]`.
    /// - Numerics: channels, window rows, window columns ascending, one fused step each, padding included as zeros; the bias
    ///   is added last. Memory: scratch of the packed weight, and for each thread of one strip of windows; no im2col buffer.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for ranks other than 4 or channels that do not meet; [`Error::InvalidArgument`] for a stride,
    /// dilation or number of groups of 0, groups that do not divide the channels, and a window that is larger than the padded
    /// input; [`Error::Overflow`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn conv2d<T: Real>(
        &self,
        x: &RawTensor<T>,
        weight: &RawTensor<T>,
        bias: Option<&RawTensor<T>>,
        config: Conv2dConfig,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "conv2d";
        let geometry = Geometry::of(OP, x.shape(), weight.shape(), config)?;
        let Geometry { out, groups, .. } = geometry;
        let channels = out[1];
        let bias = match bias {
            Some(bias) if bias.shape().dims() != [channels] => {
                let (left, right, fits) = (*weight.shape(), *bias.shape(), Fits::Vector(channels));
                return Err(Error::ShapeMismatch { op: OP, left, right, fits });
            }
            Some(bias) => Some(self.prepare(OP, bias)?),
            None => None,
        };
        let (x, weight) = (self.prepare(OP, x)?, self.prepare(OP, weight)?);
        let mut result = self.fresh(OP, Shape::new(OP, &out)?)?;
        let convolution = Convolution {
            op: OP,
            left: weight.data(),
            images: x.data(),
            groups,
            rows: channels / groups,
            channels: geometry.channels,
            axes: geometry.forward(),
            bias: bias.as_ref().map(|bias| bias.data()),
        };
        self.convolve(&convolution, result.data())?;
        Ok(result.done())
    }

    /// The gradient of [`conv2d`](Self::conv2d) by its input, of shape `x`, from the output's gradient `g`.
    ///
    /// # Errors
    /// As [`conv2d`](Self::conv2d); [`Error::ShapeMismatch`] if `g` has not the output's shape.
    #[track_caller]
    pub fn conv2d_input_backward<T: Real>(
        &self,
        x: &Shape,
        weight: &RawTensor<T>,
        g: &RawTensor<T>,
        config: Conv2dConfig,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "conv2d_input_backward";
        let geometry = Geometry::of(OP, x, weight.shape(), config)?;
        geometry.check_gradient(OP, g.shape())?;
        let Geometry { groups, channels, window: [kh, kw], out, .. } = geometry;
        let rows = out[1] / groups;
        // [groups, channels, rows, kh, kw]: the product runs over output channels and taps.
        let grouped = self.reshape(weight, &[groups, rows, channels, kh, kw])?;
        let (turned, g) = (grouped.permute(&[0, 2, 1, 3, 4])?, self.prepare(OP, g)?);
        let turned = self.prepare(OP, &turned)?;
        let mut result = self.fresh(OP, *x)?;
        let convolution = Convolution {
            op: OP,
            left: turned.data(),
            images: g.data(),
            groups,
            rows: channels,
            channels: rows,
            axes: geometry.backward(),
            bias: None,
        };
        self.convolve(&convolution, result.data())?;
        Ok(result.done())
    }

    /// The gradient of [`conv2d`](Self::conv2d) by its weight, of shape `weight`, from the output's gradient `g`.
    ///
    /// Numerics: images, then output positions ascending, one fused step each.
    ///
    /// # Errors
    /// As [`conv2d`](Self::conv2d); [`Error::ShapeMismatch`] if `g` has not the output's shape.
    #[track_caller]
    pub fn conv2d_weight_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        weight: &Shape,
        g: &RawTensor<T>,
        config: Conv2dConfig,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "conv2d_weight_backward";
        let geometry = Geometry::of(OP, x.shape(), weight, config)?;
        geometry.check_gradient(OP, g.shape())?;
        let Geometry {
            groups, channels, window: [kh, kw], out: [images, out, height, width], ..
        } = geometry;
        let (rows, depth, positions) = (out / groups, channels * kh * kw, height * width);
        let (x, g) = (self.prepare(OP, x)?, self.prepare(OP, g)?);
        let (x, g, axes) = (x.data(), g.data(), geometry.forward());
        let plane = channels * axes[0].source * axes[1].source;
        let kernels = self.kernels::<T>();
        let TileShape { nr, .. } = kernels.tile_shape();
        let chunk = DEPTH.min(positions);
        let columns = (STRIPS / chunk).clamp(nr, depth.next_multiple_of(nr)) / nr * nr;
        let shape = BlockShape { rows, columns };
        let blocks = groups * depth.div_ceil(columns);
        let lots = self.lots(g.len().saturating_mul(depth), blocks);
        let mut strips = ScratchLease::acquire(OP, self.site(OP)?, lots * columns * chunk)?;
        let mut result = self.fresh(OP, *weight)?;
        let (data, strips) = ((result.data(), depth), (&mut *strips, columns * chunk));
        for_blocks_with(self.team(), OP, data, shape, strips, |block, strips| {
            let (group, first) = (block.rows().start / rows, block.columns().start);
            let mut block = block.rebased();
            let strips_here = block.columns().len().div_ceil(nr);
            for image in 0..images {
                let windows =
                    Windows { image: &x[(image * groups + group) * plane..][..plane], axes };
                for from in (0..positions).step_by(chunk) {
                    let depth = chunk.min(positions - from);
                    let strips = &mut strips[..strips_here * nr * depth];
                    windows.turned(first, nr, from..from + depth, strips);
                    let start = (image * out + group * rows) * positions + from;
                    let left = Matrix { data: g, start, row: positions as isize, column: 1 };
                    kernels.gemm_block(Product {
                        left: Source::InPlace(left),
                        right: Source::Packed(strips),
                        from: 0,
                        depth,
                        depth_each: depth,
                        fresh: image == 0 && from == 0,
                        out: block.by_ref(),
                    });
                }
            }
        });
        Ok(result.done())
    }

    #[track_caller]
    fn convolve<T: Real>(&self, convolution: &Convolution<'_, T>, out: &mut [T]) -> Result<()> {
        let &Convolution { op, left, images, groups, rows, channels, axes, bias } = convolution;
        let positions = axes[0].positions * axes[1].positions;
        let plane = channels * axes[0].source * axes[1].source;
        let depth = channels * axes[0].taps * axes[1].taps;
        let kernels = self.kernels::<T>();
        let TileShape { mr, nr } = kernels.tile_shape();
        let panel = rows.next_multiple_of(mr) * depth;
        let columns = (STRIPS / depth).clamp(nr, positions.next_multiple_of(nr)) / nr * nr;
        let blocks = out.len() / (rows * positions) * positions.div_ceil(columns);
        let lots = self.lots(out.len().saturating_mul(depth), blocks);
        let site = self.site(op)?;
        let mut panels = ScratchLease::acquire(op, site, groups.saturating_mul(panel))?;
        let mut strips =
            ScratchLease::acquire(op, site, lots.saturating_mul(columns).saturating_mul(depth))?;
        for (group, panels) in panels.chunks_exact_mut(panel).enumerate() {
            let start = group * rows * depth;
            let matrix = Matrix { data: left, start, row: depth as isize, column: 1 };
            self.pack(op, kernels, (matrix, rows), 0, mr, panels);
        }
        let (panels, strips) = (&*panels, (&mut *strips, columns * depth));
        let shape = BlockShape { rows, columns };
        for_blocks_with(self.team(), op, (out, positions), shape, strips, |block, strips| {
            let (index, first) = (block.rows().start / rows, block.columns().start);
            let (mut block, group) = (block.rebased(), index % groups);
            let windows = Windows { image: &images[index * plane..][..plane], axes };
            let strips = &mut strips[..block.columns().len().next_multiple_of(nr) * depth];
            windows.strips(first, nr, strips);
            kernels.gemm_block(Product {
                left: Source::Packed(&panels[group * panel..][..panel]),
                right: Source::Packed(strips),
                from: 0,
                depth,
                depth_each: DEPTH,
                fresh: true,
                out: block.by_ref(),
            });
            if let Some(bias) = bias {
                for i in block.rows() {
                    let across = block.columns();
                    let [row] = block.segments(i, across);
                    kernels.accumulate(Operand::Splat(bias[group * rows + i]), row);
                }
            }
        });
        Ok(())
    }
}
