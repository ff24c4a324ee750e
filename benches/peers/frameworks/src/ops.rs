//! Ops, each against the same op of the peers.

use burn::module::Param;
use burn::tensor::{activation, module, ops};
use candle_core::{D, Tensor};
use fucina::exec::{AttentionOptions, Conv2dConfig};
use ndarray::{Array1, Array2, Axis};
use turns::{Unit, contender, row};

use crate::{Bench, assert_near, burn};

const N: usize = 1024;

/// What an op of 16 elements costs: overhead.
pub(crate) fn small(bench: &Bench) {
    let title = "add, 16 elements";
    if !bench.wants(title) {
        return;
    }
    let ctx = &bench.ctx;
    let ((a, ca, na), (b, cb, nb)) = (bench.gaussian(&[16], 1), bench.gaussian(&[16], 2));
    let (ba, bb) = (burn([16], &na), burn([16], &nb));
    let (na, nb) = (Array1::from(na), Array1::from(nb));
    let [ta, tb] = [&a, &b].map(|x| fucina::Tensor::constant(x.clone()));
    let sum = ctx.add(&a, &b).unwrap();
    assert_near(title, sum.data().unwrap(), &(&ca + &cb).unwrap(), 0.0);
    assert_near(title, sum.data().unwrap(), &(ba.clone() + bb.clone()), 0.0);
    row(
        title,
        Unit::Micros,
        1.0,
        vec![
            contender("fucina, raw", || ctx.add(&a, &b).unwrap()),
            contender("fucina", || ta.add(ctx, &tb).unwrap()),
            contender("candle", || (&ca + &cb).unwrap()),
            contender("burn", || ba.clone() + bb.clone()),
            contender("ndarray", || &na + &nb),
        ],
    );
}

/// An op of a matrix: ours, candle's, burn's, ndarray's if it has one.
struct Case<'a> {
    title: &'a str,
    ours: &'a dyn Fn() -> fucina::RawTensor<f32>,
    candle: &'a dyn Fn() -> Tensor,
    burn: &'a dyn Fn() -> burn::Tensor<2>,
    ndarray: Option<&'a dyn Fn() -> Vec<f32>>,
}

