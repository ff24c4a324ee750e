//! Random tensors: the fills' bits whatever the backend, the number of threads and the cut; multinomial and dropout.

use fucina_core::backend::{BackendRef, SCALAR, SCALAR_UNFUSED};
use fucina_core::rng::{self, Distribution};
use fucina_core::{Error, ExecContext, RawTensor, Result, Tensor, gradcheck};
use fucina_runtime::{WorkerTeam, best_backend};
use proptest::prelude::*;

fn distributions() -> impl Strategy<Value = Distribution> {
    prop_oneof![
        (-9.0_f32..9.0, 0.1_f32..9.0).prop_map(|(lo, d)| Distribution::Uniform { lo, hi: lo + d }),
        (-3.0_f32..3.0).prop_map(|scale| Distribution::Gaussian { scale }),
        (-3.0_f32..3.0).prop_map(|scale| Distribution::FastGaussian { scale }),
        (-3.0_f32..3.0, 0.0_f32..3.0)
            .prop_map(|(mean, std_dev)| Distribution::Normal { mean, std_dev }),
        Just(Distribution::Gumbel),
        (0.0_f32..=1.0).prop_map(|p| Distribution::Bernoulli { p }),
    ]
}

fn context(backend: BackendRef, threads: usize) -> ExecContext {
    ExecContext::builder().backend(backend).team(Box::new(WorkerTeam::new(threads))).build()
}

fn backends() -> [BackendRef; 3] {
    [best_backend(), &SCALAR, &SCALAR_UNFUSED]
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_cut_on_any_backend_and_team_gives_the_bits_of_the_plain_fill(
        distribution in distributions(),
        seed: u64,
        first in prop_oneof![0_u64..100, u64::MAX - 20_000..=u64::MAX],
        len in 1_usize..60_000,
        cuts in prop::collection::vec(0.0_f64..1.0, 0..6),
        threads in 1_usize..6,
    ) {
        let mut expected = vec![0.0; len];
        distribution.fill_at(seed, first, &mut expected).unwrap();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| (cut * len as f64) as usize).collect();
        ends.push(len);
        ends.sort_unstable();
        for backend in backends() {
            let ctx = context(backend, threads);
            let mut got = vec![f32::NAN; len];
            let mut start = 0;
            for &end in &ends {
                let from = first.wrapping_add(start as u64);
                ctx.random_fill(distribution, seed, from, &mut got[start..end]).unwrap();
                start = end;
            }
            prop_assert_eq!(bits(&got), bits(&expected), "{}", backend.name());
        }
    }

    #[test]
    fn dropout_is_the_mask_of_the_seed_whatever_the_layout(
        p in 0.0_f32..1.0,
        seed: u64,
        rows in 1_usize..200,
        columns in 1_usize..200,
        threads in 1_usize..4,
    ) {
        let ctx = context(best_backend(), threads);
        let x = ctx.randn::<f32>(&[columns, rows], seed ^ 1).unwrap().transpose(0, 1).unwrap();
        let dense = ctx.materialize(&x).unwrap();
        let mut expected = vec![0.0; rows * columns];
        rng::dropout(seed, 0, p, dense.data().unwrap(), &mut expected).unwrap();
        for x in [&x, &dense] {
            let got = ctx.dropout(x, p, seed).unwrap();
            prop_assert_eq!(bits(got.data().unwrap()), bits(&expected));
        }
    }
}

