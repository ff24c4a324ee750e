//! Every line of `docs/edge-values.md`, at lengths around the lanes' and at one of several pieces, for `f32` and `f64`.
//!
//! The crate that includes this says on what: `crate::contexts::contexts`.

use fucina_core::backend::Real;
use fucina_core::dtype::{bf16, f16};
use fucina_core::{Error, ExecContext, RawTensor, Result, Tensor};

use crate::contexts::contexts;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;
const LENGTHS: [usize; 6] = [1, 3, 8, 33, 67, MANY];
/// Three pieces for a team, the last of which is odd.
const MANY: usize = (2 << 15) + 13;

/// Equal in value and sign, or both NaN.
fn same<T: Real>(a: T, b: T) -> bool {
    let (a, b) = (a.to_f64(), b.to_f64());
    (a.is_nan() && b.is_nan()) || (a == b && a.is_sign_negative() == b.is_sign_negative())
}

/// `op` of `N` operands gives the last value of each row of `cases`, wherever in a tensor of whatever length it stands.
fn check<T: Real, const N: usize>(
    name: &str,
    cases: &[[f64; N]],
    op: impl Fn(&ExecContext, &[RawTensor<T>]) -> Result<RawTensor<T>>,
) {
    for ctx in contexts() {
        for len in LENGTHS {
            let turns = if len == MANY { 1 } else { cases.len() };
            for from in 0..turns {
                let column = |i: usize| -> Vec<T> {
                    (0..len).map(|at| T::from_f64(cases[(from + at) % cases.len()][i])).collect()
                };
                let operands: Vec<_> =
                    (0..N - 1).map(|i| ctx.from_vec(&[len], column(i)).unwrap()).collect();
                let got = op(&ctx, &operands).unwrap();
                for (at, (got, want)) in got.iter().zip(column(N - 1)).enumerate() {
                    let case = cases[(from + at) % cases.len()];
                    let backend = ctx.backend().name();
                    assert!(same(got, want), "{backend}, {name} of {case:?}, length {len}: {got}");
                }
            }
        }
    }
}

macro_rules! values {
    // values!(exp: [-INF, 0.0], [INF, INF]) => for f32 and f64: check("exp", &[..], |c, x| c.exp(&x[0]))
    ($name:ident($($x:ident),*) $(with ($($scalar:expr),+))?: $($case:expr),+ $(,)?) => {{
        let cases = [$($case),+];
        check::<f32, _>(stringify!($name), &cases, |c, x| {
            let [$($x),*] = x else { unreachable!() };
            c.$name($($x),* $(, $($scalar as f32),+)?)
        });
        check::<f64, _>(stringify!($name), &cases, |c, x| {
            let [$($x),*] = x else { unreachable!() };
            c.$name($($x),* $(, $($scalar),+)?)
        });
    }};
}

/// The gradients of `f` at `inputs`, with the seed `g`, on every backend.
fn gradients<const N: usize>(
    inputs: [&[f64]; N],
    g: &[f64],
    f: impl Fn(&ExecContext, &[Tensor<f64>]) -> Result<Tensor<f64>>,
    want: [&[f64]; N],
) {
    for ctx in contexts() {
        let variable = |x: &[f64]| Tensor::variable_from_slice(&ctx, &[x.len()], x).unwrap();
        let variables: Vec<_> = inputs.iter().map(|x| variable(x)).collect();
        let seed = Tensor::from_slice(&ctx, &[g.len()], g).unwrap();
        f(&ctx, &variables).unwrap().backward_with_grad(&ctx, &seed).unwrap();
        for (x, want) in variables.iter().zip(want) {
            let got = x.grad(&ctx).unwrap().unwrap().to_vec().unwrap();
            let fits = got.len() == want.len()
                && got.iter().zip(want).all(|(&a, &b)| a == b || same(a, b));
            assert!(fits, "{}: {got:?} for {want:?}", ctx.backend().name());
        }
    }
}

