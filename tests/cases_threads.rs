//! Public reports of faults with threads, replayed: rows T1, T4, T10 and T16, D1 and D7.

#[path = "common/bits.rs"]
mod bits;

use core::sync::atomic::{AtomicUsize, Ordering};

use fucina::parallel::Team;
use fucina::{ExecContext, Result, WorkerTeam, context_with_threads};

use bits::bits;

/// A context on a team whose counters stay readable.
fn watched(threads: usize) -> (ExecContext, &'static WorkerTeam) {
    let team: &'static WorkerTeam = Box::leak(Box::new(WorkerTeam::new(threads)));
    let backend = fucina::context().backend();
    (ExecContext::builder().backend(backend).team(team as &'static dyn Team).build(), team)
}

#[test]
fn t1_dispatches_three_deep_finish_and_give_the_serial_result() {
    let team = WorkerTeam::new(2);
    let sum = AtomicUsize::new(0);
    team.for_each(5, &|i| {
        team.for_each(4, &|j| {
            team.for_each(3, &|k| {
                sum.fetch_add(100 * i + 10 * j + k, Ordering::Relaxed);
            });
        });
    });
    let serial: usize = (0..60).map(|n| 100 * (n / 12) + 10 * (n / 3 % 4) + n % 3).sum();
    assert_eq!(sum.into_inner(), serial);
}

#[test]
fn t4_a_context_that_never_dispatched_has_no_threads() {
    let (ctx, team) = watched(4);
    let x = ctx.ones::<f32>(&[64]).unwrap();
    ctx.add(&x, &x).unwrap();
    assert_eq!((team.started_workers(), team.dispatches()), (0, 0));
}

#[test]
fn t10_tiny_ops_stay_on_the_caller() -> Result<()> {
    let (ctx, team) = watched(4);
    for n in [16, 1024] {
        let x = ctx.ones::<f32>(&[n])?;
        ctx.add(&x, &x)?;
        ctx.exp(&x)?;
        ctx.sum_all(&x)?;
    }
    let x = ctx.ones::<f32>(&[8, 8])?;
    ctx.matmul(&x, &x)?;
    ctx.softmax(&x, 1)?;
    assert_eq!((team.started_workers(), team.dispatches()), (0, 0));
    // And a large one does not.
    let x = ctx.ones::<f32>(&[1 << 20])?;
    ctx.add(&x, &x)?;
    assert_eq!(team.dispatches(), 1);
    Ok(())
}

#[test]
fn t16_a_waiting_dispatcher_runs_nothing_else() {
    const MIB: usize = 1 << 20;
    let team = WorkerTeam::new(4);
    let (held, peak) = (AtomicUsize::new(0), AtomicUsize::new(0));
    team.for_each(64, &|_| {
        let memory = vec![1_u8; MIB];
        let now = held.fetch_add(MIB, Ordering::Relaxed) + MIB;
        peak.fetch_max(now, Ordering::Relaxed);
        team.for_each(8, &|_| assert_eq!(memory[MIB - 1], 1));
        held.fetch_sub(MIB, Ordering::Relaxed);
    });
    assert!(peak.into_inner() <= 4 * MIB);
}

#[test]
fn d1_a_linear_layer_has_one_bit_pattern() -> Result<()> {
    let run = |threads: usize| -> Result<Vec<u32>> {
        let ctx = context_with_threads(threads);
        let x = ctx.randn::<f32>(&[1, 56], 1)?;
        let (w, b) = (ctx.randn::<f32>(&[444, 56], 2)?, ctx.randn::<f32>(&[444], 3)?);
        Ok(bits(&ctx.add(&ctx.matmul_nt(&x, &w)?, &b)?))
    };
    let one = run(1)?;
    for threads in 2..=8 {
        assert_eq!(run(threads)?, one, "{threads} threads");
    }
    Ok(())
}

#[test]
fn d7_a_long_sum_repeats() -> Result<()> {
    const N: usize = 1_000_000;
    let values: Vec<f32> =
        (0..N).map(|i| (i as f64 * core::f64::consts::PI).fract() as f32).collect();
    let mut first = None;
    for threads in [1, 2, 3, 5, 8] {
        let ctx = context_with_threads(threads);
        let x = ctx.from_slice(&[N], &values)?;
        for repeat in 0..20 {
            let sum = bits(&ctx.sum_all(&x)?);
            let first = first.get_or_insert_with(|| sum.clone());
            assert_eq!(&sum, first, "{threads} threads, repeat {repeat}");
        }
    }
    Ok(())
}
