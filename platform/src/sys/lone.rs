//! The futex of a target without threads: nobody else could wake a sleeper, so nobody sleeps.
#![forbid(unsafe_code)]

use core::sync::atomic::AtomicU32;
use core::time::Duration;

use crate::Waited;

pub(crate) fn futex_wait(_word: &AtomicU32, _expected: u32, timeout: Option<Duration>) -> Waited {
    core::hint::spin_loop();
    match timeout {
        Some(_) => Waited::TimedOut,
        None => Waited::Woken,
    }
}

pub(crate) fn futex_wake(_word: &AtomicU32, _all: bool) {}