#[test]
fn every_line_of_the_page_has_a_test_and_every_test_a_line() {
    let page = include_str!("../../docs/edge-values.md");
    let lines: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| e")?.split_once(' '))
        .map(|(n, _)| n)
        .collect();
    let tests: Vec<&str> = include_str!("edge_values.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("fn e")?.split_once('_'))
        .filter(|(n, _)| n.bytes().all(|b| b.is_ascii_digit()))
        .map(|(n, _)| n)
        .collect();
    assert_eq!(lines, tests);
    assert_eq!(lines.len(), 41);
}

#[test]
fn e1_arithmetic_is_that_of_ieee_754() {
    values!(add(a, b): [INF, -INF, NAN], [NAN, 1.0, NAN], [-0.0, -0.0, -0.0], [0.0, -0.0, 0.0]);
    values!(sub(a, b): [INF, INF, NAN], [INF, -INF, INF], [0.0, 0.0, 0.0]);
    values!(mul(a, b): [0.0, INF, NAN], [-0.0, 3.0, -0.0], [-INF, -2.0, INF]);
    values!(div(a, b): [0.0, 0.0, NAN], [INF, INF, NAN], [1.0, -0.0, -INF], [1.0, -INF, -0.0]);
    values!(sqrt(x): [-1.0, NAN], [-0.0, -0.0], [INF, INF], [NAN, NAN]);
}

#[test]
fn e2_neg_and_abs_move_the_sign_only() {
    values!(neg(x): [0.0, -0.0], [-0.0, 0.0], [INF, -INF]);
    values!(abs(x): [-0.0, 0.0], [-INF, INF], [-3.0, 3.0]);
    for ctx in contexts() {
        let nan = f32::from_bits(0xffc1_2345);
        let x = ctx.full(&[33], nan).unwrap();
        assert!(ctx.neg(&x).unwrap().iter().all(|x| x.to_bits() == 0x7fc1_2345));
        assert!(ctx.abs(&x).unwrap().iter().all(|x| x.to_bits() == 0x7fc1_2345));
    }
}

#[test]
fn e3_sign_keeps_zeros_and_nan() {
    values!(sign(x): [-7.0, -1.0], [INF, 1.0], [1e-40, 1.0], [0.0, 0.0], [-0.0, -0.0], [NAN, NAN]);
    gradients([&[-2.0, 0.0, NAN]], &[1.0, NAN, INF], |c, x| x[0].sign(c), [&[0.0, 0.0, 0.0]]);
}

#[test]
fn e4_steps_round_ties_to_even_and_keep_signs() {
    values!(floor(x): [-0.5, -1.0], [0.5, 0.0], [-0.0, -0.0], [-INF, -INF], [NAN, NAN], [2.0, 2.0]);
    values!(ceil(x): [-0.5, -0.0], [0.5, 1.0], [-0.0, -0.0], [INF, INF], [NAN, NAN], [-2.5, -2.0]);
    values!(round(x): [0.5, 0.0], [1.5, 2.0], [2.5, 2.0], [-0.5, -0.0], [-3.5, -4.0], [NAN, NAN]);
    values!(round(x): [4_194_303.5, 4_194_304.0], [8_388_609.0, 8_388_609.0], [-INF, -INF]);
    gradients([&[0.5, -3.5]], &[INF, 2.0], |c, x| x[0].round(c)?.floor(c)?.ceil(c), [&[0.0, 0.0]]);
}

#[test]
fn e5_reciprocals_are_infinite_at_zero() {
    values!(reciprocal(x): [0.0, INF], [-0.0, -INF], [-INF, -0.0], [NAN, NAN]);
    values!(rsqrt(x): [0.0, INF], [-0.0, -INF], [INF, 0.0], [-1.0, NAN], [4.0, 0.5]);
}

#[test]
fn e6_products_skip_no_zero() {
    for ctx in contexts() {
        for len in LENGTHS {
            for bad in [f32::NAN, f32::INFINITY] {
                let (a, b) = (ctx.zeros(&[2, len]).unwrap(), ctx.full(&[len, 3], bad).unwrap());
                assert!(ctx.matmul(&a, &b).unwrap().iter().all(f32::is_nan));
            }
        }
    }
}

#[test]
fn e7_exponentials() {
    values!(exp(x): [-INF, 0.0], [INF, INF], [0.0, 1.0], [-0.0, 1.0], [710.0, INF], [NAN, NAN]);
    values!(expm1(x): [-INF, -1.0], [INF, INF], [-0.0, -0.0], [710.0, INF], [NAN, NAN]);
    for ctx in contexts() {
        let y = ctx.exp(&ctx.full(&[9], -100.0_f32).unwrap()).unwrap();
        assert!(y.iter().all(|y| y > 3.6e-44 && y < 3.9e-44), "subnormal, not 0");
    }
}

#[test]
fn e8_logarithms() {
    values!(log(x): [0.0, -INF], [-0.0, -INF], [-1.0, NAN], [INF, INF], [1.0, 0.0], [NAN, NAN]);
    values!(log1p(x): [-1.0, -INF], [-2.0, NAN], [-0.0, -0.0], [INF, INF], [NAN, NAN]);
}

#[test]
fn e9_sine_and_cosine() {
    values!(sin(x): [INF, NAN], [-INF, NAN], [-0.0, -0.0], [0.0, 0.0], [NAN, NAN]);
    values!(cos(x): [INF, NAN], [-INF, NAN], [-0.0, 1.0], [NAN, NAN]);
    for ctx in contexts() {
        for x in [1e30_f32, -3e38, 1e10] {
            let (sin, cos) = f64::from(x).sin_cos();
            let x = ctx.full(&[9], x).unwrap();
            assert!(ctx.sin(&x).unwrap().iter().all(|y| (f64::from(y) - sin).abs() < 1.3e-7));
            assert!(ctx.cos(&x).unwrap().iter().all(|y| (f64::from(y) - cos).abs() < 1.3e-7));
        }
    }
}

#[test]
fn e10_saturating_functions() {
    values!(tanh(x): [-INF, -1.0], [INF, 1.0], [-0.0, -0.0], [NAN, NAN]);
    values!(erf(x): [-INF, -1.0], [INF, 1.0], [-0.0, -0.0], [NAN, NAN]);
    values!(sigmoid(x): [-INF, 0.0], [INF, 1.0], [0.0, 0.5], [NAN, NAN]);
}

#[test]
fn e11_softplus() {
    values!(softplus(x): [-INF, 0.0], [INF, INF], [1e5, 1e5], [-1e5, 0.0], [NAN, NAN]);
}

#[test]
fn e12_smooth_gates() {
    values!(silu(x): [-INF, -0.0], [INF, INF], [-0.0, -0.0], [NAN, NAN]);
    values!(gelu(x): [-INF, -0.0], [INF, INF], [-0.0, -0.0], [NAN, NAN]);
    values!(gelu_tanh(x): [-INF, -0.0], [INF, INF], [-0.0, -0.0], [NAN, NAN]);
}

#[test]
fn e13_relu() {
    values!(relu(x): [-INF, 0.0], [-0.0, 0.0], [INF, INF], [NAN, NAN], [1e-40, 1e-40]);
    values!(relu_backward(x, g): [0.0, 3.0, 0.0], [NAN, 3.0, 3.0], [-INF, INF, 0.0], [2.0, 3.0, 3.0]);
}

#[test]
fn e14_leaky_gates() {
    values!(leaky_relu(x) with (0.25): [-INF, -INF], [NAN, NAN], [-0.0, -0.0], [-4.0, -1.0], [INF, INF]);
    values!(leaky_relu(x) with (0.0): [-INF, NAN], [-4.0, -0.0]);
    values!(elu(x) with (0.5): [-INF, -0.5], [NAN, NAN], [-0.0, -0.0], [INF, INF]);
}

#[test]
fn e15_gradients_at_the_infinities() {
    values!(silu_backward(x, g): [-INF, 2.0, 0.0], [INF, 2.0, 2.0], [NAN, 2.0, NAN], [0.0, 2.0, 1.0]);
    values!(gelu_backward(x, g): [-INF, 2.0, -0.0], [INF, 2.0, 2.0], [NAN, 2.0, NAN]);
    values!(gelu_tanh_backward(x, g): [-INF, 2.0, -0.0], [INF, 2.0, 2.0], [NAN, 2.0, NAN]);
    values!(softplus_backward(x, g): [-INF, 2.0, 0.0], [INF, 2.0, 2.0], [NAN, 2.0, NAN]);
    values!(erf_backward(x, g): [-INF, 2.0, 0.0], [INF, 2.0, 0.0], [NAN, 2.0, NAN]);
}

#[test]
fn e16_gradients_at_zero() {
    values!(abs_backward(x, g): [0.0, 2.0, 0.0], [-0.0, 2.0, 0.0], [-1.0, 2.0, -2.0], [NAN, 2.0, NAN]);
    gradients([&[0.0, 4.0]], &[1.0, 1.0], |c, x| x[0].sqrt(c), [&[INF, 0.25]]);
}

#[test]
fn e17_gated_units_multiply() {
    values!(glu(a, b): [-INF, INF, NAN], [INF, 3.0, 3.0], [0.0, 3.0, 1.5]);
    values!(swiglu(a, b): [-INF, 3.0, -0.0], [-INF, INF, NAN], [INF, -3.0, -INF]);
    values!(geglu(a, b): [-INF, 3.0, -0.0], [-INF, INF, NAN], [INF, -3.0, -INF]);
    values!(reglu(a, b): [-1.0, 3.0, 0.0], [-1.0, INF, NAN], [NAN, 3.0, NAN], [2.0, 3.0, 6.0]);
}

#[test]
fn e18_the_larger_and_the_smaller() {
    values!(maximum(a, b): [NAN, 1.0, NAN], [1.0, NAN, NAN], [-0.0, 0.0, 0.0], [0.0, -0.0, 0.0],
        [-0.0, -0.0, -0.0], [-INF, 2.0, 2.0], [INF, INF, INF], [-INF, -INF, -INF]);
    values!(minimum(a, b): [NAN, 1.0, NAN], [1.0, NAN, NAN], [-0.0, 0.0, -0.0], [0.0, -0.0, -0.0],
        [0.0, 0.0, 0.0], [INF, 2.0, 2.0], [INF, INF, INF], [-INF, -INF, -INF]);
}

#[test]
fn e19_their_gradients() {
    let (a, b, g) = ([1.0, 2.0, 3.0, NAN, 1.0, NAN], [2.0, 2.0, 1.0, 0.0, NAN, NAN], [8.0; 6]);
    gradients(
        [&a, &b],
        &g,
        |c, x| x[0].maximum(c, &x[1]),
        [&[0.0, 4.0, 8.0, 8.0, 0.0, 8.0], &[8.0, 4.0, 0.0, 0.0, 8.0, 8.0]],
    );
    gradients(
        [&a, &b],
        &g,
        |c, x| x[0].minimum(c, &x[1]),
        [&[8.0, 4.0, 0.0, 8.0, 0.0, 8.0], &[0.0, 4.0, 8.0, 0.0, 8.0, 8.0]],
    );
    // A side that is not taken gets 0, not 0 times infinity.
    gradients([&[1.0], &[2.0]], &[INF], |c, x| x[0].maximum(c, &x[1]), [&[0.0], &[INF]]);
}

#[test]
fn e20_clamp() {
    values!(clamp(x) with (-1.0, 1.0): [NAN, NAN], [-INF, -1.0], [INF, 1.0], [0.5, 0.5], [-0.0, -0.0]);
    values!(clamp(x) with (NAN, 1.0): [0.5, NAN], [7.0, NAN], [-7.0, NAN]);
    values!(clamp(x) with (0.0, NAN): [0.5, NAN], [7.0, NAN], [-7.0, NAN]);
    values!(clamp(x) with (2.0, 1.0): [0.5, 1.0], [7.0, 1.0], [NAN, NAN]);
    values!(clamp_backward(x, g) with (-1.0, 1.0): [-1.0, 3.0, 3.0], [1.0, 3.0, 3.0], [1.5, INF, 0.0],
        [-1.5, NAN, 0.0], [NAN, 3.0, 3.0]);
}

#[test]
fn e21_maxima_pass_over_nan() {
    for ctx in contexts() {
        for len in LENGTHS {
            let mut values = vec![f32::NAN; len];
            let x = ctx.from_slice(&[len], &values).unwrap();
            assert_eq!(ctx.max_all(&x).unwrap().data().unwrap(), [f32::NEG_INFINITY]);
            values[len / 2] = -3.0;
            let x = Tensor::variable_from_slice(&ctx, &[1, len], &values).unwrap();
            let max = x.max_axis(&ctx, 1).unwrap();
            assert_eq!(max.to_vec().unwrap(), [-3.0]);
            max.backward(&ctx).unwrap();
            let grad = x.grad(&ctx).unwrap().unwrap().to_vec().unwrap();
            assert!(grad.iter().enumerate().all(|(i, &g)| g == f32::from(u8::from(i == len / 2))));
        }
    }
    gradients([&[1.0, 5.0, 5.0]], &[2.0], |c, x| x[0].max_all(c), [&[0.0, 2.0, 0.0]]);
    gradients([&[NAN, NAN]], &[2.0], |c, x| x[0].max_all(c), [&[0.0, 0.0]]);
}

#[test]
fn e22_comparisons() {
    for ctx in contexts() {
        for len in LENGTHS {
            let full = |x: f32| ctx.full(&[len], x).unwrap();
            let (nan, one, zero, minus) = (full(f32::NAN), full(1.0), full(0.0), full(-0.0));
            let all = |mask: Result<RawTensor<bool>>, want: bool| {
                assert!(mask.unwrap().iter().all(|x| x == want));
            };
            for (a, b) in [(&nan, &one), (&one, &nan), (&nan, &nan)] {
                all(ctx.ne(a, b), true);
                for mask in [ctx.eq(a, b), ctx.lt(a, b), ctx.le(a, b), ctx.gt(a, b), ctx.ge(a, b)] {
                    all(mask, false);
                }
            }
            all(ctx.eq(&zero, &minus), true);
            all(ctx.lt(&minus, &zero), false);
            all(ctx.ge(&minus, &zero), true);
        }
    }
}

#[test]
fn e23_choices_by_a_mask() {
    for ctx in contexts() {
        for len in LENGTHS {
            let bits: Vec<bool> = (0..len).map(|i| i % 3 == 0).collect();
            let mask = ctx.from_slice(&[len], &bits).unwrap();
            let (a, b) = (f32::from_bits(0x7f80_0001), f32::from_bits(0xffc1_2345));
            let out =
                ctx.where_select(&mask, &ctx.full(&[len], a).unwrap(), &ctx.scalar(b).unwrap());
            for (x, &mask) in out.unwrap().iter().zip(&bits) {
                assert_eq!(x.to_bits(), if mask { a.to_bits() } else { b.to_bits() });
            }
        }
    }
    let choose = |c: &ExecContext, x: &[Tensor<f64>]| {
        Tensor::from_slice(c, &[3], &[true, false, true])?.where_select(c, &x[0], &x[1])
    };
    let g = [NAN, INF, 2.0];
    gradients(
        [&[NAN, NAN, 1.0], &[INF, 1.0, NAN]],
        &g,
        choose,
        [&[NAN, 0.0, 2.0], &[0.0, INF, 0.0]],
    );
}

#[test]
fn e24_powers() {
    values!(pow(x, y): [NAN, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, NAN, 1.0], [-8.0, 0.5, NAN], [-2.0, 3.0, -8.0],
        [0.0, -1.0, INF], [-0.0, -1.0, -INF], [-0.0, 3.0, -0.0], [NAN, 1.0, NAN], [2.0, INF, INF],
        [0.5, INF, 0.0], [-INF, 3.0, -INF], [-1.0, INF, 1.0]);
    values!(powf(x) with (3.0): [-0.0, -0.0], [-2.0, -8.0], [NAN, NAN], [-INF, -INF]);
    values!(powf(x) with (0.0): [NAN, 1.0], [INF, 1.0], [0.0, 1.0]);
}

#[test]
fn e25_gradients_of_powers_by_the_base() {
    let at_zero = |exponent: f64, want: f64| {
        gradients([&[0.0]], &[3.0], |c, x| x[0].powf(c, exponent), [&[want]]);
    };
    at_zero(2.0, 0.0);
    at_zero(0.0, 0.0);
    at_zero(1.0, 3.0);
    at_zero(0.5, INF);
    gradients(
        [&[-2.0, -2.0]],
        &[1.0, 1.0],
        |c, x| x[0].pow(c, &Tensor::from_slice(c, &[2], &[2.0, 3.0])?),
        [&[-4.0, 12.0]],
    );
}

#[test]
fn e26_gradients_of_powers_by_the_exponent() {
    gradients(
        [&[0.0, 0.0], &[2.0, 0.0]],
        &[3.0, 3.0],
        |c, x| x[0].pow(c, &x[1]),
        [&[0.0, 0.0], &[0.0, 0.0]],
    );
    // A constant exponent: no logarithm of the negative base is taken.
    let ctx = ExecContext::new();
    let x = Tensor::variable_from_slice(&ctx, &[1], &[-2.0_f64]).unwrap();
    let y = x.pow(&ctx, &Tensor::scalar(&ctx, 2.0).unwrap()).unwrap();
    let memory = ctx.record_memory();
    y.backward(&ctx).unwrap();
    assert_eq!(x.grad(&ctx).unwrap().unwrap().item().unwrap(), -4.0);
    memory.samples(|all| assert!(all.iter().all(|s| s.op != "pow_exponent_backward")));
}

#[test]
fn e27_sums_and_means() {
    for ctx in contexts() {
        for len in [2, 8, 33, 4097] {
            let with = |first: f32, last: f32| {
                let mut x = vec![1.0; len];
                (x[0], x[len - 1]) = (first, last);
                ctx.sum_all(&ctx.from_vec(&[len], x).unwrap()).unwrap().data().unwrap()[0]
            };
            assert!(with(f32::NAN, 1.0).is_nan());
            assert!(with(f32::INFINITY, f32::NEG_INFINITY).is_nan());
            assert_eq!(with(f32::INFINITY, 1.0), f32::INFINITY);
        }
        let mean = ctx.mean_all(&ctx.full(&[2], 3e38_f32).unwrap()).unwrap();
        assert_eq!(mean.data().unwrap(), [3e38]);
        let mean = ctx.mean_axis(&ctx.full(&[2, 1], 1e308_f64).unwrap(), 0).unwrap();
        assert_eq!(mean.data().unwrap(), [1e308]);
    }
}

#[test]
fn e28_rows_of_softmax() {
    for ctx in contexts() {
        for len in LENGTHS {
            let mut values = vec![0.5_f32; 3 * len];
            values[..len].fill(f32::NEG_INFINITY);
            values[len] = f32::NAN;
            let x = Tensor::variable_from_slice(&ctx, &[3, len], &values).unwrap();
            let y = x.softmax(&ctx, 1).unwrap();
            let out = y.to_vec().unwrap();
            assert!(out[..len].iter().all(|&y| y == 0.0));
            assert!(out[len..2 * len].iter().all(|y| y.is_nan()));
            assert!(out[2 * len..].iter().all(|&y| (y * len as f32 - 1.0).abs() < 1e-5));
            y.backward_with_grad(&ctx, &Tensor::ones(&ctx, &[3, len]).unwrap()).unwrap();
            let grad = x.grad(&ctx).unwrap().unwrap().to_vec().unwrap();
            assert!(grad[..len].iter().all(|&g| g == 0.0));
            let infinite = ctx.full(&[len], f32::INFINITY).unwrap();
            assert!(ctx.softmax(&infinite, 0).unwrap().iter().all(f32::is_nan));
        }
    }
}

#[test]
fn e29_sums_of_halves_do_not_stall() {
    for ctx in contexts() {
        let ones = ctx.full(&[4096], f16::ONE).unwrap();
        let wide = ctx.cast::<_, f32>(&ones).unwrap();
        assert_eq!(ctx.sum_all(&wide).unwrap().data().unwrap(), [4096.0]);
        assert_eq!(ctx.mean_all(&wide).unwrap().data().unwrap(), [1.0]);
        let ones = ctx.full(&[600], bf16::ONE).unwrap();
        let sum = ctx.sum_all(&ctx.cast::<_, f32>(&ones).unwrap()).unwrap();
        assert_eq!(sum.data().unwrap(), [600.0]);
        let row = ctx.reshape(&ones, &[1, 600]).unwrap();
        let product: RawTensor<f32> = ctx.matmul_nt_widened(&row, &row).unwrap();
        assert_eq!(product.data().unwrap(), [600.0]);
    }
}

/// `values` cast, at every length and from every one on.
fn casts<T, U>(cases: &[(T, U)])
where
    T: fucina_core::dtype::Element,
    U: fucina_core::dtype::CastFrom<T>,
{
    for ctx in contexts() {
        for len in LENGTHS {
            for from in 0..cases.len() {
                let case = |at: usize| cases[(from + at) % cases.len()];
                let x = ctx.from_vec(&[len], (0..len).map(|at| case(at).0).collect()).unwrap();
                for (at, got) in ctx.cast::<T, U>(&x).unwrap().iter().enumerate() {
                    assert!(got == case(at).1, "{}: {got} of {:?}", U::DTYPE, case(at));
                }
            }
        }
    }
}

#[test]
fn e30_floats_to_integers() {
    const F: f32 = f32::INFINITY;
    casts::<f32, i32>(&[
        (f32::NAN, 0),
        (F, i32::MAX),
        (-F, i32::MIN),
        (3e9, i32::MAX),
        (-25.5, -25),
    ]);
    casts::<f32, u16>(&[(f32::NAN, 0), (F, 65535), (-F, 0), (3e9, 65535), (-25.5, 0), (25.9, 25)]);
    casts::<f64, i64>(&[(1e19, i64::MAX), (-1e19, i64::MIN), (-0.9, 0), (9.9, 9), (f64::NAN, 0)]);
    casts::<f64, u8>(&[(256.0, 255), (255.9, 255), (-1.0, 0)]);
    casts::<f16, i8>(&[(f16::INFINITY, 127), (f16::NEG_INFINITY, -128), (f16::NAN, 0)]);
    casts::<bf16, u64>(&[(bf16::MAX, u64::MAX), (bf16::MIN, 0), (bf16::NAN, 0)]);
}

#[test]
fn e31_to_narrower_floats() {
    casts::<f64, f32>(&[(1e39, f32::INFINITY), (1e-46, 0.0), (1.4e-45, f32::from_bits(1))]);
    casts::<f32, f16>(&[
        (65520.0, f16::INFINITY),
        (65519.0, f16::MAX),
        (2049.0, f16::from_f32(2048.0)),
        (2051.0, f16::from_f32(2052.0)),
        (5.960_464_5e-8, f16::from_bits(1)),
    ]);
    let tie_broken = 2049.0 + 1e-9;
    casts::<f64, f16>(&[(tie_broken, f16::from_f32(2050.0)), (2049.0, f16::from_f32(2048.0))]);
    for ctx in contexts() {
        let narrow =
            |x: f32| ctx.cast::<_, f16>(&ctx.scalar(x).unwrap()).unwrap().data().unwrap()[0];
        assert_eq!(narrow(-0.0).to_bits(), 0x8000);
        assert!(narrow(f32::NAN).is_nan());
        let tiny = ctx.scalar(bf16::from_bits(1)).unwrap();
        let wide = ctx.cast::<_, f32>(&tiny).unwrap();
        assert_eq!(wide.data().unwrap(), [9.183_55e-41]);
        assert_eq!(ctx.cast::<_, bf16>(&wide).unwrap().data().unwrap()[0].to_bits(), 1);
    }
}

#[test]
fn e32_integers_to_floats() {
    casts::<i32, f32>(&[(16_777_217, 16_777_216.0), (16_777_219, 16_777_220.0), (-5, -5.0)]);
    casts::<u64, f16>(&[(u64::MAX, f16::INFINITY), (65_519, f16::MAX), (3, f16::from_f32(3.0))]);
    casts::<i64, f64>(&[
        (i64::MAX, 9_223_372_036_854_775_808.0),
        (i64::MIN, -9_223_372_036_854_775_808.0),
    ]);
}

#[test]
fn e33_integers_to_integers() {
    casts::<i32, u8>(&[(256, 0), (-1, 255), (300, 44)]);
    casts::<u64, i64>(&[(u64::MAX, -1), (7, 7)]);
    casts::<i8, i64>(&[(-128, -128)]);
}

#[test]
fn e34_truth_values() {
    casts::<f32, bool>(&[
        (f32::NAN, true),
        (-0.0, false),
        (0.0, false),
        (1e-45, true),
        (-3.0, true),
    ]);
    casts::<bool, f32>(&[(true, 1.0), (false, 0.0)]);
    casts::<bool, u64>(&[(true, 1), (false, 0)]);
    casts::<f16, bool>(&[(f16::NEG_ZERO, false), (f16::NAN, true)]);
    casts::<i64, bool>(&[(i64::MIN, true), (0, false)]);
}

#[test]
fn e35_integers_wrap_around() {
    const MIN: i64 = i64::MIN;
    whole::<i64>(&[(MIN, 0, MIN), (7, 0, -7), (0, 0, 0)], |c, x, _| c.neg(x));
    whole::<i32>(&[(i32::MIN, 0, i32::MIN), (-7, 0, 7), (7, 0, 7)], |c, x, _| c.abs(x));
    whole::<i64>(&[(MIN, 0, -1), (9, 0, 1), (0, 0, 0)], |c, x, _| c.sign(x));
    whole::<u8>(&[(0, 0, 0), (1, 0, 255), (200, 0, 56)], |c, x, _| c.neg(x));
    whole::<u8>(&[(0, 0, 0), (200, 0, 200)], |c, x, _| c.abs(x));
    whole::<u8>(&[(0, 0, 0), (200, 0, 1)], |c, x, _| c.sign(x));
    for ctx in contexts() {
        for len in LENGTHS {
            let full = |x: i8| ctx.full(&[len], x).unwrap();
            let each =
                |x: Result<RawTensor<i8>>, want: i8| assert!(x.unwrap().iter().all(|x| x == want));
            each(ctx.add(&full(127), &full(1)), -128);
            each(ctx.sub(&full(-128), &full(1)), 127);
            each(ctx.mul(&full(64), &full(4)), 0);
            let below = ctx.sub(&ctx.full(&[len], 0_u32).unwrap(), &ctx.full(&[1], 1).unwrap());
            assert!(below.unwrap().iter().all(|x| x == u32::MAX));
        }
    }
}

#[test]
fn e36_integer_division() {
    for ctx in contexts() {
        for len in LENGTHS {
            let full = |x: i32| ctx.full(&[len], x).unwrap();
            let each = |x: Result<RawTensor<i32>>, want: i32| {
                assert!(x.unwrap().iter().all(|x| x == want))
            };
            each(ctx.div(&full(-7), &full(2)), -3);
            each(ctx.rem(&full(-7), &full(2)), -1);
            each(ctx.rem(&full(7), &full(-2)), 1);
            each(ctx.div(&full(i32::MIN), &full(-1)), i32::MIN);
            each(ctx.rem(&full(i32::MIN), &full(-1)), 0);
            let mut divisors = vec![1; len];
            divisors[len - 1] = 0;
            let divisors = ctx.from_vec(&[len], divisors).unwrap();
            for refused in [ctx.div(&full(1), &divisors), ctx.rem(&full(1), &divisors)] {
                assert!(matches!(refused, Err(Error::InvalidArgument { argument: "divisor", .. })));
            }
        }
    }
}

/// An op of integers gives the last value of each case, at every length.
fn whole<T: fucina_core::dtype::Element>(
    cases: &[(T, T, T)],
    op: impl Fn(&ExecContext, &RawTensor<T>, &RawTensor<T>) -> Result<RawTensor<T>>,
) {
    for ctx in contexts() {
        for len in LENGTHS {
            for from in 0..cases.len() {
                let case = |at: usize| cases[(from + at) % cases.len()];
                let a = ctx.from_vec(&[len], (0..len).map(|at| case(at).0).collect()).unwrap();
                let b = ctx.from_vec(&[len], (0..len).map(|at| case(at).1).collect()).unwrap();
                for (at, got) in op(&ctx, &a, &b).unwrap().iter().enumerate() {
                    let (a, b, want) = case(at);
                    assert!(got == want, "{}: {got} of {a} and {b}", T::DTYPE);
                }
            }
        }
    }
}

#[test]
fn e37_bits_and_shifts() {
    whole::<i8>(&[(-1, 5, 5), (6, 3, 2)], |c, a, b| c.bit_and(a, b));
    whole::<u16>(&[(6, 3, 7), (0, 65535, 65535)], |c, a, b| c.bit_or(a, b));
    whole::<i64>(&[(6, 3, 5), (-1, 1, -2)], |c, a, b| c.bit_xor(a, b));
    whole::<i32>(&[(0, 0, -1), (i32::MIN, 0, i32::MAX)], |c, a, _| c.bit_not(a));
    whole::<u8>(&[(0, 0, 255), (0xf0, 0, 0x0f)], |c, a, _| c.bit_not(a));
    whole::<i8>(
        &[(1, 7, -128), (1, 8, 0), (1, 100, 0), (-1, 0, -1), (-1, 1, -2), (64, 2, 0)],
        |c, a, b| c.shift_left(a, b),
    );
    whole::<i8>(
        &[(-128, 7, -1), (-128, 8, -1), (127, 8, 0), (-5, 1, -3), (127, 127, 0), (-7, 0, -7)],
        |c, a, b| c.shift_right(a, b),
    );
    whole::<u64>(
        &[(u64::MAX, 63, 1), (u64::MAX, 64, 0), (u64::MAX, u64::MAX, 0), (8, 3, 1), (9, 0, 9)],
        |c, a, b| c.shift_right(a, b),
    );
    for ctx in contexts() {
        for len in LENGTHS {
            let mut counts = vec![1_i16; len];
            counts[len - 1] = -1;
            let counts = ctx.from_vec(&[len], counts).unwrap();
            for refused in [ctx.shift_left(&counts, &counts), ctx.shift_right(&counts, &counts)] {
                assert!(matches!(refused, Err(Error::InvalidArgument { argument: "shift", .. })));
            }
        }
    }
}

#[test]
fn e38_the_larger_and_the_smaller_integer() {
    let near = i64::MAX - 1;
    whole::<i64>(&[(near, i64::MAX, i64::MAX), (-1, i64::MIN, -1)], |c, a, b| c.maximum(a, b));
    whole::<i64>(&[(near, i64::MAX, near), (-1, i64::MIN, i64::MIN)], |c, a, b| c.minimum(a, b));
    whole::<u8>(&[(255, 0, 255), (127, 128, 128)], |c, a, b| c.maximum(a, b));
    whole::<i64>(&[(near, 0, near), (i64::MIN, 0, -1), (5, 0, 5)], |c, x, _| c.clamp(x, -1, near));
    whole::<i32>(&[(-3, 0, -2), (0, 0, -2), (9, 0, -2)], |c, x, _| c.clamp(x, 4, -2));
}

#[test]
fn e39_halves_and_single_floats() {
    macro_rules! check {
        // check!(f16) => all f16, side by side and not, to f32 and back
        ($t:ident) => {
            for ctx in contexts() {
                let all = (0..=u16::MAX).map($t::from_bits).collect();
                let x = ctx.from_vec(&[2, 1 << 15], all).unwrap();
                for x in [x.permute(&[1, 0]).unwrap(), x] {
                    let wide = ctx.cast::<_, f32>(&x).unwrap();
                    let narrow = ctx.cast::<_, $t>(&wide).unwrap();
                    for ((x, wide), back) in x.iter().zip(wide.iter()).zip(narrow.iter()) {
                        let (name, bits) = (ctx.backend().name(), x.to_bits());
                        assert_eq!(wide.to_bits(), x.to_f32().to_bits(), "{name}, {bits:#x}");
                        assert_eq!(
                            back.to_bits(),
                            $t::from_f32(wide).to_bits(),
                            "{name}, {bits:#x}"
                        );
                        assert!(back.to_bits() == bits || x.is_nan());
                    }
                }
            }
        };
    }
    check!(f16);
    check!(bf16);
}

#[test]
fn e40_picks_by_index() {
    for ctx in contexts() {
        let payload = f32::from_bits(0xffc1_2345);
        let x = ctx.from_slice(&[2, 2], &[payload, -0.0, 1.0, f32::INFINITY]).unwrap();
        for len in LENGTHS {
            let picks = |at: usize| ctx.full(&[len], at as i64).unwrap();
            let lines = |at: usize| ctx.full(&[2, len], at as i64).unwrap();
            for at in 0..2 {
                let row = ctx.index_select(&x, 0, &picks(at)).unwrap();
                let column = ctx.gather(&x, 1, &lines(at)).unwrap();
                for (i, (row, column)) in row.iter().zip(column.iter()).enumerate() {
                    let [by_row, by_column] = [2 * at + i % 2, i / len * 2 + at];
                    let want = |at: usize| x.data().unwrap()[at].to_bits();
                    assert_eq!((row.to_bits(), column.to_bits()), (want(by_row), want(by_column)));
                }
            }
            let index = ctx.full(&[len], -1).unwrap();
            let refused = ctx.index_select(&x, 0, &index).unwrap_err();
            assert!(matches!(refused, Error::IndexOutOfRange { index: -1, bound: 2, .. }));

            // Large, small, large away again: only one order gives this.
            let g: Vec<f32> = (0..len).map(|i| [1e8, 1.0, -1e8][i % 3]).collect();
            let want = g.iter().fold(0.0, |sum, g| sum + g);
            let g = ctx.from_vec(&[len], g).unwrap();
            let shape = *ctx.zeros::<f32>(&[3]).unwrap().shape();
            for got in [
                ctx.index_select_backward(&shape, 0, &picks(1), &g).unwrap(),
                ctx.gather_backward(&shape, 0, &picks(1), &g).unwrap(),
            ] {
                assert_eq!(got.data().unwrap(), [0.0, want, 0.0], "{len}");
            }
        }
        let zero = ctx.full(&[1], -0.0_f32).unwrap();
        let index = ctx.zeros(&[1]).unwrap();
        let sum = ctx.index_select_backward(zero.shape(), 0, &index, &zero).unwrap();
        assert!(sum.data().unwrap()[0].is_sign_positive());
    }
}

#[test]
fn e41_cross_entropy_of_some_rows() {
    use fucina_core::exec::{CrossEntropyOptions, Reduction};
    let ignoring = CrossEntropyOptions { ignore_index: Some(7), ..Default::default() };
    let smoothed = CrossEntropyOptions { label_smoothing: 0.25, ..ignoring };
    let loss = |ctx: &ExecContext, logits: &[f64], targets: &[i64], options| {
        let dims = [targets.len(), logits.len() / targets.len()];
        let x = Tensor::variable_from_slice(ctx, &dims, logits).unwrap();
        let targets = Tensor::from_slice(ctx, &[targets.len()], targets).unwrap();
        let loss = x.cross_entropy_with(ctx, &targets, options).unwrap();
        loss.backward(ctx).unwrap();
        (loss.item().unwrap(), x.grad(ctx).unwrap().unwrap().to_vec().unwrap())
    };
    for ctx in contexts() {
        for options in [ignoring, smoothed] {
            for reduction in [Reduction::Mean, Reduction::Sum] {
                let options = CrossEntropyOptions { reduction, ..options };
                let (one, g) = loss(&ctx, &[0.5, -1.0, 2.0], &[1], options);
                let with_others = [NAN, INF, 0.0, 0.5, -1.0, 2.0, -INF, -INF, -INF];
                let (same, among) = loss(&ctx, &with_others, &[7, 1, 7], options);
                assert_eq!(same.to_bits(), one.to_bits());
                assert_eq!(among[3..6], g);
                assert!(among[..3].iter().chain(&among[6..]).all(|&g| g == 0.0));
                assert_eq!(loss(&ctx, &[NAN, 1.0], &[7], options), (0.0, vec![0.0; 2]));
            }
        }
        // Each class as likely as the other, so each order of shares gives ln 2.
        let (even, g) = loss(&ctx, &[3.0, 3.0], &[0], smoothed);
        assert!((even - core::f64::consts::LN_2).abs() < 1e-15);
        assert_eq!(g, [-0.375, 0.375]);
        let impossible = [0.0, -INF];
        assert_eq!(loss(&ctx, &impossible, &[0], ignoring).0, 0.0);
        assert_eq!(loss(&ctx, &impossible, &[0], smoothed).0, INF);
        let all = CrossEntropyOptions { label_smoothing: 1.0, ..ignoring };
        assert_eq!(loss(&ctx, &impossible, &[1], all).0, INF);
        assert_eq!(loss(&ctx, &impossible, &[0], all).0, INF);
    }
}