fn run(bench: &Bench, cases: &[Case<'_>]) {
    for case in cases.iter().filter(|case| bench.wants(case.title)) {
        let ours = (case.ours)();
        assert_near(case.title, ours.data().unwrap(), &(case.candle)(), 2e-3);
        assert_near(case.title, ours.data().unwrap(), &(case.burn)(), 2e-3);
        let mut all = vec![
            contender("fucina", case.ours),
            contender("candle", case.candle),
            contender("burn", case.burn),
        ];
        all.extend(case.ndarray.map(|f| contender("ndarray", f)));
        row(case.title, Unit::NanosEach, (N * N) as f64, all);
    }
}

/// Functions of every element of a matrix.
pub(crate) fn elementwise(bench: &Bench) {
    let ctx = &bench.ctx;
    let (x, cx, nx) = bench.gaussian(&[N, N], 1);
    let bx = burn([N, N], &nx);
    let nx = Array2::from_shape_vec((N, N), nx).unwrap();
    run(
        bench,
        &[
            Case {
                title: "exp",
                ours: &|| ctx.exp(&x).unwrap(),
                candle: &|| cx.exp().unwrap(),
                burn: &|| bx.clone().exp(),
                ndarray: Some(&|| nx.exp().into_raw_vec_and_offset().0),
            },
            Case {
                title: "tanh",
                ours: &|| ctx.tanh(&x).unwrap(),
                candle: &|| cx.tanh().unwrap(),
                burn: &|| bx.clone().tanh(),
                ndarray: Some(&|| nx.tanh().into_raw_vec_and_offset().0),
            },
            Case {
                title: "gelu",
                ours: &|| ctx.gelu(&x).unwrap(),
                candle: &|| cx.gelu_erf().unwrap(),
                burn: &|| activation::gelu(bx.clone()),
                ndarray: None,
            },
        ],
    );
}

/// Ops along the rows of a matrix.
pub(crate) fn rows(bench: &Bench) {
    let ctx = &bench.ctx;
    let (x, cx, nx) = bench.gaussian(&[N, N], 1);
    let bx = burn([N, N], &nx);
    let nx = Array2::from_shape_vec((N, N), nx).unwrap();
    let ((w, cw, nw), (b, cb, nb)) = (bench.gaussian(&[N], 2), bench.gaussian(&[N], 3));
    let (bw, bb) = (burn([N], &nw), burn([N], &nb));
    let mut rms = burn::nn::RmsNormConfig::new(N).with_epsilon(1e-5).init(&bw.device());
    rms.gamma = Param::from_tensor(bw.clone());
    run(
        bench,
        &[
            Case {
                title: "softmax",
                ours: &|| ctx.softmax(&x, 1).unwrap(),
                candle: &|| candle_nn::ops::softmax_last_dim(&cx).unwrap(),
                burn: &|| activation::softmax(bx.clone(), 1),
                ndarray: None,
            },
            Case {
                title: "layer norm",
                ours: &|| ctx.layer_norm(&x, 1, Some(&w), Some(&b), 1e-5).unwrap(),
                candle: &|| candle_nn::ops::layer_norm(&cx, &cw, &cb, 1e-5).unwrap(),
                burn: &|| module::layer_norm(bx.clone(), bw.clone(), Some(bb.clone()), 1e-5),
                ndarray: None,
            },
            Case {
                title: "rms norm",
                ours: &|| ctx.rms_norm(&x, 1, Some(&w), 1e-5).unwrap(),
                candle: &|| candle_nn::ops::rms_norm(&cx, &cw, 1e-5).unwrap(),
                burn: &|| rms.forward(bx.clone()),
                ndarray: None,
            },
            Case {
                title: "sum over the last axis",
                ours: &|| ctx.sum_axis(&x, 1).unwrap(),
                candle: &|| cx.sum(1).unwrap(),
                burn: &|| bx.clone().sum_dim(1),
                ndarray: Some(&|| nx.sum_axis(Axis(1)).into_raw_vec_and_offset().0),
            },
            Case {
                title: "sum over the first axis",
                ours: &|| ctx.sum_axis(&x, 0).unwrap(),
                candle: &|| cx.sum(0).unwrap(),
                burn: &|| bx.clone().sum_dim(0),
                ndarray: Some(&|| nx.sum_axis(Axis(0)).into_raw_vec_and_offset().0),
            },
        ],
    );
}

/// 64 channels of 56 x 56 to 64, windows of 3 x 3, in operations of the direct form.
pub(crate) fn convolution(bench: &Bench) {
    let title = "conv2d 64 x 56 x 56, 64 3 x 3";
    if !bench.wants(title) {
        return;
    }
    let ctx = &bench.ctx;
    let (x, cx, nx) = bench.gaussian(&[1, 64, 56, 56], 1);
    let (w, cw, nw) = bench.gaussian(&[64, 64, 3, 3], 2);
    let (bx, bw) = (burn([1, 64, 56, 56], &nx), burn([64, 64, 3, 3], &nw));
    let config = Conv2dConfig { padding: [1; 2], ..Conv2dConfig::default() };
    let ours = || ctx.conv2d(&x, &w, None, config).unwrap();
    let theirs = || cx.conv2d(&cw, 1, 1, 1, 1).unwrap();
    let burns = || {
        module::conv2d(
            bx.clone(),
            bw.clone(),
            None,
            ops::ConvOptions::new([1; 2], [1; 2], [1; 2], 1),
        )
    };
    let work = 2.0 * (64 * 56 * 56 * 64 * 9) as f64;
    beside(title, Unit::Gflops, work, ours, theirs, burns);
}

/// 8 heads of 256 queries of 64, each of which sees the keys up to its own place.
pub(crate) fn attention(bench: &Bench) {
    let title = "causal attention 8 x 256 x 64";
    if !bench.wants(title) {
        return;
    }
    let ctx = &bench.ctx;
    let [(q, cq, nq), (k, ck, nk), (v, cv, nv)] =
        [1, 2, 3].map(|seed| bench.gaussian(&[1, 8, 256, 64], seed));
    let [bq, bk, bv] = [nq, nk, nv].map(|x| burn([1, 8, 256, 64], &x));
    let options = AttentionOptions { causal: true, ..AttentionOptions::default() };
    let mask: Vec<f32> =
        (0..256 * 256).map(|i| if i % 256 > i / 256 { f32::NEG_INFINITY } else { 0.0 }).collect();
    let mask = Tensor::from_vec(mask, (1, 1, 256, 256), cq.device()).unwrap();
    let ours = || ctx.scaled_dot_product_attention(&q, &k, &v, options).unwrap().0;
    let theirs = || {
        let scores = (cq.matmul(&ck.t().unwrap()).unwrap() * 0.125).unwrap();
        let scores = scores.broadcast_add(&mask).unwrap();
        candle_nn::ops::softmax(&scores, D::Minus1).unwrap().matmul(&cv).unwrap()
    };
    let settings = ops::AttentionModuleOptions { is_causal: true, ..Default::default() };
    let burns = || module::attention(bq.clone(), bk.clone(), bv.clone(), None, None, settings);
    beside(title, Unit::Micros, 1.0, ours, theirs, burns);
}

/// A row of three, whose results are near.
fn beside<const RANK: usize>(
    title: &str,
    unit: Unit,
    work: f64,
    ours: impl Fn() -> fucina::RawTensor<f32>,
    candle: impl Fn() -> Tensor,
    burn: impl Fn() -> burn::Tensor<RANK>,
) {
    let values = ours();
    assert_near(title, values.data().unwrap(), &candle(), 2e-3);
    assert_near(title, values.data().unwrap(), &burn(), 2e-3);
    row(
        title,
        unit,
        work,
        vec![contender("fucina", ours), contender("candle", candle), contender("burn", burn)],
    );
}
