//! Exactly once under stress: teams of 1 to 64 participants, 1 to 10,000 tasks, 100,000 dispatches, with random sleeps and
//! panics. One fixed seed; the schedule is the machine's.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::thread;

use fucina_core::parallel::Team;
use fucina_core::rng;
use fucina_runtime::{SpinPolicy, TeamConfig, WorkerTeam};

/// Dispatches in all.
const DISPATCHES: u64 = 100_000;

struct Random(u64);

impl Random {
    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        rng::at(0x7eab_5eed, self.0) % bound
    }
}

#[test]
fn every_index_runs_once_in_a_hundred_thousand_dispatches() {
    let mut random = Random(0);
    let mut done = 0;
    let hits: Vec<AtomicU32> = (0..10_000).map(|_| AtomicU32::new(0)).collect();
    let mut round = 0;
    while done < DISPATCHES {
        // Mostly as wide as there are cores or a little wider; 64 now and then.
        let width = match round % 8 {
            0 => 1 + random.below(64),
            1 => 64,
            n => n,
        } as usize;
        round += 1;
        let spin = match random.below(3) {
            0 => SpinPolicy { worker: 0, join: 1 },
            1 => SpinPolicy { worker: 200, join: 2000 },
            _ => TeamConfig::of(width).spin,
        };
        let team = WorkerTeam::with_config(TeamConfig { spin, ..TeamConfig::of(width) });
        let each = if width > 8 { 100 } else { 1000 };
        for _ in 0..each {
            one_dispatch(&team, &mut random, &hits);
        }
        done += each;
    }
}

/// One dispatch of a random kind.
fn one_dispatch(team: &WorkerTeam, random: &mut Random, hits: &[AtomicU32]) {
    let n = match random.below(100) {
        0 => 1 + random.below(10_000),
        1..30 => 1 + random.below(200),
        _ => 1 + random.below(16),
    } as usize;
    let sleeper = (random.below(500) == 0).then(|| random.below(n as u64) as usize);
    let bomb = (random.below(200) == 0).then(|| random.below(n as u64) as usize);
    if random.below(400) == 0 {
        // Let the workers park.
        thread::sleep(Duration::from_micros(random.below(300)));
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        team.for_each(n, &|i| {
            hits[i].fetch_add(1, Ordering::Relaxed);
            if sleeper == Some(i) {
                thread::sleep(Duration::from_micros(150));
            }
            if bomb == Some(i) {
                std::panic::resume_unwind(Box::new(i));
            }
        });
    }));
    let width = team.width();
    match (outcome, bomb) {
        (Ok(()), None) => {
            for (i, hit) in hits[..n].iter().enumerate() {
                assert_eq!(hit.swap(0, Ordering::Relaxed), 1, "index {i} of {n}, width {width}");
            }
        }
        (Err(panic), Some(bomb)) => {
            // Nothing ran twice, the one that panicked ran, and its panic came through.
            assert_eq!(panic.downcast_ref(), Some(&bomb));
            assert_eq!(hits[bomb].load(Ordering::Relaxed), 1);
            for (i, hit) in hits[..n].iter().enumerate() {
                assert!(hit.swap(0, Ordering::Relaxed) <= 1, "index {i} of {n}, width {width}");
            }
        }
        (outcome, bomb) => panic!("panicked: {}, asked to: {bomb:?}", outcome.is_err()),
    }
}

#[test]
fn chained_tasks_run_once_after_their_predecessors() {
    let mut random = Random(1 << 32);
    for round in 0..DISPATCHES / 100 {
        let width = 2 + random.below(if round % 10 == 0 { 30 } else { 4 }) as usize;
        let team = WorkerTeam::new(width);
        for _ in 0..5 {
            let n = 1 + random.below(300) as usize;
            let seeds = 1 + random.below(n as u64) as usize;
            let order: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
            let clock = AtomicU32::new(1);
            let ran = team.for_each_chained(n, seeds, &|i, chain| {
                let now = clock.fetch_add(1, Ordering::Relaxed);
                assert_eq!(order[i].swap(now, Ordering::Relaxed), 0, "task {i} ran twice");
                if i + seeds < n {
                    chain.enqueue(i + seeds).unwrap();
                }
            });
            assert_eq!(ran, Ok(true), "width {width}, {n} tasks, {seeds} seeds");
            for i in 0..n {
                let at = |i: usize| order[i].load(Ordering::Relaxed);
                assert_ne!(at(i), 0, "task {i} did not run");
                assert!(i < seeds || at(i - seeds) < at(i), "task {i} ran before {}", i - seeds);
            }
        }
    }
}
