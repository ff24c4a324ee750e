//! Transcendental functions on lanes.
//!
//! [`Math`] is what an element type must offer. `f64` goes through the `libm` crate, lane by lane: the same bits on
//! every target.

mod double;
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
    /// `x * Phi(x)` with the normal distribution function `Phi`, the exact (erf) form; at most 2 ulp for f32.
    fn gelu<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
    /// `Phi(x) + x * phi(x)`, the derivative of [`Math::gelu`].
    fn gelu_derivative<L: Lanes<Self>>(l: L, x: L::V) -> L::V;
}
