//! What ops along rows cost an element: normalisations, softmax, sums, conversions, on 1024 x 1024 f32, one thread.
//!
//! Throughput is in elements: 1 Gelem/s is 1 ns an element. Each result is checked once before it is timed.
//! `cargo bench --bench rows`.

use core::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fucina::dtype::{CastFrom, Element, bf16, f16};
use fucina::exec::{AttentionOptions, AttentionPass};
use fucina::{ExecContext, RawTensor, Result};

const N: usize = 1024;

fn gaussian(ctx: &ExecContext, dims: &[usize], seed: u64) -> RawTensor<f32> {
    let mut values = vec![0.0; dims.iter().product()];
    fucina::rng::gaussian_fill(seed, &mut values, 1.0);
    ctx.from_slice(dims, &values).unwrap()
}

/// A case and whether its first result is right.
type Case<'a> = (&'a str, &'a dyn Fn() -> Result<RawTensor<f32>>, &'a dyn Fn(&[f32]) -> bool);

fn rows(c: &mut Criterion) {
    let ctx = fucina::context_with_threads(1);
    let x = gaussian(&ctx, &[N, N], 1);
    let (g, w, b) = (gaussian(&ctx, &[N, N], 2), gaussian(&ctx, &[N], 3), gaussian(&ctx, &[N], 4));
    let probabilities = ctx.softmax(&x, 1).unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-3;
    let sum = |x: &[f32]| x.iter().map(|&x| f64::from(x)).sum::<f64>();
    let square = |x: &[f32]| x.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
    let normal = |x: &[f32]| near(square(&x[..N]), N as f64) || square(&x[..N]) > 1.0;
    let total: f64 = sum(x.data().unwrap());
    let cases: &[Case<'_>] = &[
        ("neg, for comparison", &|| ctx.neg(&x), &|y| near(sum(y), -total)),
        ("exp, for comparison", &|| ctx.exp(&x), &|y| y.len() == N * N),
        ("layer_norm, plain", &|| ctx.layer_norm(&x, 1, None, None, 0.0), &normal),
        ("layer_norm", &|| ctx.layer_norm(&x, 1, Some(&w), Some(&b), 1e-5), &normal),
        (
            "layer_norm_backward",
            &|| ctx.layer_norm_backward(&x, 1, Some(&w), &g, 1e-5).map(|g| g.x),
            &|x| near(sum(&x[..N]), 0.0),
        ),
        ("rms_norm", &|| ctx.rms_norm(&x, 1, Some(&w), 1e-5), &normal),
        (
            "rms_norm_backward",
            &|| ctx.rms_norm_backward(&x, 1, Some(&w), &g, 1e-5).map(|g| g.x),
            &|x| x.len() == N * N,
        ),
        ("softmax", &|| ctx.softmax(&x, 1), &|x| near(sum(&x[..N]), 1.0)),
        ("softmax_backward", &|| ctx.softmax_backward(&probabilities, &g, 1), &|x| {
            near(sum(&x[..N]), 0.0)
        }),
        ("log_softmax", &|| ctx.log_softmax(&x, 1), &|x| {
            near(x[..N].iter().map(|x| f64::from(x.exp())).sum(), 1.0)
        }),
        ("sum, last axis", &|| ctx.sum_axis(&x, 1), &|x| near(sum(x), total)),
        ("sum, first axis", &|| ctx.sum_axis(&x, 0), &|x| near(sum(x), total)),
        ("max, last axis", &|| ctx.max_axis(&x, 1), &|x| x.len() == N),
        ("max, first axis", &|| ctx.max_axis(&x, 0), &|x| x.len() == N),
    ];
    let mut group = c.benchmark_group("1024 x 1024");
    group.throughput(Throughput::Elements((N * N) as u64));
    for (name, run, right) in cases {
        assert!(right(run().unwrap().data().unwrap()), "{name}");
        group.bench_function(*name, |t| {
            t.iter(|| {
                black_box(&run().unwrap());
            });
        });
    }
    group.finish();
}

