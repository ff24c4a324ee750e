//! Times contenders turn by turn in one process: on a machine whose speed drifts, only such ratios mean something.
//!
//! Every round times each contender once, in turn, for about [`SLICE`]; a contender's figure is the median over the rounds, its
//! spread the middle 80 % of them, and a ratio is the median of the rounds' own ratios, ours over theirs.

mod follow;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// What one turn takes at least.
const SLICE: Duration = Duration::from_millis(4);
/// Rounds in which all take their turn.
const ROUNDS: usize = 25;

/// One of those who are timed; the first of a row is ours.
pub struct Contender<'a> {
    name: &'a str,
    call: Box<dyn FnMut() + 'a>,
}

/// Who is called `name`, and what it does.
pub fn contender<'a, R>(name: &'a str, mut call: impl FnMut() -> R + 'a) -> Contender<'a> {
    Contender { name, call: Box::new(move || drop(black_box(call()))) }
}

/// What figures are.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Billions of operations a second; more is better.
    Gflops,
    /// Millions of elements a second; more is better.
    Melems,
    /// Nanoseconds an element; less is better.
    NanosEach,
    /// Microseconds a call; less is better. Its work is 1.
    Micros,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Gflops => "GFLOP/s",
            Self::Melems => "M elem/s",
            Self::NanosEach => "ns/elem",
            Self::Micros => "us",
        }
    }

    fn figure(self, work: f64, seconds: f64) -> f64 {
        match self {
            Self::Gflops => work / seconds * 1e-9,
            Self::Melems => work / seconds * 1e-6,
            Self::NanosEach => seconds / work * 1e9,
            Self::Micros => seconds * 1e6,
        }
    }
}

fn median(sorted: &[f64]) -> f64 {
    sorted[sorted.len() / 2]
}

fn sorted(mut x: Vec<f64>) -> Vec<f64> {
    x.sort_by(f64::total_cmp);
    x
}

/// Times a row, prints it, and returns how many times as fast as the best peer we are (as nothing else, 1).
///
/// `work` is what one call does, in the unit's terms.
pub fn row(title: &str, unit: Unit, work: f64, mut contenders: Vec<Contender<'_>>) -> f64 {
    if follow::followed() {
        follow::follow(title, unit, work, &mut contenders[0]);
        return 1.0;
    }
    let reps: Vec<u32> = contenders.iter_mut().map(|c| calls_a_turn(&mut c.call)).collect();
    let mut seconds = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    for _ in 0..ROUNDS {
        for ((c, &reps), seconds) in contenders.iter_mut().zip(&reps).zip(&mut seconds) {
            seconds.push(turn(c, reps));
        }
    }
    let mut best = f64::INFINITY;
    let mut line = format!("{title:<34} {:>8}", unit.name());
    for (i, (c, times)) in contenders.iter().zip(&seconds).enumerate() {
        let ratios = seconds[0].iter().zip(times).map(|(ours, theirs)| theirs / ours).collect();
        let all = sorted(times.clone());
        let spread = (all[ROUNDS * 9 / 10] / all[ROUNDS / 10] - 1.0) * 100.0;
        line += &format!(" | {} {:.4}", c.name, Figure(unit.figure(work, median(&all))));
        if i > 0 {
            let ratio = median(&sorted(ratios));
            best = best.min(ratio);
            line += &format!(" ({ratio:.2}x)");
        }
        line += &format!(" ±{spread:.0}%");
    }
    println!("{line}");
    if best.is_finite() { best } else { 1.0 }
}

/// A figure with four significant digits.
struct Figure(f64);

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = (3.0 - self.0.abs().log10().floor()).clamp(0.0, 5.0) as usize;
        write!(f, "{:.digits$}", self.0)
    }
}

/// The seconds of a call, over `reps` calls.
fn turn(contender: &mut Contender<'_>, reps: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..reps {
        (contender.call)();
    }
    start.elapsed().as_secs_f64() / f64::from(reps)
}

fn calls_a_turn(call: &mut dyn FnMut()) -> u32 {
    let mut reps = 1;
    loop {
        let start = Instant::now();
        for _ in 0..reps {
            call();
        }
        let took = start.elapsed();
        if took >= SLICE / 2 {
            return (f64::from(reps) * SLICE.as_secs_f64() / took.as_secs_f64()).ceil() as u32;
        }
        reps *= 2;
    }
}

/// The machine, for the head of a table.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown CPU", |line| line.trim_start_matches([' ', '\t', ':']));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{model}, {threads} CPUs; median of {ROUNDS} rounds, ± the middle 80 %; (ratio: above 1 we are faster)"
    )
}
