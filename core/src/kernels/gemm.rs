//! Matrix products: a block of the output, tile by tile.
//!
//! A tile of up to `mr x nr` outputs ([`Lanes::TILE_ROWS`] rows of [`NV`] vectors) is loaded, runs over `k` in ascending
//! order with one [`Lanes::mul_add`] a step, and is stored: "load C, continue" is what lets the driver cut `k` into pieces,
//! or the output into blocks, without changing a bit. The left operand is read in place where its rows or its columns are
//! contiguous; the right one where its rows are; else from what [`Pack`] made of them.
//!
//! A product of one step goes row by row instead: with one multiply-add an output, a tile would cost more than its sums.

mod pack;
mod vector;

pub use pack::{Matrix, Pack};
pub use vector::{MatrixTimesVector, VectorTimesMatrix};

use self::vector::set_row;
use super::{Lanes, Op};
use crate::dtype::Float;
use crate::parallel::Block;

/// Lanes' vectors in a tile's row.
pub const NV: usize = 2;

/// The most lanes that tiles are made of.
const MOST_LANES: usize = 16;

/// One operand of a block, packed or in place.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a, T> {
    /// Panels of `mr` rows, or strips of `nr` columns, one after the other, each as deep as the product.
    Packed(&'a [T]),
    /// As it is: the left operand with contiguous rows or columns, the right one with contiguous rows. Of a strip narrower than
    /// `nr` the elements beside it are read too, and come to nothing.
    InPlace(Matrix<'a, T>),
}

/// `out[i, j] += sum over p of left[i, p] * right[p, j]` for the rows and columns of a block.
pub struct Product<'a, T> {
    /// The left operand.
    pub left: Source<'a, T>,
    /// The right operand.
    pub right: Source<'a, T>,
    /// The first step, of operands that are read in place.
    pub from: usize,
    /// Steps.
    pub depth: usize,
    /// Steps at a time: a strip of so many stays in the first-level cache.
    pub depth_each: usize,
    /// Start from 0 instead of what `out` holds.
    pub fresh: bool,
    /// The output; its first row and column are multiples of `mr` and `nr`.
    pub out: Block<'a, T>,
}

impl<T: Float> Op<T> for Product<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(mut self, l: L) {
        const { assert!(L::N <= MOST_LANES && (L::TILE_ROWS == 4 || L::TILE_ROWS == 6)) };
        if let (1, Source::InPlace(left), Source::InPlace(right)) =
            (self.depth, self.left, self.right)
        {
            return self.one_step(l, left, right);
        }
        let nr = NV * L::N;
        let columns = self.out.columns();
        for start in (0..self.depth).step_by(self.depth_each) {
            let depth = self.depth_each.min(self.depth - start);
            for j in columns.clone().step_by(nr) {
                let (right, right_step) = self.strip(j, start, nr);
                let across = j..columns.end.min(j + nr);
                let strip = Strip { right, right_step, start, depth, across };
                if strip.across.len() <= L::N {
                    self.strip_of::<L, 1>(l, &strip);
                } else {
                    self.strip_of::<L, NV>(l, &strip);
                }
            }
        }
    }
}

/// Some columns of the right operand over some steps.
struct Strip<'a, T> {
    right: &'a [T],
    right_step: usize,
    start: usize,
    depth: usize,
    across: core::ops::Range<usize>,
}

impl<'a, T: Float> Product<'a, T> {
    /// An outer product, row by row: one multiply-add an output does not pay for a tile.
    #[inline(always)]
    fn one_step<L: Lanes<T>>(mut self, l: L, left: Matrix<'a, T>, right: Matrix<'a, T>) {
        let columns = self.out.columns();
        let row = right.run(self.from, columns.start, columns.len());
        for i in self.out.rows() {
            let x = left.run(i, self.from, 1)[0];
            let [out] = self.out.segments(i, columns.clone());
            set_row(l, x, row, out, self.fresh);
        }
    }

