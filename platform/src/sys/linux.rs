//! Linux and Android: system calls through `libc`, facts from `/sys` and `/proc`.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::{CStr, c_long, c_ulong};
use core::ptr;
use core::sync::atomic::AtomicU32;
use core::time::Duration;

use crate::{CpuSet, Fs, MAX_CPUS, Topology, Waited};

pub(crate) use super::atfork::fork_generation;

/// What `SYS_futex` takes: two words, on 32-bit targets too, whatever the C library's `time_t`.
#[repr(C)]
struct FutexTimespec {
    sec: c_long,
    nsec: c_long,
}

pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Waited {
    let timeout = timeout.map(|timeout| FutexTimespec {
        sec: c_long::try_from(timeout.as_secs()).unwrap_or(c_long::MAX),
        nsec: c_long::from(timeout.subsec_nanos().cast_signed()),
    });
    let timespec = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: `word` is a live, aligned 32-bit word; `timespec` is null or points to `timeout`.
    let result = unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            timespec,
        )
    };
    // Else a wake (0), another value (EAGAIN), a signal (EINTR): the caller looks again.
    if result == -1 && errno() == libc::ETIMEDOUT { Waited::TimedOut } else { Waited::Woken }
}

pub(crate) fn futex_wake(word: &AtomicU32, all: bool) {
    let count: i32 = if all { i32::MAX } else { 1 };
    // SAFETY: `word` is a live, aligned 32-bit word; a wake reads nothing else.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
            count,
        )
    };
}

fn errno() -> i32 {
    // SAFETY: no conditions; gives the calling thread's own slot.
    let slot = unsafe { super::errno_location() };
    // SAFETY: the slot lives as long as this thread, and no other thread writes it.
    unsafe { *slot }
}

pub(crate) fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is a writable timespec. The clock exists since Linux 2.6, so it cannot fail.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    (now.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(now.tv_nsec as u64)
}

pub(crate) fn process_id() -> u32 {
    // SAFETY: no conditions.
    unsafe { libc::getpid() }.cast_unsigned()
}

pub(crate) fn prefer_performance_cores() -> bool {
    false
}

pub(crate) fn env_value(name: &CStr) -> Option<Vec<u8>> {
    // SAFETY: `name` ends with NUL. Whoever changes the environment owes that no thread reads it
    // meanwhile: that is the contract of `std::env::set_var` and of POSIX `setenv`.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return None;
    }
    // SAFETY: `getenv` gave a NUL-terminated string, copied before the environment may change.
    Some(unsafe { CStr::from_ptr(value) }.to_bytes().to_vec())
}

pub(crate) fn read_file(path: &CStr, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let file = loop {
        // SAFETY: `path` ends with NUL; without O_CREAT there is no mode argument.
        let file = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        if file >= 0 {
            break file;
        }
        if errno() != libc::EINTR {
            return false;
        }
    };
    // Closes on the way out, also if `take` unwinds.
    let file = OpenFile(file);
    let mut piece = [0u8; 4096];
    loop {
        // SAFETY: the descriptor is open, and `piece` is writable for its length.
        let len = unsafe { libc::read(file.0, piece.as_mut_ptr().cast(), piece.len()) };
        match usize::try_from(len) {
            Ok(0) => return true,
            Ok(len) => {
                if !take(&piece[..len]) {
                    return true;
                }
            }
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => return false,
        }
    }
}

struct OpenFile(i32);

impl Drop for OpenFile {
    fn drop(&mut self) {
        // SAFETY: the descriptor was opened by the owner of this value and is closed once, here.
        unsafe { libc::close(self.0) };
    }
}

pub(crate) fn topology() -> Topology {
    Topology::from_tree(&Fs::host(), affinity().as_ref())
}

/// The CPUs the calling thread may run on.
fn affinity() -> Option<CpuSet> {
    const WORD_BITS: usize = c_ulong::BITS as usize;
    let mut mask: Vec<c_ulong> = vec![0; 1024 / WORD_BITS];
    loop {
        // SAFETY: `mask` is writable for the bytes named; 0 is the calling thread.
        let bytes = unsafe {
            libc::syscall(
                libc::SYS_sched_getaffinity,
                0,
                size_of_val(mask.as_slice()),
                mask.as_mut_ptr(),
            )
        };
        if let Ok(bytes) = usize::try_from(bytes) {
            mask.truncate(bytes / size_of::<c_ulong>());
            break;
        }
        // EINVAL: the kernel's own masks are longer.
        if errno() != libc::EINVAL || mask.len() * WORD_BITS >= MAX_CPUS {
            return None;
        }
        mask.resize(mask.len() * 2, 0);
    }
    let has = |cpu: &usize| mask[cpu / WORD_BITS] >> (cpu % WORD_BITS) & 1 == 1;
    let set: CpuSet = (0..mask.len() * WORD_BITS).filter(has).collect();
    (!set.is_empty()).then_some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_affinity_mask_is_what_proc_says() {
        let status = Fs::host().read("/proc/thread-self/status").unwrap();
        let key = b"Cpus_allowed_list:";
        let line = status.split(|&byte| byte == b'\n').find(|line| line.starts_with(key)).unwrap();
        let allowed = CpuSet::parse_list(&line[key.len()..]).unwrap();
        let online = Fs::host().read("/sys/devices/system/cpu/online").unwrap();
        let online = CpuSet::parse_list(&online).unwrap();
        assert_eq!(affinity().unwrap(), allowed.intersection(&online));
    }

    #[test]
    fn a_forked_child_has_another_generation() {
        let before = fork_generation();
        // SAFETY: the child calls only what is safe after a fork (an atomic load) and leaves.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let code = i32::from(fork_generation() != before);
            // SAFETY: ends the child without running the parent's exit handlers.
            unsafe { libc::_exit(code) };
        }
        assert!(child > 0);
        let mut status = 0;
        // SAFETY: `child` is ours, and `status` is writable.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status));
        assert_eq!(libc::WEXITSTATUS(status), 1, "the child saw its parent's generation");
        assert_eq!(fork_generation(), before, "the parent's own generation stays");
    }
}