#[test]
fn constructors_are_the_fills_in_row_major_order() -> Result<()> {
    const N: usize = 40_000;
    let dims = [N / 8, 8];
    let ctx = fucina_runtime::context();
    let mut want = vec![0.0; N];
    let check = |name: &str, got: RawTensor<f32>, want: &[f32]| {
        assert_eq!(got.shape().dims(), dims, "{name}");
        assert_eq!(bits(got.data().unwrap()), bits(want), "{name}");
    };
    rng::uniform_fill(5, &mut want, 0.0, 1.0).unwrap();
    check("rand", ctx.rand(&dims, 5)?, &want);
    rng::uniform_fill(5, &mut want, -2.0, 7.0).unwrap();
    check("uniform", ctx.uniform(&dims, 5, -2.0, 7.0)?, &want);
    rng::gaussian_fill(5, &mut want, 1.0);
    check("randn", ctx.randn(&dims, 5)?, &want);
    rng::normal_fill(5, &mut want, 1.5, 0.25).unwrap();
    check("normal", ctx.normal(&dims, 5, 1.5, 0.25)?, &want);
    rng::bernoulli_fill(5, &mut want, 0.3).unwrap();
    check("bernoulli", ctx.bernoulli(&dims, 5, 0.3)?, &want);
    rng::gumbel_fill(5, &mut want);
    check("gumbel", ctx.gumbel(&dims, 5)?, &want);
    // f64 takes the f32 values.
    let wide = ctx.gumbel::<f64>(&dims, 5)?;
    assert!(wide.data()?.iter().zip(&want).all(|(&x, &y)| x == f64::from(y)));

    let mut integers = vec![0; N];
    rng::randint_fill(5, &mut integers, -5, 17).unwrap();
    assert_eq!(ctx.randint(&dims, 5, -5, 17)?.data()?, integers);
    rng::randint_fill(5, &mut integers, i64::MIN, i64::MAX).unwrap();
    assert_eq!(ctx.randint(&dims, 5, i64::MIN, i64::MAX)?.data()?, integers);
    rng::randperm_fill(5, &mut integers);
    assert_eq!(ctx.randperm(N, 5)?.data()?, integers);
    Ok(())
}

#[test]
fn two_contexts_and_two_threads_draw_the_same_and_other_seeds_differ() {
    let draw = |seed: u64| {
        let ctx = fucina_runtime::context();
        let [u, n] = [ctx.rand::<f32>(&[1000], seed), ctx.randn::<f32>(&[1000], seed)];
        [u, n].map(|x| bits(x.unwrap().data().unwrap()))
    };
    let here = draw(42);
    let there = std::thread::spawn(move || draw(42)).join().unwrap();
    assert_eq!(here, there);
    assert_ne!(here, draw(43));
}

/// Draws by a plain loop over running sums.
fn drawn(weights: &[f32], samples: usize, replacement: bool, seed: u64, row: usize) -> Vec<i64> {
    let mut weights: Vec<f64> = weights.iter().map(|&w| f64::from(w)).collect();
    let draw = |s| {
        let total = weights.iter().fold(0.0, |sum, w| sum + w);
        let target = rng::unit(seed, (row * samples + s) as u64) * total;
        let mut sum = 0.0;
        let class = weights.iter().position(|w| {
            sum += w;
            sum > target
        });
        let class = class.unwrap();
        if !replacement {
            weights[class] = 0.0;
        }
        class as i64
    };
    (0..samples).map(draw).collect()
}

#[test]
fn multinomial_follows_its_rule_row_by_row() -> Result<()> {
    let ctx = fucina_runtime::context();
    let weights = ctx.uniform::<f32>(&[7, 50], 1, 0.0, 3.0)?;
    for replacement in [true, false] {
        let got = ctx.multinomial(&weights, 50, replacement, 42)?;
        assert_eq!(got.shape().dims(), [7, 50]);
        for (row, (got, weights)) in
            got.data()?.chunks(50).zip(weights.data()?.chunks(50)).enumerate()
        {
            assert_eq!(got, drawn(weights, 50, replacement, 42, row));
            if !replacement {
                let mut all = got.to_vec();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..50));
            }
        }
    }
    Ok(())
}

