//! A matrix cut into blocks of rows and columns that threads write side by side.
//!
//! Unsafe code here, and why it holds: a [`Block`] makes `&mut` slices of its own rows and columns only; blocks of different
//! indices are disjoint, and a [`Team`] promises to run each index exactly once and to return after all of them.

use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

use super::{Team, for_chunks};

/// The rows and columns of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockShape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// A row-major matrix that blocks of it are written in.
struct Shared<'a, T> {
    start: NonNull<T>,
    row_len: usize,
    borrow: PhantomData<&'a mut [T]>,
}

impl<'a, T> Shared<'a, T> {
    fn new(data: &'a mut [T], row_len: usize) -> Self {
        Self { start: NonNull::from(data).cast(), row_len, borrow: PhantomData }
    }
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: threads get disjoint blocks of a `&mut [T]`, which is what `T: Send` allows.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

/// Some rows and columns of a row-major matrix: the exclusive right to their elements.
pub struct Block<'a, T> {
    matrix: Shared<'a, T>,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl<'a, T> Block<'a, T> {
    /// A whole matrix: `data` in rows of `row_len`.
    ///
    /// # Panics
    /// If `row_len` is 0.
    #[must_use]
    pub fn new(data: &'a mut [T], row_len: usize) -> Self {
        let (rows, columns) = (0..data.len() / row_len, 0..row_len);
        Self { matrix: Shared::new(data, row_len), rows, columns }
    }

    /// Some of its rows and columns.
    ///
    /// # Panics
    /// Unless they lie within the block.
    #[must_use]
    pub fn part(self, rows: Range<usize>, columns: Range<usize>) -> Self {
        assert!(within(&rows, &self.rows) && within(&columns, &self.columns));
        Self { rows, columns, ..self }
    }

    /// The same block, lent.
    #[must_use]
    #[inline(always)]
    pub fn by_ref(&mut self) -> Block<'_, T> {
        let Shared { start, row_len, .. } = self.matrix;
        let matrix = Shared { start, row_len, borrow: PhantomData };
        Block { matrix, rows: self.rows.clone(), columns: self.columns.clone() }
    }

    /// The same elements as a block of rows and columns that count from 0.
    #[must_use]
    pub(crate) fn rebased(self) -> Self {
        let Self { matrix: Shared { start, row_len, borrow }, rows, columns } = self;
        // SAFETY: the block's first element, or the matrix's end for a block without any.
        let start = unsafe { start.add(rows.start * row_len + columns.start) };
        let matrix = Shared { start, row_len, borrow };
        Self { matrix, rows: 0..rows.len(), columns: 0..columns.len() }
    }

    /// The rows.
    #[must_use]
    #[inline(always)]
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The columns.
    #[must_use]
    #[inline(always)]
    pub fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Columns of the matrix.
    #[must_use]
    #[inline(always)]
    pub fn row_len(&self) -> usize {
        self.matrix.row_len
    }

    /// `columns` of each of the `N` rows from `first` on.
    ///
    /// # Panics
    /// Unless rows and columns lie within the block.
    #[inline(always)]
    pub fn segments<const N: usize>(
        &mut self,
        first: usize,
        columns: Range<usize>,
    ) -> [&mut [T]; N] {
        assert!(within(&(first..first + N), &self.rows) && within(&columns, &self.columns));
        let (row_len, len) = (self.matrix.row_len, columns.len());
        core::array::from_fn(|i| {
            // SAFETY: row and column lie within the block (asserted), a block within the matrix.
            let start = unsafe { self.matrix.start.add((first + i) * row_len + columns.start) };
            // SAFETY: 1. `len` elements from there lie within the row. 2. Rows are disjoint, and `self` is borrowed for as long
            // as they live. 3. No other block has these elements, and each block is made once.
            unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), len) }
        })
    }
}

/// Whether a range that does not end before it starts lies in another.
#[inline(always)]
fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end
}

/// A matrix on its way to be cut.
struct Grid<'a, T> {
    matrix: Shared<'a, T>,
    rows: usize,
    shape: BlockShape,
}

impl<'a, T> Grid<'a, T> {
    fn new(data: &'a mut [T], row_len: usize, shape: BlockShape) -> Self {
        Self { rows: data.len() / row_len, matrix: Shared::new(data, row_len), shape }
    }

