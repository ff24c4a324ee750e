//! Finite differences agree with every VJP, in f64, to 1e-6.

use fucina_core::exec::{
    Activation, AttentionOptions, Conv1dConfig, Conv2dConfig, CrossEntropyOptions, Pool2dConfig,
    Reduction, RopeOptions,
};
use fucina_core::{Error, ExecContext, Tensor, gradcheck};

/// Values away from 0 and from each other, of both signs.
fn input(ctx: &ExecContext, dims: &[usize], seed: usize) -> Tensor<f64> {
    let count = dims.iter().product();
    let value = |i: usize| {
        let u = ((i * 7919 + seed * 104_729) % 97) as f64 / 97.0;
        (0.2 + u) * if (i + seed).is_multiple_of(2) { 1.0 } else { -1.0 }
    };
    Tensor::from_slice(ctx, dims, &(0..count).map(value).collect::<Vec<_>>()).unwrap()
}

fn positive(ctx: &ExecContext, dims: &[usize], seed: usize) -> Tensor<f64> {
    let x = input(ctx, dims, seed);
    x.mul(ctx, &x).unwrap()
}

type Unary = fn(&Tensor<f64>, &ExecContext) -> Result<Tensor<f64>, Error>;
type AlongAxis = fn(&Tensor<f64>, &ExecContext, usize) -> Result<Tensor<f64>, Error>;
type Unary3 = fn(&Tensor<f64>, &ExecContext, &[usize], bool) -> Result<Tensor<f64>, Error>;
type Binary = fn(&Tensor<f64>, &ExecContext, &Tensor<f64>) -> Result<Tensor<f64>, Error>;

#[test]
fn unary_ops() {
    let ctx = ExecContext::new();
    let any: [(&str, Unary); 25] = [
        ("neg", Tensor::neg),
        ("exp", Tensor::exp),
        ("tanh", Tensor::tanh),
        ("sigmoid", Tensor::sigmoid),
        ("relu", Tensor::relu),
        ("gelu", Tensor::gelu),
        ("scale", |x, ctx| x.scale(ctx, -1.75)),
        ("add_scalar", |x, ctx| x.add_scalar(ctx, -1.75)),
        ("abs", Tensor::abs),
        ("sign", Tensor::sign),
        ("square", Tensor::square),
        ("reciprocal", Tensor::reciprocal),
        ("floor", Tensor::floor),
        ("ceil", Tensor::ceil),
        ("round", |x, ctx| x.scale(ctx, 0.9)?.round(ctx)),
        ("expm1", Tensor::expm1),
        ("sin", Tensor::sin),
        ("cos", Tensor::cos),
        ("erf", Tensor::erf),
        ("softplus", Tensor::softplus),
        ("silu", Tensor::silu),
        ("gelu_tanh", Tensor::gelu_tanh),
        ("leaky_relu", |x, ctx| x.leaky_relu(ctx, 0.1)),
        ("elu", |x, ctx| x.elu(ctx, 0.7)),
        ("clamp", |x, ctx| x.clamp(ctx, -0.5, 0.75)),
    ];
    for (name, op) in any {
        let x = input(&ctx, &[3, 5], 1);
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let of_positive: [(&str, Unary); 5] = [
        ("log", Tensor::log),
        ("log1p", Tensor::log1p),
        ("sqrt", Tensor::sqrt),
        ("rsqrt", Tensor::rsqrt),
        ("powf", |x, ctx| x.add_scalar(ctx, 0.5)?.powf(ctx, -1.5)),
    ];
    for (name, op) in of_positive {
        let x = positive(&ctx, &[3, 5], 2);
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn binary_ops_and_their_broadcasts() {
    let ctx = ExecContext::new();
    let ops: [(&str, Binary); 11] = [
        ("add", Tensor::add),
        ("sub", Tensor::sub),
        ("mul", Tensor::mul),
        ("div", Tensor::div),
        ("maximum", Tensor::maximum),
        ("minimum", Tensor::minimum),
        ("pow", |x, ctx, y| x.square(ctx)?.pow(ctx, y)),
        ("glu", Tensor::glu),
        ("swiglu", Tensor::swiglu),
        ("geglu", Tensor::geglu),
        ("reglu", Tensor::reglu),
    ];
    let shapes: [(&[usize], &[usize]); 7] = [
        (&[2, 3], &[2, 3]),
        (&[2, 3], &[3]),
        (&[3], &[2, 3]),
        (&[2, 1], &[1, 3]),
        (&[1], &[2, 3]),
        (&[2, 1, 3], &[4, 1]),
        (&[1, 1, 3], &[2, 3]),
    ];
    for (name, op) in ops {
        for (a, b) in shapes {
            let (x, y) = (input(&ctx, a, 3), input(&ctx, b, 4));
            gradcheck(&ctx, &[&x, &y], 1e-6, |ctx, x| op(&x[0], ctx, &x[1]))
                .unwrap_or_else(|e| panic!("{name} {a:?} {b:?}: {e}"));
        }
        let x = input(&ctx, &[4], 5);
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx, &x[0]))
            .unwrap_or_else(|e| panic!("{name} of one operand twice: {e}"));
    }
}

#[test]
fn gated_units_of_halves() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[3, 2, 6], 20);
    let ops: [(&str, Unary); 4] = [
        ("glu", Tensor::glu_halves),
        ("swiglu", Tensor::swiglu_halves),
        ("geglu", Tensor::geglu_halves),
        ("reglu", Tensor::reglu_halves),
    ];
    for (name, op) in ops {
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| {
            op(&x[0].transpose(ctx, 0, 2)?.narrow(ctx, 2, 0, 2)?, ctx)
        })
        .unwrap_or_else(|e| panic!("{name} of a view: {e}"));
    }
}

