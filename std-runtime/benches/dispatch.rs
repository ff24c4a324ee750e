//! What does it cost to hand work to two threads and wait for it, beside rayon, chili and `std::thread::scope`?
//!
//! Four cases, everybody with two threads, the caller among them where the library allows it (rayon's caller blocks while
//! two pool threads work): an empty dispatch in a dense stream, one from parked, a thousand tiny tasks, and two halves of
//! 40 us of arithmetic. `cargo bench -p fucina-runtime --bench dispatch`.

use core::hint::black_box;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::thread;
use std::time::Instant;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use fucina_core::parallel::Team;
use fucina_runtime::{SpinPolicy, TeamConfig, WorkerTeam};

const WIDTH: usize = 2;

/// Everybody who can run `n` tasks.
struct Contenders {
    team: WorkerTeam,
    rayon: rayon::ThreadPool,
    chili: chili::ThreadPool,
}

impl Contenders {
    fn new() -> Self {
        let config = TeamConfig {
            spin: SpinPolicy { worker: 32_768, join: 1 << 20 },
            ..TeamConfig::of(WIDTH)
        };
        let chili_config = chili::Config {
            thread_count: core::num::NonZeroUsize::new(WIDTH - 1),
            ..chili::Config::default()
        };
        Self {
            team: WorkerTeam::with_config(config),
            rayon: rayon::ThreadPoolBuilder::new().num_threads(WIDTH).build().unwrap(),
            chili: chili::ThreadPool::with_config(chili_config),
        }
    }

    /// Each contender's name and its way to run `left` and `right` at once.
    fn pairs(&self, group: &mut BenchmarkGroup<'_, WallTime>, task: &(dyn Fn(usize) + Sync)) {
        group.bench_function("fucina", |b| b.iter(|| self.team.for_each(WIDTH, task)));
        group.bench_function("rayon broadcast", |b| {
            b.iter(|| self.rayon.broadcast(|thread| task(thread.index())));
        });
        group.bench_function("rayon scope", |b| {
            b.iter(|| self.rayon.scope(|s| (0..WIDTH).for_each(|i| s.spawn(move |_| task(i)))));
        });
        group.bench_function("rayon join, from inside", |b| {
            b.iter_custom(|n| {
                self.rayon.install(|| {
                    timed(n, || {
                        rayon::join(|| task(0), || task(1));
                    })
                })
            });
        });
        let mut scope = self.chili.scope();
        group.bench_function("chili join", |b| {
            b.iter(|| scope.join(|_| task(0), |_| task(1)));
        });
        group.bench_function("std::thread::scope", |b| {
            b.iter(|| {
                thread::scope(|s| {
                    s.spawn(|| task(1));
                    task(0);
                });
            });
        });
    }
}

fn timed(n: u64, mut f: impl FnMut()) -> Duration {
    let start = Instant::now();
    (0..n).for_each(|_| f());
    start.elapsed()
}

/// Everybody runs each index once: checked before anything is timed.
fn check(contenders: &Contenders) {
    let count = AtomicUsize::new(0);
    let bump = |i: usize| {
        count.fetch_add(1 + 10 * i, Ordering::Relaxed);
    };
    contenders.team.for_each(WIDTH, &bump);
    contenders.rayon.broadcast(|thread| bump(thread.index()));
    contenders.chili.scope().join(|_| bump(0), |_| bump(1));
    assert_eq!(count.into_inner(), 3 * 12);
}

fn empty(c: &mut Criterion) {
    let contenders = Contenders::new();
    check(&contenders);
    let mut group = c.benchmark_group("empty dispatch, hot");
    contenders.pairs(&mut group, &|i| {
        black_box(i);
    });
}

fn parked(c: &mut Criterion) {
    let contenders = Contenders::new();
    let sleepy = WorkerTeam::with_config(TeamConfig {
        spin: SpinPolicy { worker: 0, join: 1 << 20 },
        ..TeamConfig::of(WIDTH)
    });
    let mut group = c.benchmark_group("both threads have worked, from parked");
    // Each waits for the other, so that the time until the second thread is there counts.
    let meet = |started: &AtomicUsize| {
        started.fetch_add(1, Ordering::Relaxed);
        while started.load(Ordering::Relaxed) < WIDTH {
            thread::yield_now();
        }
    };
    let after_a_pause = |n: u64, f: &dyn Fn()| {
        let once = |_| {
            thread::sleep(Duration::from_micros(300));
            timed(1, f)
        };
        (0..n).map(once).sum()
    };
    group.bench_function("fucina", |b| {
        b.iter_custom(|n| {
            after_a_pause(n, &|| {
                let started = AtomicUsize::new(0);
                sleepy.for_each(WIDTH, &|_| meet(&started));
            })
        });
    });
    group.bench_function("rayon broadcast", |b| {
        b.iter_custom(|n| {
            after_a_pause(n, &|| {
                let started = AtomicUsize::new(0);
                contenders.rayon.broadcast(|_| meet(&started));
            })
        });
    });
    group.bench_function("std::thread::scope", |b| {
        b.iter_custom(|n| {
            after_a_pause(n, &|| {
                let started = AtomicUsize::new(0);
                thread::scope(|s| {
                    s.spawn(|| meet(&started));
                    meet(&started);
                });
            })
        });
    });
}

fn thousand(c: &mut Criterion) {
    let contenders = Contenders::new();
    let mut group = c.benchmark_group("a thousand tasks of 50 ns");
    let task = |i: usize| spin(i, 40);
    group.bench_function("serial", |b| b.iter(|| (0..1000).for_each(task)));
    group.bench_function("fucina", |b| b.iter(|| contenders.team.for_each(1000, &task)));
    group.bench_function("rayon par_iter", |b| {
        use rayon::prelude::*;
        b.iter(|| contenders.rayon.install(|| (0..1000).into_par_iter().for_each(task)));
    });
    let mut scope = contenders.chili.scope();
    group.bench_function("chili, halving", |b| b.iter(|| halves(&mut scope, 0..1000, &task)));
}

fn halves(
    scope: &mut chili::Scope<'_>,
    range: core::ops::Range<usize>,
    task: &(dyn Fn(usize) + Sync),
) {
    if range.len() <= 4 {
        return range.for_each(task);
    }
    let middle = range.start + range.len() / 2;
    scope.join(|s| halves(s, range.start..middle, task), |s| halves(s, middle..range.end, task));
}

fn work(c: &mut Criterion) {
    let contenders = Contenders::new();
    let mut group = c.benchmark_group("two halves of 40 us each");
    let task = |i: usize| spin(i, 40_000);
    group.bench_function("serial", |b| b.iter(|| (0..WIDTH).for_each(task)));
    contenders.pairs(&mut group, &task);
}

/// A chain of `n` dependent steps, about a nanosecond each.
fn spin(seed: usize, n: usize) {
    let mut x = seed;
    for _ in 0..n {
        x = black_box(x ^ (x << 1));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = empty, parked, thousand, work
}
criterion_main!(benches);
