//! What it costs to hold a graph: live bytes over the ops of two training steps, drawn to `target/memory_timeline.svg`.
//!
//! The same network runs two steps three times: training with a scope around each step, which keeps every intermediate
//! until it closes; training without one, dropping each value as soon as the next has been computed, so that the graph
//! alone holds what its VJPs need; and inference, which holds nothing. `cargo run --example memory_timeline`.

use core::error::Error;
use std::path::Path;

use fucina::exec::MemorySample;
use fucina::optim::{Sgd, SgdConfig};
use fucina::{ExecContext, Tensor};
use plotters::prelude::*;

const BATCH: usize = 64;
const WIDTH: usize = 256;
const LAYERS: usize = 6;

struct Network {
    weights: Vec<Tensor>,
    input: Tensor,
    targets: Tensor<i64>,
}

impl Network {
    fn new(ctx: &ExecContext) -> fucina::Result<Self> {
        let mut values = vec![0.0; WIDTH * WIDTH];
        let mut weights = Vec::new();
        for seed in 0..LAYERS as u64 {
            fucina::rng::gaussian_fill(seed, &mut values, (2.0 / WIDTH as f32).sqrt());
            weights.push(Tensor::variable_from_slice(ctx, &[WIDTH, WIDTH], &values)?);
        }
        fucina::rng::gaussian_fill(99, &mut values[..BATCH * WIDTH], 1.0);
        let input = Tensor::from_slice(ctx, &[BATCH, WIDTH], &values[..BATCH * WIDTH])?;
        let classes: Vec<i64> = (0..BATCH as i64).collect();
        Ok(Self { weights, input, targets: Tensor::from_slice(ctx, &[BATCH], &classes)? })
    }

    /// The logits; each hidden value is dropped (by the caller's `replace`) when the next stands.
    fn forward(&self, ctx: &ExecContext) -> fucina::Result<Tensor> {
        let mut x = self.input.clone();
        for w in &self.weights {
            ctx.replace(&mut x, |x| x.matmul(ctx, w)?.gelu(ctx))?;
        }
        Ok(x)
    }
}

/// Two training steps, each under a scope or dropping values as it goes.
fn train(ctx: &ExecContext, scoped: bool) -> fucina::Result<Vec<MemorySample>> {
    let mut network = Network::new(ctx)?;
    let mut sgd = Sgd::new(SgdConfig::default())?;
    let memory = ctx.record_memory();
    for _ in 0..2 {
        let scope = scoped.then(|| ctx.open_exec_scope());
        let loss = network.forward(ctx)?.cross_entropy(ctx, &network.targets)?;
        loss.backward(ctx)?;
        let mut weights: Vec<&mut Tensor> = network.weights.iter_mut().collect();
        sgd.step(ctx, &mut weights)?;
        weights.iter().for_each(|w| w.zero_grad());
        drop((loss, scope));
    }
    Ok(memory.samples(<[MemorySample]>::to_vec))
}

/// Two forward passes that record nothing and drop values as they go.
fn infer(ctx: &ExecContext) -> fucina::Result<Vec<MemorySample>> {
    let network = Network::new(ctx)?;
    let _no_grad = ctx.no_grad();
    let memory = ctx.record_memory();
    for _ in 0..2 {
        network.forward(ctx)?.cross_entropy(ctx, &network.targets)?;
    }
    Ok(memory.samples(<[MemorySample]>::to_vec))
}

fn draw(path: &Path, runs: &[(&str, RGBColor, Vec<MemorySample>)]) -> Result<(), Box<dyn Error>> {
    const KIB: f64 = 1024.0;
    let root = SVGBackend::new(path, (960, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let ops = runs.iter().map(|(_, _, samples)| samples.len()).max().unwrap_or(1);
    let bytes = runs.iter().flat_map(|(_, _, samples)| samples).map(|s| s.live_bytes).max();
    let mut chart = ChartBuilder::on(&root)
        .caption("Live memory over the ops of two steps", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(80)
        .build_cartesian_2d(0..ops, 0.0..bytes.unwrap_or(1) as f64 / KIB * 1.08)?;
    chart
        .configure_mesh()
        .x_desc("block asked for")
        .y_desc("live tensor memory, KiB")
        .light_line_style(WHITE)
        .draw()?;
    for (name, color, samples) in runs {
        let points = samples.iter().enumerate().map(|(i, s)| (i, s.live_bytes as f64 / KIB));
        let area =
            AreaSeries::new(points, 0.0, color.mix(0.15)).border_style(color.stroke_width(2));
        let legend = color.filled();
        chart
            .draw_series(area)?
            .label(*name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], legend));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = fucina::context();
    let runs = [
        ("training under a scope", RED, train(&ctx, true)?),
        ("training, dropping as it goes", BLUE, train(&ctx, false)?),
        ("inference", BLACK, infer(&ctx)?),
    ];
    for (name, _, samples) in &runs {
        let base = samples.first().map_or(0, |s| s.live_bytes / 1024);
        if let Some(peak) = samples.iter().max_by_key(|s| s.live_bytes) {
            let (ops, kib, op) = (samples.len(), peak.live_bytes / 1024, peak.op);
            println!(
                "{name}: {ops} blocks asked for, from {base} KiB to a peak of {kib} KiB at {op}"
            );
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/memory_timeline.svg");
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    draw(&path, &runs)?;
    println!("drawn to {}", path.display());
    Ok(())
}
