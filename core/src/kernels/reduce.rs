//! Reductions: sums and maxima along an axis, in one fixed order.
//!
//! Element `j` of a reduced axis goes to virtual lane `j % 32` of block `j / 4096`. A block's 32 lanes are folded
//! by halving (`lane[i] += lane[i + w]` for `w` = 16, 8, 4, 2, 1) and the blocks' results pairwise, like a binary
//! counter. The order depends on nothing but the axis length, so rows and columns of one matrix, any lane count
//! and any thread count give the same bits.

use super::{Lanes, Op};
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

/// Folds one row to one value.
pub struct Row<'a, T, F> {
    /// The fold.
    pub fold: F,
    /// The row.
    pub x: &'a [T],
}

impl<T: Float, F: Fold<T>> Op<T> for Row<'_, T, F> {
    type Out = T;
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) -> T {
        let _ = self.fold;
        if self.x.len() <= BLOCK {
            return row_block::<T, L, F>(l, self.x);
        }
        let mut blocks = Pairwise::new(F::IDENTITY);
        for block in self.x.chunks(BLOCK) {
            blocks.push(row_block::<T, L, F>(l, block), F::fold_one);
        }
        blocks.finish(F::fold_one)
    }
}

/// Folds at most one block of a row.
#[inline(always)]
fn row_block<T: Float, L: Lanes<T>, F: Fold<T>>(l: L, block: &[T]) -> T {
    let mut lanes = [F::IDENTITY; VIRTUAL_LANES];
    let mut rounds = block.chunks_exact(VIRTUAL_LANES);
    if rounds.len() > 0 {
        let mut acc = [l.splat(F::IDENTITY); VIRTUAL_LANES];
        let acc = &mut acc[..VIRTUAL_LANES / L::N];
        for x in rounds.by_ref() {
            for (acc, x) in acc.iter_mut().zip(x.chunks_exact(L::N)) {
                *acc = F::fold(l, *acc, l.load(x));
            }
        }
        for (acc, lanes) in acc.iter().zip(lanes.chunks_exact_mut(L::N)) {
            l.store(*acc, lanes);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rounds.remainder()) {
        *lane = F::fold_one(*lane, x);
    }
    fold_lanes(&mut lanes, F::fold_one)
}

/// Folds 32 lanes to one by halving.
#[inline(always)]
fn fold_lanes<V: Copy>(lanes: &mut [V; VIRTUAL_LANES], fold: impl Fn(V, V) -> V) -> V {
    let mut width = VIRTUAL_LANES / 2;
    while width > 0 {
        let (low, high) = lanes.split_at_mut(width);
        for (a, b) in low.iter_mut().zip(high) {
            *a = fold(*a, *b);
        }
        width /= 2;
    }
    lanes[0]
}

/// Folds each column of a matrix to one value, `L::N` columns at a time.
pub struct Columns<'a, T, F> {
    /// The fold.
    pub fold: F,
    /// Rows of at least `out.len()` elements, `row_stride` apart.
    pub x: &'a [T],
    /// Distance of rows.
    pub row_stride: usize,
    /// One value a column.
    pub out: &'a mut [T],
}

impl<T: Float, F: Fold<T>> Op<T> for Columns<'_, T, F> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let _ = self.fold;
        let stride = self.row_stride;
        let fold = |acc, x| F::fold(l, acc, x);
        for (tile, out) in self.out.chunks_mut(L::N).enumerate() {
            let (start, width) = (tile * L::N, out.len());
            let mut blocks = Pairwise::new(l.splat(F::IDENTITY));
            for block in self.x.chunks(BLOCK * stride) {
                let mut acc = [l.splat(F::IDENTITY); VIRTUAL_LANES];
                for round in block.chunks(VIRTUAL_LANES * stride) {
                    for (acc, row) in acc.iter_mut().zip(round.chunks(stride)) {
                        let x = &row[start..start + width];
                        *acc = fold(*acc, if width == L::N { l.load(x) } else { l.load_part(x) });
                    }
                }
                blocks.push(fold_lanes(&mut acc, fold), fold);
            }
            let total = blocks.finish(fold);
            if width == L::N {
                l.store(total, out);
            } else {
                l.store_part(total, out);
            }
        }
    }
}

/// Folds values pairwise, like the carries of a binary counter: neighbours meet first.
struct Pairwise<V> {
    levels: [V; usize::BITS as usize],
    count: usize,
}

impl<V: Copy> Pairwise<V> {
    #[inline(always)]
    fn new(fill: V) -> Self {
        Self { levels: [fill; usize::BITS as usize], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, mut value: V, fold: impl Fn(V, V) -> V) {
        let carries = self.count.trailing_ones() as usize;
        for level in &self.levels[..carries] {
            value = fold(*level, value);
        }
        self.levels[carries] = value;
        self.count += 1;
    }

    /// The fold of all values; at least one was pushed.
    #[inline(always)]
    fn finish(self, fold: impl Fn(V, V) -> V) -> V {
        let mut level = self.count.trailing_zeros() as usize;
        let mut total = self.levels[level];
        while self.count >> (level + 1) > 0 {
            level += 1;
            if self.count >> level & 1 == 1 {
                total = fold(self.levels[level], total);
            }
        }
        total
    }
}
