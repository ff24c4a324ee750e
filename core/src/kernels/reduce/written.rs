//! A row written and summed in one pass.

use super::row::fold_registers;
use super::{BLOCK, One, Pairwise, Sum, VIRTUAL_LANES};
use crate::dtype::Float;
use crate::kernels::Lanes;
use crate::kernels::rows::Map;

/// `out[i] = f(x[i])`, and the sum of `out` by the reduction rule.
#[inline(always)]
pub(crate) fn map_sum<T, L, F>(l: L, f: &F, x: &[T], out: &mut [T]) -> T
where
    T: Float,
    L: Lanes<T>,
    F: Map<T, 1>,
{
    if x.len() <= BLOCK {
        return block(l, f, x, out);
    }
    let mut blocks = Pairwise::<T, One, Sum, 1>::new(One {});
    for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        blocks.push([block(l, f, x, out)]);
    }
    blocks.finish()[0]
}

/// At most one block.
#[inline(always)]
fn block<T: Float, L: Lanes<T>, F: Map<T, 1>>(l: L, f: &F, x: &[T], out: &mut [T]) -> T {
    match const { VIRTUAL_LANES / L::N } {
        1 => rounds::<T, L, F, 1>(l, f, x, out),
        2 => rounds::<T, L, F, 2>(l, f, x, out),
        4 => rounds::<T, L, F, 4>(l, f, x, out),
        8 => rounds::<T, L, F, 8>(l, f, x, out),
        16 => rounds::<T, L, F, 16>(l, f, x, out),
        _ => rounds::<T, L, F, 32>(l, f, x, out),
    }
}

/// At most one block, in `R` registers.
#[inline(always)]
fn rounds<T, L, F, const R: usize>(l: L, f: &F, x: &[T], out: &mut [T]) -> T
where
    T: Float,
    L: Lanes<T>,
    F: Map<T, 1>,
{
    let zero = l.splat(T::ZERO);
    let mut acc = [[zero]; R];
    let (x_rounds, x) = x.as_chunks::<VIRTUAL_LANES>();
    let (out_rounds, out) = out.as_chunks_mut::<VIRTUAL_LANES>();
    for (x, out) in x_rounds.iter().zip(out_rounds) {
        for (r, [acc]) in acc.iter_mut().enumerate() {
            let v = f.at(l, [l.load(&x[r * L::N..])], zero);
            l.store(v, &mut out[r * L::N..]);
            *acc = l.add(*acc, v);
        }
    }
    for ((x, out), [acc]) in x.chunks(L::N).zip(out.chunks_mut(L::N)).zip(&mut acc) {
        l.store_upto(f.at(l, [l.load_upto(x)], zero), out);
        // Read back: lanes without an element are 0, which changes no sum that began with +0.
        *acc = l.add(*acc, l.load_upto(out));
    }
    fold_registers::<T, L, Sum, 1, R>(l, acc)[0]
}
