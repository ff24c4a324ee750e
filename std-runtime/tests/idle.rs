//! An idle team costs nothing: no thread before the first dispatch, no CPU time and no wake-ups after the last.
//!
//! One test a program, since it measures the whole process.
#![cfg(unix)]

use core::time::Duration;
use std::thread;
use std::time::Instant;

use fucina_core::parallel::Team;
use fucina_runtime::WorkerTeam;

/// CPU time of this process in microseconds, and its voluntary context switches.
fn usage() -> (i64, i64) {
    let mut usage = core::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: `usage` is a valid place for the result.
    let outcome = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    assert_eq!(outcome, 0);
    // SAFETY: filled by the call that succeeded.
    let usage = unsafe { usage.assume_init() };
    let micros = |t: libc::timeval| t.tv_sec * 1_000_000 + t.tv_usec;
    (micros(usage.ru_utime) + micros(usage.ru_stime), usage.ru_nvcsw)
}

#[test]
fn a_quiet_team_uses_under_a_thousandth_of_a_core() {
    const QUIET: Duration = Duration::from_secs(10);
    let team = WorkerTeam::new(4);
    for _ in 0..1000 {
        team.for_each(8, &|_| {});
    }
    assert_eq!(team.started_workers(), 3);
    // Workers spin a moment before they park.
    thread::sleep(Duration::from_millis(50));
    let (before, started) = (usage(), Instant::now());
    thread::sleep(QUIET);
    let (after, elapsed) = (usage(), started.elapsed());
    let share = (after.0 - before.0) as f64 / elapsed.as_micros() as f64;
    let switches = after.1 - before.1;
    println!("{:.4} % of a core, {switches} context switches in {elapsed:.1?}", share * 100.0);
    assert!(share < 0.001, "{share}");
    // This thread's own sleep is one; the harness may have one or two.
    assert!(switches <= 4, "{switches} wake-ups");
    // And they are there when they are needed.
    team.for_each(8, &|_| {});
}
