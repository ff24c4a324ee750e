//! Values against naive f64 loops that share no code with the kernels: products of every small shape, reductions of every
//! length class, broadcasts and views, on the best backend and on both scalar ones.

#[path = "common/contexts.rs"]
mod contexts;
#[path = "common/gaussian.rs"]
mod gaussian;

use fucina::exec::{AttentionOptions, RopeOptions};
use fucina::{ExecContext, RawTensor, Tensor};

use contexts::contexts;
use gaussian::gaussian;

fn values(x: &RawTensor<f32>) -> Vec<f64> {
    x.iter().map(f64::from).collect()
}

/// `|got - want|` is at most `ulps` units of the size of what was summed up.
fn close(name: &str, got: &RawTensor<f32>, want: &[f64], size: &[f64], ulps: f64) {
    assert_eq!(got.len(), want.len(), "{name}");
    for (i, ((got, want), size)) in got.iter().zip(want).zip(size).enumerate() {
        let bound = ulps * f64::from(f32::EPSILON) * size + f64::from(f32::MIN_POSITIVE);
        assert!((f64::from(got) - want).abs() <= bound, "{name}, element {i}: {got} for {want}");
    }
}

#[test]
fn products_of_every_small_shape_in_three_orientations() {
    for ctx in contexts() {
        let sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 31, 33, 48, 65];
        for (i, &m) in sizes.iter().enumerate() {
            let (k, n) = (sizes[(i * 5 + 3) % sizes.len()], sizes[(i * 7 + 1) % sizes.len()]);
            for (k, n) in [(k, n), (n, k), (1, n), (300, n), (k, 1)] {
                let (a, b) = (gaussian(&ctx, &[m, k], 1), gaussian(&ctx, &[k, n], 2));
                let (va, vb) = (values(&a), values(&b));
                let (mut want, mut size) = (vec![0.0; m * n], vec![0.0; m * n]);
                for row in 0..m {
                    for column in 0..n {
                        for p in 0..k {
                            let product = va[row * k + p] * vb[p * n + column];
                            want[row * n + column] += product;
                            size[row * n + column] += product.abs();
                        }
                    }
                }
                let bound = k as f64 + 1.0;
                let name = format!("{:?}: {m} x {k} x {n}", ctx.backend().name());
                close(&name, &ctx.matmul(&a, &b).unwrap(), &want, &size, bound);
                let at = ctx.materialize(&a.transpose(0, 1).unwrap()).unwrap();
                let bt = ctx.materialize(&b.transpose(0, 1).unwrap()).unwrap();
                let plain = values(&ctx.matmul(&a, &b).unwrap());
                let (av, bv) = (at.transpose(0, 1).unwrap(), bt.transpose(0, 1).unwrap());
                for (orientation, product) in [
                    ("tn", ctx.matmul_tn(&at, &b)),
                    ("nt", ctx.matmul_nt(&a, &bt)),
                    ("views", ctx.matmul(&av, &bv)),
                ] {
                    let product = product.unwrap();
                    if m > 1 && n > 1 {
                        // The same numbers in the same order: the same bits.
                        assert_eq!(values(&product), plain, "{orientation}, {name}");
                    } else {
                        // A vector's matrix may run along `k`: the reduction rule.
                        close(&format!("{orientation}, {name}"), &product, &want, &size, bound);
                    }
                }
            }
        }
    }
}

