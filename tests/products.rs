//! Products of batches, with addends, and as linear layers: against naive f64 loops, and bit by bit against what they
//! are made of.

#[path = "common/bits.rs"]
mod bits;
#[path = "common/gaussian.rs"]
mod gaussian;

use fucina::backend::{SCALAR, SCALAR_UNFUSED};
use fucina::exec::Activation;
use fucina::{ExecContext, RawTensor, Result};

use bits::bits;
use gaussian::gaussian;

fn contexts() -> Vec<ExecContext> {
    vec![
        fucina::context(),
        fucina::context_with_threads(2),
        fucina::context_with_threads(5),
        ExecContext::builder().backend(&SCALAR).build(),
        ExecContext::builder().backend(&SCALAR_UNFUSED).build(),
    ]
}

/// A product of matrices by its definition, and the sum of magnitudes.
fn naive(a: &RawTensor<f32>, b: &RawTensor<f32>) -> Vec<(f64, f64)> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let [a, b]: [Vec<f64>; 2] = [a, b].map(|x| x.iter().map(f64::from).collect());
    let term = |i: usize, j: usize, p: usize| a[i * k + p] * b[p * n + j];
    let at = |i: usize| {
        let terms = || (0..k).map(move |p| (i / n, i % n, p));
        let sum = terms().map(|(i, j, p)| term(i, j, p)).sum();
        (sum, terms().map(|(i, j, p)| term(i, j, p).abs()).sum())
    };
    (0..m * n).map(at).collect()
}

/// One product of a batch.
fn part(ctx: &ExecContext, x: &RawTensor<f32>, index: [usize; 2]) -> RawTensor<f32> {
    let (rank, mut part) = (x.shape().rank(), x.clone());
    for axis in 0..rank - 2 {
        let i = if x.shape()[axis] == 1 { 0 } else { index[4 - rank + axis] };
        part = part.narrow(axis, i, 1).unwrap();
    }
    ctx.reshape(&part, &x.shape().dims()[rank - 2..]).unwrap()
}

