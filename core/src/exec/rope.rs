//! Rotary position embedding.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::kernels::rope::Rotate;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 14;

/// Which elements make a pair, and how fast pairs turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeOptions {
    /// Pair `i` turns by `position * base^(-2 i / dim)`.
    pub base: f64,
    /// Pairs are neighbours; else element `i` goes with element `i + dim / 2`.
    pub interleaved: bool,
}

impl Default for RopeOptions {
    /// Base 10,000, halves.
    fn default() -> Self {
        Self { base: 10_000.0, interleaved: false }
    }
}

impl ExecContext {
    /// Turns each row's pairs by angles that grow with its position.
    ///
    /// - Shapes: `x [..., rows, dim]` with an even `dim`, `positions [rows]`.
    /// - Numerics: angles, cosines and sines in f64, rounded once; the same on every target.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]; [`Error::InvalidArgument`] for an odd `dim` or a base that is not positive and finite;
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn rope<T: Real>(
        &self,
        x: &RawTensor<T>,
        positions: &RawTensor<i64>,
        options: RopeOptions,
    ) -> Result<RawTensor<T>> {
        self.rotate("rope", x, positions, options, 1.0)
    }

    /// The gradient of [`rope`](Self::rope): `g` turned back.
    ///
    /// # Errors
    /// As [`rope`](Self::rope).
    #[track_caller]
    pub fn rope_backward<T: Real>(
        &self,
        g: &RawTensor<T>,
        positions: &RawTensor<i64>,
        options: RopeOptions,
    ) -> Result<RawTensor<T>> {
        self.rotate("rope_backward", g, positions, options, -1.0)
    }

    #[track_caller]
    fn rotate<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        positions: &RawTensor<i64>,
        options: RopeOptions,
        direction: f64,
    ) -> Result<RawTensor<T>> {
        let (left, right) = (*x.shape(), *positions.shape());
        let Some(at) = left.rank().checked_sub(2) else {
            return Err(Error::ShapeMismatch { op, left, right, fits: Fits::RankAtLeast(2) });
        };
        let (rows, dim) = (left[at], left[at + 1]);
        if right != [rows] {
            return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Entries(rows) });
        }
        if dim % 2 == 1 {
            return Err(Error::InvalidArgument { op, argument: "last axis", fits: "an even one" });
        }
        if !(options.base > 0.0 && options.base.is_finite()) {
            return Err(Error::InvalidArgument { op, argument: "base", fits: "a positive number" });
        }
        let half = dim / 2;
        let mut cos = ScratchLease::<T>::acquire(op, self.site(op)?, rows * half)?;
        let mut sin = ScratchLease::<T>::acquire(op, self.site(op)?, rows * half)?;
        let table = cos.chunks_exact_mut(half).zip(sin.chunks_exact_mut(half));
        for (position, (cos, sin)) in positions.iter().zip(table) {
            for (i, (cos, sin)) in cos.iter_mut().zip(sin).enumerate() {
                let speed = libm::pow(options.base, -2.0 * i as f64 / dim as f64);
                let angle = position as f64 * speed;
                (*cos, *sin) =
                    (T::from_f64(libm::cos(angle)), T::from_f64(direction * libm::sin(angle)));
            }
        }
        let mut out = self.fresh(op, left)?;
        let x = self.prepare(op, x)?;
        let (k, x, interleaved) = (self.kernels::<T>(), x.data(), options.interleaved);
        let each = (PIECE / dim).max(1);
        for_chunks(self.team(), op, out.data(), each * dim, |piece, out| {
            let x = &x[piece * each * dim..][..out.len()];
            let (mut done, count) = (0, out.len() / dim);
            while done < count {
                // Up to where positions start over.
                let row = (piece * each + done) % rows;
                let end = count.min(done + rows - row);
                let part = done * dim..end * dim;
                let angles = row * half..(row + end - done) * half;
                k.rotate(Rotate {
                    x: &x[part.clone()],
                    out: &mut out[part],
                    row_len: dim,
                    cos: &cos[angles.clone()],
                    sin: &sin[angles],
                    interleaved,
                });
                done = end;
            }
        });
        Ok(out.done())
    }
}
