//! Windows of a sequence that is made in aligned pairs.
//!
//! A window may begin with the second half of a pair and end with the first half of one. Whole blocks of
//! pairs between are made together, in vectors; the halves and what is left are made a pair at a time, with the same
//! bits.
#![forbid(unsafe_code)]

use super::Roots;

/// Pairs in a block: 64 take 1 KiB of stack for two arrays of f64, and some dozen vectors a loop.
pub(super) const PAIRS: usize = 64;

/// A sequence made in pairs. A trait, not closures: those cannot be told to inline.
pub(super) trait Pairs {
    /// Elements `even` and `even + 1`, for an even index.
    fn pair(&self, even: u64) -> [f32; 2];
    /// Elements `even..even + 2 * PAIRS`, for an even index; the same bits whichever way roots are taken.
    fn block(&self, roots: impl Roots, even: u64, out: &mut [f32; 2 * PAIRS]);
}

/// Writes elements `first..first + out.len()` of the sequence.
#[inline(always)] // inlines into a backend's target_feature function
pub(super) fn fill_pairs(pairs: &impl Pairs, roots: impl Roots, first: u64, out: &mut [f32]) {
    let mut even = first & !1;
    let mut rest = out;
    if first != even {
        let Some((head, tail)) = rest.split_first_mut() else { return };
        *head = pairs.pair(even)[1];
        rest = tail;
        even = even.wrapping_add(2);
    }
    let (blocks, rest) = rest.as_chunks_mut();
    for out in blocks {
        pairs.block(roots, even, out);
        even = even.wrapping_add(2 * PAIRS as u64);
    }
    for out in rest.chunks_mut(2) {
        out.copy_from_slice(&pairs.pair(even)[..out.len()]);
        even = even.wrapping_add(2);
    }
}
