//! Layer, group and root-mean-square normalisation of rows.
//!
//! Sums over a row follow the reduction rule. The variance is the corrected two-pass one (Chan, Golub and LeVeque, "Algorithms
//! for computing the sample variance", 1983): deviations are taken from a rounded mean, and their own mean, which would be 0 but
//! for that rounding, is taken out again. Nothing cancels however far the row lies from 0.
//!
//! Weights belong to channels: `inner` neighbouring elements share one (1 in a layer norm, where each element has its own; the
//! spatial size in a group norm).

mod backward;

pub use backward::{GROUP, NormalizeBackward};

use super::reduce::{Plain, Sum, Terms, fold_row};
use super::rows::{Map, map_row};
use super::{Lanes, Op};
use crate::dtype::Float;

/// How a row is normalised, and by which weights.
#[derive(Clone, Copy, Debug)]
pub struct Norm<'a, T> {
    /// Take the mean out (layer and group norm), or not (rms norm).
    pub centered: bool,
    /// Added to the variance, or to the mean square.
    pub eps: T,
    /// Elements of a row.
    pub row_len: usize,
    /// Neighbouring elements that share a weight. Rows are whole channels.
    pub inner: usize,
    /// Factors, one a channel; none if empty.
    pub weight: &'a [T],
    /// Summands, one a channel; none if empty.
    pub bias: &'a [T],
}

/// Normalises some rows: `out = (x - mean) / sqrt(variance + eps) * weight + bias`.
pub struct Normalize<'a, T> {
    /// How.
    pub norm: Norm<'a, T>,
    /// Which row of all the first one is: rows go through the channels in turn.
    pub first: usize,
    /// The rows.
    pub x: &'a [T],
    /// As long.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for Normalize<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { norm, first, x, out } = self;
        let rows = x.chunks_exact(norm.row_len).zip(out.chunks_exact_mut(norm.row_len));
        for (i, (x, out)) in rows.enumerate() {
            let row = Moments::of(l, &norm, x);
            let (weight, bias) =
                (norm.of_row(norm.weight, first + i), norm.of_row(norm.bias, first + i));
            if norm.inner == 1 {
                apply(l, row, x, weight, bias, out);
                continue;
            }
            let channels = x.chunks_exact(norm.inner).zip(out.chunks_exact_mut(norm.inner));
            for (c, (x, out)) in channels.enumerate() {
                let scale = weight.get(c).copied().unwrap_or(T::ONE);
                let shift = bias.get(c).copied().unwrap_or(T::ZERO);
                map_row(l, &Affine { row, scale, shift }, [x], out);
            }
        }
    }
}

impl<T: Float> Norm<'_, T> {
    /// Channels of a row.
    #[inline(always)]
    fn channels(&self) -> usize {
        self.row_len / self.inner
    }

    /// The part of a list of channels that a row's channels are, if there is a list.
    #[inline(always)]
    fn of_row<'b>(&self, all: &'b [T], row: usize) -> &'b [T] {
        if all.is_empty() { all } else { &all[self.start(row, all.len())..][..self.channels()] }
    }

    /// Where a row's channels start, of `all`.
    #[inline(always)]
    fn start(&self, row: usize, all: usize) -> usize {
        row * self.channels() % all
    }
}

/// What normalises a row: `((x - mean) - rest) * scale`.
#[derive(Clone, Copy, Debug)]
struct Moments<T> {
    /// The rounded mean; 0 if it is not taken out.
    mean: T,
    /// `-scale` times the mean of what is left.
    rest: T,
    /// `1 / sqrt(variance + eps)`.
    scale: T,
}

impl<T: Float> Moments<T> {
    #[inline(always)]
    fn of<L: Lanes<T>>(l: L, norm: &Norm<'_, T>, x: &[T]) -> Self {
        let n = T::from_f64(x.len() as f64);
        if !norm.centered {
            let [squares] = fold_row(l, &Squares, [x]);
            let scale = reciprocal_root(l, squares / n + norm.eps);
            return Self { mean: T::ZERO, rest: T::ZERO, scale };
        }
        let [sum] = fold_row(l, &Plain(Sum), [x]);
        let mean = sum / n;
        let [sum, squares] = fold_row(l, &Deviations { mean }, [x]);
        let rest = sum / n;
        let variance = squares / n - rest * rest;
        // A constant row may fall below 0 by rounding; NaN stays.
        let variance = if variance < T::ZERO { T::ZERO } else { variance };
        let scale = reciprocal_root(l, variance + norm.eps);
        Self { mean, rest: -(rest * scale), scale }
    }

    /// The normalised values.
    #[inline(always)]
    fn normal<L: Lanes<T>>(&self, l: L, x: L::V) -> L::V {
        let deviation = l.sub(x, l.splat(self.mean));
        l.mul_add(deviation, l.splat(self.scale), l.splat(self.rest))
    }
}

/// `1 / sqrt(x)`, both steps rounded.
#[inline(always)]
fn reciprocal_root<T: Float, L: Lanes<T>>(l: L, x: T) -> T {
    let mut lanes = [T::ZERO; super::reduce::VIRTUAL_LANES];
    l.store(l.div(l.splat(T::ONE), l.sqrt(l.splat(x))), &mut lanes);
    lanes[0]
}

/// `sum of x^2`.
struct Squares;

impl<T: Float> Terms<T, 1, 1> for Squares {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [acc]: [L::V; 1], [x]: [L::V; 1]) -> [L::V; 1] {
        [l.mul_add(x, x, acc)]
    }
}

/// `sum of (x - mean)` and of its square.
struct Deviations<T> {
    mean: T,
}

impl<T: Float> Terms<T, 1, 2> for Deviations<T> {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [sum, squares]: [L::V; 2], [x]: [L::V; 1]) -> [L::V; 2] {
        let d = l.sub(x, l.splat(self.mean));
        [l.add(sum, d), l.mul_add(d, d, squares)]
    }
}

/// Normalises a row, or a channel of one; weights and biases of their own for each element, or none.
#[inline(always)]
fn apply<T: Float, L: Lanes<T>>(
    l: L,
    row: Moments<T>,
    x: &[T],
    weight: &[T],
    bias: &[T],
    out: &mut [T],
) {
    let f = Affine { row, scale: T::ONE, shift: T::ZERO };
    match (weight.is_empty(), bias.is_empty()) {
        (true, true) => map_row(l, &f, [x], out),
        (false, true) => map_row(l, &Weighted(row), [x, weight], out),
        (false, false) => map_row(l, &f, [x, weight, bias], out),
        (true, false) => map_row(l, &f, [x, bias], out),
    }
}

/// `normal * scale + shift`.
struct Affine<T> {
    row: Moments<T>,
    scale: T,
    shift: T,
}

impl<T: Float> Map<T, 1> for Affine<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x]: [L::V; 1], _: L::V) -> L::V {
        l.mul_add(self.row.normal(l, x), l.splat(self.scale), l.splat(self.shift))
    }
}

/// The shift as an operand.
impl<T: Float> Map<T, 2> for Affine<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, shift]: [L::V; 2], _: L::V) -> L::V {
        l.add(self.row.normal(l, x), shift)
    }
}

/// Both as operands.
impl<T: Float> Map<T, 3> for Affine<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, scale, shift]: [L::V; 3], _: L::V) -> L::V {
        l.mul_add(self.row.normal(l, x), scale, shift)
    }
}

/// `normal * weight`.
struct Weighted<T>(Moments<T>);

impl<T: Float> Map<T, 2> for Weighted<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, weight]: [L::V; 2], _: L::V) -> L::V {
        l.mul(self.0.normal(l, x), weight)
    }
}
