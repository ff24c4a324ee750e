//! How far is each f32 function from the exact result, over all 2^32 inputs, and what does an element cost?
//!
//! The reference is the `libm` crate in f64 and formulas made from it that share nothing with the kernels; its own
//! error is below 2^-20 units of an f32. The fused class runs in AVX2 registers where the CPU has them (the bits are
//! those of one lane: the parity tests), the unfused one lane at a time. An error is the distance to the f64 value in
//! units of the last place at that value; an infinite result counts as 2^128. Exact cases are checked on the way: NaN
//! for NaN, the sign of a zero. Times are one thread's, 4,096 elements in cache, the least of 200 passes.
//!
//! `cargo bench -p fucina-avx2 --bench ulp -- [--function NAME] [--class fused] [--stride K] [--time]`: everything takes
//! an hour, `--stride 997` seconds; `--time` only times.

use core::hint::black_box;
use std::time::Instant;

use fucina_core::kernels::elementwise::{Map, Unary};
use fucina_core::kernels::math::Math;
use fucina_core::kernels::{Lanes, Op, ScalarLanes};

/// A kernel on slices of one length.
type Kernel = fn(&[f32], &mut [f32]);

struct Case {
    name: &'static str,
    fused: Kernel,
    unfused: Kernel,
    exact: fn(f64) -> f64,
    /// What is timed: inputs spread evenly over it.
    range: (f32, f32),
}

/// Runs in AVX2 registers, as the backend does; without them on one lane.
fn fused<F: Unary<f32> + Default>(x: &[f32], out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(&avx2) = fucina_avx2::detect() {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn inner<F: Unary<f32>>(avx2: fucina_avx2::Avx2, f: F, x: &[f32], out: &mut [f32]) {
            Map::new(f, x, out).run(avx2);
        }
        // SAFETY: a value of `Avx2` comes from `detect`, which saw avx2, fma and f16c on this CPU.
        return unsafe { inner(avx2, F::default(), x, out) };
    }
    Map::new(F::default(), x, out).run(ScalarLanes::<true>);
}

fn unfused<F: Unary<f32> + Default>(x: &[f32], out: &mut [f32]) {
    Map::new(F::default(), x, out).run(ScalarLanes::<false>);
}

macro_rules! cases {
    // cases! { exp(-10.0..10.0) => libm::exp; exp10(-9.0..9.0): |l, x| .. => ..; } =>
    // [Case { name: "exp", fused: fused::<exp>, .. }, ..], where `exp` applies `f32::exp`, `exp10` the body
    ($($name:ident($low:literal..$high:literal) $(: |$l:ident, $x:ident| $body:expr)? => $exact:expr;)*) => {{
        $(
            #[expect(non_camel_case_types, reason = "one name for the function and its case")]
            #[derive(Clone, Copy, Default)]
            struct $name;
            impl Unary<f32> for $name {
                #[inline(always)]
                fn apply<L: Lanes<f32>>(self, l: L, x: L::V) -> L::V {
                    cases!(@ l, x, $name $(, |$l, $x| $body)?)
                }
            }
        )*
        vec![$(Case {
            name: stringify!($name),
            fused: fused::<$name>,
            unfused: unfused::<$name>,
            exact: $exact,
            range: ($low, $high),
        }),*]
    }};
    (@ $l:ident, $x:ident, $name:ident) => { <f32 as Math>::$name($l, $x) };
    (@ $l:ident, $x:ident, $name:ident, |$a:ident, $b:ident| $body:expr) => {{
        let ($a, $b) = ($l, $x);
        $body
    }};
}

/// The normal distribution function and its density.
fn phi(x: f64) -> (f64, f64) {
    let density = libm::exp(-0.5 * x * x) / (2.0 * core::f64::consts::PI).sqrt();
    (0.5 * libm::erfc(-x / core::f64::consts::SQRT_2), density)
}