#[test]
fn reductions_of_every_length_class_over_either_axis() {
    for ctx in contexts() {
        for len in [1, 2, 3, 7, 8, 31, 32, 33, 100, 511, 513, 4095, 4096, 4097, 9001] {
            let x = gaussian(&ctx, &[len, 3], len as u64);
            let v = values(&x);
            let column = |c: usize| v.iter().skip(c).step_by(3);
            let sums: Vec<f64> = (0..3).map(|c| column(c).sum()).collect();
            let sizes: Vec<f64> = (0..3).map(|c| column(c).map(|x| x.abs()).sum()).collect();
            let maxima: Vec<f64> =
                (0..3).map(|c| column(c).copied().fold(f64::MIN, f64::max)).collect();
            let name = format!("{:?}, length {len}", ctx.backend().name());
            let columns = ctx.sum_axis(&x, 0).unwrap();
            close(&name, &columns, &sums, &sizes, 16.0);
            assert_eq!(values(&ctx.max_axis(&x, 0).unwrap()), maxima, "{name}");
            // Rows of the transposed view, and of its copy: the same bits as the columns.
            let view = x.transpose(0, 1).unwrap();
            let copy = ctx.materialize(&view).unwrap();
            for rows in [&view, &copy] {
                assert_eq!(values(&ctx.sum_axis(rows, 1).unwrap()), values(&columns), "{name}");
            }
            let all: f64 = sizes.iter().sum();
            let total = ctx.sum_all(&x).unwrap();
            close(&name, &total, &[sums.iter().sum()], &[all], 16.0);
            let count = v.len() as f64;
            let mean = ctx.mean_all(&x).unwrap();
            close(&name, &mean, &[sums.iter().sum::<f64>() / count], &[all / count], 17.0);
        }
    }
}

#[test]
fn elementwise_ops_of_broadcast_and_strided_operands() {
    for ctx in contexts() {
        let base = gaussian(&ctx, &[6, 10, 70], 3);
        let views = [
            base.clone(),
            base.flip(2).unwrap(),
            base.step(1, 2).unwrap().broadcast_to(&[6, 5, 70]).unwrap(),
            base.permute(&[2, 0, 1]).unwrap(),
            base.narrow(2, 3, 33).unwrap(),
            base.narrow(1, 4, 1).unwrap(),
            base.narrow(2, 9, 1).unwrap(),
            base.narrow(0, 2, 1).unwrap().narrow(1, 0, 1).unwrap().narrow(2, 0, 1).unwrap(),
        ];
        for (i, a) in views.iter().enumerate() {
            for (j, b) in views.iter().enumerate() {
                let Ok(sum) = ctx.add(a, b) else {
                    assert!(ctx.mul(a, b).is_err());
                    continue;
                };
                let dims = sum.shape().dims();
                let (a, b) = (a.broadcast_to(dims).unwrap(), b.broadcast_to(dims).unwrap());
                let pairs: Vec<(f32, f32)> = a.iter().zip(b.iter()).collect();
                let name = format!("views {i} and {j}");
                assert!(sum.iter().eq(pairs.iter().map(|(a, b)| a + b)), "add, {name}");
                let product = ctx.mul(&a, &b).unwrap();
                assert!(product.iter().eq(pairs.iter().map(|(a, b)| a * b)), "mul, {name}");
                let quotient = ctx.div(&a, &b).unwrap();
                assert!(quotient.iter().eq(pairs.iter().map(|(a, b)| a / b)), "div, {name}");
            }
        }
    }
}

#[test]
fn softmax_rows_of_every_length_class() {
    for ctx in contexts() {
        for len in [1, 2, 7, 8, 9, 33, 513, 5000] {
            let x = ctx.scale(&gaussian(&ctx, &[2, len], 4), 5.0).unwrap();
            let mut want = Vec::new();
            for row in values(&x).chunks(len) {
                let max = row.iter().copied().fold(f64::MIN, f64::max);
                let sum: f64 = row.iter().map(|x| (x - max).exp()).sum();
                want.extend(row.iter().map(|x| (x - max).exp() / sum));
            }
            let name = format!("{:?}, length {len}", ctx.backend().name());
            // The shift by the maximum rounds: its error grows with the distance from it.
            close(&name, &ctx.softmax(&x, 1).unwrap(), &want, &want, 48.0);
            let logs: Vec<f64> = want.iter().map(|p| p.ln()).collect();
            let sizes: Vec<f64> = logs.iter().map(|l| l.abs() + 50.0).collect();
            close(&name, &ctx.log_softmax(&x, 1).unwrap(), &logs, &sizes, 4.0);
            let column = ctx.softmax(&x.transpose(0, 1).unwrap(), 0).unwrap();
            let back = column.transpose(0, 1).unwrap();
            assert!(back.iter().eq(ctx.softmax(&x, 1).unwrap().iter()), "{name}");
        }
    }
}

type Exact = fn(f32) -> f32;
type Function =
    fn(&ExecContext, &RawTensor<f32>, &RawTensor<f32>) -> fucina::Result<RawTensor<f32>>;