/// Halves to f32 and back, of 16,384 elements, which stay in the cache, and of 1024 x 1024.
fn conversions(c: &mut Criterion) {
    fn pair<A: Element + CastFrom<f32>>(c: &mut Criterion, len: usize)
    where
        f32: CastFrom<A>,
    {
        let ctx = fucina::context_with_threads(1);
        let wide = gaussian(&ctx, &[len], 1);
        let narrow = ctx.cast::<_, A>(&wide).unwrap();
        assert!(narrow.iter().zip(wide.iter()).all(|(narrow, x)| narrow == A::cast_from(x)));
        let mut group = c.benchmark_group(format!("cast of {len}"));
        group.throughput(Throughput::Elements(len as u64));
        group.bench_function(format!("{} to f32", A::DTYPE), |t| {
            t.iter(|| black_box(&ctx.cast::<_, f32>(&narrow).unwrap()).len());
        });
        group.bench_function(format!("f32 to {}", A::DTYPE), |t| {
            t.iter(|| black_box(&ctx.cast::<_, A>(&wide).unwrap()).len());
        });
        group.finish();
    }
    for len in [1 << 14, N * N] {
        pair::<f16>(c, len);
        pair::<bf16>(c, len);
    }
}

/// Products with weights of halves beside the same of f32: of few rows, bound by memory, and of a square.
fn products(c: &mut Criterion) {
    let ctx = fucina::context_with_threads(1);
    for [m, n] in [[1, 4 * N], [8, 4 * N], [N, N]] {
        let (x, w) = (gaussian(&ctx, &[m, n], 1), gaussian(&ctx, &[n, n], 2));
        let (half, brain) = (ctx.cast::<_, f16>(&w).unwrap(), ctx.cast::<_, bf16>(&w).unwrap());
        let want = ctx.matmul(&x, &ctx.cast::<_, f32>(&half).unwrap()).unwrap();
        let got: RawTensor<f32> = ctx.matmul_widened(&x, &half).unwrap();
        assert_eq!(got.data().unwrap(), want.data().unwrap());
        let mut group = c.benchmark_group(format!("product of {m} x {n} x {n}"));
        group.throughput(Throughput::Elements((2 * m * n * n) as u64));
        let mut bench = |name: &str, run: &dyn Fn() -> Result<RawTensor<f32>>| {
            group.bench_function(name, |t| t.iter(|| black_box(&run().unwrap()).len()));
        };
        bench("f32", &|| ctx.matmul(&x, &w));
        bench("f16", &|| ctx.matmul_widened(&x, &half));
        bench("bf16", &|| ctx.matmul_widened(&x, &brain));
        bench("f32, transposed", &|| ctx.matmul_nt(&x, &w));
        bench("f16, transposed", &|| ctx.matmul_nt_widened(&x, &half));
        bench("bf16, transposed", &|| ctx.matmul_nt_widened(&x, &brain));
        group.finish();
    }
}

/// Causal attention, 8 heads x 256 x 64.
fn attention(c: &mut Criterion) {
    let ctx = fucina::context_with_threads(1);
    let dims = [1, 8, 256, 64];
    let [q, k, v] = [1, 2, 3].map(|seed| gaussian(&ctx, &dims, seed));
    let options = AttentionOptions { causal: true, ..AttentionOptions::default() };
    let (out, logs) = ctx.scaled_dot_product_attention(&q, &k, &v, options).unwrap();
    // The first query sees the first key only.
    assert_eq!(out.data().unwrap()[..64], v.data().unwrap()[..64]);
    let inputs = [q.clone(), k.clone(), v.clone()];
    let pass = AttentionPass { inputs, out: out.clone(), logs, options };
    let mut group = c.benchmark_group("causal attention, 8 x 256 x 64");
    group.bench_function("forward", |t| {
        t.iter(|| {
            black_box(&ctx.scaled_dot_product_attention(&q, &k, &v, options).unwrap()).1.len()
        });
    });
    group.bench_function("backward", |t| {
        t.iter(|| {
            black_box(&ctx.scaled_dot_product_attention_backward(&pass, &out).unwrap()).len()
        });
    });
    group.finish();
}

criterion_group!(benches, rows, conversions, products, attention);
criterion_main!(benches);
