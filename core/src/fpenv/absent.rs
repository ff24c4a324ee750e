//! A target whose environment cannot be reached: nothing is observed and nothing is changed.

use super::{Layout, RoundingMode};

pub(super) const LAYOUT: Layout = Layout {
    supported: false,
    rounding_shift: 0,
    rounding: [RoundingMode::NearestEven; 4],
    flush: 0,
    flush_any: 0,
    traps: 0,
    no_traps: 0,
    alternate: 0,
    flags: [0; 6],
};

/// No modes.
pub(super) fn control() -> u64 {
    0
}

/// Does nothing.
///
/// # Safety
/// - None; `unsafe` as in the other arms.
pub(super) unsafe fn set_control(_word: u64) {}

/// No flags.
pub(super) fn status() -> u64 {
    0
}

/// Does nothing.
pub(super) fn set_status(_word: u64) {}
