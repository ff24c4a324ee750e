//! Sums of products along a row: the reduction rule, with one multiply-add a step instead of an addition.

use super::{BLOCK, Fold, One, Pairwise, Sum, VIRTUAL_LANES, fold_lanes};
use crate::dtype::Float;
use crate::kernels::Lanes;

/// `sum over p of a[p] * b[p]`.
#[inline(always)]
pub(crate) fn dot<T: Float, L: Lanes<T>>(l: L, a: &[T], b: &[T]) -> T {
    if a.len() <= BLOCK {
        return dot_block(l, a, b);
    }
    let mut blocks = Pairwise::<T, One, Sum, 1>::new(One {});
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        blocks.push([dot_block(l, a, b)]);
    }
    blocks.finish()[0]
}

/// At most one block.
#[inline(always)]
fn dot_block<T: Float, L: Lanes<T>>(l: L, a: &[T], b: &[T]) -> T {
    let mut lanes = [<Sum as Fold<T>>::IDENTITY; VIRTUAL_LANES];
    let (mut rounds, mut others) = (a.chunks_exact(VIRTUAL_LANES), b.chunks_exact(VIRTUAL_LANES));
    let mut acc = [l.splat(T::ZERO); VIRTUAL_LANES];
    let acc = &mut acc[..VIRTUAL_LANES / L::N];
    for (a, b) in rounds.by_ref().zip(others.by_ref()) {
        let vectors = a.chunks_exact(L::N).zip(b.chunks_exact(L::N));
        for (acc, (a, b)) in acc.iter_mut().zip(vectors) {
            *acc = l.mul_add(l.load(a), l.load(b), *acc);
        }
    }
    // What is left: whole vectors, then value by value. Lanes without one stay as they are, a zero's sign too.
    let (mut a, mut b) =
        (rounds.remainder().chunks_exact(L::N), others.remainder().chunks_exact(L::N));
    for (acc, (a, b)) in acc.iter_mut().zip(a.by_ref().zip(b.by_ref())) {
        *acc = l.mul_add(l.load(a), l.load(b), *acc);
    }
    for (acc, lanes) in acc.iter().zip(lanes.chunks_exact_mut(L::N)) {
        l.store(*acc, lanes);
    }
    let done = rounds.remainder().len() / L::N * L::N;
    for (lane, (&a, &b)) in lanes[done..].iter_mut().zip(a.remainder().iter().zip(b.remainder())) {
        let sum = l.mul_add(l.splat(a), l.splat(b), l.splat(*lane));
        l.store_upto(sum, core::slice::from_mut(lane));
    }
    fold_lanes::<T, One, Sum, 1>(One {}, lanes.as_chunks_mut().0)[0]
}
