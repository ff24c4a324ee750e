//! Arithmetic that floats and integers share by name: recorded of floats, constants of integers, which are the caller's inside
//! a scope too.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::{PairVjp, ScalarsVjp, ScaleVjp, UnaryVjp, ZeroVjp};
use crate::backend::Number;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

impl<T: Arithmetic> Tensor<T> {
    /// `-self`: the sign flipped, of NaN too; integers wrapping around, `-MIN` to `MIN`.
    ///
    /// Gradient: `-g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn neg(&self, ctx: &ExecContext) -> Result<Self> {
        T::neg_tensor(ctx, self)
    }

    /// `|self|`: the sign cleared, of NaN too; integers wrapping around, `|MIN|` to `MIN`.
    ///
    /// Gradient: `g` times the sign of `self`, 0 at 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[4], &[i64::MIN, -7, 0, 7])?;
    /// assert_eq!(x.abs(&ctx)?.to_vec()?, [i64::MIN, 7, 0, 7]);
    /// assert_eq!(x.neg(&ctx)?.to_vec()?, [i64::MIN, 7, 0, -7]);
    /// assert_eq!(x.sign(&ctx)?.to_vec()?, [-1, -1, 0, 1]);
    /// assert_eq!(x.clamp(&ctx, -1, 5)?.to_vec()?, [-1, -1, 0, 5]);
    /// let five = Tensor::scalar(&ctx, 5)?;
    /// assert_eq!(x.maximum(&ctx, &five)?.to_vec()?, [5, 5, 5, 7]);
    /// assert_eq!(x.minimum(&ctx, &five)?.to_vec()?, [i64::MIN, -7, 0, 5]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn abs(&self, ctx: &ExecContext) -> Result<Self> {
        T::abs_tensor(ctx, self)
    }

    /// 1 with the sign of `self`; a zero or NaN as it is.
    ///
    /// Gradient: 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn sign(&self, ctx: &ExecContext) -> Result<Self> {
        T::sign_tensor(ctx, self)
    }

    /// `self` moved into `low..=high`: the smaller of `high` and the larger of `self` and `low`, so `high` where `low` is
    /// above it. NaN if any of the three is.
    ///
    /// Gradient: 0 where `self` is below `low` or above `high`, else `g`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::from_slice(&ctx, &[4], &[-2.0_f32, 0.5, 3.0, f32::NAN])?;
    /// let y = x.clamp(&ctx, 0.0, 1.0)?.to_vec()?;
    /// assert_eq!(y[..3], [0.0, 0.5, 1.0]);
    /// assert!(y[3].is_nan());
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn clamp(&self, ctx: &ExecContext, low: T, high: T) -> Result<Self> {
        T::clamp_tensor(ctx, self, [low, high])
    }

    /// The larger of `self` and `rhs`; of floats +0 above -0, NaN if either is (IEEE 754's `maximum`).
    ///
    /// Gradient: `g` to the larger, half to each where they are equal; where one is NaN it gets `g` (both, if both are).
    /// Summed over broadcast axes.
    ///
    /// # Errors
    /// As [`eq`](Self::eq).
    #[track_caller]
    pub fn maximum(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        T::maximum_tensor(ctx, self, rhs)
    }

    /// The smaller of `self` and `rhs`; of floats -0 below +0, NaN if either is (IEEE 754's `minimum`).
    ///
    /// Gradient: `g` to the smaller, half to each where they are equal; where one is NaN it gets `g` (both, if both are).
    /// Summed over broadcast axes.
    ///
    /// # Errors
    /// As [`eq`](Self::eq).
    #[track_caller]
    pub fn minimum(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
        T::minimum_tensor(ctx, self, rhs)
    }
}

/// An element type whose tensors have arithmetic: `f32` and `f64`, with gradients, and the integers, without.
pub trait Arithmetic: Number {
    #[doc(hidden)]
    #[track_caller]
    fn neg_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>>;
    #[doc(hidden)]
    #[track_caller]
    fn abs_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>>;
    #[doc(hidden)]
    #[track_caller]
    fn sign_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>>;
    #[doc(hidden)]
    #[track_caller]
    fn clamp_tensor(ctx: &ExecContext, x: &Tensor<Self>, range: [Self; 2]) -> Result<Tensor<Self>>;
    #[doc(hidden)]
    #[track_caller]
    fn maximum_tensor(
        ctx: &ExecContext,
        a: &Tensor<Self>,
        b: &Tensor<Self>,
    ) -> Result<Tensor<Self>>;
    #[doc(hidden)]
    #[track_caller]
    fn minimum_tensor(
        ctx: &ExecContext,
        a: &Tensor<Self>,
        b: &Tensor<Self>,
    ) -> Result<Tensor<Self>>;
}