    /// The strip of columns from `j` on, from step `start` on, and the distance of its steps.
    #[inline(always)]
    fn strip(&self, j: usize, start: usize, nr: usize) -> (&'a [T], usize) {
        match self.right {
            Source::Packed(strips) => (&strips[j * self.depth + start * nr..], nr),
            Source::InPlace(right) => (right.from(self.from + start, j), right.row as usize),
        }
    }

    /// All rows of a strip of `V` vectors: as few tiles as there can be, of even heights, since a low tile has too few sums to
    /// keep the multipliers busy. Packed panels are of one height.
    #[inline(always)]
    fn strip_of<L: Lanes<T>, const V: usize>(&mut self, l: L, strip: &Strip<'_, T>) {
        let rows = self.out.rows();
        let tiles = rows.len().div_ceil(L::TILE_ROWS);
        let (height, higher) = match self.left {
            Source::Packed(_) => (L::TILE_ROWS, 0),
            Source::InPlace(_) => (rows.len() / tiles, rows.len() % tiles),
        };
        let mut i = rows.start;
        for t in 0..tiles {
            let next = rows.end.min(i + height + usize::from(t < higher));
            match next - i {
                1 => self.tile::<L, 1, V>(l, strip, i),
                2 => self.tile::<L, 2, V>(l, strip, i),
                3 => self.tile::<L, 3, V>(l, strip, i),
                5 if L::TILE_ROWS > 4 => self.tile::<L, 5, V>(l, strip, i),
                6.. if L::TILE_ROWS > 4 => self.tile::<L, 6, V>(l, strip, i),
                _ => self.tile::<L, 4, V>(l, strip, i),
            }
            i = next;
        }
    }

    /// The tile of `R` rows from `i` on.
    #[inline(always)]
    fn tile<L: Lanes<T>, const R: usize, const V: usize>(
        &mut self,
        l: L,
        strip: &Strip<'_, T>,
        i: usize,
    ) {
        let &Strip { right, right_step, start, depth, ref across } = strip;
        let fresh = self.fresh && start == 0;
        let c = self.out.segments::<R>(i, across.clone());
        match self.left {
            Source::Packed(panels) => {
                let mr = L::TILE_ROWS;
                let left = InSteps { data: &panels[i * self.depth + start * mr..], step: mr };
                l.outline(Tile::<T, _, R, V> { left, right, right_step, depth, c, fresh });
            }
            Source::InPlace(left) if left.column == 1 => {
                let row = |r| left.run(i + r, self.from + start, depth);
                let left = InRows(core::array::from_fn(row));
                l.outline(Tile::<T, _, R, V> { left, right, right_step, depth, c, fresh });
            }
            Source::InPlace(left) => {
                let data = left.from(i, self.from + start);
                let left = InSteps { data, step: left.column as usize };
                l.outline(Tile::<T, _, R, V> { left, right, right_step, depth, c, fresh });
            }
        }
    }
}

/// One tile of `R` rows and `V` vectors.
struct Tile<'a, T, A, const R: usize, const V: usize> {
    left: A,
    right: &'a [T],
    right_step: usize,
    depth: usize,
    c: [&'a mut [T]; R],
    fresh: bool,
}

impl<T: Float, A: LeftValues<T, R>, const R: usize, const V: usize> Op<T> for Tile<'_, T, A, R, V> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let Self { left, right, right_step, depth, c, fresh } = self;
        let whole = c[0].len() == V * L::N;
        let mut own = [[l.splat(T::ZERO); V]; R];
        if !fresh && whole {
            for (own, c) in own.iter_mut().zip(&c) {
                for (v, own) in own.iter_mut().enumerate() {
                    *own = l.load(&c[v * L::N..]);
                }
            }
        } else if !fresh {
            own = load_part(l, &c);
        }
        if right_step == NV * L::N {
            // All lengths are seen to be `depth` here, so nothing is checked inside.
            let mut left = left.cut(depth);
            for (p, right) in (0..depth).zip(right.chunks_exact(NV * L::N)) {
                step::<T, L, R, V>(l, &mut own, right, left.next(p));
            }
        } else {
            let (mut left, mut right) = (left.cut(depth), right);
            for p in 0..depth {
                let padded;
                let row = if right.len() >= V * L::N {
                    right
                } else {
                    padded = pad(right);
                    &padded
                };
                step::<T, L, R, V>(l, &mut own, row, left.next(p));
                right = right.get(right_step..).unwrap_or(&[]);
            }
        }
        if !whole {
            return store_part(l, own, c);
        }
        for (own, c) in own.iter().zip(c) {
            for (v, &own) in own.iter().enumerate() {
                l.store(own, &mut c[v * L::N..]);
            }
        }
    }
}

