//! The worker team: every index once, whatever the width, the load and the caller.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::thread;

use fucina_core::parallel::Team;
use fucina_runtime::{SpinPolicy, TeamConfig, WorkerTeam};

/// Dispatches `n` indices and checks that each ran once.
fn once(team: &WorkerTeam, n: usize, work: impl Fn(usize) + Sync) {
    let hits: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
    team.for_each(n, &|i| {
        work(i);
        hits[i].fetch_add(1, Ordering::Relaxed);
    });
    for (i, hit) in hits.iter().enumerate() {
        assert_eq!(hit.load(Ordering::Relaxed), 1, "index {i} of {n}, width {}", team.width());
    }
}

fn spinning(width: usize, spin: SpinPolicy) -> WorkerTeam {
    WorkerTeam::with_config(TeamConfig { spin, ..TeamConfig::of(width) })
}

#[test]
fn three_thousand_dispatches_run_each_chunk_once() {
    let team = WorkerTeam::new(4);
    for dispatch in 0..3000 {
        once(&team, 1 + dispatch % 8, |_| {});
    }
    assert_eq!(team.started_workers(), 3);
}

#[test]
fn nothing_starts_before_there_is_work_for_it() {
    let team = WorkerTeam::new(4);
    once(&team, 0, |_| {});
    let here = thread::current().id();
    once(&team, 1, |_| assert_eq!(thread::current().id(), here));
    assert_eq!(team.started_workers(), 0);
    let alone = WorkerTeam::new(0);
    once(&alone, 100, |_| assert_eq!(thread::current().id(), here));
    assert_eq!((alone.width(), alone.started_workers()), (1, 0));
}

#[test]
fn nested_dispatches_run_serially_three_deep() {
    let team = WorkerTeam::new(2);
    let inner = AtomicUsize::new(0);
    once(&team, 6, |_| {
        let outer = thread::current().id();
        team.for_each(4, &|_| {
            team.for_each(3, &|_| {
                assert_eq!(thread::current().id(), outer);
                inner.fetch_add(1, Ordering::Relaxed);
            });
        });
    });
    assert_eq!(inner.into_inner(), 6 * 4 * 3);
}

#[test]
fn concurrent_dispatches_do_not_wait_for_each_other() {
    let team = WorkerTeam::new(3);
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| (0..500).for_each(|round| once(&team, 1 + round % 17, |_| {})));
        }
    });
}

#[test]
fn parked_workers_are_woken_and_no_wake_up_is_lost() {
    let team = spinning(4, SpinPolicy { worker: 64, join: 1 << 20 });
    for _ in 0..20 {
        thread::sleep(Duration::from_millis(20));
        for _ in 0..2 {
            once(&team, 8, |_| {});
        }
    }
}

#[test]
fn more_threads_than_cores_still_run_each_index_once() {
    for width in [8, 24, 64] {
        let team = WorkerTeam::new(width);
        for _ in 0..3 {
            once(&team, 4096, |i| {
                if i % 512 == 0 {
                    thread::yield_now();
                }
            });
        }
    }
}

#[test]
fn a_join_that_outlives_its_spin_window_naps() {
    let team = spinning(3, SpinPolicy { worker: 0, join: 1 });
    for _ in 0..5 {
        once(&team, 6, |_| thread::sleep(Duration::from_millis(3)));
    }
}

#[test]
fn a_panic_goes_on_in_the_dispatcher_and_the_team_survives() {
    let team = WorkerTeam::new(4);
    for round in 0..50 {
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            team.for_each(64, &|i| {
                if i == round {
                    std::panic::resume_unwind(Box::new(round));
                }
            });
        }));
        assert_eq!(*unwound.unwrap_err().downcast::<usize>().unwrap(), round);
        once(&team, 64, |_| {});
    }
}

#[test]
fn results_of_workers_are_visible_to_the_dispatcher() {
    let team = WorkerTeam::new(4);
    struct Slots(Vec<core::cell::UnsafeCell<usize>>);
    // SAFETY: each slot is written by the one task that has its index.
    unsafe impl Sync for Slots {}
    impl Slots {
        fn set(&self, i: usize, value: usize) {
            // SAFETY: index `i` runs once.
            unsafe { *self.0[i].get() = value };
        }
    }
    for round in 1..200 {
        let slots = Slots((0..100).map(|_| core::cell::UnsafeCell::new(0)).collect());
        team.for_each(100, &|i| slots.set(i, i * round));
        assert!(slots.0.into_iter().enumerate().all(|(i, slot)| slot.into_inner() == i * round));
    }
}

#[test]
fn spin_policies_follow_the_number_of_cores() {
    let default = SpinPolicy { worker: 32_768, join: 1 << 20 };
    let crowded = SpinPolicy { worker: 0, join: 4096 };
    assert_eq!(SpinPolicy::of(4, Some(4), None), default);
    assert_eq!(SpinPolicy::of(5, Some(4), None), crowded);
    assert_eq!(SpinPolicy::of(64, None, None), default);
    assert_eq!(SpinPolicy::of(5, Some(4), Some(7)), SpinPolicy { worker: 7, ..crowded });
    assert_eq!(SpinPolicy::of(2, Some(4), Some(0)), SpinPolicy { worker: 0, ..default });
}

#[test]
fn an_explicit_number_of_threads_wins() {
    use fucina_runtime::parallel::{cpu_thread_count, set_max_threads, topology_report};
    assert!(cpu_thread_count(usize::MAX) >= 1);
    assert_eq!(cpu_thread_count(1), 1);
    set_max_threads(3);
    set_max_threads(0);
    assert_eq!([cpu_thread_count(usize::MAX), cpu_thread_count(2), cpu_thread_count(8)], [3, 2, 3]);
    assert!(!topology_report().is_empty());
}
