//! Training steps of a multilayer perceptron: forwards, cross entropy, backwards, SGD.

use burn::nn::loss::CrossEntropyLossConfig;
use burn::tensor::{Int, TensorData, activation};
use candle_core::{Tensor, Var};
use candle_nn::Optimizer;
use fucina::optim::{Sgd, SgdConfig};
use turns::{Unit, contender, row};

use crate::{Bench, assert_near, burn};

const CLASSES: usize = 10;
const RATE: f64 = 1e-3;

/// The steps of DESIGN's table.
pub(crate) fn steps(bench: &Bench) {
    step(bench, "step, MLP 64 x 784-256-10", [64, 784, 256]);
    step(bench, "step, MLP 32 x 64-32-10", [32, 64, 32]);
}

fn step(bench: &Bench, title: &str, [batch, inputs, hidden]: [usize; 3]) {
    if !bench.wants(title) {
        return;
    }
    let ctx = &bench.ctx;
    let (x, cx, nx) = bench.gaussian(&[batch, inputs], 1);
    let (w1, cw1, nw1) = scaled(bench, &[hidden, inputs], 2);
    let (w2, cw2, nw2) = scaled(bench, &[CLASSES, hidden], 3);
    let labels: Vec<i64> = (0..batch).map(|i| (i * 7 % CLASSES) as i64).collect();
    let mut third = Burn {
        x: burn([batch, inputs], &nx).autodiff(),
        w1: burn([hidden, inputs], &nw1),
        b1: burn([hidden], &vec![0.0; hidden]),
        w2: burn([CLASSES, hidden], &nw2),
        b2: burn([CLASSES], &[0.0; CLASSES]),
        labels: burn::Tensor::from_data(
            TensorData::new(labels.clone(), [batch]),
            &burn::tensor::Device::flex().autodiff(),
        ),
    };

    let x = fucina::Tensor::constant(x);
    let targets = fucina::Tensor::<i64>::from_slice(ctx, &[batch], &labels).unwrap();
    let variable = |raw| fucina::Tensor::variable(ctx, raw).unwrap();
    let zeros = |n| variable(ctx.zeros(&[n]).unwrap());
    let mut ours = [variable(w1), zeros(hidden), variable(w2), zeros(CLASSES)];
    let mut sgd = Sgd::new(SgdConfig { learning_rate: RATE, ..SgdConfig::default() }).unwrap();
    let mut one = || {
        let [w1, b1, w2, b2] = &ours;
        let hidden = x.matmul_nt(ctx, w1).unwrap().add(ctx, b1).unwrap().relu(ctx).unwrap();
        let scores = hidden.matmul_nt(ctx, w2).unwrap().add(ctx, b2).unwrap();
        let loss = scores.cross_entropy(ctx, &targets).unwrap();
        loss.backward(ctx).unwrap();
        sgd.step(ctx, &mut ours.each_mut()).unwrap();
        ours.iter().for_each(|w| w.zero_grad());
        loss.to_vec().unwrap()[0]
    };

    let var = |x: &Tensor| Var::from_tensor(x).unwrap();
    let none = |n| Var::zeros(n, candle_core::DType::F32, cx.device()).unwrap();
    let theirs = [var(&cw1), none(hidden), var(&cw2), none(CLASSES)];
    let labels = Tensor::from_vec(labels, batch, cx.device()).unwrap();
    let mut candle = candle_nn::SGD::new(theirs.to_vec(), RATE).unwrap();
    let mut other = || {
        let [w1, b1, w2, b2] = &theirs;
        let hidden =
            cx.matmul(&w1.t().unwrap()).unwrap().broadcast_add(b1).unwrap().relu().unwrap();
        let scores = hidden.matmul(&w2.t().unwrap()).unwrap().broadcast_add(b2).unwrap();
        let loss = candle_nn::loss::cross_entropy(&scores, &labels).unwrap();
        candle.backward_step(&loss).unwrap();
        loss
    };
    for _ in 0..3 {
        let ours = one();
        assert_near(title, &[ours], &other(), 1e-4);
        assert_near(title, &[ours], &third.step(), 1e-4);
    }
    let third = contender("burn", || third.step());
    row(
        title,
        Unit::Micros,
        1.0,
        vec![contender("fucina", one), contender("candle", other), third],
    );
}

/// The same network as tensors of burn's, without a module around them.
struct Burn {
    x: burn::Tensor<2>,
    w1: burn::Tensor<2>,
    b1: burn::Tensor<1>,
    w2: burn::Tensor<2>,
    b2: burn::Tensor<1>,
    labels: burn::Tensor<1, Int>,
}

impl Burn {
    fn step(&mut self) -> burn::Tensor<1> {
        let [w1, w2] = [&self.w1, &self.w2].map(|w| w.clone().autodiff().require_grad());
        let [b1, b2] = [&self.b1, &self.b2].map(|b| b.clone().autodiff().require_grad());
        let hidden = self.x.clone().matmul(w1.clone().transpose()) + b1.clone().unsqueeze();
        let scores =
            activation::relu(hidden).matmul(w2.clone().transpose()) + b2.clone().unsqueeze();
        let loss = CrossEntropyLossConfig::new()
            .init(&scores.device())
            .forward(scores, self.labels.clone());
        let grads = loss.backward();
        descend(&mut self.w1, &w1, &grads);
        descend(&mut self.b1, &b1, &grads);
        descend(&mut self.w2, &w2, &grads);
        descend(&mut self.b2, &b2, &grads);
        loss
    }
}

/// What burn's SGD does without momentum: a step against the gradient.
fn descend<const D: usize>(
    weight: &mut burn::Tensor<D>,
    leaf: &burn::Tensor<D>,
    grads: &burn::tensor::Gradients,
) {
    *weight = weight.clone() - leaf.grad(grads).unwrap() * RATE;
}

/// Weights of variance `2 / inputs`.
fn scaled(
    bench: &Bench,
    dims: &[usize; 2],
    seed: u64,
) -> (fucina::RawTensor<f32>, Tensor, Vec<f32>) {
    let (_, _, mut values) = bench.gaussian(dims, seed);
    let scale = (2.0 / dims[1] as f32).sqrt();
    values.iter_mut().for_each(|x| *x *= scale);
    let theirs = Tensor::from_slice(&values, &dims[..], &candle_core::Device::Cpu).unwrap();
    (bench.ctx.from_slice(&dims[..], &values).unwrap(), theirs, values)
}
