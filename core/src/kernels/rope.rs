//! Rotary position embedding: pairs of a row's elements are turned by angles that grow with the position.

use super::rows::{Map, map_row};
use super::{Lanes, Op};
use crate::dtype::Float;

/// Turns rows: pair `i` of a row becomes `(a * cos[i] - b * sin[i], b * cos[i] + a * sin[i])`.
pub struct Rotate<'a, T> {
    /// Rows.
    pub x: &'a [T],
    /// As long.
    pub out: &'a mut [T],
    /// Elements of a row.
    pub row_len: usize,
    /// Cosines of one row's angles after another's, half a row of them each.
    pub cos: &'a [T],
    /// Sines.
    pub sin: &'a [T],
    /// Pairs are neighbours; else an element of the first half goes with one of the second.
    pub interleaved: bool,
}

impl<T: Float> Op<T> for Rotate<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let half = self.row_len / 2;
        let rows = self.x.chunks_exact(self.row_len).zip(self.out.chunks_exact_mut(self.row_len));
        let angles = self.cos.chunks_exact(half).zip(self.sin.chunks_exact(half));
        for ((x, out), (cos, sin)) in rows.zip(angles) {
            if self.interleaved {
                pairs(l, x, out, cos, sin);
                continue;
            }
            let ((a, b), (low, high)) = (x.split_at(half), out.split_at_mut(half));
            map_row(l, &Turn, [b, sin, a, cos], low);
            map_row(l, &Back, [a, sin, b, cos], high);
        }
    }
}

/// `c * cos - s * sin`.
struct Turn;

impl<T: Float> Map<T, 4> for Turn {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [s, sin, c, cos]: [L::V; 4], _: L::V) -> L::V {
        l.mul_add(c, cos, l.neg(l.mul(s, sin)))
    }
}

/// `c * cos + s * sin`.
struct Back;

impl<T: Float> Map<T, 4> for Back {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [s, sin, c, cos]: [L::V; 4], _: L::V) -> L::V {
        l.mul_add(c, cos, l.mul(s, sin))
    }
}

/// Pairs taken apart at a time.
const PAIRS: usize = 32;

/// A row whose pairs are neighbours: taken apart, turned as halves are, and put together.
#[inline(always)]
fn pairs<T: Float, L: Lanes<T>>(l: L, x: &[T], out: &mut [T], cos: &[T], sin: &[T]) {
    let angles = cos.chunks(PAIRS).zip(sin.chunks(PAIRS));
    let rows = x.chunks(2 * PAIRS).zip(out.chunks_mut(2 * PAIRS));
    for ((x, out), (cos, sin)) in rows.zip(angles) {
        let n = cos.len();
        let ([mut a, mut b], [mut low, mut high]) = ([[T::ZERO; PAIRS]; 2], [[T::ZERO; PAIRS]; 2]);
        for ((a, b), x) in a.iter_mut().zip(&mut b).zip(x.as_chunks::<2>().0) {
            [*a, *b] = *x;
        }
        map_row(l, &Turn, [&b[..n], sin, &a[..n], cos], &mut low[..n]);
        map_row(l, &Back, [&a[..n], sin, &b[..n], cos], &mut high[..n]);
        for ((&low, &high), out) in low.iter().zip(&high).zip(out.as_chunks_mut::<2>().0) {
            *out = [low, high];
        }
    }
}
