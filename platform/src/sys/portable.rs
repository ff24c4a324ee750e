//! Any host with `std` and threads: the futex is a table of parking lots.
//!
//! A word's address picks one of 64 lots, a mutex with a condition variable. A waiter compares the
//! word while it holds the lot and releases the lot only by falling asleep; a waker takes the lot
//! after its caller stored the new value. So either the waiter comes second and sees that value, or
//! it comes first, sleeps, and is notified. Words that share a lot wake each other's sleepers, which
//! is why even one wake notifies all: waking early is allowed, sleeping on is not.
#![forbid(unsafe_code)]

extern crate std;

use core::num::NonZero;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Count, Source, Topology, Waited};

pub(crate) use super::hosted::{env_value, monotonic_ns, read_file};

const LOT_BITS: u32 = 6;

struct Lot {
    door: Mutex<()>,
    bell: Condvar,
}

static LOTS: [Lot; 1 << LOT_BITS] =
    [const { Lot { door: Mutex::new(()), bell: Condvar::new() } }; 1 << LOT_BITS];

impl Lot {
    fn of(word: &AtomicU32) -> &'static Lot {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
        let hash = (ptr::from_ref(word).addr() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &LOTS[(hash >> (u64::BITS - LOT_BITS)) as usize]
    }

    fn enter(&self) -> MutexGuard<'_, ()> {
        // The mutex guards no data that a panic could have left half changed.
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn futex_wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Waited {
    let lot = Lot::of(word);
    let guard = lot.enter();
    // ORDERING: Relaxed; the lot orders this load against the waker's store, and a futex gives no
    // order to the caller's other memory.
    if word.load(Ordering::Relaxed) != expected {
        return Waited::Woken;
    }
    let Some(timeout) = timeout else {
        drop(lot.bell.wait(guard));
        return Waited::Woken;
    };
    match lot.bell.wait_timeout(guard, timeout).unwrap_or_else(PoisonError::into_inner) {
        (_, ended) if ended.timed_out() => Waited::TimedOut,
        _ => Waited::Woken,
    }
}

pub(crate) fn futex_wake(word: &AtomicU32, _all: bool) {
    let lot = Lot::of(word);
    drop(lot.enter());
    lot.bell.notify_all();
}

pub(crate) fn process_id() -> u32 {
    std::process::id()
}

pub(crate) fn fork_generation() -> u32 {
    std::process::id()
}

pub(crate) fn prefer_performance_cores() -> bool {
    false
}

pub(crate) fn topology() -> Topology {
    let count = std::thread::available_parallelism().map_or(1, NonZero::get);
    Topology::of_logical(Count { count, source: Source::Std })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::ffi::CString;
    use alloc::vec::Vec;
    use core::ffi::CStr;

    type Reader = fn(&CStr, &mut dyn FnMut(&[u8]) -> bool) -> bool;

    #[test]
    fn lots_spread_neighbouring_words() {
        let words: [AtomicU32; 256] = [const { AtomicU32::new(0) }; 256];
        let mut used = [false; 1 << LOT_BITS];
        for word in &words {
            let lot = LOTS.iter().position(|lot| ptr::eq(lot, Lot::of(word))).unwrap();
            used[lot] = true;
        }
        let used = used.iter().filter(|&&used| used).count();
        assert!(used >= 32, "256 neighbouring words meet in {used} lots");
    }

    #[test]
    fn the_portable_facts_hold() {
        assert_eq!(process_id(), std::process::id());
        assert_eq!(fork_generation(), fork_generation());
        assert!(!prefer_performance_cores());
        let topology = topology();
        assert!(topology.logical.count >= 1 && topology.physical.is_none());
        assert_eq!(topology.default_width(), topology.logical.count);
        let started = monotonic_ns();
        std::thread::sleep(Duration::from_millis(5));
        assert!(monotonic_ns() - started >= 5_000_000);
    }

    #[test]
    fn the_portable_readers_agree_with_the_host() {
        // Cargo sets the first for a test.
        for name in [c"CARGO_PKG_NAME", c"FUCINA_UNHEARD_OF", c"=", c"\xff"] {
            assert_eq!(env_value(name), crate::sys::env_value(name), "{name:?}");
        }
        assert_eq!(env_value(c"CARGO_PKG_NAME"), Some(b"fucina-platform".to_vec()));

        let manifest = CString::new([env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"].concat()).unwrap();
        for path in [manifest.as_c_str(), c"/no/such/file", c"/", c""] {
            let whole = |read: Reader| {
                let mut bytes = Vec::new();
                let ended = read(path, &mut |piece| {
                    bytes.extend_from_slice(piece);
                    true
                });
                (ended, bytes)
            };
            assert_eq!(whole(read_file), whole(crate::sys::read_file), "{path:?}");
        }
        assert!(read_file(&manifest, &mut |_| false));
    }
}