#[test]
fn choices_by_a_mask() {
    let ctx = ExecContext::new();
    let mask = Tensor::from_slice(&ctx, &[2, 3], &[true, false, false, true, true, false]).unwrap();
    let shapes: [(&[usize], &[usize]); 4] =
        [(&[2, 3], &[2, 3]), (&[3], &[2, 1]), (&[4, 1, 1], &[2, 3]), (&[1], &[1])];
    for (a, b) in shapes {
        let (x, y) = (input(&ctx, a, 21), input(&ctx, b, 22));
        for mask in [&mask, &mask.not(&ctx).unwrap()] {
            gradcheck(&ctx, &[&x, &y], 1e-6, |ctx, x| mask.where_select(ctx, &x[0], &x[1]))
                .unwrap();
        }
    }
}

#[test]
fn conversions_between_computing_types() {
    let ctx = ExecContext::new();
    let x = Tensor::variable_from_slice(&ctx, &[3], &[0.5_f64, -2.0, 3.0]).unwrap();
    let y = x.cast::<f32>(&ctx).unwrap();
    let seed = Tensor::from_slice(&ctx, &[3], &[1.0_f32, 0.25, -2.0]).unwrap();
    y.mul(&ctx, &y).unwrap().backward_with_grad(&ctx, &seed).unwrap();
    assert_eq!(x.grad(&ctx).unwrap().unwrap().to_vec().unwrap(), [1.0, -1.0, -12.0]);
    let same = x.cast::<f64>(&ctx).unwrap();
    gradcheck(&ctx, &[&same], 1e-6, |ctx, x| x[0].cast::<f64>(ctx)?.tanh(ctx)).unwrap();
    assert!(
        x.requires_grad() && same.requires_grad() && !x.cast::<i32>(&ctx).unwrap().requires_grad()
    );
}

#[test]
fn reductions() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[2, 3, 4], 6);
    let all: [(&str, Unary); 3] = [
        ("sum_all", Tensor::sum_all),
        ("mean_all", Tensor::mean_all),
        ("max_all", Tensor::max_all),
    ];
    for (name, op) in all {
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    for axis in 0..3 {
        let ops: [(&str, AlongAxis); 3] = [
            ("sum_axis", Tensor::sum_axis),
            ("mean_axis", Tensor::mean_axis),
            ("max_axis", Tensor::max_axis),
        ];
        for (name, op) in ops {
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx, axis))
                .unwrap_or_else(|e| panic!("{name} {axis}: {e}"));
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0].transpose(ctx, 0, 2)?, ctx, axis))
                .unwrap_or_else(|e| panic!("{name} {axis} of a view: {e}"));
        }
    }
}

