//! The CPU check, by CPUID and XGETBV: it needs no operating system and no `std`.
//!
//! A CPU with AVX2 is not enough: an operating system that does not save the upper halves of the registers would
//! lose them at a task switch. It says that it does through XCR0.

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

/// Whether AVX2, FMA and F16C can be used. CPUID traps under a hypervisor, so the answer is kept.
pub(super) fn has_avx2_fma_f16c() -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    // ORDERING: Relaxed; the byte is all there is, and every thread would store the same.
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            let present = ask();
            // ORDERING: Relaxed; as above.
            ANSWER.store(if present { PRESENT } else { ABSENT }, Ordering::Relaxed);
            present
        }
        answer => answer == PRESENT,
    }
}

fn ask() -> bool {
    const FMA: u32 = 1 << 12;
    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    const F16C: u32 = 1 << 29;
    const AVX2: u32 = 1 << 5;
    const SSE_AND_AVX_STATE: u64 = 0b110;

    let highest_leaf = __cpuid(0).eax;
    if highest_leaf < 7 {
        return false;
    }
    let wanted = FMA | OSXSAVE | AVX | F16C;
    if __cpuid(1).ecx & wanted != wanted || __cpuid_count(7, 0).ebx & AVX2 == 0 {
        return false;
    }
    // SAFETY: XGETBV exists where OSXSAVE is set (seen above), and register 0 with it.
    let saved_state = unsafe { _xgetbv(0) };
    saved_state & SSE_AND_AVX_STATE == SSE_AND_AVX_STATE
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
        }
    }
}
