//! Transcendental functions on lanes.
//!
//! [`Math`] is what an element type must offer. `f32` has polynomials of its own, lanes at once; `f64` goes through the
//! `libm` crate, lane by lane. Both have the same bits on every target of a class.

mod double;
mod rsqrt;
mod single;
#[cfg(test)]
mod tests;

use super::Lanes;
use crate::dtype::Float;

/// The transcendental functions of an element type. Errors are against the exact result, in units in the last place.
pub trait Math: Float {
    /// `e^x`; at most 1 ulp. Overflow gives infinity, underflow is gradual.
    fn exp<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// Natural logarithm; at most 1 ulp. `-inf` at 0, NaN below.
    fn log<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// Hyperbolic tangent; at most 2 ulp.
    fn tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `1 / (1 + e^-x)`; at most 2 ulp.
    fn sigmoid<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `x * Phi(x)` with the normal distribution function `Phi`, the exact (erf) form; at most 2 ulp for f32, 2.1 unless [`Lanes::FUSED`].
    fn gelu<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `Phi(x) + x * phi(x)`, the derivative of [`Math::gelu`].
    fn gelu_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `e^x - 1`; at most 2 ulp.
    fn expm1<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `ln(1 + x)`; at most 2 ulp. `-inf` at -1, NaN below.
    fn log1p<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `1 / sqrt(x)`; at most 1 ulp where [`Lanes::FUSED`], else 1.5. Infinite at a zero, with its sign; NaN below.
    fn rsqrt<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// The error function; at most 2 ulp.
    fn erf<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// Sine; at most 2 ulp, at any size of `x`. NaN at the infinities.
    fn sin<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// Cosine; at most 2 ulp, at any size of `x`. NaN at the infinities.
    fn cos<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `ln(1 + e^x)`; at most 2 ulp.
    fn softplus<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `x / (1 + e^-x)`; at most 2 ulp.
    fn silu<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2`, the tanh form of [`Math::gelu`]; at most 2 ulp for f32.
    fn gelu_tanh<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// The derivative of [`Math::gelu_tanh`]; at most 2 ulp for f32.
    fn gelu_tanh_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `x^y`, with IEEE 754's special cases; at most 2 ulp.
    fn pow<L: Lanes<Self>>(l: L, x: L::V, y: L::V) -> L::V;
}
