//! Cross entropy of logits against class indices.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::{Real, Table};
use crate::error::{Error, Fits, Result};
use crate::kernels::elementwise::Operand;
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 15;

/// How the losses of rows make one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduction {
    /// Their sum, divided by the number of rows that count.
    #[default]
    Mean,
    /// Their sum.
    Sum,
}

/// Which rows a cross entropy counts, against what, and how it adds them up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossEntropyOptions {
    /// From 0 to 1: the share of a row's target that is spread evenly over all classes.
    pub label_smoothing: f64,
    /// Rows with this target do not count. It need not be a class.
    pub ignore_index: Option<i64>,
    /// What becomes of the losses of the rows that do.
    pub reduction: Reduction,
}

/// What a loss makes of a row's log probabilities.
struct Weights<T> {
    /// The share of the row's own class.
    own: T,
    /// The share of every class, if there is one.
    every: Option<T>,
    /// What the sum over rows is divided by.
    divisor: T,
}

impl<T: Real> Weights<T> {
    /// `kept` is the number of rows that count.
    fn of(options: CrossEntropyOptions, classes: usize, kept: usize) -> Self {
        let spread = options.label_smoothing;
        let divisor = match options.reduction {
            // Without any row there is nothing to divide.
            Reduction::Mean => kept.max(1),
            Reduction::Sum => 1,
        };
        Self {
            own: T::from_f64(1.0 - spread),
            every: (spread > 0.0).then(|| T::from_f64(spread / classes as f64)),
            divisor: T::from_f64(divisor as f64),
        }
    }

