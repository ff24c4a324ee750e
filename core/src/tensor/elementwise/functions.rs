//! Functions of one operand.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::{ScalarsVjp, UnaryVjp, ZeroVjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

impl<T: Differentiable> Tensor<T> {
    /// `self * self`, rounded once.
    ///
    /// Gradient: `2 * self * g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn square(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "square", [self]).run(
            |ctx, [x]| ctx.square(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::square_backward },
        )
    }

    /// `1 / self`, rounded once.
    ///
    /// Gradient: `-g * out^2`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn reciprocal(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "reciprocal", [self]).run(
            |ctx, [x]| ctx.reciprocal(x),
            |out, _| UnaryVjp { saved: out.clone(), local: ExecContext::reciprocal_backward },
        )
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

    /// `e^self - 1`, with all its digits near 0.
    ///
    /// Gradient: `g * e^self`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn expm1(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "expm1", [self]).run(
            |ctx, [x]| ctx.expm1(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::expm1_backward },
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

    /// `ln(1 + self)`, with all its digits near 0: `-inf` at -1, NaN below.
    ///
    /// Gradient: `g / (1 + self)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn log1p(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "log1p", [self]).run(
            |ctx, [x]| ctx.log1p(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::log1p_backward },
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

    /// `1 / sqrt(self)`: infinite at a zero, with its sign; NaN below.
    ///
    /// Gradient: `-g * out^3 / 2`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn rsqrt(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "rsqrt", [self]).run(
            |ctx, [x]| ctx.rsqrt(x),
            |out, _| UnaryVjp { saved: out.clone(), local: ExecContext::rsqrt_backward },
        )
    }

    /// Sine, at any size of `self`; NaN at the infinities.
    ///
    /// Gradient: `g * cos(self)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sin(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "sin", [self]).run(
            |ctx, [x]| ctx.sin(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::sin_backward },
        )
    }

    /// Cosine, at any size of `self`; NaN at the infinities.
    ///
    /// Gradient: `-g * sin(self)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn cos(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "cos", [self]).run(
            |ctx, [x]| ctx.cos(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::cos_backward },
        )
    }

    /// The error function.
    ///
    /// Gradient: `g * 2 / sqrt(pi) * e^(-self^2)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn erf(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "erf", [self]).run(
            |ctx, [x]| ctx.erf(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::erf_backward },
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

    /// `ln(1 + e^self)`, without overflow.
    ///
    /// Gradient: `g / (1 + e^-self)`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn softplus(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "softplus", [self]).run(
            |ctx, [x]| ctx.softplus(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::softplus_backward },
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

    /// `self / (1 + e^-self)`.
    ///
    /// Gradient: `g * (s + self * s * (1 - s))`, `s` the logistic function of `self`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn silu(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "silu", [self]).run(
            |ctx, [x]| ctx.silu(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::silu_backward },
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

    /// `self * (1 + tanh(sqrt(2 / pi) * (self + 0.044715 * self^3))) / 2`: the tanh form of [`gelu`](Self::gelu).
    ///
    /// Gradient: `g` times the derivative of that form.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn gelu_tanh(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "gelu_tanh", [self]).run(
            |ctx, [x]| ctx.gelu_tanh(x),
            |_, _| UnaryVjp { saved: self.raw.clone(), local: ExecContext::gelu_tanh_backward },
        )
    }

    /// The largest integer that is not above `self`.
    ///
    /// Gradient: 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn floor(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "floor", [self])
            .run(|ctx, [x]| ctx.floor(x), |_, _| ZeroVjp(*self.shape()))
    }

    /// The smallest integer that is not below `self`.
    ///
    /// Gradient: 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn ceil(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "ceil", [self])
            .run(|ctx, [x]| ctx.ceil(x), |_, _| ZeroVjp(*self.shape()))
    }

    /// The nearest integer, ties to even.
    ///
    /// Gradient: 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn round(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "round", [self])
            .run(|ctx, [x]| ctx.round(x), |_, _| ZeroVjp(*self.shape()))
    }

    /// `slope * self` where `self` is not positive, else `self`.
    ///
    /// Gradient: `slope * g` where `self` is not positive, else `g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn leaky_relu(&self, ctx: &ExecContext, slope: T) -> Result<Self> {
        Recording::new(ctx, "leaky_relu", [self]).run(
            |ctx, [x]| ctx.leaky_relu(x, slope),
            |_, _| ScalarsVjp {
                saved: self.raw.clone(),
                scalars: [slope; 2],
                local: |ctx, x, g, [slope, _]| ctx.leaky_relu_backward(x, g, slope),
            },
        )
    }

    /// `alpha * (e^self - 1)` where `self` is not positive, else `self`.
    ///
    /// Gradient: `g * alpha * e^self` where `self` is not positive, else `g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn elu(&self, ctx: &ExecContext, alpha: T) -> Result<Self> {
        Recording::new(ctx, "elu", [self]).run(
            |ctx, [x]| ctx.elu(x, alpha),
            |_, _| ScalarsVjp {
                saved: self.raw.clone(),
                scalars: [alpha; 2],
                local: |ctx, x, g, [alpha, _]| ctx.elu_backward(x, g, alpha),
            },
        )
    }

    /// `self^exponent`, the same bits as [`pow`](Self::pow).
    ///
    /// Gradient: `g * exponent * self^(exponent - 1)`, 0 where the exponent is 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn powf(&self, ctx: &ExecContext, exponent: T) -> Result<Self> {
        Recording::new(ctx, "powf", [self]).run(
            |ctx, [x]| ctx.powf(x, exponent),
            |_, _| ScalarsVjp {
                saved: self.raw.clone(),
                scalars: [exponent; 2],
                local: |ctx, x, g, [exponent, _]| ctx.powf_backward(x, g, exponent),
            },
        )
    }
}
