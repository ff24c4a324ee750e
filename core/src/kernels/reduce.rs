//! Reductions: sums and maxima along an axis, in one fixed order.
//!
//! Element `j` of a reduced axis goes to virtual lane `j % 32` of block `j / 4096`. A block's 32 lanes are folded
//! by halving (`lane[i] += lane[i + w]` for `w` = 16, 8, 4, 2, 1) and the blocks' results pairwise, like a binary
//! counter. The order depends on nothing but the axis length, so rows and columns of one matrix, any lane count
//! and any thread count give the same bits.

mod columns;
mod dot;
mod row;
#[cfg(test)]
mod tests;
mod written;

use core::marker::PhantomData;

pub use columns::{Columns, WIDEST_TILE};
pub(crate) use dot::dot;
use row::fold_registers;
pub use row::{Plain, Row, Terms, fold_row};
pub(crate) use written::map_sum;

use super::{Lanes, ScalarLanes};
use crate::dtype::Float;

/// Virtual lanes of a block.
pub const VIRTUAL_LANES: usize = 32;
/// Elements of a block.
pub const BLOCK: usize = 4096;

/// How two values become one.
pub trait Fold<T: Float> {
    /// Leaves any value as it is.
    const IDENTITY: T;
    /// The fold, on lanes.
    fn fold<L: Lanes<T>>(l: L, acc: L::V, x: L::V) -> L::V;
    /// The same fold of two values.
    fn fold_one(acc: T, x: T) -> T;
}

/// `acc + x`.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

impl<T: Float> Fold<T> for Sum {
    const IDENTITY: T = T::ZERO;
    #[inline(always)]
    fn fold<L: Lanes<T>>(l: L, acc: L::V, x: L::V) -> L::V {
        l.add(acc, x)
    }
    #[inline(always)]
    fn fold_one(acc: T, x: T) -> T {
        acc + x
    }
}

/// The larger; NaN is passed over, so that only an axis of nothing but NaN gives the identity, `-inf`.
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl<T: Float> Fold<T> for Max {
    const IDENTITY: T = T::NEG_INFINITY;
    #[inline(always)]
    fn fold<L: Lanes<T>>(l: L, acc: L::V, x: L::V) -> L::V {
        l.select(l.lt(acc, x), x, acc)
    }
    #[inline(always)]
    fn fold_one(acc: T, x: T) -> T {
        if acc < x { x } else { acc }
    }
}

/// The smaller; NaN is passed over, so that only an axis of nothing but NaN gives the identity, `inf`.
#[derive(Clone, Copy, Debug)]
pub struct Min;

impl<T: Float> Fold<T> for Min {
    const IDENTITY: T = T::INFINITY;
    #[inline(always)]
    fn fold<L: Lanes<T>>(l: L, acc: L::V, x: L::V) -> L::V {
        l.select(l.lt(x, acc), x, acc)
    }
    #[inline(always)]
    fn fold_one(acc: T, x: T) -> T {
        if x < acc { x } else { acc }
    }
}

/// `acc * x`.
#[derive(Clone, Copy, Debug)]
pub struct Prod;

impl<T: Float> Fold<T> for Prod {
    const IDENTITY: T = T::ONE;
    #[inline(always)]
    fn fold<L: Lanes<T>>(l: L, acc: L::V, x: L::V) -> L::V {
        l.mul(acc, x)
    }
    #[inline(always)]
    fn fold_one(acc: T, x: T) -> T {
        acc * x
    }
}

/// Elements of a segment: a power of two of blocks, so that the folds of segments, folded by [`pairwise`], are the fold of
/// the whole row to the bit.
pub const SEGMENT: usize = 16 * BLOCK;

/// Folds the folds of a row's segments, in their order. At least one.
pub fn pairwise<T: Float, F: Fold<T>>(_: &F, segments: &[T]) -> T {
    let mut values = Pairwise::<T, One, F, 1>::new(One {});
    segments.iter().for_each(|&x| values.push([x]));
    values.finish()[0]
}

/// Plain values are one lane; folds have no class, since they multiply nothing.
type One = ScalarLanes<true>;

/// `acc = fold(acc, x)`, vector by vector.
#[inline(always)]
fn fold_vectors<T: Float, L: Lanes<T>, F: Fold<T>, const W: usize>(
    l: L,
    acc: &mut [L::V; W],
    x: &[L::V; W],
) {
    for (acc, &x) in acc.iter_mut().zip(x) {
        *acc = F::fold(l, *acc, x);
    }
}

/// As many as the bits of a number of blocks.
const LEVELS: usize = (usize::BITS - BLOCK.trailing_zeros() + 1) as usize;

/// Folds values of `W` vectors pairwise, like the carries of a binary counter: neighbours meet first.
struct Pairwise<T: Float, L: Lanes<T>, F, const W: usize> {
    l: L,
    levels: [[L::V; W]; LEVELS],
    count: usize,
    fold: PhantomData<(T, F)>,
}

impl<T: Float, L: Lanes<T>, F: Fold<T>, const W: usize> Pairwise<T, L, F, W> {
    #[inline(always)]
    fn new(l: L) -> Self {
        let levels = [[l.splat(F::IDENTITY); W]; LEVELS];
        Self { l, levels, count: 0, fold: PhantomData }
    }

    #[inline(always)]
    fn push(&mut self, mut value: [L::V; W]) {
        let carries = self.count.trailing_ones() as usize;
        for level in &self.levels[..carries] {
            let right = value;
            value = *level;
            fold_vectors::<T, L, F, W>(self.l, &mut value, &right);
        }
        self.levels[carries] = value;
        self.count += 1;
    }

    /// The fold of all values; at least one was pushed.
    #[inline(always)]
    fn finish(&self) -> [L::V; W] {
        let mut level = self.count.trailing_zeros() as usize;
        let mut total = self.levels[level];
        while self.count >> (level + 1) > 0 {
            level += 1;
            if self.count >> level & 1 == 1 {
                let right = total;
                total = self.levels[level];
                fold_vectors::<T, L, F, W>(self.l, &mut total, &right);
            }
        }
        total
    }
}
