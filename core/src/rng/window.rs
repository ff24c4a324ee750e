//! Windows of a sequence that is made in aligned pairs.
//!
//! A window may begin with the second half of a pair and end with the first half of one. Only the whole pairs
//! between go to the bulk fill; the two halves are cut from pairs made one at a time, with the same bits.
#![forbid(unsafe_code)]

/// Writes elements `first..first + out.len()` of the sequence.
///
/// `pair(e)` makes elements `e` and `e + 1` for even `e`; `bulk(e, out)` makes the elements from even `e` on, for an
/// `out` of even length.
#[inline(always)] // inlines into a backend's target_feature function
pub(super) fn fill_pairs(
    first: u64,
    out: &mut [f32],
    pair: impl Fn(u64) -> [f32; 2],
    bulk: impl Fn(u64, &mut [f32]),
) {
    let mut even = first & !1;
    let mut rest = out;
    if first != even {
        let Some((head, tail)) = rest.split_first_mut() else { return };
        *head = pair(even)[1];
        rest = tail;
        even = even.wrapping_add(2);
    }
    let (body, last) = rest.split_at_mut(rest.len() & !1);
    let after = even.wrapping_add(body.len() as u64);
    bulk(even, body);
    if let [last] = last {
        *last = pair(after)[0];
    }
}
