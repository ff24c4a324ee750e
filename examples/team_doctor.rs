//! How well does the worker team fit this machine?
//!
//! Prints how the number of threads came about; what a dispatch costs at each width, in a dense stream and from sleep; and from
//! which size on `add` and `matmul` gain from a second thread. Draws both to `target/team_doctor.svg`.
//!
//! `cargo run --release --example team_doctor -- --help`

#[path = "team_doctor/chart.rs"]
mod chart;
#[path = "team_doctor/measure.rs"]
mod measure;

use core::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fucina::parallel::{cpu_thread_count, topology_report};

use measure::{Latency, Sweep};

/// Measures the worker team on this machine.
#[derive(Parser)]
#[command(name = "team_doctor")]
struct Options {
    /// Widest team to measure; by default one more than this machine is good for
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=64))]
    widest: Option<u16>,
    /// Threads of the sweep over sizes; by default what this machine is good for
    #[arg(long, value_parser = clap::value_parser!(u16).range(2..=64))]
    threads: Option<u16>,
    /// A tenth of the samples
    #[arg(long)]
    quick: bool,
    /// Where to draw
    #[arg(long, default_value = "target/team_doctor.svg")]
    out: PathBuf,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("team_doctor: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let threads = cpu_thread_count(usize::MAX);
    let samples = if options.quick { 20 } else { 200 };
    println!("{}\n", topology_report());

    let widest = options.widest.map_or(threads + 1, usize::from);
    println!("empty dispatch, nanoseconds (median of {samples}, slowest tenth)");
    println!("{:>7} {:>9} {:>9} {:>12} {:>12}", "width", "hot", "", "from sleep", "");
    let latencies: Vec<Latency> = (1..=widest)
        .map(|width| {
            let latency = Latency::of(width, samples);
            let Latency { hot, parked, .. } = latency;
            let note =
                if width > threads { "  more threads than cores: they sleep at once" } else { "" };
            println!(
                "{width:>7} {:>9.0} {:>9.0} {:>12.0} {:>12.0}{note}",
                hot.median, hot.slow, parked.median, parked.slow
            );
            latency
        })
        .collect();

    let wide = options.threads.map_or(threads.max(2), usize::from);
    let sweeps = [Sweep::add(wide, samples)?, Sweep::matmul(wide, samples)?];
    for sweep in &sweeps {
        println!("\n{}, {wide} threads against 1", sweep.name);
        println!(
            "{:>9} {:>12} {:>12} {:>8}  team",
            sweep.unit, "1 thread, us", "team, us", "faster"
        );
        for row in &sweep.rows {
            let used = if row.dispatches > 0 { "used" } else { "not used" };
            println!(
                "{:>9} {:>12.2} {:>12.2} {:>7.2}x  {used}",
                row.size,
                row.serial * 1e6,
                row.team * 1e6,
                row.speedup()
            );
        }
        match sweep.break_even() {
            Some(size) => println!("breaks even at {} = {size}", sweep.unit),
            None => println!("does not break even up to {} = {}", sweep.unit, sweep.largest()),
        }
        if let Some(row) = sweep.rows.iter().find(|row| row.dispatches > 0 && row.speedup() < 0.95)
        {
            println!(
                "slower with the team at {} = {}: fewer threads may serve better",
                sweep.unit, row.size
            );
        }
    }
    chart::draw(&options.out, &latencies, &sweeps)?;
    println!("\ndrawn to {}", options.out.display());
    Ok(())
}
