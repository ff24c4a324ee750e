//! Million elements a second of the fills, beside `rand` and `rand_distr` on Xoshiro256++ and ChaCha8: one thread.
//!
//! Ours are functions of seed and index; theirs draw one after the other. `cargo run --release -p random`.

use fucina::rng;
use fucina::rng::Distribution;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Gumbel, StandardNormal, StandardUniform, Uniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use turns::{Unit, contender, machine, row};

const N: usize = 1 << 16;

fn main() {
    println!("{}", machine());
    let ctx = fucina::context_with_threads(1);
    let kernels = ctx.backend();
    // By the backend's kernel, as the tensor constructors go, but for the tensor.
    let fill = |d: Distribution, out: &mut [f32]| kernels.random_fill(d, 42, 0, out);
    check(&|out| fill(Distribution::Gaussian { scale: 1.0 }, out), 0.0, 1.0);
    check(&|out| fill(Distribution::FastGaussian { scale: 1.0 }, out), 0.0, 1.0);
    check(&|out| fill(Distribution::Uniform { lo: 0.0, hi: 1.0 }, out), 0.5, 1.0 / 12.0);

    floats("Gaussian", &|out| fill(Distribution::Gaussian { scale: 1.0 }, out), StandardNormal);
    floats("Gaussian, fast", &|out| fill(Distribution::FastGaussian { scale: 1.0 }, out), StandardNormal);
    floats("Gaussian, in plain Rust", &|out| rng::gaussian_fill(42, out, 1.0), StandardNormal);
    floats("uniform", &|out| fill(Distribution::Uniform { lo: 0.0, hi: 1.0 }, out), StandardUniform);
    floats("Gumbel", &|out| fill(Distribution::Gumbel, out), Gumbel::new(0.0, 1.0).unwrap());
    let (low, high) = (-1000, 1000);
    let mut ours = vec![0_i64; N];
    let (mut x, mut c) = (vec![0_i64; N], vec![0_i64; N]);
    let theirs = Uniform::new(low, high).unwrap();
    let (mut xoshiro, mut chacha) = sources();
    row(
        "integers below 2000",
        Unit::Melems,
        N as f64,
        vec![
            contender("fucina", || {
                fucina::backend::Kernels::<f32>::randint_fill(kernels, 42, 0, low, high, &mut ours);
            }),
            contender("rand, xoshiro", || draw(&theirs, &mut xoshiro, &mut x)),
            contender("rand, chacha8", || draw(&theirs, &mut chacha, &mut c)),
        ],
    );
}

fn sources() -> (Xoshiro256PlusPlus, ChaCha8Rng) {
    (Xoshiro256PlusPlus::seed_from_u64(42), ChaCha8Rng::seed_from_u64(42))
}

fn draw<T>(from: &impl rand_distr::Distribution<T>, source: &mut impl Rng, out: &mut [T]) {
    out.iter_mut().for_each(|x| *x = from.sample(source));
}

fn floats(title: &str, fill: &dyn Fn(&mut [f32]), theirs: impl rand_distr::Distribution<f32>) {
    let [mut ours, mut x, mut c] = [const { Vec::new() }; 3].map(|v: Vec<f32>| {
        let mut v = v;
        v.resize(N, 0.0);
        v
    });
    let (mut xoshiro, mut chacha) = sources();
    row(
        title,
        Unit::Melems,
        N as f64,
        vec![
            contender("fucina", || fill(&mut ours)),
            contender("rand, xoshiro", || draw(&theirs, &mut xoshiro, &mut x)),
            contender("rand, chacha8", || draw(&theirs, &mut chacha, &mut c)),
        ],
    );
}

/// Mean and variance of a fill, within five standard errors.
fn check(fill: &dyn Fn(&mut [f32]), mean: f64, variance: f64) {
    let mut x = vec![0.0_f32; 1 << 20];
    fill(&mut x);
    let n = x.len() as f64;
    let found = x.iter().map(|&x| f64::from(x)).sum::<f64>() / n;
    let spread = x.iter().map(|&x| (f64::from(x) - found).powi(2)).sum::<f64>() / n;
    assert!((found - mean).abs() < 5.0 * (variance / n).sqrt(), "mean {found}");
    assert!((spread - variance).abs() < 5.0 * variance * (2.0 / n).sqrt(), "variance {spread}");
}
