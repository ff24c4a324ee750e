//! The CPU check, by CPUID and XGETBV: it needs no operating system and no `std`.
//!
//! A CPU with AVX2 is not enough: an operating system that does not save the upper halves of the registers would
//! lose them at a task switch. It says that it does through XCR0.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const ABSENT: u8 = 1;
const AVX2: u8 = 2;
const AVX512: u8 = 3;

/// Whether AVX2, FMA and F16C can be used.
pub(super) fn has_avx2_fma_f16c() -> bool {
    level() >= AVX2
}

/// Whether AVX-512 F, DQ and VL can be used too.
pub(super) fn has_avx512() -> bool {
    level() == AVX512
}

/// What can be used. CPUID traps under a hypervisor, so the answer is kept.
fn level() -> u8 {
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    // ORDERING: Relaxed; the byte is all there is, and every thread would store the same.
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            let level = ask();
            // ORDERING: Relaxed; as above.
            ANSWER.store(level, Ordering::Relaxed);
            level
        }
        level => level,
    }
}

fn ask() -> u8 {
    const FMA: u32 = 1 << 12;
    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    const F16C: u32 = 1 << 29;
    const WITH_AVX2: u32 = 1 << 5;
    /// F, DQ and VL.
    const WITH_AVX512: u32 = 1 << 16 | 1 << 17 | 1 << 31;
    const SSE_AND_AVX_STATE: u64 = 0b110;
    /// Masks, the upper halves of the lower registers, the upper registers.
    const AVX512_STATE: u64 = 0b1110_0000;

    let highest_leaf = __cpuid(0).eax;
    if highest_leaf < 7 {
        return ABSENT;
    }
    let wanted = FMA | OSXSAVE | AVX | F16C;
    let extended = __cpuid_count(7, 0).ebx;
    if __cpuid(1).ecx & wanted != wanted || extended & WITH_AVX2 == 0 {
        return ABSENT;
    }
    // SAFETY: XGETBV exists where OSXSAVE is set (seen above), and register 0 with it.
    let saved_state = unsafe { _xgetbv(0) };
    let saved = |state| saved_state & state == state;
    match saved(SSE_AND_AVX_STATE) {
        false => ABSENT,
        true if extended & WITH_AVX512 == WITH_AVX512 && saved(AVX512_STATE) => AVX512,
        true => AVX2,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    #[test]
    fn agrees_with_the_standard_library() {
        let theirs = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("f16c");
        for _ in 0..2 {
            assert_eq!(super::has_avx2_fma_f16c(), theirs);
            let wide = std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512dq")
                && std::is_x86_feature_detected!("avx512vl");
            assert_eq!(super::has_avx512(), theirs && wide);
        }
    }
}
