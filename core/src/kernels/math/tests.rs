//! Accuracy against the `libm` crate in f64, which shares no code with the f32 kernels, and special values.
//!
//! `cargo bench -p fucina-avx2 --bench ulp` does the same over every input.

use super::Math;
use crate::kernels::ScalarLanes;

type Single = fn(f32) -> f32;

struct Case {
    name: &'static str,
    /// The two classes, and what each may err by, in units of the last place.
    classes: [(Single, f64); 2],
    exact: fn(f64) -> f64,
}

macro_rules! cases {
    // cases! { exp 1.0, 1.0 => libm::exp; } => [Case { name: "exp", classes: [(|x| f32::exp(fused, x), 1.0), ..], .. }]
    ($($name:ident $fused:literal, $unfused:literal => $exact:expr;)*) => {
        [$(Case {
            name: stringify!($name),
            classes: [
                (|x| <f32 as Math>::$name(ScalarLanes::<true>, x), $fused),
                (|x| <f32 as Math>::$name(ScalarLanes::<false>, x), $unfused),
            ],
            exact: $exact,
        }),*]
    };
}

const CASES: [Case; 16] = cases! {
    exp 1.0, 1.0 => libm::exp;
    log 1.0, 1.0 => libm::log;
    tanh 2.0, 2.0 => libm::tanh;
    sigmoid 2.0, 2.0 => |x| gate(1.0, x);
    gelu 2.0, 2.1 => |x| product(x, phi(x));
    gelu_derivative 2.0, 2.0 => |x| {
        phi(x) + product(x, libm::exp(-0.5 * x * x) / libm::sqrt(core::f64::consts::TAU))
    };
    expm1 2.0, 2.0 => libm::expm1;
    log1p 2.0, 2.0 => libm::log1p;
    rsqrt 1.0, 1.5 => |x| 1.0 / libm::sqrt(x);
    erf 2.0, 2.0 => libm::erf;
    sin 2.0, 2.0 => libm::sin;
    cos 2.0, 2.0 => libm::cos;
    softplus 2.0, 2.0 => |x| if x > 0.0 { x } else { 0.0 } + libm::log1p(libm::exp(-x.abs()));
    silu 2.0, 2.0 => |x| gate(x, x);
    gelu_tanh 2.0, 2.0 => |x| gate(x, tanh_argument(x));
    gelu_tanh_derivative 2.0, 2.0 => |x| {
        let (v, z) = (tanh_argument(x), libm::exp(-tanh_argument(x).abs()));
        let slope = libm::sqrt(8.0 / core::f64::consts::PI) * (1.0 + 3.0 * 0.044_715 * x * x);
        gate(1.0, v) + product(x * slope, z / ((1.0 + z) * (1.0 + z)))
    };
};

fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x / core::f64::consts::SQRT_2)
}

/// `a * b`, and 0 where one factor is 0 and the other infinite.
fn product(a: f64, b: f64) -> f64 {
    if b == 0.0 { 0.0 } else { a * b }
}

/// `x` times the logistic function of `v`.
fn gate(x: f64, v: f64) -> f64 {
    let z = libm::exp(-v.abs());
    product(x, if v < 0.0 { z / (1.0 + z) } else { 1.0 / (1.0 + z) })
}

fn tanh_argument(x: f64) -> f64 {
    libm::sqrt(8.0 / core::f64::consts::PI) * (x + 0.044_715 * x * x * x)
}

