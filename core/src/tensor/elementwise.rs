//! Elementwise ops. Shapes broadcast; gradients are summed back. Arithmetic here, functions and gated units in files of
//! their own.

mod cast;
mod compare;
mod functions;
mod gated;
mod integer;
mod number;
mod pairs;

pub use cast::CastTo;
pub use number::Arithmetic;

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::elementwise::{AddVjp, DivVjp, KeepVjp, MulVjp, ScaleVjp};
use crate::error::Result;
use crate::exec::ExecContext;

impl<T: Differentiable> Tensor<T> {
    /// `self + rhs`.
    ///
    /// Gradient: `g` to both, summed over broadcast axes.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn add(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        let shapes = [*self.shape(), *rhs.shape()];
        Recording::new(ctx, "add", [self, rhs])
            .run(|ctx, [a, b]| ctx.add(a, b), |_, _| AddVjp { shapes, subtract: false })
    }

    /// `self - rhs`.
    ///
    /// Gradient: `g` and `-g`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn sub(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        let shapes = [*self.shape(), *rhs.shape()];
        Recording::new(ctx, "sub", [self, rhs])
            .run(|ctx, [a, b]| ctx.sub(a, b), |_, _| AddVjp { shapes, subtract: true })
    }

    /// `self * rhs`, element by element.
    ///
    /// Gradient: `g * rhs` and `g * self`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn mul(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        Recording::new(ctx, "mul", [self, rhs]).run(
            |ctx, [a, b]| ctx.mul(a, b),
            |_, [lhs, other]| MulVjp {
                shapes: [*self.shape(), *rhs.shape()],
                lhs: other.then(|| self.raw.clone()),
                rhs: lhs.then(|| rhs.raw.clone()),
            },
        )
    }

    /// `self / rhs`, element by element.
    ///
    /// Gradient: `g / rhs` and `-(g / rhs) * out`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn div(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        Recording::new(ctx, "div", [self, rhs]).run(
            |ctx, [a, b]| ctx.div(a, b),
            |out, [_, divisor]| DivVjp {
                shapes: [*self.shape(), *rhs.shape()],
                rhs: rhs.raw.clone(),
                out: divisor.then(|| out.clone()),
            },
        )
    }

    /// `self * factor`.
    ///
    /// Gradient: `g * factor`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn scale(&self, ctx: &ExecContext, factor: T) -> Result<Self> {
        Recording::new(ctx, "scale", [self])
            .run(|ctx, [x]| ctx.scale(x, factor), |_, _| ScaleVjp(factor))
    }

    /// `self + value`.
    ///
    /// Gradient: `g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn add_scalar(&self, ctx: &ExecContext, value: T) -> Result<Self> {
        Recording::new(ctx, "add_scalar", [self])
            .run(|ctx, [x]| ctx.add_scalar(x, value), |_, _| KeepVjp)
    }
}
