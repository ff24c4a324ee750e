//! Walking several layouts of one shape together, row by row.
//!
//! [`collapse`] first merges neighbouring axes that every operand walks in one step and drops axes of size 1, so
//! that the innermost row is as long as it can be. [`Rows`] then yields, for each row, where every operand's row
//! starts; what happens inside a row is the caller's.

use super::shape::{MAX_RANK, Shape};
use super::view::Layout;

/// `N` layouts of one shape, reduced to the fewest axes that describe them all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collapsed<const N: usize> {
    dims: [usize; MAX_RANK],
    strides: [[isize; N]; MAX_RANK],
    offsets: [usize; N],
    rank: usize,
}

/// Merges axes that all layouts walk together. All layouts must have the shape `shape`.
pub(crate) fn collapse<const N: usize>(shape: &Shape, layouts: [&Layout; N]) -> Collapsed<N> {
    let mut out = Collapsed {
        dims: [1; MAX_RANK],
        strides: [[0; N]; MAX_RANK],
        offsets: layouts.map(Layout::offset),
        rank: 0,
    };
    for axis in 0..shape.rank() {
        let dim = shape[axis];
        if dim == 1 {
            continue;
        }
        let strides = layouts.map(|l| l.strides()[axis]);
        let outer = out.rank.wrapping_sub(1);
        let merges =
            out.rank > 0 && (0..N).all(|i| out.strides[outer][i] == strides[i] * dim as isize);
        if merges {
            out.dims[outer] *= dim;
            out.strides[outer] = strides;
        } else {
            out.dims[out.rank] = dim;
            out.strides[out.rank] = strides;
            out.rank += 1;
        }
    }
    out.rank = out.rank.max(1);
    out
}

impl<const N: usize> Collapsed<N> {
    /// Length of the innermost row.
    pub(crate) fn row_len(&self) -> usize {
        self.dims[self.rank - 1]
    }

    /// Each operand's stride along the innermost row.
    pub(crate) fn row_strides(&self) -> [isize; N] {
        self.strides[self.rank - 1]
    }

    /// Number of rows.
    pub(crate) fn row_count(&self) -> usize {
        self.dims[..self.rank - 1].iter().product()
    }

    /// Where each operand's row starts, for rows `first..first + count` in row-major order.
    pub(crate) fn rows(&self, first: usize, count: usize) -> Rows<N> {
        let outer = self.rank - 1;
        let mut at = self.offsets;
        let (mut index, mut rest) = ([0; MAX_RANK], first);
        for axis in (0..outer).rev() {
            index[axis] = rest % self.dims[axis];
            rest /= self.dims[axis];
            for (o, s) in at.iter_mut().zip(self.strides[axis]) {
                *o = o.wrapping_add_signed(s * index[axis] as isize);
            }
        }
        Rows { of: *self, outer, index, at, left: count }
    }
}

/// The row starts of [`Collapsed::rows`].
pub(crate) struct Rows<const N: usize> {
    of: Collapsed<N>,
    outer: usize,
    index: [usize; MAX_RANK],
    at: [usize; N],
    left: usize,
}

impl<const N: usize> Iterator for Rows<N> {
    type Item = [usize; N];

    #[inline]
    fn next(&mut self) -> Option<[usize; N]> {
        self.left = self.left.checked_sub(1)?;
        let here = self.at;
        for axis in (0..self.outer).rev() {
            let strides = &self.of.strides[axis];
            self.index[axis] += 1;
            if self.index[axis] < self.of.dims[axis] {
                for (o, &s) in self.at.iter_mut().zip(strides) {
                    *o = o.wrapping_add_signed(s);
                }
                break;
            }
            self.index[axis] = 0;
            for (o, &s) in self.at.iter_mut().zip(strides) {
                *o = o.wrapping_add_signed(-s * (self.of.dims[axis] as isize - 1));
            }
        }
        Some(here)
    }
}
