//! Every numeric kernel, once, over SIMD lanes.
//!
//! A kernel is an [`Op`]: plain data (slices and geometry) that runs on any [`Lanes`]. A backend calls it from a
//! function compiled for its instruction set; the scalar backend runs it on one lane. Kernels check nothing and
//! allocate nothing: `exec` has done both.
//!
//! The bits of a result depend on the lanes only through [`Lanes::FUSED`], because every kernel is either a pure
//! function of its element or follows one of two fixed orders: [`reduce`] (32 virtual lanes, fixed tree) and
//! [`gemm`] (`k` ascending, one fused step each; a vector's product along a matrix's rows is a reduction).
#![forbid(unsafe_code)]

pub mod attention;
pub mod elementwise;
pub mod fill;
pub mod gemm;
pub mod half;
pub mod lanes;
pub mod math;
pub mod norm;
pub mod optim;
pub mod plain;
pub mod pooling;
pub mod reduce;
pub mod rope;
pub mod rows;
pub mod softmax;
pub mod unfold;

pub use lanes::{Lanes, ScalarLanes, Twice};

use crate::dtype::Float;

/// A kernel with its arguments, ready to run on any lanes.
pub trait Op<T: Float> {
    /// What it returns.
    type Out;
    /// Whether it turns squares of lanes, which have at most [`MOST_ROWS`](lanes::MOST_ROWS) rows: a backend of wider lanes runs
    /// it on narrower ones.
    const SQUARES: bool = false;
    /// Runs it. Implementations are `#[inline(always)]`, so that the body is compiled for the caller's features.
    fn run<L: Lanes<T>>(self, l: L) -> Self::Out;
}
