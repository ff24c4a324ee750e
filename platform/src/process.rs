//! The running process: its clock, its identity across `fork`, the scheduling class of a thread.
#![forbid(unsafe_code)]

use crate::sys;

/// Nanoseconds since some fixed moment, never running backwards; zero on a target without a clock.
pub fn monotonic_ns() -> u64 {
    sys::monotonic_ns()
}

/// This process's number; zero on a target without processes.
pub fn process_id() -> u32 {
    sys::process_id()
}

/// A number that is another one in a forked child than it was in its parent before the fork.
///
/// A forked child has the memory of its parent and none of its threads, so whoever keeps threads
/// stores this number beside them and compares it before counting on them. After the first call it
/// costs one atomic load. It notices `fork(2)` as the C library makes it, not a bare `clone` system
/// call. On a target that cannot fork it is constant.
///
/// # Examples
/// ```
/// let threads_belong_to = fucina_platform::fork_generation();
/// // ... later, perhaps in another process:
/// let still_mine = threads_belong_to == fucina_platform::fork_generation();
/// assert!(still_mine);
/// ```
pub fn fork_generation() -> u32 {
    sys::fork_generation()
}

/// Asks that the calling thread run on performance cores; whether the system took the request.
///
/// Apple systems have a quality-of-service class for this; elsewhere it does nothing and is false.
pub fn prefer_performance_cores() -> bool {
    sys::prefer_performance_cores()
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::time::Duration;

    #[test]
    fn the_clock_counts_nanoseconds_forward() {
        let started = monotonic_ns();
        std::thread::sleep(Duration::from_millis(20));
        let elapsed = monotonic_ns() - started;
        assert!(elapsed >= 20_000_000, "{elapsed} ns");
        assert!(elapsed < 60_000_000_000, "{elapsed} ns: not nanoseconds");
    }

    #[test]
    fn the_process_has_its_number_and_one_generation() {
        assert_eq!(process_id(), std::process::id());
        let here = fork_generation();
        let there = std::thread::spawn(fork_generation).join().unwrap();
        assert_eq!(here, there);
    }
}
