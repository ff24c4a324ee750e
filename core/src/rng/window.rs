//! Windows of a sequence that is made in aligned pairs.
//!
//! A window may begin with the second half of a pair and end with the first half of one. Whole blocks of
//! pairs between are made together, in vectors; the halves and what is left are made a pair at a time, with the same
//! bits.
#![forbid(unsafe_code)]

/// Pairs in a block: 64 take 1 KiB of stack for two arrays of f64, and some dozen vectors a loop.
pub(super) const PAIRS: usize = 64;

/// Writes elements `first..first + out.len()` of the sequence.
///
/// For even `e`, `pair(e)` makes elements `e` and `e + 1`, and `block(e, out)` makes elements `e..e + 2 * PAIRS`.
#[inline(always)] // inlines into a backend's target_feature function
pub(super) fn fill_pairs(
    first: u64,
    out: &mut [f32],
    pair: impl Fn(u64) -> [f32; 2],
    block: impl Fn(u64, &mut [f32; 2 * PAIRS]),
) {
    let mut even = first & !1;
    let mut rest = out;
    if first != even {
        let Some((head, tail)) = rest.split_first_mut() else { return };
        *head = pair(even)[1];
        rest = tail;
        even = even.wrapping_add(2);
    }
    let (blocks, rest) = rest.as_chunks_mut();
    for out in blocks {
        block(even, out);
        even = even.wrapping_add(2 * PAIRS as u64);
    }
    for out in rest.chunks_mut(2) {
        out.copy_from_slice(&pair(even)[..out.len()]);
        even = even.wrapping_add(2);
    }
}