#[test]
fn products_of_batches_are_those_of_their_parts() {
    let shapes: [[&[usize]; 2]; 10] = [
        [&[2, 3, 4, 5], &[2, 3, 5, 6]],
        [&[2, 3, 7, 40], &[40, 33]],
        [&[3, 7, 40], &[2, 1, 40, 33]],
        [&[2, 1, 20, 9], &[1, 3, 9, 17]],
        [&[7, 13], &[2, 3, 13, 5]],
        [&[2, 3, 1, 64], &[2, 3, 64, 50]],
        [&[2, 3, 50, 64], &[2, 3, 64, 1]],
        [&[1, 1, 9, 4], &[4, 8]],
        [&[2, 2, 70, 80], &[2, 2, 80, 90]],
        [&[2, 1, 30, 260], &[2, 1, 260, 90]],
    ];
    for ctx in contexts() {
        for [a, b] in shapes {
            let (a, b) = (gaussian(&ctx, a, 1), gaussian(&ctx, b, 2));
            let turned = |x: &RawTensor<f32>| {
                let rank = x.shape().rank();
                let t = x.transpose(rank - 2, rank - 1).unwrap();
                (ctx.materialize(&t).unwrap(), rank)
            };
            let ((at, ra), (bt, rb)) = (turned(&a), turned(&b));
            let forms = [
                ("nn", ctx.matmul(&a, &b).unwrap(), [a.clone(), b.clone()]),
                (
                    "nt",
                    ctx.matmul_nt(&a, &bt).unwrap(),
                    [a.clone(), bt.transpose(rb - 2, rb - 1).unwrap()],
                ),
                (
                    "tn",
                    ctx.matmul_tn(&at, &b).unwrap(),
                    [at.transpose(ra - 2, ra - 1).unwrap(), b.clone()],
                ),
            ];
            for (form, product, [a, b]) in forms {
                let name = format!("{form} {} {} {}", ctx.backend().name(), a.shape(), b.shape());
                let dims = product.shape().dims().to_vec();
                let lead = &dims[..dims.len() - 2];
                let [d0, d1] =
                    [lead.len().checked_sub(2).map_or(1, |i| lead[i]), *lead.last().unwrap()];
                for index in (0..d0 * d1).map(|i| [i / d1, i % d1]) {
                    let (a, b, out) =
                        (part(&ctx, &a, index), part(&ctx, &b, index), part(&ctx, &product, index));
                    for (got, (want, size)) in out.iter().zip(naive(&a, &b)) {
                        let bound = (a.shape()[1] as f64 + 1.0) * f64::from(f32::EPSILON) * size;
                        assert!((f64::from(got) - want).abs() <= bound, "{name}: {got} for {want}");
                    }
                    // The bits of the part alone, but for rows that are joined with those of the whole batch.
                    if a.shape()[0] > 1 {
                        assert_eq!(bits(&out), bits(&ctx.matmul(&a, &b).unwrap()), "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_team() -> Result<()> {
    let run = |ctx: &ExecContext| -> Result<Vec<Vec<u32>>> {
        let (a, b) = (gaussian(ctx, &[12, 50, 64], 1), gaussian(ctx, &[12, 64, 70], 2));
        let w = gaussian(ctx, &[64, 300], 3);
        let bias = gaussian(ctx, &[300], 4);
        Ok(vec![
            bits(&ctx.matmul(&a, &b)?),
            bits(&ctx.matmul_nt(&a, &ctx.materialize(&b.transpose(1, 2)?)?)?),
            bits(&ctx.matmul_add(&bias.narrow(0, 0, 70)?, &a, &b)?),
            bits(&ctx.linear(&a, &w, Some(&bias), Activation::Gelu)?),
        ])
    };
    let alone = run(&fucina::context_with_threads(1))?;
    for threads in [2, 5] {
        assert_eq!(run(&fucina::context_with_threads(threads))?, alone, "{threads} threads");
    }
    assert_eq!(run(&ExecContext::builder().backend(&SCALAR).build())?, alone, "one lane");
    Ok(())
}

#[test]
fn a_linear_layer_has_the_bits_of_its_ops() -> Result<()> {
    for ctx in contexts() {
        for dims in [
            [1, 1, 1],
            [1, 40, 33],
            [7, 40, 1],
            [9, 1, 150],
            [13, 5, 16],
            [64, 300, 129],
            [60, 600, 50],
        ] {
            let [m, k, n] = dims;
            let (x, w) = (gaussian(&ctx, &[m, k], 1), gaussian(&ctx, &[k, n], 2));
            let bias = gaussian(&ctx, &[2 * n], 3).step(0, 2)?;
            let turned = ctx.materialize(&w.transpose(0, 1)?)?.transpose(0, 1)?;
            for w in [&w, &turned] {
                let plain = ctx.matmul(&x, w)?;
                let biased = ctx.add(&plain, &bias)?;
                for (activation, want) in [
                    (Activation::Identity, biased.clone()),
                    (Activation::Relu, ctx.relu(&biased)?),
                    (Activation::Tanh, ctx.tanh(&biased)?),
                    (Activation::Sigmoid, ctx.sigmoid(&biased)?),
                    (Activation::Silu, ctx.silu(&biased)?),
                    (Activation::Gelu, ctx.gelu(&biased)?),
                    (Activation::GeluTanh, ctx.gelu_tanh(&biased)?),
                ] {
                    let got = ctx.linear(&x, w, Some(&bias), activation)?;
                    assert_eq!(bits(&got), bits(&want), "{activation:?} {dims:?}");
                }
                let relu = ctx.linear(&x, w, None, Activation::Relu)?;
                assert_eq!(bits(&relu), bits(&ctx.relu(&plain)?), "{dims:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_sum_begins_with_its_addend() -> Result<()> {
    for ctx in contexts() {
        for [m, k, n] in
            [[1, 40, 33], [7, 40, 1], [1, 9, 1], [13, 5, 16], [64, 300, 129], [60, 600, 50]]
        {
            let (a, b) = (gaussian(&ctx, &[m, k], 1), gaussian(&ctx, &[k, n], 2));
            for c in
                [gaussian(&ctx, &[m, n], 3), gaussian(&ctx, &[n], 4), gaussian(&ctx, &[m, 1], 5)]
            {
                let got = ctx.matmul_add(&c, &a, &b)?;
                let c = c.broadcast_to(&[m, n])?;
                for ((got, (want, size)), c) in
                    got.iter().zip(naive(&a, &b)).zip(c.iter().map(f64::from))
                {
                    let bound = (k as f64 + 2.0) * f64::from(f32::EPSILON) * (size + c.abs());
                    assert!((f64::from(got) - want - c).abs() <= bound, "{m} {k} {n}: {got}");
                }
            }
            // The same sum in two halves of k: to the bit where k ascends.
            if m > 1 && n > 1 {
                let half = k / 2;
                let first = ctx.matmul(&a.narrow(1, 0, half)?, &b.narrow(0, 0, half)?)?;
                let (a2, b2) = (a.narrow(1, half, k - half)?, b.narrow(0, half, k - half)?);
                assert_eq!(bits(&ctx.matmul_add(&first, &a2, &b2)?), bits(&ctx.matmul(&a, &b)?));
            }
        }
    }
    Ok(())
}