#[test]
fn reductions_over_axes() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[2, 3, 4], 35);
    let axes: [&[usize]; 5] = [&[], &[1], &[2, 0], &[1, 2], &[0, 1, 2]];
    for axes in axes {
        for keep in [false, true] {
            let ops: [(&str, Unary3); 7] = [
                ("sum", Tensor::sum),
                ("mean", Tensor::mean),
                ("max", Tensor::max),
                ("min", Tensor::min),
                ("prod", Tensor::prod),
                ("var", |x, ctx, axes, keep| x.var(ctx, axes, 1, keep)),
                ("std", |x, ctx, axes, keep| x.std(ctx, axes, 0, keep)),
            ];
            for (name, op) in ops {
                gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx, axes, keep))
                    .unwrap_or_else(|e| panic!("{name} {axes:?}: {e}"));
            }
        }
    }
    for axis in 0..3 {
        let ops: [(&str, AlongAxis); 3] = [
            ("logsumexp", Tensor::logsumexp),
            ("cumsum", Tensor::cumsum),
            ("min", Tensor::min_axis),
        ];
        for (name, op) in ops {
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx, axis))
                .unwrap_or_else(|e| panic!("{name} {axis}: {e}"));
        }
    }
    let zeros = Tensor::from_slice(&ctx, &[2, 3], &[0.0_f64, 2.0, 3.0, 0.0, 0.0, 4.0]).unwrap();
    gradcheck(&ctx, &[&zeros], 1e-6, |ctx, x| x[0].prod_axis(ctx, 1)).unwrap();
}

#[test]
fn matrix_products() {
    let ctx = ExecContext::new();
    let ops: [(&str, Binary, [usize; 2], [usize; 2]); 3] = [
        ("nn", Tensor::matmul, [3, 5], [5, 4]),
        ("nt", Tensor::matmul_nt, [3, 5], [4, 5]),
        ("tn", Tensor::matmul_tn, [5, 3], [5, 4]),
    ];
    for (name, op, a, b) in ops {
        let (x, y) = (input(&ctx, &a, 7), input(&ctx, &b, 8));
        gradcheck(&ctx, &[&x, &y], 1e-6, |ctx, x| op(&x[0], ctx, &x[1]))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let x = input(&ctx, &[3, 3], 9);
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].matmul(ctx, &x[0])).unwrap();
}

#[test]
fn products_of_batches() {
    let ctx = ExecContext::new();
    let shapes: [[&[usize]; 2]; 5] = [
        [&[2, 3, 4], &[2, 4, 2]],
        [&[2, 3, 4], &[4, 2]],
        [&[3, 4], &[2, 4, 2]],
        [&[2, 1, 3, 4], &[1, 2, 4, 2]],
        [&[2, 1, 4], &[1, 4, 2]],
    ];
    for [a, b] in shapes {
        let (a, b) = (input(&ctx, a, 7), input(&ctx, b, 8));
        let turned = |x: &Tensor<f64>| {
            let rank = x.shape().rank();
            let raw = ctx.materialize(&x.raw().transpose(rank - 2, rank - 1).unwrap()).unwrap();
            Tensor::variable(&ctx, raw).unwrap()
        };
        let (at, bt) = (turned(&a), turned(&b));
        let forms: [(Binary, [&Tensor<f64>; 2]); 3] = [
            (Tensor::matmul, [&a, &b]),
            (Tensor::matmul_nt, [&a, &bt]),
            (Tensor::matmul_tn, [&at, &b]),
        ];
        for (op, operands) in forms {
            let shapes = operands.map(|x| *x.shape());
            gradcheck(&ctx, &operands, 1e-6, |ctx, x| op(&x[0], ctx, &x[1]))
                .unwrap_or_else(|e| panic!("{shapes:?}: {e}"));
        }
    }
}

#[test]
fn products_with_an_addend_or_a_bias() {
    let ctx = ExecContext::new();
    let (a, b) = (input(&ctx, &[2, 3, 4], 7), input(&ctx, &[4, 2], 8));
    for c in [&[2, 3, 2][..], &[2], &[3, 1]] {
        let c = input(&ctx, c, 9);
        gradcheck(&ctx, &[&c, &a, &b], 1e-6, |ctx, x| x[0].matmul_add(ctx, &x[1], &x[2])).unwrap();
    }
    let bias = input(&ctx, &[2], 10);
    for activation in [
        Activation::Identity,
        Activation::Relu,
        Activation::Tanh,
        Activation::Sigmoid,
        Activation::Silu,
        Activation::Gelu,
        Activation::GeluTanh,
    ] {
        gradcheck(&ctx, &[&a, &b, &bias], 1e-6, |ctx, x| {
            x[0].linear(ctx, &x[1], Some(&x[2]), activation)
        })
        .unwrap_or_else(|e| panic!("{activation:?}: {e}"));
        gradcheck(&ctx, &[&a, &b], 1e-6, |ctx, x| x[0].linear(ctx, &x[1], None, activation))
            .unwrap();
    }
}

