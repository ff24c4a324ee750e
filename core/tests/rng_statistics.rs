//! The distributions of the fills, by tests whose thresholds come from theory.
//!
//! Seeds are fixed, so a test passes or fails for ever. Each threshold leaves a right generator a chance of about
//! one in a million to fail: z of the normal law at 4.9; the chi-square quantiles by Wilson and Hilferty's cube;
//! `sqrt(n) * D` of Kolmogorov and Smirnov at `sqrt(ln(2e6) / 2)` = 2.69. Chi-square is bounded from below as well:
//! counts that are too even are not random.

use fucina_core::rng::{self, Key};

const SEEDS: [u64; 5] = [0, 1, 42, 0x3162_8AF6_7B21_31AB, u64::MAX];
const N: usize = 100_000;
const Z: f64 = 4.9;

fn draw(fill: impl FnOnce(&mut [f32])) -> Vec<f64> {
    let mut out = vec![f32::NAN; N];
    fill(&mut out);
    out.into_iter().map(f64::from).collect()
}

/// Fails unless the counts may come from `probability` of each cell.
fn chi_square(what: &str, counts: &[u64], probability: impl Fn(usize) -> f64) {
    let n = counts.iter().sum::<u64>() as f64;
    let statistic: f64 = counts
        .iter()
        .enumerate()
        .map(|(i, &c)| {
            let expected = n * probability(i);
            assert!(expected >= 10.0, "{what}: cell {i} is too rare for the test");
            (c as f64 - expected).powi(2) / expected
        })
        .sum();
    let freedom = counts.len() as f64 - 1.0;
    let variance = 2.0 / (9.0 * freedom);
    let z = ((statistic / freedom).cbrt() - (1.0 - variance)) / variance.sqrt();
    assert!(z.abs() < Z, "{what}: chi-square {statistic} at {freedom} degrees, z {z}");
}

fn even_chi_square(what: &str, counts: &[u64]) {
    chi_square(what, counts, |_| 1.0 / counts.len() as f64);
}

/// Fails unless the sample may have the distribution function `cdf`.
fn kolmogorov_smirnov(what: &str, mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    let distance = sample.iter().enumerate().fold(0.0, |most: f64, (i, &x)| {
        let below = cdf(x);
        most.max(below - i as f64 / n).max((i + 1) as f64 / n - below)
    });
    let statistic = n.sqrt() * distance;
    assert!(statistic < 2.69, "{what}: sqrt(n) * D = {statistic}");
}

/// Fails unless elements `lag` apart may be independent: then `sqrt(n)` times the correlation is normal.
fn serial_correlation(what: &str, sample: &[f64], lag: usize) {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let pairs = sample.iter().zip(&sample[lag..]);
    let covariance = pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / (n - lag as f64);
    let z = covariance / variance * (n - lag as f64).sqrt();
    assert!(z.abs() < Z, "{what}, lag {lag}: z {z}");
}

fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

fn all_laws(what: &str, sample: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    let mut counts = [0; 100];
    for &x in &sample {
        counts[((cdf(x) * 100.0) as usize).min(99)] += 1;
    }
    even_chi_square(what, &counts);
    for lag in [1, 2, 3, 64, 1000] {
        serial_correlation(what, &sample, lag);
        let squares: Vec<f64> = sample.iter().map(|&x| (cdf(x) - 0.5).powi(2)).collect();
        serial_correlation(&format!("{what}, squares"), &squares, lag);
    }
    kolmogorov_smirnov(what, sample, cdf);
}

#[test]
fn uniforms_are_uniform() {
    for seed in SEEDS {
        let sample = draw(|o| rng::uniform_fill(seed, o, -2.0, 6.0).unwrap());
        all_laws(&format!("uniform, seed {seed:#x}"), sample, |x| (x + 2.0) / 8.0);
        let sample = draw(|o| rng::kaiming_uniform_fill(seed, o, 16).unwrap());
        all_laws(&format!("kaiming, seed {seed:#x}"), sample, |x| (x + 0.25) / 0.5);
    }
}

#[test]
fn gaussians_are_gaussian() {
    for seed in SEEDS {
        let sample = draw(|o| rng::gaussian_fill(seed, o, 0.5));
        all_laws(&format!("gaussian, seed {seed:#x}"), sample, |x| normal_cdf(2.0 * x));
        let sample = draw(|o| rng::gaussian_fill_at_fast(seed, 1, o, 0.5));
        all_laws(&format!("fast gaussian, seed {seed:#x}"), sample, |x| normal_cdf(2.0 * x));
        let sample = draw(|o| rng::normal_fill(seed, o, 3.0, 2.0).unwrap());
        all_laws(&format!("normal, seed {seed:#x}"), sample, |x| normal_cdf((x - 3.0) / 2.0));
    }
}

#[test]
fn the_halves_of_gaussian_pairs_are_independent() {
    // The angle of independent equal Gaussians is uniform, and x^2 + y^2 over 2 is exponential.
    for seed in SEEDS {
        for fill in [rng::gaussian_fill_at, rng::gaussian_fill_at_fast] {
            let sample = draw(|o| fill(seed, 0, o, 1.0));
            let pairs = sample.chunks_exact(2);
            let angles = pairs.clone().map(|p| p[1].atan2(p[0])).collect();
            let tau = core::f64::consts::TAU;
            kolmogorov_smirnov("angles", angles, |a| a / tau + 0.5);
            let radii = pairs.map(|p| (p[0] * p[0] + p[1] * p[1]) / 2.0).collect();
            kolmogorov_smirnov("radii", radii, |r| 1.0 - (-r).exp());
        }
    }
}

