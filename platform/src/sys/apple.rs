//! macOS, iOS and kin: `__ulock`, `sysctlbyname`, quality-of-service classes.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr;
use core::sync::atomic::AtomicU32;
use core::time::Duration;

use crate::{Sysctl, Topology, Waited};

pub(crate) use super::atfork::fork_generation;
pub(crate) use super::hosted::{env_value, monotonic_ns, read_file};

// From XNU's bsd/sys/ulock.h and the SDK's sys/qos.h.
const UL_COMPARE_AND_WAIT: u32 = 1;
const ULF_WAKE_ALL: u32 = 0x0000_0100;
const ULF_NO_ERRNO: u32 = 0x0100_0000;
const QOS_CLASS_USER_INTERACTIVE: c_uint = 0x21;

unsafe extern "C" {
    /// Negative error number under `ULF_NO_ERRNO`; a timeout of 0 microseconds is none.
    fn __ulock_wait(operation: u32, word: *mut c_void, value: u64, timeout_us: u32) -> c_int;
    fn __ulock_wake(operation: u32, word: *mut c_void, thread: u64) -> c_int;
    fn pthread_set_qos_class_self_np(class: c_uint, relative_priority: c_int) -> c_int;
}

pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Waited {
    // Rounded up, and never 0, which would mean "for ever". What does not fit ends early.
    let timeout_us = timeout.map_or(0, |timeout| {
        u32::try_from(timeout.as_nanos().div_ceil(1000)).unwrap_or(u32::MAX).max(1)
    });
    // SAFETY: `word` is a live, aligned 32-bit word, which the operation compares with `expected`.
    let result = unsafe {
        __ulock_wait(
            UL_COMPARE_AND_WAIT | ULF_NO_ERRNO,
            word.as_ptr().cast(),
            u64::from(expected),
            timeout_us,
        )
    };
    let cut_short = timeout_us == u32::MAX;
    if result == -libc::ETIMEDOUT && !cut_short { Waited::TimedOut } else { Waited::Woken }
}

pub(crate) fn futex_wake(word: &AtomicU32, all: bool) {
    let wake = if all { ULF_WAKE_ALL } else { 0 };
    // SAFETY: the address only names the sleepers; ENOENT, no sleeper, is fine.
    unsafe {
        __ulock_wake(UL_COMPARE_AND_WAIT | ULF_NO_ERRNO | wake, word.as_ptr().cast(), 0);
    }
}

pub(crate) fn process_id() -> u32 {
    // SAFETY: no conditions.
    unsafe { libc::getpid() }.cast_unsigned()
}

pub(crate) fn prefer_performance_cores() -> bool {
    // SAFETY: changes the calling thread's own class; the class is one of the SDK's.
    unsafe { pthread_set_qos_class_self_np(QOS_CLASS_USER_INTERACTIVE, 0) == 0 }
}

pub(crate) fn topology() -> Topology {
    Topology::from_sysctl(&Host)
}

/// The running system's own table.
struct Host;

impl Sysctl for Host {
    fn read(&self, name: &CStr) -> Option<u64> {
        let mut value = [0u8; 8];
        let mut len = value.len();
        // SAFETY: `name` ends with NUL; `value` is writable for `len` bytes; nothing is set.
        let error = unsafe {
            libc::sysctlbyname(
                name.as_ptr(),
                value.as_mut_ptr().cast(),
                &raw mut len,
                ptr::null_mut(),
                0,
            )
        };
        match (error, len) {
            (0, 4) => value.first_chunk().map(|half| u64::from(u32::from_ne_bytes(*half))),
            (0, 8) => Some(u64::from_ne_bytes(value)),
            _ => None,
        }
    }
}
