//! The host's futex and the portable one, under the same tests.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::Ordering;
use std::thread;
use std::time::Instant;

use super::*;

struct Arm {
    name: &'static str,
    wait: fn(&AtomicU32, u32, Option<Duration>) -> Waited,
    wake: fn(&AtomicU32, bool),
}

const ARMS: [Arm; 2] = [
    Arm { name: "host", wait: sys::futex_wait, wake: sys::futex_wake },
    Arm { name: "portable", wait: sys::portable::futex_wait, wake: sys::portable::futex_wake },
];

#[test]
fn another_value_does_not_sleep() {
    for arm in &ARMS {
        let word = AtomicU32::new(5);
        assert_eq!((arm.wait)(&word, 4, None), Waited::Woken, "{}", arm.name);
        let minute = Some(Duration::from_secs(60));
        assert_eq!((arm.wait)(&word, 4, minute), Waited::Woken, "{}", arm.name);
        (arm.wake)(&word, false);
        (arm.wake)(&word, true);
    }
}

#[test]
fn a_timed_wait_lasts_its_time() {
    for arm in &ARMS {
        let word = AtomicU32::new(0);
        let started = Instant::now();
        let limit = Duration::from_millis(30);
        // Early ends are allowed; the time is then waited for again.
        while (arm.wait)(&word, 0, Some(limit)) == Waited::Woken {}
        assert!(started.elapsed() >= limit, "{}: {:?}", arm.name, started.elapsed());
        while (arm.wait)(&word, 0, Some(Duration::ZERO)) == Waited::Woken {}
    }
}

#[test]
fn an_endless_timeout_is_taken_and_can_be_woken() {
    for arm in &ARMS {
        let word = Arc::new(AtomicU32::new(0));
        let sleeper = {
            let word = Arc::clone(&word);
            thread::spawn(move || {
                while word.load(Ordering::Acquire) == 0 {
                    let _ = (arm.wait)(&word, 0, Some(Duration::MAX));
                }
            })
        };
        thread::sleep(Duration::from_millis(10));
        word.store(1, Ordering::Release);
        (arm.wake)(&word, false);
        sleeper.join().unwrap();
    }
}

#[test]
fn wake_all_wakes_every_sleeper() {
    for arm in &ARMS {
        let word = Arc::new(AtomicU32::new(0));
        let awake = Arc::new(AtomicU32::new(0));
        let sleepers: Vec<_> = (0..8)
            .map(|_| {
                let (word, awake) = (Arc::clone(&word), Arc::clone(&awake));
                thread::spawn(move || {
                    while word.load(Ordering::Acquire) == 0 {
                        (arm.wait)(&word, 0, None);
                    }
                    awake.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(10));
        assert_eq!(awake.load(Ordering::Relaxed), 0, "{}", arm.name);
        word.store(1, Ordering::Release);
        (arm.wake)(&word, true);
        for sleeper in sleepers {
            sleeper.join().unwrap();
        }
        assert_eq!(awake.load(Ordering::Relaxed), 8, "{}", arm.name);
    }
}

/// Two threads hand a number back and forth; a lost wake hangs the test.
#[test]
fn no_wake_is_lost_in_20_000_handovers() {
    for arm in &ARMS {
        let word = Arc::new(AtomicU32::new(0));
        let turns = 20_000;
        let play = move |word: &AtomicU32, parity: u32| {
            let mut now = 0;
            while now < turns {
                now = word.load(Ordering::Acquire);
                if now % 2 == parity && now < turns {
                    word.store(now + 1, Ordering::Release);
                    (arm.wake)(word, false);
                } else if now < turns {
                    (arm.wait)(word, now, None);
                }
            }
        };
        let other = {
            let word = Arc::clone(&word);
            thread::spawn(move || play(&word, 1))
        };
        play(&word, 0);
        other.join().unwrap();
        assert_eq!(word.load(Ordering::Relaxed), turns, "{}", arm.name);
    }
}

#[test]
fn the_public_names_reach_the_host() {
    let word = Arc::new(AtomicU32::new(0));
    let sleeper = {
        let word = Arc::clone(&word);
        thread::spawn(move || {
            while word.load(Ordering::Acquire) == 0 {
                futex_wait(&word, 0);
            }
            while word.load(Ordering::Acquire) == 1 {
                let _ = futex_wait_timeout(&word, 1, Duration::from_millis(1));
            }
        })
    };
    word.store(1, Ordering::Release);
    futex_wake_one(&word);
    word.store(2, Ordering::Release);
    futex_wake_all(&word);
    sleeper.join().unwrap();
}
