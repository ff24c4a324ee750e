//! Sums of products along a row: the reduction rule, with one multiply-add a step instead of an addition.

use super::row::last_round;
use super::{BLOCK, One, Pairwise, Sum, Terms, VIRTUAL_LANES, fold_registers};
use crate::dtype::Float;
use crate::kernels::half::{Convert, Stored};
use crate::kernels::{Lanes, Op};

/// `sum over p of a[p] * b[p]`; `a` may be of halves.
#[inline(always)]
pub(crate) fn dot<T: Float, L: Lanes<T>, S: Stored<T>>(l: L, a: &[S], b: &[T]) -> T {
    if a.len() <= BLOCK {
        return block(l, a, b);
    }
    let mut blocks = Pairwise::<T, One, Sum, 1>::new(One {});
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        blocks.push([block(l, a, b)]);
    }
    blocks.finish()[0]
}

/// At most one block.
#[inline(always)]
fn block<T: Float, L: Lanes<T>, S: Stored<T>>(l: L, a: &[S], b: &[T]) -> T {
    match const { VIRTUAL_LANES / L::N } {
        1 => rounds::<T, L, S, 1>(l, a, b),
        2 => rounds::<T, L, S, 2>(l, a, b),
        4 => rounds::<T, L, S, 4>(l, a, b),
        8 => rounds::<T, L, S, 8>(l, a, b),
        16 => rounds::<T, L, S, 16>(l, a, b),
        _ => rounds::<T, L, S, 32>(l, a, b),
    }
}

/// At most one block, in `R` registers.
#[inline(always)]
fn rounds<T: Float, L: Lanes<T>, S: Stored<T>, const R: usize>(l: L, a: &[S], b: &[T]) -> T {
    let mut acc = [[l.splat(T::ZERO)]; R];
    let (a, rest_a) = a.as_chunks::<VIRTUAL_LANES>();
    let (b, rest_b) = b.as_chunks::<VIRTUAL_LANES>();
    for (a, b) in a.iter().zip(b) {
        for (r, [acc]) in acc.iter_mut().enumerate() {
            let (a, b) = (S::load(l, &a[r * L::N..]), l.load(&b[r * L::N..]));
            *acc = l.mul_add(a, b, *acc);
        }
    }
    if !rest_a.is_empty() {
        let mut wide = [T::ZERO; VIRTUAL_LANES];
        let wide = &mut wide[..rest_a.len()];
        Convert { x: rest_a, out: &mut *wide }.run(l);
        last_round::<T, L, Products, 2, 1, R>(l, &Products, &mut acc, [wide, rest_b]);
    }
    fold_registers::<T, L, Sum, 1, R>(l, acc)[0]
}

/// `a * b`.
struct Products;

impl<T: Float> Terms<T, 2, 1> for Products {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [acc]: [L::V; 1], [a, b]: [L::V; 2]) -> [L::V; 1] {
        [l.mul_add(a, b, acc)]
    }
}