#[test]
fn convolutions() {
    let ctx = ExecContext::new();
    let plain = Conv2dConfig::default();
    let (x, bias) = (input(&ctx, &[2, 4, 5, 4], 7), input(&ctx, &[2], 8));
    for (weight, config) in [
        ([2, 4, 3, 2], plain),
        (
            [2, 2, 2, 3],
            Conv2dConfig { stride: [2, 1], padding: [1, 2], dilation: [1, 2], groups: 2 },
        ),
    ] {
        let weight = input(&ctx, &weight, 9);
        gradcheck(&ctx, &[&x, &weight, &bias], 1e-6, |ctx, x| {
            x[0].conv2d(ctx, &x[1], Some(&x[2]), config)
        })
        .unwrap_or_else(|e| panic!("{config:?}: {e}"));
    }
    let (x, weight) = (input(&ctx, &[2, 3, 6], 7), input(&ctx, &[2, 3, 2], 9));
    let config = Conv1dConfig { stride: 2, ..Conv1dConfig::default() };
    gradcheck(&ctx, &[&x, &weight], 1e-6, |ctx, x| x[0].conv1d(ctx, &x[1], None, config)).unwrap();
}

#[test]
fn pooling() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[2, 2, 5, 6], 7);
    let overlapping = Pool2dConfig { window: [3, 2], stride: [2, 1], padding: [1, 1] };
    for config in [Pool2dConfig::new([2, 3]), overlapping] {
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].max_pool2d(ctx, config)).unwrap();
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].avg_pool2d(ctx, config)).unwrap();
    }
}

#[test]
fn ops_that_move_elements() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[2, 3, 4], 10);
    let ops: [(&str, Unary); 8] = [
        ("reshape", |x, ctx| x.reshape(ctx, &[4, 6])),
        ("reshape of a view", |x, ctx| x.transpose(ctx, 0, 1)?.reshape(ctx, &[24])),
        ("transpose", |x, ctx| x.transpose(ctx, 0, 2)),
        ("permute", |x, ctx| x.permute(ctx, &[2, 0, 1])),
        ("narrow", |x, ctx| x.narrow(ctx, 1, 1, 2)),
        ("narrow of a view", |x, ctx| x.transpose(ctx, 1, 2)?.narrow(ctx, 1, 2, 2)),
        ("broadcast_to", |x, ctx| {
            x.reshape(ctx, &[2, 3, 1, 4])?.broadcast_to(ctx, &[5, 2, 3, 2, 4])
        }),
        ("concat", |x, ctx| Tensor::concat(ctx, &[x, &x.narrow(ctx, 1, 0, 1)?, x], 1)),
    ];
    for (name, op) in ops {
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| op(&x[0], ctx))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let (y, z) = (input(&ctx, &[2, 1, 4], 11), input(&ctx, &[2, 2, 4], 12));
    gradcheck(&ctx, &[&x, &y, &z], 1e-6, |ctx, x| {
        let xs = x.iter().collect::<Vec<_>>();
        Tensor::concat(ctx, &xs, 1)
    })
    .unwrap();
}

#[test]
fn picks_by_index() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[3, 4, 2], 36);
    let indices = |dims: &[usize], bound| {
        let count: usize = dims.iter().product();
        let values: Vec<i64> = (0..count as i64).map(|i| i * i * 7 % bound).collect();
        Tensor::from_slice(&ctx, dims, &values).unwrap()
    };
    for axis in 0..3 {
        let bound = x.shape()[axis] as i64;
        for dims in [&[1][..], &[5], &[2, 3]] {
            let picks = indices(dims, bound);
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].index_select(ctx, axis, &picks))
                .unwrap_or_else(|e| panic!("index_select {axis} {dims:?}: {e}"));
        }
        for len in [1, 5] {
            let mut dims = [3, 4, 2];
            dims[axis] = len;
            let picks = indices(&dims, bound);
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].gather(ctx, axis, &picks))
                .unwrap_or_else(|e| panic!("gather {axis} {len}: {e}"));
            dims.swap(0, 2);
            let picks = indices(&dims, bound);
            gradcheck(&ctx, &[&x], 1e-6, |ctx, x| {
                x[0].transpose(ctx, 0, 2)?.gather(ctx, 2 - axis, &picks)
            })
            .unwrap_or_else(|e| panic!("gather {axis} {len} of a view: {e}"));
        }
    }
}

