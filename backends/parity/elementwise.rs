//! A case for every elementwise kernel.

use fucina_core::backend::Table;
use fucina_core::kernels::elementwise::Operand;

use super::Sample;
use super::kernels::{Case, Inputs};

pub(super) fn cases<T: Sample>() -> Vec<(&'static str, Case<T>)> {
    macro_rules! unary {
        // unary!(exp) => vec![("exp", |k, i| i.fill(|out| k.exp(i.x(0), out)))]; unary!(elu(a)) => k.elu(a, i.x(0), out)
        ($($name:ident $(($($scalar:expr),*))?),*) => {
            vec![$((stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                i.fill(|out| k.$name($($(number::<T>($scalar),)*)? i.x(0), out))
            })),*]
        };
    }
    macro_rules! binary {
        // binary!(add) => vec![("add", |k, i| all four kinds of operands)]; scalars as above
        ($($name:ident $(($($scalar:expr),*))?),*) => {
            vec![$((stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                let (a, b, one) = (Operand::Slice(i.x(0)), Operand::Slice(i.x(1)), Operand::Splat(i.splat()));
                let each = [(a, b), (a, one), (one, b), (one, one)];
                each.into_iter()
                    .flat_map(|(a, b)| i.fill(|out| k.$name($($(number::<T>($scalar),)*)? a, b, out)))
                    .collect()
            })),*]
        };
    }
    macro_rules! ternary {
        // ternary!(glu_backward) => vec![("glu_backward", |k, i| slices, and each operand a single value)]
        ($($name:ident),*) => {
            vec![$((stringify!($name), |k: Table<T>, i: &Inputs<T>| {
                let (a, b, c) = (Operand::Slice(i.x(0)), Operand::Slice(i.x(1)), Operand::Slice(i.x(2)));
                let one = Operand::Splat(i.splat());
                let each = [(a, b, c), (one, b, c), (a, one, c), (a, b, one), (one, one, one)];
                each.into_iter().flat_map(|(a, b, c)| i.fill(|out| k.$name(a, b, c, out))).collect()
            })),*]
        };
    }
    let all: [Vec<(&'static str, Case<T>)>; 6] = [
        unary!(
            neg, exp, log, sqrt, tanh, sigmoid, relu, gelu, abs, sign, square, reciprocal, floor,
            ceil, round, expm1, log1p, rsqrt, sin, cos, erf, softplus, silu, gelu_tanh
        ),
        unary!(leaky_relu(0.1), elu(0.7), clamp(-0.5, 1.5)),
        binary!(add, sub, mul, div, maximum, minimum, pow, glu, swiglu, geglu, reglu),
        binary!(
            relu_backward,
            gelu_backward,
            tanh_backward,
            sigmoid_backward,
            sqrt_backward,
            abs_backward,
            square_backward,
            reciprocal_backward,
            expm1_backward,
            log1p_backward,
            rsqrt_backward,
            sin_backward,
            cos_backward,
            erf_backward,
            softplus_backward,
            silu_backward,
            gelu_tanh_backward
        ),
        binary!(leaky_relu_backward(0.1), elu_backward(0.7), clamp_backward(-0.5, 1.5)),
        ternary!(
            maximum_backward,
            minimum_backward,
            pow_base_backward,
            pow_exponent_backward,
            glu_backward,
            swiglu_backward,
            geglu_backward,
            reglu_backward
        ),
    ];
    all.concat()
}

fn number<T: Sample>(x: f64) -> T {
    T::from_f64(x)
}
