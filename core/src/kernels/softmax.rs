//! The softmax family over one row.
//!
//! All three passes (maximum, sum of exponentials, division) follow the reduction rule, so that a row's bits depend
//! on its values alone. A row of nothing but `-inf` gives zeros (softmax) and has a zero gradient; a NaN makes its
//! whole row NaN.

use super::math::Math;
use super::reduce::{Max, Row, Sum, Terms, VIRTUAL_LANES, dot, fold_row, map_sum};
use super::rows::{Map, Times, map_row};
use super::{Lanes, Op, Twice};
use crate::dtype::Float;

/// `out[i] = e^(x[i] - max) / sum of e^(x[j] - max)`, the quotient as a product with the sum's reciprocal.
pub struct Softmax<'a, T> {
    /// The row.
    pub x: &'a [T],
    /// As long.
    pub out: &'a mut [T],
}

impl<T: Math> Op<T> for Softmax<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let max = Row { fold: Max, x: self.x }.run(l);
        if max == T::NEG_INFINITY {
            // Nothing but -inf (or NaN, which stays): exp(x - 0) gives 0 (or NaN) and the sum is not divided by.
            map_row(l, &Exp { shift: T::ZERO }, [self.x], self.out);
            return spread_nan(self.out);
        }
        let sum = map_sum(Twice(l), &Exp { shift: max }, self.x, self.out);
        map_row(l, &Times(T::ONE / sum), [], self.out);
    }
}

/// Makes the whole row NaN if one element is.
#[inline(always)]
fn spread_nan<T: Float>(row: &mut [T]) {
    if row.iter().any(|x| x.is_not_a_number()) {
        row.fill(T::NAN);
    }
}

/// `out[i] = (x[i] - max) - log(sum of e^(x[j] - max))`.
pub struct LogSoftmax<'a, T> {
    /// The row.
    pub x: &'a [T],
    /// As long; also the room for the exponentials.
    pub out: &'a mut [T],
}

impl<T: Math> Op<T> for LogSoftmax<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let max = Row { fold: Max, x: self.x }.run(l);
        if max == T::NEG_INFINITY {
            self.out.copy_from_slice(self.x);
            return spread_nan(self.out);
        }
        // The exponentials are written only to be summed; the logarithm overwrites them.
        let sum = map_sum(Twice(l), &Exp { shift: max }, self.x, self.out);
        let mut log = [T::ZERO; VIRTUAL_LANES];
        l.store(T::log(l, l.splat(sum)), &mut log);
        map_row(l, &Shifted { shift: max, log: log[0] }, [self.x], self.out);
    }
}

/// `max + log(sum of e^(x[j] - max))`.
pub struct LogSumExp<'a, T> {
    /// The row.
    pub x: &'a [T],
}

impl<T: Math> Op<T> for LogSumExp<'_, T> {
    type Out = T;
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) -> T {
        let max = Row { fold: Max, x: self.x }.run(l);
        // With nothing but -inf (or NaN, which stays) nothing is taken away: the logarithm of 0 is right.
        let shift = if max == T::NEG_INFINITY { T::ZERO } else { max };
        let [sum] = fold_row(Twice(l), &Exp { shift }, [self.x]);
        let mut log = [T::ZERO; VIRTUAL_LANES];
        l.store(T::log(l, l.splat(sum)), &mut log);
        shift + log[0]
    }
}

impl<T: Math> Terms<T, 1, 1> for Exp<T> {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [acc]: [L::V; 1], x: [L::V; 1]) -> [L::V; 1] {
        [l.add(acc, Map::at(self, l, x, acc))]
    }
}

/// `dx[i] = y[i] * (g[i] - sum of g[j] * y[j])` from the output `y`.
pub struct SoftmaxBackward<'a, T> {
    /// The output row.
    pub y: &'a [T],
    /// Its gradient.
    pub g: &'a [T],
    /// The input's gradient.
    pub out: &'a mut [T],
}

impl<T: Math> Op<T> for SoftmaxBackward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let dot = dot(l, self.g, self.y);
        map_row(l, &Along(dot), [self.y, self.g], self.out);
    }
}

/// `dx[i] = g[i] - e^y[i] * sum of g[j]` from the output `y`.
pub struct LogSoftmaxBackward<'a, T> {
    /// The output row.
    pub y: &'a [T],
    /// Its gradient.
    pub g: &'a [T],
    /// The input's gradient.
    pub out: &'a mut [T],
}

impl<T: Math> Op<T> for LogSoftmaxBackward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let sum = Row { fold: Sum, x: self.g }.run(l);
        map_row(l, &LogAlong(-sum), [self.y, self.g], self.out);
    }
}

/// `e^(x - shift)`.
struct Exp<T> {
    shift: T,
}

impl<T: Math> Map<T, 1> for Exp<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x]: [L::V; 1], _: L::V) -> L::V {
        T::exp(l, l.sub(x, l.splat(self.shift)))
    }
}

/// `(x - shift) - log`.
struct Shifted<T> {
    shift: T,
    log: T,
}

impl<T: Math> Map<T, 1> for Shifted<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x]: [L::V; 1], _: L::V) -> L::V {
        l.sub(l.sub(x, l.splat(self.shift)), l.splat(self.log))
    }
}

/// `y * (g - dot)`.
struct Along<T>(T);

impl<T: Math> Map<T, 2> for Along<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [y, g]: [L::V; 2], _: L::V) -> L::V {
        l.mul(y, l.sub(g, l.splat(self.0)))
    }
}

/// `g + e^y * sum`.
struct LogAlong<T>(T);

impl<T: Math> Map<T, 2> for LogAlong<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [y, g]: [L::V; 2], _: L::V) -> L::V {
        l.mul_add(T::exp(l, y), l.splat(self.0), g)
    }
}
