//! The softmax family over one row.
//!
//! All three passes (maximum, sum of exponentials, division) follow the reduction rule, so that a row's bits depend
//! on its values alone. A row of nothing but `-inf` gives zeros (softmax) and has a zero gradient; a NaN makes its
//! whole row NaN.

use super::math::Math;
use super::reduce::{Max, Row, Sum};
use super::{Lanes, Op};
use crate::dtype::Float;

/// `out[i] = e^(x[i] - max) / sum of e^(x[j] - max)`.
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
            apply(l, self.x, self.out, |x| T::exp(l, x));
            return spread_nan(self.out);
        }
        let shift = l.splat(max);
        apply(l, self.x, self.out, |x| T::exp(l, l.sub(x, shift)));
        let sum = l.splat(Row { fold: Sum, x: self.out }.run(l));
        apply_in_place(l, self.out, |e| l.div(e, sum));
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
        let shift = l.splat(max);
        apply(l, self.x, self.out, |x| T::exp(l, l.sub(x, shift)));
        let sum = l.splat(Row { fold: Sum, x: self.out }.run(l));
        let log = T::log(l, sum);
        apply(l, self.x, self.out, |x| l.sub(l.sub(x, shift), log));
    }
}

/// `dx[i] = y[i] * (g[i] - sum of g[j] * y[j])` from the output `y`.
pub struct SoftmaxBackward<'a, T> {
    /// The output row.
    pub y: &'a [T],
    /// Its gradient.
    pub g: &'a [T],
    /// The input's gradient; also the room for the products.
    pub out: &'a mut [T],
}

impl<T: Math> Op<T> for SoftmaxBackward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        apply2(l, self.y, self.g, self.out, |y, g| l.mul(g, y));
        let dot = l.splat(Row { fold: Sum, x: self.out }.run(l));
        apply2(l, self.y, self.g, self.out, |y, g| l.mul(y, l.sub(g, dot)));
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
        let sum = l.neg(l.splat(Row { fold: Sum, x: self.g }.run(l)));
        apply2(l, self.y, self.g, self.out, |y, g| l.mul_add(T::exp(l, y), sum, g));
    }
}

// A closure that a loop calls in one place is inlined into it, and so compiled for the caller's features; `#[inline]`
// does not reach closures. Hence one call a loop, for whole and partial vectors alike.

#[inline(always)]
fn apply<T: Float, L: Lanes<T>>(l: L, x: &[T], out: &mut [T], f: impl Fn(L::V) -> L::V) {
    for (x, out) in x.chunks(L::N).zip(out.chunks_mut(L::N)) {
        l.store_upto(f(l.load_upto(x)), out);
    }
}

#[inline(always)]
fn apply_in_place<T: Float, L: Lanes<T>>(l: L, x: &mut [T], f: impl Fn(L::V) -> L::V) {
    for x in x.chunks_mut(L::N) {
        l.store_upto(f(l.load_upto(x)), x);
    }
}

#[inline(always)]
fn apply2<T: Float, L: Lanes<T>>(
    l: L,
    a: &[T],
    b: &[T],
    out: &mut [T],
    f: impl Fn(L::V, L::V) -> L::V,
) {
    for ((a, b), out) in a.chunks(L::N).zip(b.chunks(L::N)).zip(out.chunks_mut(L::N)) {
        l.store_upto(f(l.load_upto(a), l.load_upto(b)), out);
    }
}
