//! Windows: `WaitOnAddress`, and the processor records of `GetLogicalProcessorInformationEx`.

use alloc::vec;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::AtomicU32;
use core::time::Duration;

use super::processor_records;
use crate::{Count, Source, Topology, Waited};

pub(crate) use super::hosted::{env_value, monotonic_ns, read_file};

const ERROR_TIMEOUT: u32 = 1460;
const INFINITE: u32 = u32::MAX;
const RELATION_PROCESSOR_CORE: u32 = 0;
const ALL_PROCESSOR_GROUPS: u16 = u16::MAX;

#[link(name = "synchronization")]
unsafe extern "system" {
    fn WaitOnAddress(word: *const c_void, compare: *const c_void, len: usize, ms: u32) -> i32;
    fn WakeByAddressSingle(word: *const c_void);
    fn WakeByAddressAll(word: *const c_void);
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetLastError() -> u32;
    fn GetCurrentProcess() -> *mut c_void;
    fn GetProcessAffinityMask(process: *mut c_void, own: *mut usize, system: *mut usize) -> i32;
    fn GetActiveProcessorCount(group: u16) -> u32;
    fn GetLogicalProcessorInformationEx(relation: u32, buffer: *mut c_void, len: *mut u32) -> i32;
}

pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Waited {
    // Rounded up; what does not fit ends early.
    let longest = INFINITE - 1;
    let ms = timeout.map_or(INFINITE, |timeout| {
        u32::try_from(timeout.as_nanos().div_ceil(1_000_000)).map_or(longest, |ms| ms.min(longest))
    });
    // SAFETY: `word` and `expected` are live 32-bit words, as the length says.
    let woken = unsafe {
        WaitOnAddress(
            word.as_ptr().cast(),
            ptr::from_ref(&expected).cast(),
            size_of::<u32>(),
            ms,
        )
    };
    if woken != 0 || ms == longest {
        return Waited::Woken;
    }
    // SAFETY: no conditions.
    let error = unsafe { GetLastError() };
    if error == ERROR_TIMEOUT { Waited::TimedOut } else { Waited::Woken }
}

pub(crate) fn futex_wake(word: &AtomicU32, all: bool) {
    let word = word.as_ptr().cast_const().cast();
    if all {
        // SAFETY: the address only names the sleepers.
        unsafe { WakeByAddressAll(word) };
    } else {
        // SAFETY: the address only names the sleepers.
        unsafe { WakeByAddressSingle(word) };
    }
}

pub(crate) fn process_id() -> u32 {
    extern crate std;
    std::process::id()
}

pub(crate) fn fork_generation() -> u32 {
    0
}

pub(crate) fn prefer_performance_cores() -> bool {
    false
}

pub(crate) fn topology() -> Topology {
    core_counts().unwrap_or_else(|| {
        // SAFETY: no conditions.
        let active = unsafe { GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) };
        Topology::of_logical(Count {
            count: usize::try_from(active).map_or(1, |count| count.max(1)),
            source: Source::Windows("GetActiveProcessorCount"),
        })
    })
}

fn core_counts() -> Option<Topology> {
    let mut len = 0u32;
    // SAFETY: a null buffer of length 0 asks for the length.
    unsafe {
        GetLogicalProcessorInformationEx(RELATION_PROCESSOR_CORE, ptr::null_mut(), &raw mut len)
    };
    // Eight-byte words, for the records' alignment.
    let mut buffer = vec![0u64; usize::try_from(len).ok()?.div_ceil(8)];
    // SAFETY: `buffer` is writable for `len` bytes, rounded up.
    let filled = unsafe {
        GetLogicalProcessorInformationEx(
            RELATION_PROCESSOR_CORE,
            buffer.as_mut_ptr().cast(),
            &raw mut len,
        )
    };
    if filled == 0 {
        return None;
    }
    let bytes: alloc::vec::Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    processor_records::topology(bytes.get(..usize::try_from(len).ok()?)?, affinity())
}

/// The process's mask; 0 if it spans processor groups, when the mask says nothing.
fn affinity() -> usize {
    let (mut own, mut system) = (0usize, 0usize);
    // SAFETY: no conditions; a handle that needs no closing.
    let process = unsafe { GetCurrentProcess() };
    // SAFETY: the handle is this process; both masks are writable.
    let found = unsafe { GetProcessAffinityMask(process, &raw mut own, &raw mut system) };
    if found == 0 { 0 } else { own }
}
