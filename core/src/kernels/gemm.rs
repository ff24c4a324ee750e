//! The register tile of a matrix product, and the packing it reads.
//!
//! A tile of `mr x nr` outputs ([`Lanes::TILE_ROWS`] rows of [`NV`] vectors) is loaded, runs over `k` in ascending order with one [`Lanes::mul_add`] a step, and
//! is stored: "load C, continue" is what lets the driver cut `k` into blocks, or a tile into others, without
//! changing a bit. Packed operands are zero-padded to whole tiles; padded outputs are computed and dropped.

use super::{Lanes, Op};
use crate::dtype::Float;

/// Lanes' vectors in a tile's row.
pub const NV: usize = 2;

/// One tile: `c[i][j] += sum over p of a[p][i] * b[p][j]`.
pub struct Tile<'a, T> {
    /// Packed left panel: `k` groups of `mr`.
    pub a: &'a [T],
    /// Packed right panel: `k` groups of `nr`.
    pub b: &'a [T],
    /// Output rows start `row_stride` apart; the first `rows` rows and `columns` columns are real.
    pub c: &'a mut [T],
    /// Distance of output rows.
    pub row_stride: usize,
    /// Rows of the tile that exist, 1 to `mr`.
    pub rows: usize,
    /// Columns of the tile that exist, 1 to `nr`.
    pub columns: usize,
    /// Start from 0 instead of what `c` holds.
    pub fresh: bool,
}

impl<T: Float> Op<T> for Tile<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        const { assert!(L::TILE_ROWS == 4 || L::TILE_ROWS == 6) };
        if L::TILE_ROWS == 6 { self.of_rows::<L, 6>(l) } else { self.of_rows::<L, 4>(l) }
    }
}

impl<T: Float> Tile<'_, T> {
    #[inline(always)]
    fn of_rows<L: Lanes<T>, const MR: usize>(self, l: L) {
        let mut acc = [[l.splat(T::ZERO); NV]; MR];
        if !self.fresh {
            for (i, acc) in acc.iter_mut().enumerate().take(self.rows) {
                for (v, acc) in acc.iter_mut().enumerate() {
                    *acc = load_upto(l, &self.c[i * self.row_stride..], v * L::N, self.columns);
                }
            }
        }
        for (a, b) in self.a.chunks_exact(MR).zip(self.b.chunks_exact(NV * L::N)) {
            let b: [L::V; NV] = [l.load(b), l.load(&b[L::N..])];
            for (acc, &a) in acc.iter_mut().zip(a) {
                let a = l.splat(a);
                for (acc, b) in acc.iter_mut().zip(b) {
                    *acc = l.mul_add(a, b, *acc);
                }
            }
        }
        for (i, acc) in acc.iter().enumerate().take(self.rows) {
            for (v, acc) in acc.iter().enumerate() {
                store_upto(l, *acc, &mut self.c[i * self.row_stride..], v * L::N, self.columns);
            }
        }
    }
}

/// Lanes `start..start + N` of a row that ends at `end`; 0 beyond.
#[inline(always)]
fn load_upto<T: Float, L: Lanes<T>>(l: L, row: &[T], start: usize, end: usize) -> L::V {
    if start < end { l.load_upto(&row[start..end]) } else { l.splat(T::ZERO) }
}

#[inline(always)]
fn store_upto<T: Float, L: Lanes<T>>(l: L, v: L::V, row: &mut [T], start: usize, end: usize) {
    if start < end {
        l.store_upto(v, &mut row[start..end]);
    }
}
