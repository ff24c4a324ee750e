//! aarch64: the modes stand in FPCR, the sticky flags in FPSR.
//!
//! Bit 24 of FPCR flushes operands and results of single and double precision, bit 19 those of half precision, bit 0
//! (from Armv8.7 on) operands alone; a CPU without a mode reads its bit as 0 and ignores a write. Most have no traps, and then
//! the trap bits are such. Bits that are not named below are kept as they are, in both registers.

use core::arch::asm;

use super::{Layout, RoundingMode};

pub(super) const LAYOUT: Layout = Layout {
    supported: true,
    rounding_shift: 22,
    rounding: [
        RoundingMode::NearestEven,
        RoundingMode::Upward,
        RoundingMode::Downward,
        RoundingMode::TowardZero,
    ],
    flush: FZ,
    flush_any: FZ | FZ16 | FIZ,
    traps: 0b1_1111 << 8 | 1 << 15,
    no_traps: 0,
    alternate: AH | NEP | EBF | DN | AHP,
    flags: [1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 7],
};

/// Flush operands to zero.
const FIZ: u64 = 1 << 0;
/// Alternate handling: of subnormals, NaNs and flags.
const AH: u64 = 1 << 1;
/// Scalar results keep the upper elements of a vector register.
const NEP: u64 = 1 << 2;
/// Extended bfloat16 behaviour.
const EBF: u64 = 1 << 13;
/// Flush half precision.
const FZ16: u64 = 1 << 19;
/// Flush single and double precision.
const FZ: u64 = 1 << 24;
/// Every NaN made is the default NaN.
const DN: u64 = 1 << 25;
/// Half precision has no infinities and NaNs.
const AHP: u64 = 1 << 26;

/// The modes.
pub(super) fn control() -> u64 {
    let word: u64;
    // SAFETY: reads a register that user code may read at any time.
    unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack, preserves_flags)) }
    word
}

/// Puts in the modes.
///
/// # Safety
/// - `word` is [`control`]'s, changed in no other bits than [`LAYOUT`] names.
/// - As for [`super::set`], if it is not the default environment.
pub(super) unsafe fn set_control(word: u64) {
    // SAFETY: a register that user code may write; later instructions see it without a barrier. Its modes are the
    // caller's to answer for.
    unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack)) }
}

/// The sticky flags, and what else stands in FPSR.
pub(super) fn status() -> u64 {
    let word: u64;
    // SAFETY: reads a register that user code may read at any time.
    unsafe { asm!("mrs {}, fpsr", out(reg) word, options(nostack, preserves_flags)) }
    word
}

/// Puts in the sticky flags, and what else stands in FPSR.
pub(super) fn set_status(word: u64) {
    // SAFETY: a register that user code may write, and that changes no result. `preserves_flags` would promise to leave it.
    unsafe { asm!("msr fpsr, {}", in(reg) word, options(nostack)) }
}
