//! The measurements: latency of an empty dispatch, and ops with and without the team, interleaved.

use core::hint::black_box;
use core::time::Duration;
use std::thread;
use std::time::Instant;

use fucina::parallel::Team;
use fucina::{ExecContext, RawTensor, Result, SpinPolicy, TeamConfig, WorkerTeam};

/// Nanoseconds: the middle one, and the one that a tenth exceeds.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) slow: f64,
}

impl Spread {
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize];
        Self { median: at(0.5), slow: at(0.9) }
    }
}

/// What an empty dispatch costs at one width.
#[derive(Clone, Copy)]
pub(crate) struct Latency {
    pub(crate) width: usize,
    pub(crate) hot: Spread,
    pub(crate) parked: Spread,
}

impl Latency {
    pub(crate) fn of(width: usize, samples: usize) -> Self {
        let config = TeamConfig::of(width);
        let asleep = SpinPolicy { worker: 0, ..config.spin };
        let dispatch = |team: &WorkerTeam, n: usize| {
            let start = Instant::now();
            for _ in 0..n {
                team.for_each(width, &|i| {
                    black_box(i);
                });
            }
            start.elapsed().as_nanos() as f64 / n as f64
        };
        let team = WorkerTeam::with_config(config.clone());
        dispatch(&team, 100);
        let hot = Spread::of((0..samples).map(|_| dispatch(&team, 200)).collect());
        let team = WorkerTeam::with_config(TeamConfig { spin: asleep, ..config });
        let once = |_| {
            thread::sleep(Duration::from_micros(200));
            dispatch(&team, 1)
        };
        dispatch(&team, 1);
        Self { width, hot, parked: Spread::of((0..samples).map(once).collect()) }
    }
}

/// One size of an op: seconds without and with the team.
pub(crate) struct Row {
    pub(crate) size: usize,
    pub(crate) serial: f64,
    pub(crate) team: f64,
    /// Dispatches of one call.
    pub(crate) dispatches: usize,
}

impl Row {
    pub(crate) fn speedup(&self) -> f64 {
        self.serial / self.team
    }
}

/// An op over sizes.
pub(crate) struct Sweep {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) rows: Vec<Row>,
}

impl Sweep {
    /// `add` of two vectors.
    pub(crate) fn add(threads: usize, samples: usize) -> Result<Self> {
        let sizes = (8..=22).map(|bits| 1 << bits);
        let rows = sweep(threads, samples, sizes, |ctx, n| {
            let x = filled(ctx, &[n])?;
            Ok(move |ctx: &ExecContext| ctx.add(&x, &x))
        })?;
        Ok(Self { name: "add", unit: "elements", rows })
    }

    /// Products of square matrices.
    pub(crate) fn matmul(threads: usize, samples: usize) -> Result<Self> {
        let sizes = [8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512].into_iter();
        let rows = sweep(threads, samples, sizes, |ctx, n| {
            let x = filled(ctx, &[n, n])?;
            Ok(move |ctx: &ExecContext| ctx.matmul(&x, &x))
        })?;
        Ok(Self { name: "matmul of squares", unit: "rows", rows })
    }

    /// The first size from which on the team is used and not slower.
    pub(crate) fn break_even(&self) -> Option<usize> {
        let gains = |row: &Row| row.dispatches > 0 && row.speedup() > 1.05;
        let from = self.rows.iter().rposition(|row| !gains(row)).map_or(0, |last| last + 1);
        self.rows.get(from).map(|row| row.size)
    }

    pub(crate) fn largest(&self) -> usize {
        self.rows.last().map_or(0, |row| row.size)
    }
}

fn filled(ctx: &ExecContext, dims: &[usize]) -> Result<RawTensor<f32>> {
    let mut values = vec![0.0; dims.iter().product()];
    fucina::rng::gaussian_fill(1, &mut values, 1.0);
    ctx.from_slice(dims, &values)
}

/// Times an op at each size on one thread and on a team, turn by turn; the better half of the samples counts.
fn sweep<Op: Fn(&ExecContext) -> Result<RawTensor<f32>>>(
    threads: usize,
    samples: usize,
    sizes: impl Iterator<Item = usize>,
    prepare: impl Fn(&ExecContext, usize) -> Result<Op>,
) -> Result<Vec<Row>> {
    // The context borrows its team for ever, so that its counter can be read.
    let team: &'static WorkerTeam = Box::leak(Box::new(WorkerTeam::new(threads)));
    let serial = fucina::context_with_threads(1);
    let wide =
        ExecContext::builder().backend(serial.backend()).team(team as &'static dyn Team).build();
    let mut rows = Vec::new();
    for size in sizes {
        let [op_serial, op_wide] = [prepare(&serial, size)?, prepare(&wide, size)?];
        let before = team.dispatches();
        op_wide(&wide)?;
        let dispatches = team.dispatches() - before;
        let calls = calls_for(&serial, &op_serial)?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..samples.min(60) {
            for (times, (ctx, op)) in
                times.iter_mut().zip([(&serial, &op_serial), (&wide, &op_wide)])
            {
                let start = Instant::now();
                for _ in 0..calls {
                    black_box(op(ctx)?);
                }
                times.push(start.elapsed().as_secs_f64() / calls as f64);
            }
        }
        let [serial, team] = times.map(|times| Spread::of(times).median);
        rows.push(Row { size, serial, team, dispatches });
    }
    Ok(rows)
}

/// Calls that take about a millisecond.
fn calls_for(
    ctx: &ExecContext,
    op: &impl Fn(&ExecContext) -> Result<RawTensor<f32>>,
) -> Result<usize> {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < Duration::from_millis(1) {
        black_box(op(ctx)?);
        calls += 1;
    }
    Ok(calls)
}