    fn across(&self) -> usize {
        self.matrix.row_len.div_ceil(self.shape.columns)
    }

    fn blocks(&self) -> usize {
        self.rows.div_ceil(self.shape.rows) * self.across()
    }

    /// Block `index`: to be made once.
    fn block(&self, index: usize) -> Block<'_, T> {
        let BlockShape { rows, columns } = self.shape;
        let (i, j) = (index / self.across() * rows, index % self.across() * columns);
        let (rows, columns) = (i..self.rows.min(i + rows), j..self.matrix.row_len.min(j + columns));
        Block { matrix: self.matrix, rows, columns }
    }
}

/// Cuts the matrix `data`, of rows of `row_len`, into blocks of `shape` (the last of a row or column may be smaller) and
/// calls `task` for each, on behalf of `op`.
pub(crate) fn for_blocks<T: Send>(
    team: &dyn Team,
    op: &'static str,
    data: &mut [T],
    row_len: usize,
    shape: BlockShape,
    task: impl Fn(Block<'_, T>) + Sync,
) {
    let grid = Grid::new(data, row_len, shape);
    if grid.blocks() == 1 {
        return task(grid.block(0));
    }
    team.for_each_named(op, grid.blocks(), &|index| task(grid.block(index)));
}

/// [`for_blocks`] with working memory: of `lots` of `each` elements, every lot serves one block after the other.
pub(crate) fn for_blocks_with<T: Send, S: Send>(
    team: &dyn Team,
    op: &'static str,
    (data, row_len): (&mut [T], usize),
    shape: BlockShape,
    (scratch, each): (&mut [S], usize),
    task: impl Fn(Block<'_, T>, &mut [S]) + Sync,
) {
    let grid = Grid::new(data, row_len, shape);
    let lots = scratch.len() / each;
    for_chunks(team, op, scratch, each, |lot, scratch| {
        for index in (lot..grid.blocks()).step_by(lots) {
            task(grid.block(index), scratch);
        }
    });
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec;

    use super::*;
    use crate::parallel::SerialTeam;

    #[test]
    fn blocks_cover_the_matrix_once() {
        for (rows, columns) in [(1, 1), (4, 6), (5, 7), (1, 9), (9, 1)] {
            let mut data = vec![0; rows * columns];
            let shape = BlockShape { rows: 2, columns: 3 };
            for_blocks(&SerialTeam, "test", &mut data, columns, shape, |mut block| {
                for i in block.rows() {
                    let across = block.columns();
                    let [row] = block.segments(i, across.clone());
                    for (j, x) in across.zip(row) {
                        *x += 1 + i * columns + j;
                    }
                }
            });
            assert!(data.iter().enumerate().all(|(i, &x)| x == i + 1), "{rows} {columns}");
        }
    }

    #[test]
    fn blocks_that_share_lots_cover_the_matrix_once() {
        for lots in 1..5 {
            let (mut data, mut scratch) = (vec![0; 35], vec![0; lots * 2]);
            let shape = BlockShape { rows: 2, columns: 3 };
            for_blocks_with(
                &SerialTeam,
                "test",
                (&mut data, 7),
                shape,
                (&mut scratch, 2),
                |block, lot| {
                    lot[0] += 1;
                    let (first, mut block) =
                        (block.rows().start * 7 + block.columns().start, block.rebased());
                    for i in block.rows() {
                        let across = block.columns();
                        let [row] = block.segments(i, across.clone());
                        row.iter_mut().zip(across).for_each(|(x, j)| *x += 1 + first + i * 7 + j);
                    }
                },
            );
            assert!(data.iter().enumerate().all(|(i, &x)| x == i + 1));
            assert_eq!(scratch.iter().sum::<i32>(), 9, "{lots} lots");
        }
    }

    #[test]
    #[should_panic(expected = "within")]
    fn a_block_does_not_reach_beyond_its_columns() {
        let _ = Block::new(&mut [0; 12], 6).segments::<1>(0, 0..7);
    }

    #[test]
    #[should_panic(expected = "within")]
    fn a_block_does_not_reach_beyond_its_rows() {
        let _ = Block::new(&mut [0; 12], 6).segments::<2>(1, 0..6);
    }
}