/// `x` times the logistic function of `v`.
fn gate(x: f64, v: f64) -> f64 {
    let z = libm::exp(-v.abs());
    match v {
        v if v >= 0.0 => x / (1.0 + z),
        _ if z == 0.0 => -0.0,
        _ => x * (z / (1.0 + z)),
    }
}

/// `2 sqrt(2 / pi) (x + 0.044715 x^3)` and its derivative.
fn tanh_argument(x: f64) -> (f64, f64) {
    let c = (8.0 / core::f64::consts::PI).sqrt();
    (c * (x + 0.044_715 * x * x * x), c * (1.0 + 3.0 * 0.044_715 * x * x))
}

fn cases() -> Vec<Case> {
    cases! {
        exp(-10.0..10.0) => libm::exp;
        log(0.0..100.0) => libm::log;
        tanh(-4.0..4.0) => libm::tanh;
        sigmoid(-10.0..10.0) => |x| 1.0 / (1.0 + libm::exp(-x));
        gelu(-5.0..5.0) => |x| if x == f64::NEG_INFINITY { -0.0 } else { x * phi(x).0 };
        gelu_derivative(-5.0..5.0) => |x| {
            let y = phi(x).0 + if x.is_infinite() { 0.0 } else { x * phi(x).1 };
            // It comes to 0 from below.
            if y == 0.0 { -0.0 } else { y }
        };
        expm1(-10.0..10.0) => libm::expm1;
        log1p(-0.9..10.0) => libm::log1p;
        rsqrt(0.0..100.0) => |x| 1.0 / libm::sqrt(x);
        erf(-3.0..3.0) => libm::erf;
        sin(-100.0..100.0) => libm::sin;
        cos(-100.0..100.0) => libm::cos;
        softplus(-10.0..10.0) => |x| x.max(0.0) + libm::log1p(libm::exp(-x.abs()));
        silu(-10.0..10.0) => |x| gate(x, x);
        gelu_tanh(-5.0..5.0) => |x| gate(x, tanh_argument(x).0);
        gelu_tanh_derivative(-5.0..5.0) => |x| {
            let (v, slope) = tanh_argument(x);
            let z = libm::exp(-v.abs());
            let (larger, smaller) = (1.0 / (1.0 + z), z / (1.0 + z));
            match v {
                _ if z == 0.0 => if v < 0.0 { -0.0 } else { 1.0 },
                v if v < 0.0 => smaller + x * slope * (larger * smaller),
                _ => larger + x * slope * (larger * smaller),
            }
        };
        // Powers by one operand: all bases to two exponents, ten to all exponents.
        pow_2_4(0.0..10.0): |l, x| <f32 as Math>::pow(l, x, l.splat(2.4)) => |x| libm::pow(x, f64::from(2.4_f32));
        pow_minus_7(0.1..10.0): |l, x| <f32 as Math>::pow(l, x, l.splat(-7.0)) => |x| libm::pow(x, -7.0);
        pow_of_10(-9.0..9.0): |l, x| <f32 as Math>::pow(l, l.splat(10.0), x) => |x| libm::pow(10.0, x);
    }
}

/// What a run over some inputs found.
#[derive(Clone, Copy, Default)]
struct Found {
    inputs: u64,
    max_ulp: f64,
    at: f32,
    not_nearest: u64,
    not_nan: u64,
    wrong_zeros: u64,
}

impl Found {
    fn one(&mut self, x: f32, ours: f32, exact: f64) {
        self.inputs += 1;
        if exact.is_nan() || ours.is_nan() {
            self.not_nan += u64::from(exact.is_nan() != ours.is_nan());
            return;
        }
        let nearest = exact as f32;
        self.not_nearest += u64::from(ours != nearest);
        self.wrong_zeros +=
            u64::from(ours == 0.0 && ours.is_sign_positive() != exact.is_sign_positive());
        if ours == nearest && self.max_ulp > 0.5 {
            return;
        }
        let limit = 2_f64.powi(128);
        let ours = f64::from(ours).clamp(-limit, limit);
        let exact = exact.clamp(-limit, limit);
        // The exponent of the result's binade, at least that of the subnormals.
        let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        let exponent = exponent.clamp(-126, 127);
        let unit = f64::from_bits(((exponent - 23 + 1023) as u64) << 52);
        let ulp = (ours - exact).abs() / unit;
        if ulp > self.max_ulp {
            (self.max_ulp, self.at) = (ulp, x);
        }
    }

