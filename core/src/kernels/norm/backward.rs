//! The gradients of a normalisation.
//!
//! With `n` the normalised values, `h = g * weight`, and means over the row: `dx = scale * (h - mean(h) - n * mean(h * n))`, where
//! the first mean is left out if none was taken out. Moments are computed again from `x`, which costs less than to keep them.
//! The weights' gradients are summed over [`GROUP`] rows in order; the sums of groups are folded by the reduction rule (`exec`).

use super::{Moments, Norm};
use crate::dtype::Float;
use crate::kernels::reduce::{Sum, Terms, fold_row};
use crate::kernels::rows::{Map, map_row};
use crate::kernels::{Lanes, Op};

/// The gradients of some rows.
pub struct NormalizeBackward<'a, T> {
    /// How they were normalised.
    pub norm: Norm<'a, T>,
    /// Which row of all the first one is.
    pub first: usize,
    /// The rows.
    pub x: &'a [T],
    /// The outputs' gradient.
    pub g: &'a [T],
    /// The gradient of `x`.
    pub dx: &'a mut [T],
    /// For each group of rows, the gradients of all weights, then of all biases; empty if not asked for.
    pub sums: &'a mut [T],
    /// Channels of all rows together.
    pub channels: usize,
}

/// Rows whose contributions to the weights' gradients are summed in order.
pub const GROUP: usize = 32;

impl<T: Float> Op<T> for NormalizeBackward<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { norm, first, x, g, dx, sums, channels } = self;
        sums.fill(T::ZERO);
        let n = norm.row_len;
        let rows = x.chunks_exact(n).zip(g.chunks_exact(n)).zip(dx.chunks_exact_mut(n));
        for (i, ((x, g), dx)) in rows.enumerate() {
            let row = first + i;
            let (mut of_weight, mut of_bias) = (&mut [][..], &mut [][..]);
            if !sums.is_empty() {
                let (w, b) =
                    sums[i / GROUP * 2 * channels..][..2 * channels].split_at_mut(channels);
                let (start, own) = (norm.start(row, channels), norm.channels());
                of_weight = &mut w[start..start + own];
                of_bias = &mut b[start..start + own];
            }
            let weight = norm.of_row(norm.weight, row);
            let moments = Moments::of(l, &norm, x);
            let mut one = Row { norm: &norm, moments, weight, x, g, of_weight, of_bias };
            one.run(l, dx);
        }
    }
}

/// One row.
struct Row<'a, T> {
    norm: &'a Norm<'a, T>,
    moments: Moments<T>,
    /// Weights of its channels, or none.
    weight: &'a [T],
    x: &'a [T],
    g: &'a [T],
    of_weight: &'a mut [T],
    of_bias: &'a mut [T],
}

impl<T: Float> Row<'_, T> {
    #[inline(always)]
    fn run<L: Lanes<T>>(&mut self, l: L, dx: &mut [T]) {
        let n = T::from_f64(self.x.len() as f64);
        let each = self.norm.inner == 1;
        let [sum, product] = if each { self.elements(l) } else { self.by_channel(l) };
        let mean = if self.norm.centered { sum / n } else { T::ZERO };
        let f = Input { row: self.moments, weight: T::ONE, mean, product: product / n };
        if each && self.weight.is_empty() {
            return map_row(l, &f, [self.x, self.g], dx);
        }
        if each {
            return map_row(l, &f, [self.x, self.g, self.weight], dx);
        }
        let inner = self.norm.inner;
        let channels = self.x.chunks_exact(inner).zip(self.g.chunks_exact(inner));
        for (c, ((x, g), dx)) in channels.zip(dx.chunks_exact_mut(inner)).enumerate() {
            let weight = self.weight.get(c).copied().unwrap_or(T::ONE);
            map_row(l, &Input { weight, ..f }, [x, g], dx);
        }
    }

    /// `sum of h` and `sum of h * n`, each element with a weight of its own; adds to the weights' gradients.
    #[inline(always)]
    fn elements<L: Lanes<T>>(&mut self, l: L) -> [T; 2] {
        let terms = Products(self.moments);
        if !self.of_bias.is_empty() {
            map_row(l, &terms, [self.x, self.g], self.of_weight);
            map_row(l, &Plus, [self.g], self.of_bias);
        }
        if self.weight.is_empty() {
            fold_row(l, &terms, [self.x, self.g])
        } else {
            fold_row(l, &terms, [self.x, self.g, self.weight])
        }
    }

    /// The same where a channel shares a weight: its sums are the weights' gradients as well.
    #[inline(always)]
    fn by_channel<L: Lanes<T>>(&mut self, l: L) -> [T; 2] {
        let (inner, mut total) = (self.norm.inner, [T::ZERO; 2]);
        let channels = self.x.chunks_exact(inner).zip(self.g.chunks_exact(inner));
        for (c, (x, g)) in channels.enumerate() {
            let [sum, product] = fold_row(l, &Products(self.moments), [x, g]);
            if let (Some(w), Some(b)) = (self.of_weight.get_mut(c), self.of_bias.get_mut(c)) {
                *w = *w + product;
                *b = *b + sum;
            }
            let weight = self.weight.get(c).copied().unwrap_or(T::ONE);
            total = [total[0] + sum * weight, total[1] + product * weight];
        }
        total
    }
}

/// `sum of g` and `sum of g * n`; with a weight of `g * weight`. As a map, the product's contribution.
struct Products<T>(Moments<T>);

impl<T: Float> Terms<T, 2, 2> for Products<T> {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [sum, product]: [L::V; 2], [x, g]: [L::V; 2]) -> [L::V; 2] {
        [l.add(sum, g), l.mul_add(g, self.0.normal(l, x), product)]
    }
}

impl<T: Float> Terms<T, 3, 2> for Products<T> {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, acc: [L::V; 2], [x, g, weight]: [L::V; 3]) -> [L::V; 2] {
        Terms::<T, 2, 2>::step(self, l, acc, [x, l.mul(g, weight)])
    }
}

impl<T: Float> Map<T, 2> for Products<T> {
    const READS: bool = true;
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, g]: [L::V; 2], old: L::V) -> L::V {
        l.mul_add(g, self.0.normal(l, x), old)
    }
}

/// `old + x`.
struct Plus;

impl<T: Float> Map<T, 1> for Plus {
    const READS: bool = true;
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x]: [L::V; 1], old: L::V) -> L::V {
        l.add(old, x)
    }
}

/// The input's gradient.
#[derive(Clone, Copy)]
struct Input<T> {
    row: Moments<T>,
    weight: T,
    mean: T,
    product: T,
}

impl<T: Float> Input<T> {
    #[inline(always)]
    fn of<L: Lanes<T>>(&self, l: L, x: L::V, h: L::V) -> L::V {
        let left = l.sub(h, l.splat(self.mean));
        let along = l.neg(self.row.normal(l, x));
        l.mul(l.mul_add(along, l.splat(self.product), left), l.splat(self.row.scale))
    }
}

impl<T: Float> Map<T, 2> for Input<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, g]: [L::V; 2], _: L::V) -> L::V {
        self.of(l, x, l.mul(g, l.splat(self.weight)))
    }
}

impl<T: Float> Map<T, 3> for Input<T> {
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, [x, g, weight]: [L::V; 3], _: L::V) -> L::V {
        self.of(l, x, l.mul(g, weight))
    }
}
