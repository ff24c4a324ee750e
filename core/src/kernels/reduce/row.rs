//! Folds of a row, or of what terms make of the elements of one row or of several side by side.
//!
//! A round of 32 elements is as many registers as the lanes need for it; they stay registers from the first round to the
//! last, and are folded as registers until one is left.

use super::{BLOCK, Fold, One, Pairwise, VIRTUAL_LANES};
use crate::dtype::Float;
use crate::kernels::{Lanes, Op};

/// What the elements at one place of `N` rows add to `K` folds.
pub trait Terms<T: Float, const N: usize, const K: usize> {
    /// How partial results meet.
    type Fold: Fold<T>;
    /// The folds with the elements `x` taken in.
    fn step<L: Lanes<T>>(&self, l: L, acc: [L::V; K], x: [L::V; N]) -> [L::V; K];
}

/// The elements themselves.
#[derive(Clone, Copy, Debug)]
pub struct Plain<F>(pub F);

impl<T: Float, F: Fold<T>> Terms<T, 1, 1> for Plain<F> {
    type Fold = F;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [acc]: [L::V; 1], [x]: [L::V; 1]) -> [L::V; 1] {
        [F::fold(l, acc, x)]
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
        fold_row(l, &Plain(self.fold), [self.x])[0]
    }
}

/// The folds of `terms` over rows of one length, by the reduction rule.
#[inline(always)]
pub fn fold_row<T, L, F, const N: usize, const K: usize>(l: L, terms: &F, x: [&[T]; N]) -> [T; K]
where
    T: Float,
    L: Lanes<T>,
    F: Terms<T, N, K>,
{
    let len = x[0].len();
    if len <= BLOCK {
        return block(l, terms, x);
    }
    let mut blocks = Pairwise::<T, One, F::Fold, K>::new(One {});
    for start in (0..len).step_by(BLOCK) {
        let end = len.min(start + BLOCK);
        blocks.push(block(l, terms, x.map(|x| &x[start..end])));
    }
    blocks.finish()
}

/// At most one block.
#[inline(always)]
fn block<T, L, F, const N: usize, const K: usize>(l: L, terms: &F, x: [&[T]; N]) -> [T; K]
where
    T: Float,
    L: Lanes<T>,
    F: Terms<T, N, K>,
{
    match const { VIRTUAL_LANES / L::N } {
        1 => rounds::<T, L, F, N, K, 1>(l, terms, x),
        2 => rounds::<T, L, F, N, K, 2>(l, terms, x),
        4 => rounds::<T, L, F, N, K, 4>(l, terms, x),
        8 => rounds::<T, L, F, N, K, 8>(l, terms, x),
        16 => rounds::<T, L, F, N, K, 16>(l, terms, x),
        _ => rounds::<T, L, F, N, K, 32>(l, terms, x),
    }
}

/// At most one block, in `R` registers a fold.
#[inline(always)]
fn rounds<T, L, F, const N: usize, const K: usize, const R: usize>(
    l: L,
    terms: &F,
    x: [&[T]; N],
) -> [T; K]
where
    T: Float,
    L: Lanes<T>,
    F: Terms<T, N, K>,
{
    let mut acc = [[l.splat(F::Fold::IDENTITY); K]; R];
    let split = x.map(<[T]>::as_chunks::<VIRTUAL_LANES>);
    for i in 0..split[0].0.len() {
        let mut round = [&[] as &[T]; N];
        for (round, (rounds, _)) in round.iter_mut().zip(&split) {
            *round = &rounds[i][..];
        }
        for (r, acc) in acc.iter_mut().enumerate() {
            let mut v = [l.splat(T::ZERO); N];
            for (v, round) in v.iter_mut().zip(&round) {
                *v = l.load(&round[r * L::N..]);
            }
            *acc = terms.step(l, *acc, v);
        }
    }
    let rest = split.map(|(_, rest)| rest);
    if !rest[0].is_empty() {
        last_round::<T, L, F, N, K, R>(l, terms, &mut acc, rest);
    }
    fold_registers::<T, L, F::Fold, K, R>(l, acc)
}

/// A round of fewer than 32 elements. Lanes without an element stay as they are.
#[inline(always)]
fn last_round<T, L, F, const N: usize, const K: usize, const R: usize>(
    l: L,
    terms: &F,
    acc: &mut [[L::V; K]; R],
    x: [&[T]; N],
) where
    T: Float,
    L: Lanes<T>,
    F: Terms<T, N, K>,
{
    let len = x[0].len();
    for (r, acc) in acc.iter_mut().enumerate() {
        let (start, end) = (r * L::N, len.min((r + 1) * L::N));
        if start >= end {
            break;
        }
        let mut v = [l.splat(T::ZERO); N];
        for (v, x) in v.iter_mut().zip(&x) {
            *v = l.load_upto(&x[start..end]);
        }
        let with = terms.step(l, *acc, v);
        for (acc, with) in acc.iter_mut().zip(with) {
            *acc = l.first(end - start, with, *acc);
        }
    }
}

/// Folds the 32 lanes of each fold to one by halving.
#[inline(always)]
pub(super) fn fold_registers<T: Float, L: Lanes<T>, F: Fold<T>, const K: usize, const R: usize>(
    l: L,
    mut acc: [[L::V; K]; R],
) -> [T; K] {
    let mut width = R / 2;
    while width > 0 {
        let (low, high) = acc.split_at_mut(width);
        for (low, high) in low.iter_mut().zip(high) {
            for (low, &mut high) in low.iter_mut().zip(high) {
                *low = F::fold(l, *low, high);
            }
        }
        width /= 2;
    }
    let mut out = [T::ZERO; K];
    for (out, &acc) in out.iter_mut().zip(&acc[0]) {
        let mut lanes = [T::ZERO; VIRTUAL_LANES];
        l.store(acc, &mut lanes);
        let mut width = L::N / 2;
        while width > 0 {
            for i in 0..width {
                lanes[i] = F::fold_one(lanes[i], lanes[i + width]);
            }
            width /= 2;
        }
        *out = lanes[0];
    }
    out
}