    fn with(self, other: Self) -> Self {
        let worse = if other.max_ulp > self.max_ulp { other } else { self };
        Self {
            inputs: self.inputs + other.inputs,
            max_ulp: worse.max_ulp,
            at: worse.at,
            not_nearest: self.not_nearest + other.not_nearest,
            not_nan: self.not_nan + other.not_nan,
            wrong_zeros: self.wrong_zeros + other.wrong_zeros,
        }
    }
}

/// Inputs whose bits are `first, first + step, ..`.
fn scan(kernel: Kernel, exact: fn(f64) -> f64, first: u64, step: u64) -> Found {
    const CHUNK: usize = 4096;
    let (mut x, mut out) = (Vec::with_capacity(CHUNK), vec![0.0; CHUNK]);
    let mut found = Found::default();
    let mut next = first;
    while next < 1 << 32 {
        x.clear();
        while x.len() < CHUNK && next < 1 << 32 {
            x.push(f32::from_bits(next as u32));
            next += step;
        }
        let out = &mut out[..x.len()];
        kernel(&x, out);
        for (&x, &ours) in x.iter().zip(out.iter()) {
            found.one(x, ours, exact(f64::from(x)));
        }
    }
    found
}

/// Two threads, every second input each.
fn measure(kernel: Kernel, exact: fn(f64) -> f64, stride: u64) -> Found {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| scan(kernel, exact, stride, 2 * stride));
        scan(kernel, exact, 0, 2 * stride).with(other.join().expect("the other half"))
    })
}

/// Nanoseconds an element.
fn time(kernel: Kernel, (low, high): (f32, f32)) -> f64 {
    const LEN: usize = 4096;
    // A fixed shuffle of an even spread.
    let x: Vec<f32> =
        (0..LEN).map(|i| low + (high - low) * ((i * 1_597) % LEN) as f32 / LEN as f32).collect();
    let mut out = vec![0.0; LEN];
    let pass = |out: &mut [f32]| {
        let start = Instant::now();
        for _ in 0..16 {
            kernel(black_box(&x), black_box(out));
        }
        start.elapsed().as_secs_f64() * 1e9 / (16 * LEN) as f64
    };
    (0..200).map(|_| pass(&mut out)).fold(f64::INFINITY, f64::min)
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|i| args.get(i + 1));
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let stride = value("--stride").map_or(1, |k| k.parse().expect("--stride takes a number"));
    println!("function, class: max ulp at input; not nearest %; NaN, zero sign wrong; ns/element");
    for case in cases() {
        if value("--function").is_some_and(|name| name != case.name) {
            continue;
        }
        for (class, kernel) in [("fused", case.fused), ("unfused", case.unfused)] {
            if value("--class").is_some_and(|only| only != class) {
                continue;
            }
            let ns = time(kernel, case.range);
            if has("--time") {
                println!("{}, {class}: {ns:.3} ns/element", case.name);
                continue;
            }
            let found = measure(kernel, case.exact, stride);
            println!(
                "{}, {class}: {:.4} at {:e} (0x{:08x}); {:.3} %; {}, {}; {ns:.3}; {} inputs",
                case.name,
                found.max_ulp,
                found.at,
                found.at.to_bits(),
                100.0 * found.not_nearest as f64 / found.inputs as f64,
                found.not_nan,
                found.wrong_zeros,
                found.inputs
            );
        }
    }
}