    /// The loss of one row.
    fn loss(&self, k: Table<T>, row: &[T], target: usize) -> T {
        let Some(every) = self.every else { return -row[target] };
        let all = every * k.sum_row(row);
        // A share of 0 makes no NaN of an impossible class.
        if self.own == T::ZERO { -all } else { -(self.own * row[target] + all) }
    }
}

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
        self.loss_of_rows("cross_entropy", logits, targets, CrossEntropyOptions::default())
    }

    /// Cross entropy of the rows whose target is not ignored, against targets smoothed: with `q` a row's own class by
    /// `1 - label_smoothing`, and every class by `label_smoothing / classes` more, the mean or sum over rows of
    /// `-sum of q * log softmax(logits)`.
    ///
    /// - Shapes: as [`cross_entropy`](Self::cross_entropy), whose bits the default options give.
    /// - An ignored row has no influence, whatever its logits. If all are ignored the loss is 0.
    ///
    /// # Errors
    /// As [`cross_entropy`](Self::cross_entropy), but for a target that is ignored; [`Error::InvalidArgument`] for a smoothing
    /// outside `0..=1`.
    #[track_caller]
    pub fn cross_entropy_with<T: Real>(
        &self,
        logits: &RawTensor<T>,
        targets: &RawTensor<i64>,
        options: CrossEntropyOptions,
    ) -> Result<(RawTensor<T>, RawTensor<T>)> {
        self.loss_of_rows("cross_entropy_with", logits, targets, options)
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
        let options = CrossEntropyOptions::default();
        self.gradient_of_rows("cross_entropy_backward", log_probs, targets, g, options)
    }

    /// The gradient of [`cross_entropy_with`](Self::cross_entropy_with) from its log probabilities: `(softmax - q) * g`, divided
    /// by the number of rows that count for a mean; exactly 0 in ignored rows.
    ///
    /// # Errors
    /// As [`cross_entropy_backward`](Self::cross_entropy_backward), but for a target that is ignored;
    /// [`Error::InvalidArgument`] for a smoothing outside `0..=1`.
    #[track_caller]
    pub fn cross_entropy_with_backward<T: Real>(
        &self,
        log_probs: &RawTensor<T>,
        targets: &RawTensor<i64>,
        g: &RawTensor<T>,
        options: CrossEntropyOptions,
    ) -> Result<RawTensor<T>> {
        self.gradient_of_rows("cross_entropy_with_backward", log_probs, targets, g, options)
    }

    #[track_caller]
    fn loss_of_rows<T: Real>(
        &self,
        op: &'static str,
        logits: &RawTensor<T>,
        targets: &RawTensor<i64>,
        options: CrossEntropyOptions,
    ) -> Result<(RawTensor<T>, RawTensor<T>)> {
        let [n, classes] = check_rows(op, logits.shape(), targets.shape(), options)?;
        let targets = self.indices_within(op, targets, classes, options.ignore_index)?;
        let log_probs = self.log_softmax(logits, 1)?;
        let mut losses = ScratchLease::acquire(op, self.site(op)?, n)?;
        let rows = self.prepare(op, &log_probs)?;
        let (rows, targets, k) = (rows.data(), targets.data(), self.kernels::<T>());
        let weights = Weights::of(options, classes, kept(targets, options));
        let read = if weights.every.is_some() { classes } else { 1 };
        let each = (PIECE / read).max(1);
        for_chunks(self.team(), op, &mut losses, each, |piece, losses| {
            let from = piece * each;
            let rows = rows[from * classes..].chunks_exact(classes).zip(&targets[from..]);
            for (loss, (row, &target)) in losses.iter_mut().zip(rows) {
                let counts = Some(target) != options.ignore_index;
                *loss = if counts { weights.loss(k, row, target as usize) } else { T::ZERO };
            }
        });
        let loss = self.full_shape(op, Shape::scalar(), k.sum_row(&losses) / weights.divisor)?;
        Ok((loss, log_probs))
    }

    #[track_caller]
    fn gradient_of_rows<T: Real>(
        &self,
        op: &'static str,
        log_probs: &RawTensor<T>,
        targets: &RawTensor<i64>,
        g: &RawTensor<T>,
        options: CrossEntropyOptions,
    ) -> Result<RawTensor<T>> {
        let [_, classes] = check_rows(op, log_probs.shape(), targets.shape(), options)?;
        let targets = self.indices_within(op, targets, classes, options.ignore_index)?;
        Shape::scalar().check_same(op, g.shape())?;
        let targets = targets.data();
        let weights = Weights::of(options, classes, kept(targets, options));
        let scale = g.iter().next().unwrap_or(T::ZERO) / weights.divisor;
        let probs = self.exp(log_probs)?;
        let mut out = self.fresh(op, *log_probs.shape())?;
        let (k, probs) = (self.kernels::<T>(), probs.data()?);
        let rows = (PIECE / classes).max(1);
        for_chunks(self.team(), op, out.data(), rows * classes, |piece, out| {
            let from = piece * rows;
            k.mul(
                Operand::Slice(&probs[from * classes..][..out.len()]),
                Operand::Splat(scale),
                out,
            );
            if let Some(every) = weights.every {
                k.accumulate(Operand::Splat(-(every * scale)), out);
            }
            for (row, &target) in out.chunks_exact_mut(classes).zip(&targets[from..]) {
                if Some(target) == options.ignore_index {
                    row.fill(T::ZERO);
                } else {
                    let at = &mut row[target as usize];
                    *at = *at - weights.own * scale;
                }
            }
        });
        Ok(out.done())
    }
}

/// Rows and classes, if the targets and the options fit.
fn check_rows(
    op: &'static str,
    left: &Shape,
    targets: &Shape,
    options: CrossEntropyOptions,
) -> Result<[usize; 2]> {
    let (left, right) = (*left, *targets);
    if left.rank() != 2 {
        return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Rank(2) });
    }
    let [n, classes] = [left[0], left[1]];
    if right != [n] {
        return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Entries(n) });
    }
    if !(0.0..=1.0).contains(&options.label_smoothing) {
        let (argument, fits) = ("label smoothing", "a number in 0..=1");
        return Err(Error::InvalidArgument { op, argument, fits });
    }
    Ok([n, classes])
}

/// How many rows count.
fn kept(targets: &[i64], options: CrossEntropyOptions) -> usize {
    targets.iter().filter(|&&target| Some(target) != options.ignore_index).count()
}