#[test]
fn gumbels_are_gumbel() {
    for seed in SEEDS {
        let sample = draw(|o| rng::gumbel_fill(seed, o));
        all_laws(&format!("gumbel, seed {seed:#x}"), sample, |x| (-(-x).exp()).exp());
    }
}

#[test]
fn gumbels_choose_classes_by_their_weights() {
    // The greatest of log(w) + Gumbel falls on a class with probability w / sum of w.
    let weights = [1.0_f64, 2.0, 3.0, 4.0];
    let sample = draw(|o| rng::gumbel_fill(17, o));
    let mut counts = [0; 4];
    for draw in sample.chunks_exact(4) {
        let score = |i: &usize| weights[*i].ln() + draw[*i];
        let best = (0..4).max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
        counts[best] += 1;
    }
    chi_square("classes", &counts, |i| weights[i] / 10.0);
}

#[test]
fn integers_fall_evenly_into_their_range() {
    for seed in SEEDS {
        for span in [2, 7, 64, 1000] {
            let mut out = vec![0; N];
            rng::randint_fill(seed, &mut out, -3, span - 3).unwrap();
            let mut counts = vec![0; span as usize];
            for x in &out {
                counts[(x + 3) as usize] += 1;
            }
            even_chi_square(&format!("{span} integers, seed {seed:#x}"), &counts);
            let sample: Vec<f64> = out.iter().map(|&x| x as f64).collect();
            serial_correlation("integers", &sample, 1);
        }
    }
}

#[test]
fn permutations_are_uniform() {
    // All 24 of four elements, over seeds in a row.
    let mut counts = [0; 24];
    for seed in 0..60_000 {
        let mut p = [0; 4];
        rng::randperm_fill(seed, &mut p);
        let rank = (0..4).fold(0, |rank, i| {
            let smaller = p[i + 1..].iter().filter(|&&x| x < p[i]).count();
            rank * (4 - i) + smaller
        });
        counts[rank] += 1;
    }
    even_chi_square("permutations of 4", &counts);
    // Where each of twelve elements comes to stand.
    for element in 0..12 {
        let mut counts = [0; 12];
        for seed in 0..20_000 {
            let mut p = [0; 12];
            rng::randperm_fill(seed, &mut p);
            counts[p.iter().position(|&x| x == element).unwrap()] += 1;
        }
        even_chi_square(&format!("places of {element}"), &counts);
    }
}

#[test]
fn bernoulli_and_dropout_have_their_rates() {
    for seed in SEEDS {
        for p in [0.001_f32, 0.1, 0.5, 0.75, 0.999] {
            let rate = f64::from(p);
            let deviation = (N as f64 * rate * (1.0 - rate)).sqrt();
            let ones: f64 = draw(|o| rng::bernoulli_fill(seed, o, p).unwrap()).iter().sum();
            let z = (ones - N as f64 * rate) / deviation;
            assert!(z.abs() < Z, "bernoulli {p}, seed {seed:#x}: z {z}");
            let x = vec![1.0; N];
            let kept = draw(|o| rng::dropout(seed, 0, p, &x, o).unwrap());
            let dropped = kept.iter().filter(|&&x| x == 0.0).count() as f64;
            let z = (dropped - N as f64 * rate) / deviation;
            assert!(z.abs() < Z, "dropout {p}, seed {seed:#x}: z {z}");
        }
    }
}

#[test]
fn streams_of_related_keys_are_independent() {
    // One draw from each of many keys is uniform, and a key and its relatives do not correlate.
    let key = Key::new(2);
    let first = |k: Key| rng::unit(k.seed(), 0);
    let children: Vec<f64> = key.split_n(N).map(first).collect();
    let folds: Vec<f64> = (0..N as u64).map(|i| first(key.fold_in(i))).collect();
    let own: Vec<f64> = (0..N as u64).map(|i| rng::unit(key.seed(), i)).collect();
    let roots: Vec<f64> = (0..N as u64).map(|i| first(Key::new(i).split(0))).collect();
    let families = [("children", &children), ("folds", &folds), ("own", &own), ("roots", &roots)];
    for (i, (name, a)) in families.iter().enumerate() {
        all_laws(name, a.to_vec(), |x| x);
        for (other, b) in &families[i + 1..] {
            let products = a.iter().zip(*b).map(|(x, y)| (x - 0.5) * (y - 0.5));
            // The product has mean 0 and standard deviation 1/12.
            let z = products.sum::<f64>() * 12.0 / (N as f64).sqrt();
            assert!(z.abs() < Z, "{name} and {other}: z {z}");
        }
    }
}

#[test]
fn one_changed_bit_changes_half_of_a_child() {
    // Flips of each bit of seed and index; the 64 output bits change with probability 1/2 each.
    for derive in [Key::split, Key::fold_in] {
        for bit in 0..64 {
            let mut changed = 0;
            for i in 0..500 {
                let (seed, index) = (rng::at(1, i), rng::at(2, i));
                let child = derive(Key::new(seed), index).seed();
                changed += (child ^ derive(Key::new(seed ^ 1 << bit), index).seed()).count_ones();
                changed += (child ^ derive(Key::new(seed), index ^ 1 << bit).seed()).count_ones();
            }
            // 64,000 bits: mean 32,000, standard deviation 126.5.
            let z = (f64::from(changed) - 32_000.0) / 126.5;
            assert!(z.abs() < Z, "bit {bit}: z {z}");
        }
    }
}
