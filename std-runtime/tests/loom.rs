//! The team's protocol, model-checked: `RUSTFLAGS="--cfg loom" cargo test --release -p fucina-runtime --test loom`.
//!
//! Every interleaving (of up to three preemptions) of small programs: publish, claim, park, wake, join, panic, shutdown, and
//! a chained dispatch. What tasks write goes through loom's cells, so a missing happens-before is found as a race, a lost
//! wake-up as a deadlock.
#![cfg(loom)]

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use fucina_core::parallel::Team;
use fucina_runtime::{SpinPolicy, TeamConfig, WorkerTeam};
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

/// Cells that the tasks of their index write.
struct Cells(Vec<UnsafeCell<usize>>);

// SAFETY: the dispatch runs each index once, which loom checks.
unsafe impl Sync for Cells {}

impl Cells {
    fn new(n: usize) -> Self {
        Self((0..n).map(|_| UnsafeCell::new(0)).collect())
    }

    fn bump(&self, i: usize) {
        // SAFETY: as above.
        self.0[i].with_mut(|x| unsafe { *x += 1 });
    }

    fn values(&self) -> Vec<usize> {
        // SAFETY: the dispatch has ended, which loom checks.
        self.0.iter().map(|cell| cell.with(|x| unsafe { *x })).collect()
    }
}

/// One dispatch of `n` indices, each of which runs once.
fn each_once(team: &WorkerTeam, n: usize) {
    let cells = Cells::new(n);
    team.for_each(n, &|i| cells.bump(i));
    assert_eq!(cells.values(), vec![1; n]);
}

fn team(width: usize) -> WorkerTeam {
    WorkerTeam::with_config(TeamConfig {
        width,
        spin: SpinPolicy { worker: 0, join: 0 },
        profile: false,
        trace: None,
    })
}

fn model(preemptions: usize, program: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(program);
}

#[test]
fn two_dispatches_run_each_index_once_and_shutdown_joins() {
    model(3, || {
        let team = team(2);
        for _ in 0..2 {
            each_once(&team, 2);
        }
    });
}

#[test]
fn two_workers_share_a_dispatch() {
    model(2, || {
        let team = team(3);
        each_once(&team, 3);
    });
}

#[test]
fn a_parked_worker_is_woken() {
    model(3, || {
        let team = team(2);
        for _ in 0..2 {
            // Whoever has index 0 waits for the other to run index 1: a wake-up that is lost is a deadlock.
            let (ran, changed) = (Mutex::new(false), Condvar::new());
            team.for_each(2, &|i| {
                let mut ran = ran.lock().unwrap();
                if i == 1 {
                    *ran = true;
                    changed.notify_one();
                }
                while !*ran {
                    ran = changed.wait(ran).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_nested_dispatch_runs_serially() {
    model(3, || {
        let team = team(2);
        let cells = Cells::new(4);
        team.for_each(2, &|i| team.for_each(2, &|j| cells.bump(2 * i + j)));
        assert_eq!(cells.values(), [1; 4]);
    });
}

#[test]
fn a_concurrent_dispatch_does_not_wait() {
    model(2, || {
        let team = Arc::new(team(2));
        let there = team.clone();
        let other = thread::spawn(move || {
            each_once(&there, 2);
        });
        each_once(&team, 2);
        other.join().unwrap();
    });
}

#[test]
fn a_panic_reaches_the_dispatcher_and_the_next_dispatch_works() {
    model(3, || {
        let team = team(2);
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            team.for_each(2, &|i| {
                if i == 1 {
                    std::panic::resume_unwind(Box::new(7));
                }
            });
        }));
        assert_eq!(*unwound.unwrap_err().downcast::<i32>().unwrap(), 7);
        each_once(&team, 2);
    });
}

#[test]
fn a_chain_hands_its_values_on() {
    model(2, || {
        let team = team(2);
        let cells = Cells::new(3);
        let ran = team.for_each_chained(3, 1, &|i, chain| {
            cells.bump(i);
            if i + 1 < 3 {
                // The successor reads what this task wrote.
                // SAFETY: this task's own cell, which loom checks.
                let seen = cells.0[i].with(|x| unsafe { *x });
                // SAFETY: the successor's cell, before it is runnable, which loom checks.
                cells.0[i + 1].with_mut(|x| unsafe { *x += seen });
                chain.enqueue(i + 1).unwrap();
            }
        });
        assert_eq!(ran, Ok(true));
        assert_eq!(cells.values(), [1, 2, 3]);
    });
}

#[test]
fn a_stalled_chain_ends() {
    model(2, || {
        let team = team(2);
        assert!(team.for_each_chained(3, 2, &|_, _| {}).is_err());
    });
}
