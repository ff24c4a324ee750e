//! Elementwise ops. Shapes broadcast; gradients are summed back.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::elementwise::{AddVjp, DivVjp, MulVjp, ScaleVjp, UnaryVjp};
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

    /// `-self`.
    ///
    /// Gradient: `-g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn neg(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "neg", [self]).run(|ctx, [x]| ctx.neg(x), |_, _| ScaleVjp(-T::ONE))
    }

    /// `e^self`.
    ///
    /// Gradient: `g * out`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn exp(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "exp", [self]).run(
            |ctx, [x]| ctx.exp(x),
            |out, _| UnaryVjp { saved: out.clone(), local: |ctx, y, g| ctx.mul(g, y) },
        )
    }

    /// The natural logarithm: `-inf` at 0, NaN below.
    ///
    /// Gradient: `g / self`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn log(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "log", [self]).run(
            |ctx, [x]| ctx.log(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: |ctx, x, g| ctx.div(g, x) },
        )
    }

    /// The square root: NaN below 0.
    ///
    /// Gradient: `g / (2 * out)`, infinite at 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sqrt(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "sqrt", [self]).run(
            |ctx, [x]| ctx.sqrt(x),
            |out, _| UnaryVjp { saved: out.clone(), local: ExecContext::sqrt_backward },
        )
    }

    /// The hyperbolic tangent.
    ///
    /// Gradient: `g * (1 - out^2)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn tanh(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "tanh", [self]).run(
            |ctx, [x]| ctx.tanh(x),
            |out, _| UnaryVjp { saved: out.clone(), local: ExecContext::tanh_backward },
        )
    }

    /// The logistic function `1 / (1 + e^-self)`.
    ///
    /// Gradient: `g * out * (1 - out)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sigmoid(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "sigmoid", [self]).run(
            |ctx, [x]| ctx.sigmoid(x),
            |out, _| UnaryVjp { saved: out.clone(), local: ExecContext::sigmoid_backward },
        )
    }

    /// `self` where it is positive or NaN, else 0.
    ///
    /// Gradient: `g` where `self` is positive or NaN, else 0 (at 0 too).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn relu(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "relu", [self]).run(
            |ctx, [x]| ctx.relu(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::relu_backward },
        )
    }

    /// `self * Phi(self)` with the normal distribution function `Phi`: the exact form.
    ///
    /// Gradient: `g * (Phi(self) + self * phi(self))`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn gelu(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "gelu", [self]).run(
            |ctx, [x]| ctx.gelu(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::gelu_backward },
        )
    }
}
