//! The CPU check beyond AVX2's, by CPUID and XGETBV: it needs no operating system and no `std`.

use core::arch::x86_64::{__cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

/// Whether AVX-512 F, DQ and VL can be used, on a CPU of which AVX2's check said yes. CPUID traps under a hypervisor, so the
/// answer is kept.
pub(super) fn has_avx512() -> bool {
    static ANSWER: AtomicU8 = AtomicU8::new(UNKNOWN);
    // ORDERING: Relaxed; the byte is all there is, and every thread would store the same.
    match ANSWER.load(Ordering::Relaxed) {
        UNKNOWN => {
            let present = fucina_avx2::detect().is_some() && ask();
            // ORDERING: Relaxed; as above.
            ANSWER.store(if present { PRESENT } else { ABSENT }, Ordering::Relaxed);
            present
        }
        answer => answer == PRESENT,
    }
}

/// The rest of the question; AVX2's check saw leaf 7 and OSXSAVE.
fn ask() -> bool {
    /// F, DQ and VL.
    const WANTED: u32 = 1 << 16 | 1 << 17 | 1 << 31;
    /// Masks, the upper halves of the lower registers, the upper registers.
    const STATE: u64 = 0b1110_0000;

    if __cpuid_count(7, 0).ebx & WANTED != WANTED {
        return false;
    }
    // SAFETY: XGETBV exists where OSXSAVE is set, which AVX2's check saw, and register 0 with it.
    let saved_state = unsafe { _xgetbv(0) };
    saved_state & STATE == STATE
}

#[cfg(test)]
mod tests {
    extern crate std;

    #[test]
    fn agrees_with_the_standard_library() {
        let theirs = fucina_avx2::detect().is_some()
            && std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl");
        for _ in 0..2 {
            assert_eq!(super::has_avx512(), theirs);
        }
    }
}
