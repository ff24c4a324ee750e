//! x86-64: one register, MXCSR, whose low six bits are the sticky flags and the rest the modes.
//!
//! Flushing needs two bits: bit 15 flushes results, bit 6 reads subnormal operands as zero. `ldmxcsr` never traps, even when
//! it sets a flag whose trap is on; it faults only on reserved bits, which a word made from what `stmxcsr` gave and
//! from the bits below never sets (every x86-64 CPU has bit 6).

use core::arch::asm;

use super::{Layout, RoundingMode};

pub(super) const LAYOUT: Layout = Layout {
    supported: true,
    rounding_shift: 13,
    rounding: [
        RoundingMode::NearestEven,
        RoundingMode::Downward,
        RoundingMode::Upward,
        RoundingMode::TowardZero,
    ],
    flush: 1 << 15 | 1 << 6,
    flush_any: 1 << 15 | 1 << 6,
    traps: TRAP_MASKS,
    no_traps: TRAP_MASKS,
    alternate: 0,
    flags: [1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 1],
};

/// A set bit masks its trap.
const TRAP_MASKS: u64 = 0b11_1111 << 7;

const STATUS: u32 = 0b11_1111;

/// The modes, without the sticky flags.
pub(super) fn control() -> u64 {
    u64::from(read() & !STATUS)
}

/// Puts in the modes, keeping the sticky flags.
///
/// # Safety
/// - `word` is [`control`]'s, changed in no other bits than [`LAYOUT`] names.
/// - As for [`super::set`], if it is not the default environment.
pub(super) unsafe fn set_control(word: u64) {
    let flags = read() & STATUS;
    // SAFETY: no reserved bit is set, as `word` came from the register; its modes are the caller's to answer for.
    unsafe { write(word as u32 | flags) }
}

/// The sticky flags.
pub(super) fn status() -> u64 {
    u64::from(read() & STATUS)
}

/// Puts in the sticky flags, keeping the modes.
pub(super) fn set_status(word: u64) {
    let modes = read() & !STATUS;
    // SAFETY: no reserved bit is set, as `modes` came from the register, and the modes stay what they are.
    unsafe { write(modes | word as u32 & STATUS) }
}

fn read() -> u32 {
    let mut word = 0_u32;
    // SAFETY: stores four bytes to `word`, which is four bytes and writable.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) }
    word
}

/// # Safety
/// - No reserved bit of `word` is set.
/// - As for [`super::set`], if its modes are not the default environment.
unsafe fn write(word: u32) {
    // SAFETY: loads four bytes from `word`, which is four bytes and readable; no reserved bit, says the caller.
    // `preserves_flags` would promise to leave the sticky flags.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) }
}
