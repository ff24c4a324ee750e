//! Pools by example, and convolutions against a naive f64 loop by their definition, in both directions; one result on every
//! backend and team.

#[path = "common/bits.rs"]
mod bits;
#[path = "common/gaussian.rs"]
mod gaussian;

use fucina::backend::{SCALAR, SCALAR_UNFUSED};
use fucina::exec::{Conv1dConfig, Conv2dConfig, Pool2dConfig};
use fucina::{ExecContext, RawTensor, Result, Tensor};

use bits::bits;
use gaussian::gaussian;

fn values(x: &RawTensor<f32>) -> Vec<f32> {
    x.iter().collect()
}

/// Shapes of input and weight, and how the window moves.
type Case = ([usize; 4], [usize; 4], Conv2dConfig);

fn cases() -> Vec<Case> {
    let plain = Conv2dConfig::default();
    let padded = Conv2dConfig { padding: [1, 1], ..plain };
    vec![
        ([1, 1, 1, 1], [1, 1, 1, 1], plain),
        ([2, 3, 5, 7], [4, 3, 3, 3], plain),
        ([2, 3, 5, 7], [4, 3, 3, 3], padded),
        ([1, 2, 9, 8], [3, 2, 2, 3], Conv2dConfig { stride: [2, 3], padding: [1, 2], ..plain }),
        ([1, 2, 9, 11], [3, 2, 3, 2], Conv2dConfig { dilation: [2, 3], padding: [3, 0], ..plain }),
        ([2, 4, 6, 6], [6, 2, 3, 3], Conv2dConfig { groups: 2, ..padded }),
        ([1, 5, 7, 7], [5, 1, 3, 3], Conv2dConfig { groups: 5, ..padded }),
        // Windows that lie in the padding altogether, and one as large as the input.
        ([1, 1, 2, 2], [2, 1, 2, 2], Conv2dConfig { padding: [3, 4], ..plain }),
        ([2, 2, 4, 6], [3, 2, 4, 6], plain),
        // A stride beyond the window, and rows of more than one strip.
        ([1, 1, 9, 70], [1, 1, 1, 2], Conv2dConfig { stride: [4, 5], ..plain }),
        ([1, 3, 20, 37], [7, 3, 3, 3], padded),
        // More taps than a strip is deep, more positions than one block holds.
        ([1, 40, 12, 12], [8, 40, 3, 3], padded),
    ]
}

/// What each window reads: `f(output position, weight position, input position)`.
fn each_tap(case: &Case, out: [usize; 4], mut f: impl FnMut(usize, usize, usize)) {
    let &([_, channels, height, width], [o_all, own, kh, kw], config) = case;
    let [images, _, rows, columns] = out;
    let per_group = o_all / config.groups;
    for i in 0..images * o_all * rows * columns {
        let (x, rest) = (i % columns, i / columns);
        let (y, rest) = (rest % rows, rest / rows);
        let (o, image) = (rest % o_all, rest / o_all);
        for t in 0..own * kh * kw {
            let (v, u, c) = (t % kw, t / kw % kh, t / kw / kh);
            let place = |o: usize, t: usize, axis: usize| {
                (o * config.stride[axis] + t * config.dilation[axis])
                    .checked_sub(config.padding[axis])
            };
            let (Some(sy), Some(sx)) = (place(y, u, 0), place(x, v, 1)) else { continue };
            if sy < height && sx < width {
                let channel = o / per_group * own + c;
                f(
                    i,
                    o * own * kh * kw + t,
                    ((image * channels + channel) * height + sy) * width + sx,
                );
            }
        }
    }
}

/// `|got - want|` within the error of a sum of `terms` terms.
fn close(name: &str, got: &RawTensor<f32>, want: &[(f64, f64)], terms: usize) {
    assert_eq!(got.len(), want.len(), "{name}");
    for (got, (want, size)) in got.iter().zip(want) {
        let bound = (terms as f64 + 2.0) * f64::from(f32::EPSILON) * size;
        assert!((f64::from(got) - want).abs() <= bound, "{name}: {got} for {want}");
    }
}

#[test]
fn convolutions_and_their_gradients_by_definition() -> Result<()> {
    for ctx in [fucina::context(), ExecContext::builder().backend(&SCALAR_UNFUSED).build()] {
        for case in cases() {
            let (x_dims, w_dims, config) = case;
            let (x, w) = (gaussian(&ctx, &x_dims, 1), gaussian(&ctx, &w_dims, 2));
            let bias = gaussian(&ctx, &[w_dims[0]], 3);
            let y = ctx.conv2d(&x, &w, Some(&bias), config)?;
            let out: [usize; 4] = y.shape().dims().try_into().unwrap();
            let g = gaussian(&ctx, &out, 4);
            let f64s = |x: &RawTensor<f32>| x.iter().map(f64::from).collect::<Vec<f64>>();
            let (xs, ws, gs) = (f64s(&x), f64s(&w), f64s(&g));
            let plane = out[2] * out[3];
            let biased = |i: usize| f64::from(bias.iter().nth(i / plane % out[1]).unwrap());
            let mut want: Vec<_> = (0..gs.len()).map(|i| (biased(i), biased(i).abs())).collect();
            let (mut dx, mut dw) = (vec![(0.0, 0.0); xs.len()], vec![(0.0, 0.0); ws.len()]);
            each_tap(&case, out, |o, t, s| {
                for (sum, term) in [
                    (&mut want[o], xs[s] * ws[t]),
                    (&mut dx[s], gs[o] * ws[t]),
                    (&mut dw[t], gs[o] * xs[s]),
                ] {
                    *sum = (sum.0 + term, sum.1 + term.abs());
                }
            });
            let name = format!("{case:?} {}", ctx.backend().name());
            close(&name, &y, &want, w.len() / w_dims[0]);
            let (by_x, by_w) = (
                ctx.conv2d_input_backward(x.shape(), &w, &g, config)?,
                ctx.conv2d_weight_backward(&x, w.shape(), &g, config)?,
            );
            close(&format!("input of {name}"), &by_x, &dx, w.len());
            close(&format!("weight of {name}"), &by_w, &dw, gs.len());
            // Views, and the bias left out.
            let turned = ctx.materialize(&x.permute(&[1, 0, 3, 2])?)?.permute(&[1, 0, 3, 2])?;
            let plain = ctx.conv2d(&turned, &w, None, config)?;
            let planes = ctx.reshape(&bias, &[w_dims[0], 1, 1])?;
            assert_eq!(bits(&ctx.add(&plain, &planes)?), bits(&y), "{name}");
        }
    }
    Ok(())
}

