//! Reductions: sums and maxima along an axis, in one fixed order.
//!
//! Element `j` of a reduced axis goes to virtual lane `j % 32` of block `j / 4096`. A block's 32 lanes are folded
//! by halving (`lane[i] += lane[i + w]` for `w` = 16, 8, 4, 2, 1) and the blocks' results pairwise, like a binary
//! counter. The order depends on nothing but the axis length, so rows and columns of one matrix, any lane count
//! and any thread count give the same bits.

mod dot;
#[cfg(test)]
mod tests;

use core::marker::PhantomData;

pub(crate) use dot::dot;

use super::{Lanes, Op, ScalarLanes};
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

/// Elements of a segment: a power of two of blocks, so that the folds of segments, folded by [`pairwise`], are the fold of
/// the whole row to the bit.
pub const SEGMENT: usize = 16 * BLOCK;

/// Folds the folds of a row's segments, in their order. At least one.
pub fn pairwise<T: Float, F: Fold<T>>(_: &F, segments: &[T]) -> T {
    let mut values = Pairwise::<T, One, F, 1>::new(One {});
    segments.iter().for_each(|&x| values.push([x]));
    values.finish()[0]
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
        let mut blocks = Pairwise::<T, One, F, 1>::new(One {});
        for block in self.x.chunks(BLOCK) {
            blocks.push([row_block::<T, L, F>(l, block)]);
        }
        blocks.finish()[0]
    }
}

/// Plain values are one lane; folds have no class, since they multiply nothing.
type One = ScalarLanes<true>;

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
    fold_lanes::<T, One, F, 1>(One {}, lanes.as_chunks_mut().0)[0]
}

/// Folds up to 32 lanes of `W` vectors to one by halving; at least one. Lanes that are not there would hold the
/// identity, which changes nothing (no sum that began with +0 is -0).
#[inline(always)]
fn fold_lanes<T: Float, L: Lanes<T>, F: Fold<T>, const W: usize>(
    l: L,
    lanes: &mut [[L::V; W]],
) -> [L::V; W] {
    let mut width = VIRTUAL_LANES / 2;
    while width > 0 {
        if let Some((low, high)) = lanes.split_at_mut_checked(width) {
            for (a, b) in low.iter_mut().zip(high) {
                fold_vectors::<T, L, F, W>(l, a, b);
            }
        }
        width /= 2;
    }
    lanes[0]
}

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

/// Folds each column of a matrix to one value.
///
/// A tile of columns is read once, and its rows in the order that keeps accumulators in registers: all rows of one
/// virtual lane, then those of the next. A wide tile (8 vectors) does a lane at a time and takes whole cache lines
/// of each row; a narrow one, of the last columns, does 8 lanes at a time.
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

/// Vectors in a wide tile, and lanes at a time in a narrow one.
const WIDE: usize = 8;

impl<T: Float, F: Fold<T>> Op<T> for Columns<'_, T, F> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let _ = self.fold;
        let (x, row_stride) = (self.x, self.row_stride);
        let mut start = 0;
        let mut tiles = self.out.chunks_exact_mut(WIDE * L::N);
        for out in tiles.by_ref() {
            let tile = ColumnTile { x, row_stride, start, width: WIDE * L::N };
            let total = tile.fold::<L, F, WIDE, 1>(l);
            for (v, out) in total.iter().zip(out.chunks_exact_mut(L::N)) {
                l.store(*v, out);
            }
            start += WIDE * L::N;
        }
        for out in tiles.into_remainder().chunks_mut(L::N) {
            let tile = ColumnTile { x, row_stride, start, width: out.len() };
            let [total] = tile.fold::<L, F, 1, WIDE>(l);
            l.store_upto(total, out);
            start += L::N;
        }
    }
}

/// Columns `start..start + width` of `x`.
#[derive(Clone, Copy)]
struct ColumnTile<'a, T> {
    x: &'a [T],
    row_stride: usize,
    start: usize,
    width: usize,
}

impl<T: Float> ColumnTile<'_, T> {
    /// Folds the tile's `W` vectors of columns, `G` virtual lanes at a time.
    #[inline(always)]
    fn fold<L: Lanes<T>, F: Fold<T>, const W: usize, const G: usize>(self, l: L) -> [L::V; W] {
        let block_len = BLOCK.saturating_mul(self.row_stride);
        if self.x.len() <= block_len {
            return self.fold_block::<L, F, W, G>(l);
        }
        let mut blocks = Pairwise::<T, L, F, W>::new(l);
        for x in self.x.chunks(block_len) {
            blocks.push(Self { x, ..self }.fold_block::<L, F, W, G>(l));
        }
        blocks.finish()
    }

    /// Folds at most one block of rows.
    #[inline(always)]
    fn fold_block<L: Lanes<T>, F: Fold<T>, const W: usize, const G: usize>(
        self,
        l: L,
    ) -> [L::V; W] {
        let (round_len, group_len) =
            (VIRTUAL_LANES.saturating_mul(self.row_stride), G.saturating_mul(self.row_stride));
        let mut lanes = [[l.splat(F::IDENTITY); W]; VIRTUAL_LANES];
        let mut used = 0;
        let mut rest = self.x;
        for lanes in lanes.chunks_exact_mut(G) {
            if rest.is_empty() {
                break;
            }
            let mut rows = rest;
            let mut acc = [[l.splat(F::IDENTITY); W]; G];
            while rows.len() >= group_len {
                for (g, acc) in acc.iter_mut().enumerate() {
                    let row = &rows[g * self.row_stride + self.start..][..self.width];
                    fold_vectors::<T, L, F, W>(l, acc, &load_row::<T, L, W>(l, row));
                }
                rows = &rows[round_len.min(rows.len())..];
            }
            lanes.copy_from_slice(&acc);
            // The last round may end within the group, and the last row before the next one would start.
            for (acc, row) in lanes.iter_mut().zip(rows.chunks(self.row_stride)) {
                let row = &row[self.start..][..self.width];
                fold_vectors::<T, L, F, W>(l, acc, &load_row::<T, L, W>(l, row));
            }
            used += G;
            rest = &rest[group_len.min(rest.len())..];
        }
        fold_lanes::<T, L, F, W>(l, &mut lanes[..used])
    }
}

/// `row` in `W` vectors; the last one may be part of one.
#[inline(always)]
fn load_row<T: Float, L: Lanes<T>, const W: usize>(l: L, row: &[T]) -> [L::V; W] {
    let mut vectors = [l.splat(T::ZERO); W];
    for (v, x) in vectors.iter_mut().zip(row.chunks(L::N)) {
        *v = l.load_upto(x);
    }
    vectors
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