/// The last elements of a matrix, where a narrow strip's vectors reach beyond it.
#[cold]
fn pad<T: Float>(x: &[T]) -> [T; NV * MOST_LANES] {
    let mut padded = [T::ZERO; NV * MOST_LANES];
    padded[..x.len()].copy_from_slice(x);
    padded
}

/// The outputs of a tile that is narrower than its vectors. Apart from the others, which stay in registers.
#[inline(always)]
fn load_part<T: Float, L: Lanes<T>, const R: usize, const V: usize>(
    l: L,
    c: &[&mut [T]; R],
) -> [[L::V; V]; R] {
    let mut all = [[l.splat(T::ZERO); V]; R];
    for (row, c) in all.iter_mut().zip(c) {
        for (v, c) in row.iter_mut().zip(c.chunks(L::N)) {
            *v = l.load_upto(c);
        }
    }
    all
}

/// The reverse.
#[inline(always)]
fn store_part<T: Float, L: Lanes<T>, const R: usize, const V: usize>(
    l: L,
    all: [[L::V; V]; R],
    c: [&mut [T]; R],
) {
    for (row, c) in all.iter().zip(c) {
        for (&v, c) in row.iter().zip(c.chunks_mut(L::N)) {
            l.store_upto(v, c);
        }
    }
}

/// The left values of a tile of `R` rows, step by step. A trait, not closures: those cannot be told to inline.
trait LeftValues<T, const R: usize>: Sized {
    /// Makes the number of steps known to the compiler.
    fn cut(self, depth: usize) -> Self;
    /// The values of step `p`, which is the next.
    fn next(&mut self, p: usize) -> [T; R];
}

/// Row by row.
struct InRows<'a, T, const R: usize>([&'a [T]; R]);

impl<T: Float, const R: usize> LeftValues<T, R> for InRows<'_, T, R> {
    #[inline(always)]
    fn cut(self, depth: usize) -> Self {
        Self(self.0.map(|row| &row[..depth]))
    }
    #[inline(always)]
    fn next(&mut self, p: usize) -> [T; R] {
        self.0.map(|row| row[p])
    }
}

/// Step by step, side by side.
struct InSteps<'a, T> {
    data: &'a [T],
    step: usize,
}

impl<T: Float, const R: usize> LeftValues<T, R> for InSteps<'_, T> {
    #[inline(always)]
    fn cut(self, _: usize) -> Self {
        self
    }
    #[inline(always)]
    fn next(&mut self, _: usize) -> [T; R] {
        let group = &self.data[..R];
        let values = core::array::from_fn(|i| group[i]);
        self.data = self.data.get(self.step..).unwrap_or(&[]);
        values
    }
}

/// One step of a tile.
#[inline(always)]
fn step<T: Float, L: Lanes<T>, const R: usize, const V: usize>(
    l: L,
    acc: &mut [[L::V; V]; R],
    right: &[T],
    left: [T; R],
) {
    let right = &right[..V * L::N];
    let mut b = [l.splat(T::ZERO); V];
    b.iter_mut().zip(right.chunks_exact(L::N)).for_each(|(b, x)| *b = l.load(x));
    for (acc, a) in acc.iter_mut().zip(left) {
        let a = l.splat(a);
        for (acc, b) in acc.iter_mut().zip(b) {
            *acc = l.mul_add(a, b, *acc);
        }
    }
}