#[test]
fn the_softmax_family() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[3, 4, 2], 13);
    for axis in 0..3 {
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].softmax(ctx, axis)).unwrap();
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].log_softmax(ctx, axis)).unwrap();
    }
    let logits = input(&ctx, &[4, 3], 14);
    let targets = Tensor::from_slice(&ctx, &[4], &[2_i64, 0, 1, 2]).unwrap();
    gradcheck(&ctx, &[&logits], 1e-6, |ctx, x| x[0].cross_entropy(ctx, &targets)).unwrap();
    for label_smoothing in [0.0, 0.2, 1.0] {
        for ignore_index in [None, Some(2), Some(-100)] {
            for reduction in [Reduction::Mean, Reduction::Sum] {
                let options = CrossEntropyOptions { label_smoothing, ignore_index, reduction };
                gradcheck(&ctx, &[&logits], 1e-6, |ctx, x| {
                    x[0].cross_entropy_with(ctx, &targets, options)
                })
                .unwrap_or_else(|e| panic!("{options:?}: {e}"));
            }
        }
    }
}

#[test]
fn the_normalisations() {
    let ctx = ExecContext::new();
    let (x, w, b) = (input(&ctx, &[35, 3], 20), input(&ctx, &[3], 21), input(&ctx, &[3], 22));
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].layer_norm(ctx, 2, None, None, 1e-3)).unwrap();
    gradcheck(&ctx, &[&x, &w, &b], 1e-6, |ctx, p| {
        p[0].layer_norm(ctx, 1, Some(&p[1]), Some(&p[2]), 1e-3)
    })
    .unwrap();
    gradcheck(&ctx, &[&x, &b], 1e-6, |ctx, p| p[0].layer_norm(ctx, 1, None, Some(&p[1]), 1e-3))
        .unwrap();
    gradcheck(&ctx, &[&w], 1e-6, |ctx, w| x.layer_norm(ctx, 1, Some(&w[0]), None, 1e-3)).unwrap();
    gradcheck(&ctx, &[&x, &w], 1e-6, |ctx, p| p[0].rms_norm(ctx, 1, Some(&p[1]), 1e-3)).unwrap();
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].rms_norm(ctx, 1, None, 0.0)).unwrap();
    let (image, w, b) =
        (input(&ctx, &[3, 4, 2, 3], 23), input(&ctx, &[4], 24), input(&ctx, &[4], 25));
    for groups in [1, 2, 4] {
        gradcheck(&ctx, &[&image, &w, &b], 1e-6, |ctx, p| {
            p[0].group_norm(ctx, groups, Some(&p[1]), Some(&p[2]), 1e-3)
        })
        .unwrap();
    }
    let flat = input(&ctx, &[3, 4], 26);
    gradcheck(&ctx, &[&flat, &w, &b], 1e-6, |ctx, p| {
        p[0].group_norm(ctx, 2, Some(&p[1]), Some(&p[2]), 1e-3)
    })
    .unwrap();
}

#[test]
fn rotations() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[2, 3, 6], 34);
    let positions = Tensor::from_slice(&ctx, &[3], &[0_i64, 7, -2]).unwrap();
    for interleaved in [false, true] {
        let options = RopeOptions { base: 100.0, interleaved };
        gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].rope(ctx, &positions, options)).unwrap();
    }
}