/// The distance in units of the last place at `exact`; infinities count as 2^128.
fn ulp_error(ours: f32, exact: f64) -> f64 {
    if ours.is_nan() || exact.is_nan() {
        return if ours.is_nan() && exact.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let limit = libm::exp2(128.0);
    let (ours, exact) = (f64::from(ours).clamp(-limit, limit), exact.clamp(-limit, limit));
    let exponent = libm::ilogb(exact).clamp(-126, 127);
    (ours - exact).abs() / libm::exp2(f64::from(exponent - 23))
}

fn check(inputs: impl Iterator<Item = f32> + Clone) {
    for Case { name, classes, exact } in &CASES {
        for (class, (f, bound)) in ["fused", "unfused"].iter().zip(classes) {
            for x in inputs.clone() {
                let (ours, exact) = (f(x), exact(f64::from(x)));
                let error = ulp_error(ours, exact);
                assert!(
                    error <= *bound,
                    "{name}, {class}, at {x:e}: {ours:e}, exactly {exact:e}: {error} ulp"
                );
            }
        }
    }
}

#[test]
fn errors_are_within_their_bounds_at_every_size() {
    // Without optimisation a coarser comb: the bits of the input, any sign, subnormals, NaN.
    const STRIDE: usize = if cfg!(debug_assertions) { 99_991 } else { 997 };
    check((0..=u32::MAX).step_by(STRIDE).map(f32::from_bits));
}

#[test]
fn errors_are_within_their_bounds_around_thresholds() {
    // Where a formula or a clamp takes over, results underflow, overflow or vanish, and around multiples of pi / 2.
    use core::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, LN_2, PI, SQRT_2};
    #[rustfmt::skip]
    const AT: [f32; 44] = [
        0.0, 1e-38, f32::MIN_POSITIVE, 5.9e-8, 1.2e-7, LN_2 / 2.0, 0.476_936_3, 0.488_779_2, 0.5, 0.549_306_2, 0.55,
        LN_2, FRAC_1_SQRT_2, 0.751_791_5, 0.482_461_4, 1.022_461_4, 0.752_461_4, FRAC_PI_4, 1.0, SQRT_2, FRAC_PI_2, PI, 4.0, 6_432.8, 6_433.0, 8.317_766,
        9.010_913, 10.0, 11.0, 13.2, 14.2, 15.0, 16.635_532, 18.0, 87.336_54, 88.722_84, 89.0, 90.0, 103.972_08, 105.0,
        112.0, 8_388_608.0, 16_777_216.0, f32::MAX,
    ];
    let near = AT.iter().flat_map(|x| {
        let bits = x.to_bits();
        (bits.saturating_sub(40)..=bits + 40).map(f32::from_bits)
    });
    check(near.flat_map(|x| [x, -x]));
    // Arguments close to many multiples of pi / 2.
    let turns = (1..5_000_u16).map(|n| (f64::from(n) * core::f64::consts::FRAC_PI_2) as f32);
    check(turns.flat_map(|x| [x, f32::from_bits(x.to_bits() + 1), -x]));
}

fn check_power(x: f32, y: f32) {
    let exact = libm::pow(f64::from(x), f64::from(y));
    let ours = [
        <f32 as Math>::pow(ScalarLanes::<true>, x, y),
        <f32 as Math>::pow(ScalarLanes::<false>, x, y),
    ];
    for ours in ours {
        let error = ulp_error(ours, exact);
        let same_sign = ours.is_nan() || ours.is_sign_negative() == exact.is_sign_negative();
        assert!(
            error <= 2.0 && same_sign,
            "{x:e} to the {y:e}: {ours:e}, exactly {exact:e}: {error} ulp"
        );
    }
}

#[test]
fn powers_are_within_two_ulp_and_their_special_cases_those_of_ieee_754() {
    #[rustfmt::skip]
    const AT: [f32; 27] = [
        0.0, 1e-45, 1e-40, 1e-30, 0.1, 0.25, 0.5, 0.75, 0.999_999_94, 1.0, 1.000_000_1, 1.5, 2.0, 2.4, 3.0, 4.0, 7.5,
        33.0, 64.0, 4_194_304.5, 8_388_607.0, 8_388_608.0, 16_777_215.0, 16_777_216.0, 1e30, f32::INFINITY, f32::NAN,
    ];
    let signed = || AT.iter().flat_map(|&x| [x, -x]);
    for x in signed() {
        signed().for_each(|y| check_power(x, y));
    }
    // Results of every size: y is the exponent of the result by the base's.
    const STEPS: u32 = if cfg!(debug_assertions) { 40_000 } else { 4_000_000 };
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / 16_777_216.0
    };
    for step in 0..STEPS {
        let x = match step % 3 {
            0 => f32::from_bits((next() * 2_139_095_040.0) as u32),
            1 => 0.5 + next(),
            _ => 1.0 + (next() - 0.5) * 1e-3,
        };
        let log = libm::log(f64::from(x)) as f32;
        check_power(x, (next() - 0.54) * 194.0 / log);
    }
}