impl<T: Differentiable> Arithmetic for T {
    #[track_caller]
    fn neg_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>> {
        Recording::new(ctx, "neg", [x]).run(|ctx, [x]| ctx.neg(x), |_, _| ScaleVjp(-T::ONE))
    }

    #[track_caller]
    fn abs_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>> {
        Recording::new(ctx, "abs", [x]).run(
            |ctx, [x]| ctx.abs(x),
            |_, _| UnaryVjp { saved: x.raw.clone(), local: ExecContext::abs_backward },
        )
    }

    #[track_caller]
    fn sign_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<Self>> {
        Recording::new(ctx, "sign", [x]).run(|ctx, [x]| ctx.sign(x), |_, _| ZeroVjp(*x.shape()))
    }

    #[track_caller]
    fn clamp_tensor(ctx: &ExecContext, x: &Tensor<Self>, range: [Self; 2]) -> Result<Tensor<Self>> {
        Recording::new(ctx, "clamp", [x]).run(
            |ctx, [x]| ctx.clamp(x, range[0], range[1]),
            |_, _| ScalarsVjp {
                saved: x.raw.clone(),
                scalars: range,
                local: |ctx, x, g, [low, high]| ctx.clamp_backward(x, g, low, high),
            },
        )
    }

    #[track_caller]
    fn maximum_tensor(
        ctx: &ExecContext,
        a: &Tensor<Self>,
        b: &Tensor<Self>,
    ) -> Result<Tensor<Self>> {
        Recording::new(ctx, "maximum", [a, b]).run(
            |ctx, [a, b]| ctx.maximum(a, b),
            |_, _| PairVjp {
                a: a.raw.clone(),
                b: b.raw.clone(),
                locals: [ExecContext::maximum_backward, |ctx, a, b, g| {
                    ctx.maximum_backward(b, a, g)
                }],
            },
        )
    }

    #[track_caller]
    fn minimum_tensor(
        ctx: &ExecContext,
        a: &Tensor<Self>,
        b: &Tensor<Self>,
    ) -> Result<Tensor<Self>> {
        Recording::new(ctx, "minimum", [a, b]).run(
            |ctx, [a, b]| ctx.minimum(a, b),
            |_, _| PairVjp {
                a: a.raw.clone(),
                b: b.raw.clone(),
                locals: [ExecContext::minimum_backward, |ctx, a, b, g| {
                    ctx.minimum_backward(b, a, g)
                }],
            },
        )
    }
}

macro_rules! constants {
    // constants! { i8 } => impl Arithmetic for i8 { fn neg_tensor(ctx, x) { Ok(Tensor::constant(ctx.neg(&x.raw)?)) } .. }
    ($($t:ty),*) => {$(
        impl Arithmetic for $t {
            constants!(@ neg_tensor neg(), abs_tensor abs(), sign_tensor sign());
            constants!(@ maximum_tensor maximum(rhs), minimum_tensor minimum(rhs));

            #[track_caller]
            fn clamp_tensor(
                ctx: &ExecContext,
                x: &Tensor<Self>,
                [low, high]: [Self; 2],
            ) -> Result<Tensor<Self>> {
                Ok(Tensor::constant(ctx.clamp(&x.raw, low, high)?))
            }
        }
    )*};
    (@ $($name:ident $op:ident($($rhs:ident)?)),*) => {$(
        #[track_caller]
        fn $name(ctx: &ExecContext, x: &Tensor<Self> $(, $rhs: &Tensor<Self>)?) -> Result<Tensor<Self>> {
            Ok(Tensor::constant(ctx.$op(&x.raw $(, &$rhs.raw)?)?))
        }
    )*};
}

constants!(i8, i16, i32, i64, u8, u16, u32, u64);
