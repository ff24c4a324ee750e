//! Folds of a matrix's columns.

use super::{BLOCK, Fold, Pairwise, VIRTUAL_LANES, fold_vectors};
use crate::dtype::Float;
use crate::kernels::{Lanes, Op};

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

/// Columns of a wide tile on the widest lanes, 16 of f32. Fewer go through the narrow one.
pub const WIDEST_TILE: usize = WIDE * 16;

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
