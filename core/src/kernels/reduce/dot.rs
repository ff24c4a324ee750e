//! Sums of products along a row: the reduction rule, with one multiply-add a step instead of an addition.

use super::{BLOCK, One, Pairwise, Sum, VIRTUAL_LANES, fold_registers};
use crate::dtype::Float;
use crate::kernels::Lanes;
use crate::kernels::half::Stored;

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
    // Lanes without an element stay as they are.
    for ((a, b), [acc]) in rest_a.chunks(L::N).zip(rest_b.chunks(L::N)).zip(&mut acc) {
        let n = a.len();
        let a = if n == L::N { S::load(l, a) } else { S::load_part(l, a) };
        *acc = l.first(n, l.mul_add(a, l.load_upto(b), *acc), *acc);
    }
    fold_registers::<T, L, Sum, 1, R>(l, acc)[0]
}
