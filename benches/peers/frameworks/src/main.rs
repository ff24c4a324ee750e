//! Ops and training steps beside candle, burn (its backend flex) and ndarray, where they have them.
//!
//! `cargo run --release -p frameworks`. Every result is compared with candle's and burn's before it is timed.

mod ops;
mod train;

use clap::Parser;

/// What is timed.
#[derive(Parser)]
struct Args {
    /// Threads of each contender.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Rows whose title contains this.
    #[arg(long, default_value = "")]
    row: String,
}

fn main() {
    let args = Args::parse();
    // SAFETY: nothing else runs yet.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", args.threads.to_string()) };
    println!("{}", turns::machine());
    println!("{} thread(s) each", args.threads);
    let bench = Bench { ctx: fucina::context_with_threads(args.threads), only: args.row };
    ops::small(&bench);
    ops::elementwise(&bench);
    ops::rows(&bench);
    ops::convolution(&bench);
    ops::attention(&bench);
    train::steps(&bench);
}

/// Our context, and which rows are asked for.
struct Bench {
    ctx: fucina::ExecContext,
    only: String,
}

impl Bench {
    fn wants(&self, title: &str) -> bool {
        title.contains(&self.only)
    }

    /// Gaussian values as a tensor of ours, of candle's, and plain ([`burn`] makes burn's of the last).
    fn gaussian(
        &self,
        dims: &[usize],
        seed: u64,
    ) -> (fucina::RawTensor<f32>, candle_core::Tensor, Vec<f32>) {
        let mut values = vec![0.0; dims.iter().product()];
        fucina::rng::gaussian_fill(seed, &mut values, 1.0);
        let theirs =
            candle_core::Tensor::from_slice(&values, dims, &candle_core::Device::Cpu).unwrap();
        (self.ctx.from_slice(dims, &values).unwrap(), theirs, values)
    }
}

/// A tensor of burn's.
fn burn<const D: usize>(dims: [usize; D], values: &[f32]) -> burn::Tensor<D> {
    burn::Tensor::from_data(
        burn::tensor::TensorData::new(values.to_vec(), dims),
        &burn::tensor::Device::flex(),
    )
}

/// The values of a peer's tensor.
trait Values {
    /// In row-major order.
    fn values(&self) -> Vec<f32>;
}

impl Values for candle_core::Tensor {
    fn values(&self) -> Vec<f32> {
        self.flatten_all().unwrap().to_vec1().unwrap()
    }
}

impl<const D: usize> Values for burn::Tensor<D> {
    fn values(&self) -> Vec<f32> {
        self.to_data().try_to_vec().unwrap()
    }
}

/// Panics unless the values are near: both computed the same thing.
fn assert_near(title: &str, ours: &[f32], theirs: &impl Values, tolerance: f32) {
    let theirs = theirs.values();
    assert_eq!(ours.len(), theirs.len(), "{title}");
    for (i, (a, b)) in ours.iter().zip(&theirs).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{title}: {a} beside {b} at {i}");
    }
}
