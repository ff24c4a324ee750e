//! Packing: rows of a matrix as steps of neighbours, in the order a tile reads them.

use core::ops::Range;

use crate::dtype::Float;
use crate::kernels::lanes::MOST_ROWS;
use crate::kernels::{Lanes, Op};

/// A matrix in place: element `(i, p)` is `data[start + i * row + p * column]`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    /// The elements, and others.
    pub data: &'a [T],
    /// Where element `(0, 0)` stands.
    pub start: usize,
    /// Distance of neighbours in a column.
    pub row: isize,
    /// Distance of neighbours in a row.
    pub column: isize,
}

impl<'a, T: Copy> Matrix<'a, T> {
    /// Rows for columns.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    /// The columns from `p` on.
    #[must_use]
    pub fn later(self, p: usize) -> Self {
        Self { start: self.at(0, p), ..self }
    }

    /// Whether rows can be read step by step: each column stands side by side, columns one after the other.
    #[must_use]
    pub(crate) fn by_steps(self) -> bool {
        self.row == 1 && self.column >= 0
    }

    /// Where element `(i, p)` stands.
    #[inline(always)]
    pub(crate) fn at(self, i: usize, p: usize) -> usize {
        self.start.wrapping_add_signed(self.row * i as isize + self.column * p as isize)
    }

    /// The `len` elements from `(i, p)` on, which stand side by side: along the row, or down the column.
    #[must_use]
    #[inline(always)]
    pub fn run(self, i: usize, p: usize, len: usize) -> &'a [T] {
        &self.from(i, p)[..len]
    }

    /// The elements from `(i, p)` on, and others.
    #[must_use]
    #[inline(always)]
    pub fn from(self, i: usize, p: usize) -> &'a [T] {
        &self.data[self.at(i, p)..]
    }
}

/// Packs rows `first..first + count` of `x`, elements `from..from + depth` of each, into panels of `width` rows, one after
/// the other: step by step, side by side. Rows that are missing in the last panel are 0.
pub struct Pack<'a, T, S = T> {
    /// The rows.
    pub x: Matrix<'a, S>,
    /// The first of them.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// The first element of each.
    pub from: usize,
    /// Elements of each; at least one.
    pub depth: usize,
    /// Rows of a panel.
    pub width: usize,
    /// Whole panels.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for Pack<'_, T> {
    type Out = ();
    const SQUARES: bool = true;
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { x, first, count, from, depth, width, out } = self;
        let whole = count / width;
        let done = match (x.row, width) {
            (1, 4) => steps::<T, 4>(x, first, from, depth, &mut out[..whole * depth * width]),
            (1, 6) => steps::<T, 6>(x, first, from, depth, &mut out[..whole * depth * width]),
            (1, 8) => steps::<T, 8>(x, first, from, depth, &mut out[..whole * depth * width]),
            (1, 16) => steps::<T, 16>(x, first, from, depth, &mut out[..whole * depth * width]),
            (1, 32) => steps::<T, 32>(x, first, from, depth, &mut out[..whole * depth * width]),
            _ => 0,
        };
        let panels = out.len() / (depth * width);
        for i in done..panels {
            let (first, count) = (first + i * width, width.min(count - i * width));
            // To the end: a panel may write beyond its own, before the next is written.
            let out = &mut out[i * depth * width..];
            let mut panel = Panel { x, first, count, from, depth, width, out };
            if x.column == 1 && x.row >= 0 && L::N > 1 && L::N <= MOST_ROWS {
                panel.rows(l);
            } else {
                panel.each(0..depth, 0..width);
            }
        }
    }
}

/// Panels of `W` whole rows whose steps stand side by side in `x`: each step is read once, through all panels.
#[inline(always)]
fn steps<T: Float, const W: usize>(
    x: Matrix<'_, T>,
    first: usize,
    from: usize,
    depth: usize,
    out: &mut [T],
) -> usize {
    let panels = out.len() / (depth * W);
    for p in 0..depth {
        let groups = x.run(first, from + p, panels * W).as_chunks::<W>().0;
        let places = out.as_chunks_mut::<W>().0.iter_mut().skip(p).step_by(depth);
        places.zip(groups).for_each(|(to, group)| *to = *group);
    }
    panels
}

/// One panel.
struct Panel<'a, T> {
    x: Matrix<'a, T>,
    first: usize,
    count: usize,
    from: usize,
    depth: usize,
    width: usize,
    /// The panel, and what follows.
    out: &'a mut [T],
}

impl<T: Float> Panel<'_, T> {
    /// A row's values stand side by side: squares are transposed, what is left goes one by one.
    ///
    /// A square that is wider than what is left of the panel writes on into the next steps. So the last values of a step are
    /// written first, and steps in order: each place gets its own value after the last stray one.
    #[inline(always)]
    fn rows<L: Lanes<T>>(&mut self, l: L) {
        let (depth, width, stride) = (self.depth, self.width, self.x.row as usize);
        let groups = width.div_ceil(L::N);
        // The places that the stores of a square take from its first step on, and what it reads.
        let (span, reach) = ((L::N - 1) * width + groups * L::N, (L::N - 1) * stride + L::N);
        let mut p = 0;
        while p + L::N <= depth && p * width + span <= self.out.len() {
            for i in (0..groups).rev().map(|group| group * L::N) {
                let end = width.min(i + L::N);
                if end <= self.count {
                    let x = self.x.from(self.first + i, self.from + p);
                    if x.len() >= reach {
                        for (c, column) in l.turned(x, stride).into_iter().enumerate().take(L::N) {
                            l.store(column, &mut self.out[(p + c) * width + i..]);
                        }
                        continue;
                    }
                }
                self.each(p..p + L::N, i..end);
            }
            p += L::N;
        }
        self.each(p..depth, 0..width);
    }

    /// Value by value, a row after the other.
    #[inline(always)]
    fn each(&mut self, steps: Range<usize>, values: Range<usize>) {
        let (width, x) = (self.width, self.x);
        if steps.is_empty() {
            return;
        }
        for i in values {
            let out = self.out[steps.start * width + i..].iter_mut().step_by(width);
            let out = out.take(steps.len());
            if i >= self.count {
                out.for_each(|to| *to = T::ZERO);
            } else if x.column == 1 {
                let row = x.run(self.first + i, self.from + steps.start, steps.len());
                out.zip(row).for_each(|(to, &value)| *to = value);
            } else {
                let place = |p: usize| x.from(self.first + i, self.from + p)[0];
                steps.clone().zip(out).for_each(|(p, to)| *to = place(p));
            }
        }
    }
}