/// Attention of one head by other ops; `mask` is added to the scores.
fn composed(
    ctx: &ExecContext,
    [q, k, v]: [&Tensor<f64>; 3],
    mask: &Tensor<f64>,
) -> Result<Tensor<f64>, Error> {
    let (queries, keys, dim) = (q.shape()[2], k.shape()[2], q.shape()[3]);
    let q = q.reshape(ctx, &[queries, dim])?.scale(ctx, 1.0 / (dim as f64).sqrt())?;
    let scores = q.matmul_nt(ctx, &k.reshape(ctx, &[keys, dim])?)?.add(ctx, mask)?;
    let out = scores.softmax(ctx, 1)?.matmul(ctx, &v.reshape(ctx, &[keys, v.shape()[3]])?)?;
    out.reshape(ctx, &[1, 1, queries, v.shape()[3]])
}

#[test]
fn attention() {
    let ctx = ExecContext::new();
    let all = AttentionOptions::default();
    let causal = AttentionOptions { causal: true, ..all };
    let options = [
        all,
        causal,
        AttentionOptions { window: Some(2), ..all },
        AttentionOptions { window: Some(3), scale: Some(-0.3), ..causal },
    ];
    for (queries, keys) in [(5, 5), (3, 5), (6, 4)] {
        for options in options {
            let (q, k) = (input(&ctx, &[2, 4, queries, 3], 27), input(&ctx, &[2, 2, keys, 3], 28));
            let v = input(&ctx, &[2, 2, keys, 2], 29);
            gradcheck(&ctx, &[&q, &k, &v], 1e-6, |ctx, x| {
                x[0].scaled_dot_product_attention(ctx, &x[1], &x[2], options)
            })
            .unwrap_or_else(|e| panic!("{queries} x {keys}, {options:?}: {e}"));
        }
    }
    // More than a block each way.
    for (queries, keys) in [(70, 150), (130, 67)] {
        for (i, options) in
            [causal, AttentionOptions { window: Some(40), ..causal }, all].into_iter().enumerate()
        {
            let dims = |n| [1, 1, n, 3];
            let variable = |n, seed| {
                Tensor::variable(&ctx, input(&ctx, &dims(n), seed).raw().clone()).unwrap()
            };
            let (q, k, v) = (variable(queries, 30), variable(keys, 31), variable(keys, 32));
            let hidden = |at: usize| {
                let (query, key) =
                    ((at / keys + keys) as isize - queries as isize, (at % keys) as isize);
                let hidden = options.causal && key > query
                    || options.window.is_some_and(|w| query - key >= w as isize);
                if hidden { f64::NEG_INFINITY } else { 0.0 }
            };
            let mask: Vec<f64> = (0..queries * keys).map(hidden).collect();
            let mask = Tensor::from_slice(&ctx, &[queries, keys], &mask).unwrap();
            let g = input(&ctx, &dims(queries), 33);
            let mut results = Vec::new();
            for ours in [true, false] {
                let out = if ours {
                    q.scaled_dot_product_attention(&ctx, &k, &v, options).unwrap()
                } else {
                    composed(&ctx, [&q, &k, &v], &mask).unwrap()
                };
                out.backward_with_grad(&ctx, &g).unwrap();
                let mut all = out.to_vec().unwrap();
                for x in [&q, &k, &v] {
                    all.extend(x.grad(&ctx).unwrap().unwrap().to_vec().unwrap());
                    x.zero_grad();
                }
                results.push(all);
            }
            for (at, (a, b)) in results[0].iter().zip(&results[1]).enumerate() {
                let place = format_args!("{queries} x {keys}, options {i}, number {at}");
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{place}: {a} for {b}");
            }
        }
    }
}

#[test]
fn a_network_of_everything() {
    let ctx = ExecContext::new();
    let (x, w) = (input(&ctx, &[4, 3], 15), input(&ctx, &[5, 3], 16));
    let (b, v) = (input(&ctx, &[5], 17), input(&ctx, &[5, 2], 18));
    gradcheck(&ctx, &[&x, &w, &b, &v], 1e-6, |ctx, p| {
        let hidden = p[0].matmul_nt(ctx, &p[1])?.add(ctx, &p[2])?.gelu(ctx)?;
        let scores = hidden.matmul(ctx, &p[3])?.softmax(ctx, 1)?;
        scores.mul(ctx, &scores)?.mean_axis(ctx, 0)?.exp(ctx)?.sum_all(ctx)
    })
    .unwrap();
}

#[test]
fn a_wrong_gradient_is_caught() {
    let ctx = ExecContext::new();
    let x = input(&ctx, &[3], 19);
    let wrong = gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].mul(ctx, &x[0].detach()));
    assert!(wrong.is_err());
}