#[test]
fn one_result_on_every_backend_and_team() -> Result<()> {
    let run = |ctx: &ExecContext| -> Result<Vec<Vec<u32>>> {
        let mut all = Vec::new();
        let large = (
            [3, 16, 30, 33],
            [24, 8, 3, 3],
            Conv2dConfig { groups: 2, padding: [1, 1], ..Conv2dConfig::default() },
        );
        for (x, w, config) in cases().into_iter().chain([large]) {
            let (x, w) = (gaussian(ctx, &x, 1), gaussian(ctx, &w, 2));
            let y = ctx.conv2d(&x, &w, None, config)?;
            all.push(bits(&ctx.conv2d_input_backward(x.shape(), &w, &y, config)?));
            all.push(bits(&ctx.conv2d_weight_backward(&x, w.shape(), &y, config)?));
            all.push(bits(&y));
        }
        Ok(all)
    };
    let alone = run(&fucina::context_with_threads(1))?;
    for threads in [2, 5] {
        assert_eq!(run(&fucina::context_with_threads(threads))?, alone, "{threads} threads");
    }
    assert_eq!(run(&ExecContext::builder().backend(&SCALAR).build())?, alone, "one lane");
    Ok(())
}

#[test]
fn pools_see_what_lies_in_the_image() -> Result<()> {
    let ctx = fucina::context();
    let nan = f32::NAN;
    let x = ctx.from_slice(&[1, 1, 3, 3], &[1.0, 2.0, nan, 4.0, 5.0, 6.0, nan, nan, nan])?;
    let config = Pool2dConfig { window: [2, 2], stride: [2, 1], padding: [1, 0] };
    assert_eq!(values(&ctx.max_pool2d(&x, config)?), [2.0, 2.0, 5.0, 6.0]);
    let row = Pool2dConfig { window: [1, 2], stride: [2, 2], padding: [0, 1] };
    let means = values(&ctx.avg_pool2d(&x, row)?);
    assert_eq!(means[0], 1.0);
    assert!(means[1..].iter().all(|x| x.is_nan()));
    let last = ctx.max_pool2d(&x.narrow(2, 2, 1)?, Pool2dConfig::new([1, 3]))?;
    assert_eq!(values(&last), [f32::NEG_INFINITY]);
    // Ties: the gradient goes to the first.
    let ones = ctx.ones::<f32>(&[1, 1, 2, 3])?;
    let overlapping = Pool2dConfig { window: [2, 2], stride: [1, 1], padding: [0, 0] };
    let g = ctx.from_slice(&[1, 1, 1, 2], &[3.0, 4.0])?;
    let dx = ctx.max_pool2d_backward(&ones, &g, overlapping)?;
    assert_eq!(values(&dx), [3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let dx = ctx.avg_pool2d_backward(&ones, &g, overlapping)?;
    assert_eq!(values(&dx), [0.75, 1.75, 1.0, 0.75, 1.75, 1.0]);
    Ok(())
}

#[test]
fn pools_have_one_result_for_any_team() -> Result<()> {
    let run = |ctx: &ExecContext| -> Result<[Vec<u32>; 4]> {
        let x = gaussian(ctx, &[3, 40, 30, 33], 1);
        let config = Pool2dConfig { window: [3, 3], stride: [2, 2], padding: [1, 1] };
        let (max, mean) = (ctx.max_pool2d(&x, config)?, ctx.avg_pool2d(&x, config)?);
        let by_max = ctx.max_pool2d_backward(&x, &mean, config)?;
        let by_mean = ctx.avg_pool2d_backward(&x, &max, config)?;
        Ok([max, mean, by_max, by_mean].map(|x| bits(&x)))
    };
    let alone = run(&fucina::context_with_threads(1))?;
    for threads in [2, 5] {
        assert_eq!(run(&fucina::context_with_threads(threads))?, alone, "{threads} threads");
    }
    Ok(())
}

#[test]
fn one_dimension_is_an_image_of_one_row() -> Result<()> {
    let ctx = fucina::context();
    let x = Tensor::from_slice(&ctx, &[1, 2, 4], &[1.0_f32, 2.0, 3.0, 4.0, -1.0, 0.0, 1.0, 2.0])?;
    let w = Tensor::from_slice(&ctx, &[1, 2, 2], &[1.0, 10.0, 100.0, 1000.0])?;
    let bias = Tensor::from_slice(&ctx, &[1], &[0.5])?;
    let config = Conv1dConfig { stride: 2, padding: 1, ..Conv1dConfig::default() };
    let y = x.conv1d(&ctx, &w, Some(&bias), config)?;
    assert_eq!(y.shape().dims(), [1, 1, 3]);
    assert_eq!(y.to_vec()?, [10.0 - 1000.0 + 0.5, 2.0 + 30.0 + 1000.0 + 0.5, 4.0 + 200.0 + 0.5]);
    Ok(())
}