#[test]
fn multinomial_draws_in_proportion() -> Result<()> {
    let ctx = fucina_runtime::context();
    let weights = [0.0_f32, 1.0, 0.0, 2.0, 5.0, 0.0, 0.5];
    let x = ctx.from_slice(&[7], &weights)?;
    const N: usize = 100_000;
    let mut counts = [0.0; 7];
    ctx.multinomial(&x, N, true, 9)?
        .data()?
        .iter()
        .for_each(|&class| counts[class as usize] += 1.0);
    let mut statistic = 0.0;
    for (count, weight) in counts.iter().zip(weights) {
        let expected = N as f64 * f64::from(weight) / 8.5;
        if weight == 0.0 {
            assert_eq!(*count, 0.0);
        } else {
            statistic += (count - expected) * (count - expected) / expected;
        }
    }
    // Chi-square at 3 degrees: one in a million is above 30.7.
    assert!(statistic < 30.7, "{statistic}");
    Ok(())
}

#[test]
fn refusals_say_what_would_fit() -> Result<()> {
    let ctx = fucina_runtime::context();
    let dims = [4];
    let said = |error: Error| error.to_string();
    let refused = |x: Result<RawTensor<f32>>| said(x.unwrap_err());
    assert_eq!(
        refused(ctx.uniform(&dims, 1, 2.0, 2.0)),
        "uniform: bad interval; a finite lo below a finite hi fits"
    );
    assert_eq!(refused(ctx.bernoulli(&dims, 1, 1.5)), "bernoulli: bad probability; 0 to 1 fits");
    assert_eq!(
        refused(ctx.normal(&dims, 1, 0.0, -1.0)),
        "normal: bad moments; a finite mean and a finite std_dev of at least 0 fits"
    );
    assert_eq!(
        refused(ctx.rand(&[0], 1)),
        "rand: axis 0 has size 0; every dimension is at least 1"
    );
    assert_eq!(
        said(ctx.randint(&dims, 1, 3, 3).unwrap_err()),
        "randint: bad range; low below high fits"
    );
    let ones = ctx.ones::<f32>(&dims)?;
    for p in [1.0, 1.5, -0.1, f32::NAN] {
        assert_eq!(
            refused(ctx.dropout(&ones, p, 1)),
            "dropout: bad probability; 0 up to, not including, 1 fits"
        );
        assert!(Tensor::constant(ones.clone()).dropout(&ctx, p, 1).is_err());
    }
    let draw = |values: &[f32], samples, replacement| {
        let x = ctx.from_slice(&[values.len()], values).unwrap();
        said(ctx.multinomial(&x, samples, replacement, 1).unwrap_err())
    };
    let positive = "multinomial: bad weights; rows with a positive, finite total fits";
    assert_eq!(draw(&[0.0, 0.0], 1, true), positive);
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(
            draw(&[1.0, bad], 1, true),
            "multinomial: bad weights; finite values of at least 0 fits"
        );
    }
    assert_eq!(draw(&[1.0], 0, true), "multinomial: bad number of samples; at least one fits");
    assert_eq!(
        draw(&[1.0, 0.0], 2, false),
        "multinomial: bad weights; as many positive weights a row as samples without replacement fits"
    );
    let cube = ctx.ones::<f32>(&[2, 2, 2])?;
    assert_eq!(
        said(ctx.multinomial(&cube, 1, true, 1).unwrap_err()),
        "multinomial: left is [2, 2, 2], right is [2, 2, 2]; rank 2 is needed"
    );
    Ok(())
}

#[test]
fn dropout_passes_gradients_where_it_keeps() -> Result<()> {
    let ctx = fucina_runtime::context();
    let x = Tensor::<f64>::randn(&ctx, &[6, 5], 3)?;
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].dropout(ctx, 0.4, 11)).unwrap();

    let w = Tensor::<f32>::variable(&ctx, ctx.ones(&[1000])?)?;
    let y = w.dropout(&ctx, 0.25, 11)?;
    y.sum_all(&ctx)?.backward(&ctx)?;
    // Of ones, the gradient is the output.
    assert_eq!(w.grad(&ctx)?.unwrap().to_vec()?, y.to_vec()?);
    // Nothing dropped: the operand itself.
    let same = w.dropout(&ctx, 0.0, 11)?;
    assert_eq!(same.data()?.as_ptr(), w.data()?.as_ptr());
    assert!(same.requires_grad());
    Ok(())
}
