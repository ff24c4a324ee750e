//! Cross entropy of logits against class indices.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 15;

impl ExecContext {
    /// The mean over rows of `-log softmax(logits)[row, target]`.
    ///
    /// - Shapes: `logits [n, classes]`, `targets [n]`; results: the loss `[1]` and the log probabilities
    ///   `[n, classes]` that the backward form takes.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]; [`Error::IndexOutOfRange`] for a target outside `0..classes`;
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn cross_entropy<T: Real>(
        &self,
        logits: &RawTensor<T>,
        targets: &RawTensor<i64>,
    ) -> Result<(RawTensor<T>, RawTensor<T>)> {
        const OP: &str = "cross_entropy";
        let (left, right) = (*logits.shape(), *targets.shape());
        if left.rank() != 2 {
            return Err(Error::ShapeMismatch { op: OP, left, right, fits: Fits::Rank(2) });
        }
        let (n, classes) = (left[0], left[1]);
        if right != [n] {
            return Err(Error::ShapeMismatch { op: OP, left, right, fits: Fits::Entries(n) });
        }
        for (position, index) in targets.iter().enumerate() {
            if usize::try_from(index).map_or(true, |index| index >= classes) {
                return Err(Error::IndexOutOfRange { op: OP, position, index, bound: classes });
            }
        }
        let log_probs = self.log_softmax(logits, 1)?;
        let mut losses = ScratchLease::acquire(OP, self.site(OP)?, n)?;
        let rows = self.prepare(OP, &log_probs)?;
        let rows = rows.data().chunks_exact(classes);
        for ((loss, row), target) in losses.iter_mut().zip(rows).zip(targets.iter()) {
            *loss = -row[target as usize];
        }
        let sum = self.kernels::<T>().sum_row(&losses);
        let loss = self.full_shape(OP, Shape::scalar(), sum / T::from_f64(n as f64))?;
        Ok((loss, log_probs))
    }

    /// The gradient of [`cross_entropy`](Self::cross_entropy) from its log probabilities: `(softmax - onehot) * g / n`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] unless `g` is `[1]` and `targets` has a row's entry each;
    /// [`Error::IndexOutOfRange`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn cross_entropy_backward<T: Real>(
        &self,
        log_probs: &RawTensor<T>,
        targets: &RawTensor<i64>,
        g: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "cross_entropy_backward";
        let (left, right) = (*log_probs.shape(), *targets.shape());
        if left.rank() != 2 || right != [left[0]] {
            return Err(Error::ShapeMismatch { op: OP, left, right, fits: Fits::Entries(left[0]) });
        }
        if *g.shape() != [1] {
            let right = *g.shape();
            return Err(Error::ShapeMismatch {
                op: OP,
                left: Shape::scalar(),
                right,
                fits: Fits::Same,
            });
        }
        let (n, classes) = (left[0], left[1]);
        let scale = g.iter().next().unwrap_or(T::ZERO) / T::from_f64(n as f64);
        let probs = self.exp(log_probs)?;
        let mut out = self.fresh(OP, left)?;
        let (k, probs) = (self.kernels::<T>(), probs.data()?);
        for_chunks(self.team(), OP, out.data(), PIECE, |piece, out| {
            let probs = &probs[piece * PIECE..][..out.len()];
            k.mul(Operand::Slice(probs), Operand::Splat(scale), out);
        });
        let rows = out.data().chunks_exact_mut(classes).zip(targets.iter()).enumerate();
        for (position, (row, index)) in rows {
            let at = usize::try_from(index).ok().and_then(|i| row.get_mut(i));
            let at =
                at.ok_or(Error::IndexOutOfRange { op: OP, position, index, bound: classes })?;
            *at = *at - scale;
        }
        Ok(out.done())
    }
}