/// The logistic function, by itself.
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// A function or gradient of two operands; its value, and the size of what was summed up to it.
type Case = (&'static str, Function, fn(f64, f64) -> (f64, f64));

#[test]
fn functions_and_their_gradients() {
    fn plain(x: f64) -> (f64, f64) {
        (x, x.abs())
    }
    const CASES: &[Case] = &[
        ("abs_backward", |c, x, g| c.abs_backward(x, g), |x, g| plain(x.signum() * g)),
        ("square_backward", |c, x, g| c.square_backward(x, g), |x, g| plain(2.0 * x * g)),
        ("expm1_backward", |c, x, g| c.expm1_backward(x, g), |x, g| plain(x.exp() * g)),
        ("sin_backward", |c, x, g| c.sin_backward(x, g), |x, g| plain(x.cos() * g)),
        ("cos_backward", |c, x, g| c.cos_backward(x, g), |x, g| plain(-x.sin() * g)),
        (
            "erf_backward",
            |c, x, g| c.erf_backward(x, g),
            |x, g| plain(core::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * g),
        ),
        ("softplus_backward", |c, x, g| c.softplus_backward(x, g), |x, g| plain(sigmoid(x) * g)),
        (
            "silu_backward",
            |c, x, g| c.silu_backward(x, g),
            |x, g| {
                let (s, rest) = (sigmoid(x), x * sigmoid(x) * sigmoid(-x));
                ((s + rest) * g, (s + rest.abs()) * g.abs())
            },
        ),
        ("elu", |c, x, _| c.elu(x, 0.5), |x, _| plain(if x > 0.0 { x } else { 0.5 * x.exp_m1() })),
        (
            "elu_backward",
            |c, x, g| c.elu_backward(x, g, 0.5),
            |x, g| plain(if x > 0.0 { g } else { g * 0.5 * x.exp() }),
        ),
        (
            "leaky_relu",
            |c, x, _| c.leaky_relu(x, 0.25),
            |x, _| plain(if x > 0.0 { x } else { 0.25 * x }),
        ),
        ("reciprocal", |c, x, _| c.reciprocal(x), |x, _| plain(1.0 / x)),
        ("maximum", |c, x, y| c.maximum(x, y), |x, y| plain(x.max(y))),
        ("minimum", |c, x, y| c.minimum(x, y), |x, y| plain(x.min(y))),
        ("clamp", |c, x, _| c.clamp(x, -0.5, 2.0), |x, _| plain(x.clamp(-0.5, 2.0))),
        ("pow", |c, x, y| c.pow(&c.abs(x)?, y), |x, y| plain(x.abs().powf(y))),
        ("powf", |c, x, _| c.powf(x, 3.0), |x, _| plain(x.powf(3.0))),
        ("powf_backward", |c, x, g| c.powf_backward(x, g, 3.0), |x, g| plain(3.0 * x * x * g)),
        (
            "pow_exponent_backward",
            |c, x, y| c.pow_exponent_backward(&c.abs(x)?, y, y),
            |x, y| plain(y * y * x.abs().ln()),
        ),
        ("glu", |c, x, y| c.glu(x, y), |x, y| plain(sigmoid(x) * y)),
        ("swiglu", |c, x, y| c.swiglu(x, y), |x, y| plain(x * sigmoid(x) * y)),
        ("reglu", |c, x, y| c.reglu(x, y), |x, y| plain(x.max(0.0) * y)),
        ("floor", |c, x, _| c.floor(x), |x, _| plain(x.floor())),
        ("ceil", |c, x, _| c.ceil(x), |x, _| plain(x.ceil())),
        ("round", |c, x, _| c.round(x), |x, _| plain(x.round_ties_even())),
    ];
    for ctx in contexts() {
        let x = ctx.scale(&gaussian(&ctx, &[20_011], 7), 3.0).unwrap();
        let y = gaussian(&ctx, &[20_011], 8);
        let (vx, vy) = (values(&x), values(&y));
        for (name, op, exact) in CASES {
            let both: Vec<_> = vx.iter().zip(&vy).map(|(&x, &y)| exact(x, y)).collect();
            let (want, size): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
            let name = format!("{:?}, {name}", ctx.backend().name());
            // Four units: two of the function, and a rounding or two of the products around it.
            close(&name, &op(&ctx, &x, &y).unwrap(), &want, &size, 4.0);
        }
    }
}

#[test]
fn steps_of_every_size_of_number() {
    for ctx in contexts() {
        let bits = |i: u32| f32::from_bits(i.wrapping_mul(0x9e37_79b9));
        let mut all: Vec<f32> = (0..1 << 20).map(bits).filter(|x| !x.is_nan()).collect();
        for edge in [0.5_f32, 1.5, 2.5, 4_194_303.5, 4_194_304.5, 8_388_607.5, 8_388_608.0, 1e30] {
            all.extend([edge, -edge, edge.next_up(), -edge.next_up(), edge.next_down(), 0.0, -0.0]);
        }
        let x = ctx.from_vec(&[all.len()], all.clone()).unwrap();
        let steps: [(&str, Function, Exact); 3] = [
            ("floor", |c, x, _| c.floor(x), f32::floor),
            ("ceil", |c, x, _| c.ceil(x), f32::ceil),
            ("round", |c, x, _| c.round(x), f32::round_ties_even),
        ];
        for (name, op, exact) in steps {
            for (got, &x) in op(&ctx, &x, &x).unwrap().iter().zip(&all) {
                assert_eq!(got.to_bits(), exact(x).to_bits(), "{name} of {x:e}: {got:e}");
            }
        }
    }
}

#[test]
fn gated_units_have_the_bits_of_the_ops_they_fuse() {
    for ctx in contexts() {
        let (gate, up) = (gaussian(&ctx, &[513], 9), gaussian(&ctx, &[513], 10));
        let units: [(Function, Function); 4] = [
            (|c, x, y| c.glu(x, y), |c, x, y| c.mul(&c.sigmoid(x)?, y)),
            (|c, x, y| c.swiglu(x, y), |c, x, y| c.mul(&c.silu(x)?, y)),
            (|c, x, y| c.geglu(x, y), |c, x, y| c.mul(&c.gelu(x)?, y)),
            (|c, x, y| c.reglu(x, y), |c, x, y| c.mul(&c.relu(x)?, y)),
        ];
        for (fused, two) in units {
            let (fused, two) = (fused(&ctx, &gate, &up).unwrap(), two(&ctx, &gate, &up).unwrap());
            assert!(fused.iter().map(f32::to_bits).eq(two.iter().map(f32::to_bits)));
        }
    }
}

/// Rows normalised in f64: values, and the size of what each was made of.
fn normalized(x: &[f64], centered: bool, eps: f64) -> Vec<f64> {
    let n = x.len() as f64;
    let mean = if centered { x.iter().sum::<f64>() / n } else { 0.0 };
    let square = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    x.iter().map(|x| (x - mean) / (square + eps).sqrt()).collect()
}

#[test]
fn normalised_rows_near_and_far_from_zero() {
    for ctx in contexts() {
        for len in [1, 2, 7, 8, 9, 33, 513, 5000] {
            for offset in [0.0, 30.0, 10_000.0] {
                let base = ctx.full(&[2, len], offset as f32).unwrap();
                let x = ctx.add(&base, &gaussian(&ctx, &[2, len], 4)).unwrap();
                let (w, b) = (gaussian(&ctx, &[len], 5), gaussian(&ctx, &[len], 6));
                let (vw, vb) = (values(&w), values(&b));
                let name = format!("{:?}, length {len}, offset {offset}", ctx.backend().name());
                for centered in [true, false] {
                    let rows = values(&x);
                    let rows = rows.chunks(len).map(|row| normalized(row, centered, 1e-5));
                    let plain: Vec<f64> = rows.flatten().collect();
                    let weighted = plain.iter().zip(vw.iter().cycle());
                    let weighted: Vec<f64> = weighted.map(|(x, w)| x * w).collect();
                    let affine = weighted.iter().zip(vb.iter().cycle());
                    let affine: Vec<f64> = affine.map(|(x, b)| x + b).collect();
                    let size = |x: &[f64]| x.iter().map(|x| x.abs() + 1.0).collect::<Vec<_>>();
                    let sizes: Vec<f64> = size(&affine)
                        .iter()
                        .zip(vb.iter().cycle())
                        .map(|(x, b)| x + b.abs())
                        .collect();
                    if centered {
                        let got = ctx.layer_norm(&x, 1, None, None, 1e-5).unwrap();
                        close(&name, &got, &plain, &size(&plain), 4.0);
                        let got = ctx.layer_norm(&x, 1, Some(&w), Some(&b), 1e-5).unwrap();
                        close(&name, &got, &affine, &sizes, 16.0);
                        let image = ctx.reshape(&x, &[2, 1, len]).unwrap();
                        let got = ctx.group_norm(&image, 1, None, None, 1e-5).unwrap();
                        close(&name, &got, &plain, &size(&plain), 4.0);
                    } else {
                        let got = ctx.rms_norm(&x, 1, None, 1e-5).unwrap();
                        close(&name, &got, &plain, &size(&plain), 4.0);
                        let got = ctx.rms_norm(&x, 1, Some(&w), 1e-5).unwrap();
                        close(&name, &got, &weighted, &size(&weighted), 16.0);
                    }
                }
            }
        }
    }
}

/// Attention of one query over keys `seen`, in f64.
fn attended(q: &[f64], k: &[f64], v: &[f64], seen: core::ops::Range<usize>) -> Vec<f64> {
    let dim = q.len();
    let score = |key: usize| {
        let products = q.iter().zip(&k[key * dim..]).map(|(a, b)| a * b);
        products.sum::<f64>() / (dim as f64).sqrt()
    };
    let scores: Vec<f64> = seen.clone().map(score).collect();
    let max = scores.iter().copied().fold(f64::MIN, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - max).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let value = |d: usize| {
        let products = seen.clone().zip(&weights).map(|(key, w)| w * v[key * dim + d]);
        if seen.is_empty() { 0.0 } else { products.sum::<f64>() / sum }
    };
    (0..dim).map(value).collect()
}

#[test]
fn attention_with_masks_groups_and_half_caches() {
    for ctx in contexts() {
        for (queries, keys, dim) in
            [(1, 1, 1), (5, 9, 4), (64, 64, 8), (70, 150, 24), (150, 70, 33)]
        {
            let q = gaussian(&ctx, &[1, 4, queries, dim], 7);
            let (k, v) =
                (gaussian(&ctx, &[1, 2, keys, dim], 8), gaussian(&ctx, &[1, 2, keys, dim], 9));
            let (vq, vk, vv) = (values(&q), values(&k), values(&v));
            for (causal, window) in
                [(false, None), (true, None), (true, Some(20)), (false, Some(3))]
            {
                let mut want = Vec::new();
                for (row, q) in vq.chunks(dim).enumerate() {
                    let (head, query) = (row / queries / 2, row % queries);
                    let at = (query + keys) as isize - queries as isize;
                    let near = window.map_or(1000, |w| w as isize - 1);
                    let from = (at - near).clamp(0, keys as isize);
                    let to = (at + if causal { 0 } else { near } + 1).clamp(from, keys as isize);
                    let head = head * keys * dim..(head + 1) * keys * dim;
                    let seen = from as usize..to as usize;
                    want.extend(attended(q, &vk[head.clone()], &vv[head], seen));
                }
                let name = format!("{:?}, {queries} x {keys} x {dim}", ctx.backend().name());
                let options = AttentionOptions { causal, window, scale: None };
                let got = ctx.scaled_dot_product_attention(&q, &k, &v, options).unwrap().0;
                close(&name, &got, &want, &vec![3.0; want.len()], 12.0);
                // Halves are the numbers that they are widened to.
                let half =
                    |x: &[f64]| x.iter().map(|&x| half::f16::from_f64(x)).collect::<Vec<_>>();
                let dims = [1, 2, keys, dim];
                let [hk, hv] =
                    [&vk, &vv].map(|x| Tensor::from_slice(&ctx, &dims, &half(x)).unwrap());
                let wide = |x: &Tensor<half::f16>| {
                    let values: Vec<f32> = x.raw().iter().map(|x| x.to_f32()).collect();
                    ctx.from_slice(&dims, &values).unwrap()
                };
                let plain = ctx
                    .scaled_dot_product_attention(&q, &wide(&hk), &wide(&hv), options)
                    .unwrap()
                    .0;
                let cached =
                    Tensor::constant(q.clone()).cached_attention(&ctx, &hk, &hv, options).unwrap();
                assert!(cached.raw().iter().eq(plain.iter()), "{name}, halves");
            }
        }
    }
}

#[test]
fn rotated_pairs_of_both_kinds() {
    for ctx in contexts() {
        for dim in [2, 6, 64, 130] {
            let x = gaussian(&ctx, &[2, 3, dim], 10);
            let positions = [0, 5, 40_000];
            let at = ctx.from_slice(&[3], &positions).unwrap();
            for interleaved in [false, true] {
                let options = RopeOptions { base: 500.0, interleaved };
                let mut want = values(&x);
                for (row, x) in want.chunks_mut(dim).enumerate() {
                    for i in 0..dim / 2 {
                        let angle =
                            positions[row % 3] as f64 * 500_f64.powf(-2.0 * i as f64 / dim as f64);
                        let (a, b) =
                            if interleaved { (2 * i, 2 * i + 1) } else { (i, i + dim / 2) };
                        let (u, v) = (x[a], x[b]);
                        x[a] = u * angle.cos() - v * angle.sin();
                        x[b] = v * angle.cos() + u * angle.sin();
                    }
                }
                let got = ctx.rope(&x, &at, options).unwrap();
                close("rope", &got, &want, &vec![4.0; want.len()], 2.0);
                let back = ctx.rope_backward(&got, &at, options).unwrap();
                close("rope back", &back, &values(&x), &vec![4.0; want.len()], 4.0);
            }
        }
    }
}

#[test]
fn reductions_of_other_kinds() {
    for ctx in contexts() {
        for len in [1, 2, 7, 33, 100, 5000] {
            let x =
                ctx.add(&gaussian(&ctx, &[len, 3], 11), &ctx.full(&[1], 300.0).unwrap()).unwrap();
            let v = values(&x);
            let column = |c: usize| v.iter().skip(c).step_by(3).copied().collect::<Vec<f64>>();
            let each =
                |f: &dyn Fn(Vec<f64>) -> f64| (0..3).map(|c| f(column(c))).collect::<Vec<_>>();
            let name = format!("{:?}, length {len}", ctx.backend().name());
            let min = each(&|x| x.into_iter().fold(f64::MAX, f64::min));
            assert_eq!(values(&ctx.min_axis(&x, 0).unwrap()), min, "{name}");
            let first = |x: &[f64], best: f64| x.iter().position(|&x| x == best).unwrap() as i64;
            let argmin: Vec<i64> = (0..3).map(|c| first(&column(c), min[c])).collect();
            assert!(ctx.argmin(&x, 0).unwrap().iter().eq(argmin), "{name}");
            let max = each(&|x| x.into_iter().fold(f64::MIN, f64::max));
            let argmax: Vec<i64> = (0..3).map(|c| first(&column(c), max[c])).collect();
            assert!(ctx.argmax(&x, 0).unwrap().iter().eq(argmax), "{name}");
            let lse = each(&|x| 300.0 + x.iter().map(|x| (x - 300.0).exp()).sum::<f64>().ln());
            close(&name, &ctx.logsumexp(&x, 0).unwrap(), &lse, &lse, 4.0);
            let t = Tensor::constant(x.clone());
            let var = each(&|x| {
                let mean = x.iter().sum::<f64>() / len as f64;
                x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / len as f64
            });
            // Deviations are taken from a rounded mean.
            close(&name, t.var(&ctx, &[0], 0, false).unwrap().raw(), &var, &[2.0; 3], 16.0);
            let mut sums = v.clone();
            (3..v.len()).for_each(|i| sums[i] += sums[i - 3]);
            close(&name, &ctx.cumsum(&x, 0).unwrap(), &sums, &sums, len as f64);
            let near_one = ctx.div(&x, &ctx.full(&[1], 300.0).unwrap()).unwrap();
            let v = values(&near_one);
            let prod: Vec<f64> = (0..3).map(|c| v.iter().skip(c).step_by(3).product()).collect();
            close(
                &name,
                &ctx.prod_axis(&near_one, 0).unwrap(),
                &prod,
                &prod,
                2.0 + len as f64 / 16.0,
            );
        }
    }
}
