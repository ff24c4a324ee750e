//! [`Math`] for f32: our own polynomials, lanes at once.
//!
//! Every function is a fixed sequence of [`Lanes`] operations: one path through for every lane, both sides of a case
//! computed and one selected. Its bits therefore depend on the class ([`Lanes::FUSED`]) only. The files beneath say
//! how each function is reduced and what its polynomial was fitted to: minimax by Remez' exchange on 300 to 1,500
//! Chebyshev points with 64 bits, coefficients rounded to f32 one by one, the rest fitted anew after each.
#![forbid(unsafe_code)]

mod erf;
mod exp;
mod expm1;
mod gates;
mod gelu;
mod gelu_derivative;
mod gelu_tanh;
mod log;
mod pow;
mod tanh;
mod trig;

use super::Math;
use super::rsqrt::rsqrt;
use crate::kernels::Lanes;

/// A polynomial of up to 16 coefficients, from its constant; by pairs (Estrin), since a chain of steps would wait on
/// each.
#[inline(always)]
fn polynomial<L: Lanes<f32>, const N: usize>(l: L, x: L::V, c: &[f32; N]) -> L::V {
    let x2 = l.mul(x, x);
    let powers = [x, x2, l.mul(x2, x2)];
    if N > 8 {
        let x8 = l.mul(powers[2], powers[2]);
        l.mul_add(eight(l, powers, c, 8), x8, eight(l, powers, c, 0))
    } else {
        eight(l, powers, c, 0)
    }
}

/// A polynomial, from its constant, step by step (Horner): fewer operations, for what nothing waits for.
#[inline(always)]
fn chain<L: Lanes<f32>, const N: usize>(l: L, x: L::V, c: &[f32; N]) -> L::V {
    let mut sum = l.splat(c[N - 1]);
    for i in 2..=N {
        sum = l.mul_add(sum, x, l.splat(c[N - i]));
    }
    sum
}

/// Up to eight coefficients from `c[i]` on; `x`, `x^2`, `x^4`.
#[inline(always)]
fn eight<L: Lanes<f32>, const N: usize>(l: L, x: [L::V; 3], c: &[f32; N], i: usize) -> L::V {
    match N - i {
        // One more product would save no time.
        5 => {
            let high = l.mul_add(l.splat(c[i + 4]), x[0], l.splat(c[i + 3]));
            l.mul_add(l.mul_add(high, x[0], l.splat(c[i + 2])), x[1], two(l, x, c, i))
        }
        6.. => l.mul_add(four(l, x, c, i + 4), x[2], four(l, x, c, i)),
        _ => four(l, x, c, i),
    }
}

#[inline(always)]
fn four<L: Lanes<f32>, const N: usize>(l: L, x: [L::V; 3], c: &[f32; N], i: usize) -> L::V {
    let low = two(l, x, c, i);
    if N > i + 2 { l.mul_add(two(l, x, c, i + 2), x[1], low) } else { low }
}

#[inline(always)]
fn two<L: Lanes<f32>, const N: usize>(l: L, x: [L::V; 3], c: &[f32; N], i: usize) -> L::V {
    let low = l.splat(c[i]);
    if N > i + 1 { l.mul_add(l.splat(c[i + 1]), x[0], low) } else { low }
}

/// `a * b - product`, exactly if `product` is `a * b` rounded and nothing is subnormal.
#[inline(always)]
fn product_error<L: Lanes<f32>>(l: L, a: L::V, b: L::V, product: L::V) -> L::V {
    if L::FUSED {
        return l.mul_add(a, b, l.neg(product));
    }
    // By halves of 12 bits (Veltkamp, Dekker 1971): each partial product is exact.
    let split = |a: L::V| {
        let c = l.mul(a, l.splat(4097.0));
        let high = l.sub(c, l.sub(c, a));
        (high, l.sub(a, high))
    };
    let ((a, a_low), (b, b_low)) = (split(a), split(b));
    let sum = l.add(l.sub(l.mul(a, b), product), l.mul(a, b_low));
    l.add(l.add(sum, l.mul(a_low, b)), l.mul(a_low, b_low))
}

/// `a - b * c`, exactly if `b` is `a / c` rounded or a little worse.
#[inline(always)]
fn remainder<L: Lanes<f32>>(l: L, a: L::V, b: L::V, c: L::V) -> L::V {
    if L::FUSED {
        return l.mul_add(l.neg(b), c, a);
    }
    let product = l.mul(b, c);
    l.sub(l.sub(a, product), product_error(l, b, c, product))
}

/// `y * 2^n`, rounded once, for `n` in `[-180, 60]` and `y` that is not tiny.
#[inline(always)]
fn scale_down<L: Lanes<f32>>(l: L, y: L::V, n: L::V) -> L::V {
    const TWO_60: f32 = (1_u64 << 60) as f32;
    let raised = l.mul(y, l.pow2(l.add(n, l.splat(60.0))));
    l.mul(raised, l.splat(1.0 / TWO_60))
}

impl Math for f32 {
    #[inline(always)]
    fn exp<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        exp::exp(l, x)
    }
    #[inline(always)]
    fn log<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        log::log(l, x)
    }
    #[inline(always)]
    fn tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        tanh::tanh(l, x)
    }
    #[inline(always)]
    fn sigmoid<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        tanh::sigmoid(l, x)
    }
    #[inline(always)]
    fn gelu<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gelu::gelu(l, x)
    }
    #[inline(always)]
    fn gelu_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gelu_derivative::gelu_derivative(l, x)
    }
    #[inline(always)]
    fn expm1<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        expm1::expm1(l, x)
    }
    #[inline(always)]
    fn log1p<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        log::log1p(l, x)
    }
    #[inline(always)]
    fn rsqrt<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        rsqrt(l, x)
    }
    #[inline(always)]
    fn erf<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        erf::erf(l, x)
    }
    #[inline(always)]
    fn sin<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        trig::sin(l, x)
    }
    #[inline(always)]
    fn cos<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        trig::cos(l, x)
    }
    #[inline(always)]
    fn softplus<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gates::softplus(l, x)
    }
    #[inline(always)]
    fn silu<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gates::silu(l, x)
    }
    #[inline(always)]
    fn gelu_tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gelu_tanh::gelu_tanh(l, x)
    }
    #[inline(always)]
    fn gelu_tanh_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V {
        gelu_tanh::gelu_tanh_derivative(l, x)
    }
    #[inline(always)]
    fn pow<L: Lanes<Self>>(l: L, x: L::V, y: L::V) -> L::V {
        pow::pow(l, x, y)
    }
}
