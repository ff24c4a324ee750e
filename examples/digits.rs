//! A network learns to read handwritten digits.
//!
//! 1,797 real images of 8 x 8 pixels; four of five train a multilayer perceptron, the fifth tests it. Every step runs
//! under an exec scope: the context owns what the ops return, and releases it when the step is over.
//!
//! `cargo run --release --example digits -- --help`

#[path = "digits/chart.rs"]
mod chart;
#[path = "digits/data.rs"]
mod data;
#[path = "digits/model.rs"]
mod model;
#[path = "digits/report.rs"]
mod report;

use core::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use fucina::optim::{AdamW, AdamWConfig};
use fucina::rng::Key;
use fucina::{ExecContext, Tensor};
use indicatif::{ProgressBar, ProgressStyle};

use data::{CLASSES, Digits};
use model::Mlp;
use report::Epoch;

/// Images in a step.
const BATCH: usize = 32;
/// Learning rate of the first step; it falls along a cosine to none.
const LEARNING_RATE: f64 = 4e-3;

/// Trains a small network on handwritten digits and shows what it learnt.
#[derive(Parser)]
#[command(name = "digits")]
struct Options {
    /// Passes over the training images, 1 to 1000.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    epochs: u32,
    /// Seed of the weights and of the order of the images.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads, 1 to 1024; as many as the machine is good for if not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Hidden units, 1 to 4096.
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=4096))]
    hidden: u16,
}

fn main() -> ExitCode {
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(error) if error.use_stderr() => {
            // One line: what is wrong.
            let text = error.to_string();
            eprintln!("{}", text.lines().next().unwrap_or("error: bad arguments"));
            return ExitCode::from(2);
        }
        Err(help) => {
            print!("{help}");
            return ExitCode::SUCCESS;
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn context(threads: Option<u16>) -> ExecContext {
    threads.map_or_else(fucina::context, |threads| fucina::context_with_threads(threads.into()))
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let ctx = context(options.threads);
    let digits = Digits::load()?;
    let (train, test) = (digits.train(), digits.test());
    println!("{} images to learn from, {} to be tested on", train.len(), test.len());

    let key = Key::new(options.seed);
    let mut mlp = Mlp::new(&ctx, usize::from(options.hidden), key.fold_in(0))?;
    let mut adamw = AdamW::new(AdamWConfig { learning_rate: LEARNING_RATE, ..Default::default() })?;
    let started = Instant::now();
    let mut epochs = Vec::new();
    let steps = train.len().div_ceil(BATCH);
    let bar = progress(u64::from(options.epochs) * steps as u64);
    for epoch in 0..options.epochs {
        let order = data::shuffled(train, key.fold_in(1 + u64::from(epoch)));
        let mut loss = 0.0;
        for (step, batch) in order.chunks(BATCH).enumerate() {
            let done =
                (epoch as usize * steps + step) as f64 / (options.epochs as usize * steps) as f64;
            adamw.set_learning_rate(
                LEARNING_RATE * (0.5 + 0.5 * (done * core::f64::consts::PI).cos()),
            )?;
            loss += train_step(&ctx, &digits, batch, &mut mlp, &mut adamw)? * batch.len() as f64;
            bar.inc(1);
        }
        let guesses = mlp.classify(&ctx, &digits, test)?;
        let right = guesses.iter().zip(test).filter(|&(&g, &i)| g == digits.class(i)).count();
        let summary =
            Epoch { loss: loss / train.len() as f64, accuracy: right as f64 / test.len() as f64 };
        bar.suspend(|| println!("epoch {:>3}  {summary}", epoch + 1));
        epochs.push(summary);
    }
    bar.finish_and_clear();
    eprintln!("trained in {:.2} s", started.elapsed().as_secs_f64());

    let guesses = mlp.classify(&ctx, &digits, test)?;
    let confusion = report::confusion(&digits, test, &guesses);
    report::print(&digits, test, &guesses, &confusion);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/digits.svg");
    chart::draw(&path, &epochs, &confusion)?;
    eprintln!("drawn to {}", path.display());
    Ok(())
}

/// One step: forward, backward and update under a scope; the loss.
fn train_step(
    ctx: &ExecContext,
    digits: &Digits,
    batch: &[usize],
    mlp: &mut Mlp,
    adamw: &mut AdamW,
) -> fucina::Result<f64> {
    let images = digits.images(ctx, batch)?;
    let classes: Vec<i64> = batch.iter().map(|&i| digits.class(i) as i64).collect();
    let classes = Tensor::from_slice(ctx, &[batch.len()], &classes)?;
    let scope = ctx.open_exec_scope();
    let loss = mlp.forward(ctx, &images)?.cross_entropy(ctx, &classes)?;
    loss.backward(ctx)?;
    let value = f64::from(loss.item()?);
    adamw.step(ctx, &mut mlp.parameters())?;
    mlp.parameters().iter().for_each(|parameter| parameter.zero_grad());
    drop(loss);
    scope.close()?;
    Ok(value)
}

fn progress(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Counts by true class, then by the class read.
type Confusion = [[usize; CLASSES]; CLASSES];
