//! What attention does between its products, on blocks of transposed scores: keys go down, queries across.
//!
//! So queries stand in lanes: the running maximum and sum of each are vectors, and keys are taken in ascending order, one by one.
//! How queries are put together into blocks cannot show.

use super::math::Math;
use super::reduce::dot;
use super::rows::{Map, Times, map_row};
use super::{Lanes, Op, Twice};
use crate::dtype::Float;

/// One step of a streaming softmax: scores become `e^(score - maximum)`, and the running state takes them in.
pub struct StreamingSoftmax<'a, T> {
    /// Rows of keys, as wide as there are queries; `-inf` where a query does not see a key.
    pub scores: &'a mut [T],
    /// The maximum so far, of each query.
    pub max: &'a mut [T],
    /// The sum so far.
    pub sum: &'a mut [T],
    /// What earlier results are to be multiplied with.
    pub factor: &'a mut [T],
}

impl<T: Math> Op<T> for StreamingSoftmax<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { scores, max, sum, factor } = self;
        // Two registers at once: exponentials are long chains.
        let l = Twice(l);
        let (width, step) = (max.len(), 2 * L::N);
        for start in (0..width).step_by(step) {
            let end = width.min(start + step);
            let old = l.load_upto(&max[start..end]);
            let mut new = old;
            for row in scores.chunks_exact(width) {
                let score = l.load_upto(&row[start..end]);
                new = l.select(l.lt(new, score), score, new);
            }
            let shift = finite_or_zero(l, new);
            let mut total = l.splat(T::ZERO);
            for row in scores.chunks_exact_mut(width) {
                let place = &mut row[start..end];
                let e = seen(l, l.sub(l.load_upto(place), shift));
                total = l.add(total, e);
                l.store_upto(e, place);
            }
            let scale = seen(l, l.sub(old, shift));
            let before = l.load_upto(&sum[start..end]);
            l.store_upto(l.mul_add(before, scale, total), &mut sum[start..end]);
            l.store_upto(scale, &mut factor[start..end]);
            l.store_upto(new, &mut max[start..end]);
        }
    }
}

/// `x`; 0 where it is `-inf`, so that nothing is subtracted from `-inf` and it stays.
#[inline(always)]
fn finite_or_zero<T: Float, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    l.select(l.eq(x, l.splat(T::NEG_INFINITY)), l.splat(T::ZERO), x)
}

/// `e^x`. What is hidden goes around: 0 from `-inf` passes through subnormal numbers, which CPUs are slow with.
#[inline(always)]
fn seen<T: Math, L: Lanes<T>>(l: L, x: L::V) -> L::V {
    let (zero, hidden) = (l.splat(T::ZERO), l.eq(x, l.splat(T::NEG_INFINITY)));
    l.select(hidden, zero, T::exp(l, l.select(hidden, zero, x)))
}

/// Ends a streaming softmax: `factor = 1 / sum`, 0 for a query that saw no key; `max` becomes the logarithm of the sum of
/// exponentials.
pub struct StreamingEnd<'a, T> {
    /// The maximum; then the logarithm.
    pub max: &'a mut [T],
    /// The sum.
    pub sum: &'a [T],
    /// What results are to be multiplied with.
    pub factor: &'a mut [T],
}

impl<T: Math> Op<T> for StreamingEnd<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let (zero, one) = (l.splat(T::ZERO), l.splat(T::ONE));
        let places = self.max.chunks_mut(L::N).zip(self.factor.chunks_mut(L::N));
        for ((max, factor), sum) in places.zip(self.sum.chunks(L::N)) {
            let sum = l.load_upto(sum);
            let inverse = l.select(l.eq(sum, zero), zero, l.div(one, sum));
            l.store_upto(inverse, factor);
            l.store_upto(l.add(l.load_upto(max), T::log(l, sum)), max);
        }
    }
}

/// Scores become probabilities: `e^(score - log)`, by each query's logarithm of the sum of exponentials.
pub struct Probabilities<'a, T> {
    /// Rows of keys, as wide as there are queries.
    pub scores: &'a mut [T],
    /// The logarithms.
    pub log: &'a [T],
}

impl<T: Math> Op<T> for Probabilities<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        for row in self.scores.chunks_exact_mut(self.log.len()) {
            map_row(Twice(l), &ByLog, [self.log], row);
        }
    }
}

struct ByLog;

impl<T: Math> Map<T, 1> for ByLog {
    const READS: bool = true;
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [log]: [L::V; 1], score: L::V) -> L::V {
        seen(l, l.sub(score, finite_or_zero(l, log)))
    }
}

/// The scores' gradient: `p * (g - mean)`, with the gradient `g` of the probabilities, by each query's mean of it.
pub struct ScoreGradient<'a, T> {
    /// Probabilities: rows of keys, as wide as there are queries.
    pub p: &'a [T],
    /// Their gradient; then the scores'.
    pub g: &'a mut [T],
    /// The means.
    pub mean: &'a [T],
}

impl<T: Float> Op<T> for ScoreGradient<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let width = self.mean.len();
        for (p, g) in self.p.chunks_exact(width).zip(self.g.chunks_exact_mut(width)) {
            map_row(l, &FromMean, [p, self.mean], g);
        }
    }
}

struct FromMean;

impl<T: Float> Map<T, 2> for FromMean {
    const READS: bool = true;
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [p, mean]: [L::V; 2], g: L::V) -> L::V {
        // Nothing flows through a probability of exactly 0, be `g` infinite.
        let zero = l.splat(T::ZERO);
        l.select(l.eq(p, zero), zero, l.mul(p, l.sub(g, mean)))
    }
}

/// Multiplies each row by a factor of its own.
pub struct ScaleRows<'a, T> {
    /// Rows.
    pub x: &'a mut [T],
    /// One a row.
    pub factors: &'a [T],
}

impl<T: Float> Op<T> for ScaleRows<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let len = self.x.len() / self.factors.len();
        for (x, &factor) in self.x.chunks_exact_mut(len).zip(self.factors) {
            map_row(l, &Times(factor), [], x);
        }
    }
}

/// The dot product of each row of `a` with that of `b`, by the reduction rule.
pub struct RowDots<'a, T> {
    /// Rows.
    pub a: &'a [T],
    /// As many.
    pub b: &'a [T],
    /// One a row.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for RowDots<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let len = self.a.len() / self.out.len();
        let rows = self.a.chunks_exact(len).zip(self.b.chunks_exact(len));
        for (out, (a, b)) in self.out.iter_mut().zip(rows) {
            *out = dot(l, a, b);
        }
    }
}