fn assert_values<T: Math + PartialEq>() {
    let f = T::from_f64;
    let l = ScalarLanes::<true>;
    let inf = f(f64::INFINITY);
    let same = |a: T, b: f64| {
        assert!(a == f(b) && (T::ONE / a == T::ONE / f(b)), "{:e}, not {b:e}", a.to_f64());
    };
    let minus_inf = T::NEG_INFINITY;
    same(T::exp(l, inf), f64::INFINITY);
    same(T::exp(l, minus_inf), 0.0);
    same(T::exp(l, f(-0.0)), 1.0);
    same(T::log(l, f(0.0)), f64::NEG_INFINITY);
    same(T::log(l, f(-0.0)), f64::NEG_INFINITY);
    same(T::log(l, inf), f64::INFINITY);
    same(T::log(l, f(1.0)), 0.0);
    same(T::tanh(l, inf), 1.0);
    same(T::tanh(l, minus_inf), -1.0);
    same(T::sigmoid(l, minus_inf), 0.0);
    same(T::sigmoid(l, inf), 1.0);
    same(T::sigmoid(l, f(0.0)), 0.5);
    same(T::gelu(l, inf), f64::INFINITY);
    same(T::gelu(l, minus_inf), -0.0);
    assert!(T::gelu_derivative(l, inf) == T::ONE && T::gelu_derivative(l, minus_inf) == T::ZERO);
    same(T::gelu_derivative(l, f(0.0)), 0.5);
    same(T::expm1(l, inf), f64::INFINITY);
    same(T::expm1(l, minus_inf), -1.0);
    same(T::log1p(l, f(-1.0)), f64::NEG_INFINITY);
    same(T::log1p(l, inf), f64::INFINITY);
    same(T::rsqrt(l, f(0.0)), f64::INFINITY);
    same(T::rsqrt(l, f(-0.0)), f64::NEG_INFINITY);
    same(T::rsqrt(l, inf), 0.0);
    same(T::rsqrt(l, f(0.25)), 2.0);
    same(T::erf(l, inf), 1.0);
    same(T::erf(l, minus_inf), -1.0);
    same(T::cos(l, f(-0.0)), 1.0);
    same(T::softplus(l, inf), f64::INFINITY);
    same(T::softplus(l, minus_inf), 0.0);
    same(T::silu(l, inf), f64::INFINITY);
    same(T::silu(l, minus_inf), -0.0);
    same(T::gelu_tanh(l, inf), f64::INFINITY);
    same(T::gelu_tanh(l, minus_inf), -0.0);
    assert!(T::gelu_tanh_derivative(l, inf) == T::ONE);
    assert!(T::gelu_tanh_derivative(l, minus_inf) == T::ZERO);
    same(T::gelu_tanh_derivative(l, f(0.0)), 0.5);
    for zero in [0.0, -0.0] {
        for odd in [T::tanh, T::gelu, T::expm1, T::log1p, T::erf, T::sin, T::silu, T::gelu_tanh] {
            same(odd(l, f(zero)), zero);
        }
    }
    for nan in
        [T::log(l, f(-1.0)), T::log(l, minus_inf), T::log1p(l, f(-1.5)), T::rsqrt(l, f(-1.0))]
    {
        assert!(nan.is_not_a_number());
    }
    assert!(T::log1p(l, minus_inf).is_not_a_number() && T::rsqrt(l, minus_inf).is_not_a_number());
    for of_angle in [T::sin, T::cos] {
        assert!(of_angle(l, inf).is_not_a_number() && of_angle(l, minus_inf).is_not_a_number());
    }
}

#[test]
fn special_values_are_those_of_ieee_754() {
    assert_values::<f32>();
    assert_values::<f64>();
    for Case { name, classes, .. } in &CASES {
        for (f, _) in classes {
            assert!(f(f32::NAN).is_nan() && f(-f32::NAN).is_nan(), "{name} of NaN");
        }
    }
}
