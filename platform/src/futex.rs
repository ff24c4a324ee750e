//! Sleeping on a 32-bit word until another thread wakes the sleepers of that word.
//!
//! The one promise: a thread that stores a new value and then wakes cannot leave asleep a thread
//! that is about to wait for the old value, because the comparison and the falling asleep are one
//! step to the waker. Everything else is the caller's: a wait may end early for no reason, so the
//! caller looks at the word again; and no order is given to other memory, so the caller's own
//! accesses to the word carry it.
#![forbid(unsafe_code)]

use core::sync::atomic::AtomicU32;
use core::time::Duration;

use crate::sys;

/// How a timed wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// A wake, a word that no longer had the expected value, or no reason at all.
    Woken,
    /// The time was up.
    TimedOut,
}

/// Sleeps while `word` is `expected`, until a wake; may return early.
///
/// On a target without threads it returns at once, as nobody could wake it.
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    sys::futex_wait(word, expected, None);
}

/// As [`futex_wait`], for `timeout` at the longest (rounded up to what the system can measure).
pub fn futex_wait_timeout(word: &AtomicU32, expected: u32, timeout: Duration) -> Waited {
    sys::futex_wait(word, expected, Some(timeout))
}

/// Wakes a thread that waits on `word`, if there is one; others may wake too.
pub fn futex_wake_one(word: &AtomicU32) {
    sys::futex_wake(word, false);
}

/// Wakes every thread that waits on `word`.
pub fn futex_wake_all(word: &AtomicU32) {
    sys::futex_wake(word, true);
}

#[cfg(test)]
mod tests;
