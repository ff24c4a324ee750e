//! Conversions between element types.

use core::marker::PhantomData;

use half::{bf16, f16};

use crate::autograd::Differentiable;
use crate::autograd::elementwise::CastVjp;
use crate::autograd::node::{self, Parents};
use crate::dtype::{CastFrom, Element};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::finish;

const OP: &str = "cast";

impl<T: Element> Tensor<T> {
    /// Every element as another type: see [`ExecContext::cast`] for the rules.
    ///
    /// Gradient: between `f32` and `f64`, `g` converted back; other conversions give constants. Results of `f32` and `f64`
    /// belong to the innermost scope, others to the caller.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::variable_from_slice(&ctx, &[2], &[0.5_f32, 3.0])?;
    /// let y = x.cast::<f64>(&ctx)?;
    /// y.mul(&ctx, &y)?.sum_all(&ctx)?.backward(&ctx)?;
    /// assert_eq!(x.grad(&ctx)?.unwrap().to_vec()?, [1.0, 6.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn cast<U: Element>(&self, ctx: &ExecContext) -> Result<Tensor<U>>
    where
        T: CastTo<U>,
    {
        T::cast_tensor(ctx, self)
    }
}

/// An element type whose tensors convert to those of `U`: every one to every other.
pub trait CastTo<U: Element>: Element {
    #[doc(hidden)]
    #[track_caller]
    fn cast_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<U>>;
}

macro_rules! casts {
    // casts! { recorded: f32 => (f32, f64); } => impl CastTo<f32> for f32 { fn cast_tensor(ctx, x) { recorded(ctx, x) } } ..
    ($($how:ident: $($from:ty),* => $to:tt;)*) => {$($(
        casts!(@ $how $from => $to);
    )*)*};
    (@ $how:ident $from:ty => ($($to:ty),*)) => {$(
        impl CastTo<$to> for $from {
            #[track_caller]
            fn cast_tensor(ctx: &ExecContext, x: &Tensor<Self>) -> Result<Tensor<$to>> {
                $how(ctx, x)
            }
        }
    )*};
}

casts! {
    recorded: f32, f64 => (f32, f64);
    computed: f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool => (f32, f64);
    constant: f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool
        => (f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool);
}

#[track_caller]
fn recorded<T, U>(ctx: &ExecContext, x: &Tensor<T>) -> Result<Tensor<U>>
where
    T: Differentiable + CastFrom<U>,
    U: Differentiable + CastFrom<T>,
{
    let records = x.node.is_some() && ctx.grad_enabled();
    finish(
        ctx,
        OP,
        records,
        || Ok((ctx.cast(&x.raw)?, ())),
        |_, (), scoped| {
            let parents = Parents::collect(ctx, OP, core::iter::once(x.node.as_ref()))?;
            node::recorded::<U, _>(ctx, OP, scoped, parents, || CastVjp::<T>(PhantomData))
        },
    )
}

#[track_caller]
fn computed<T: Element, U: Differentiable + CastFrom<T>>(
    ctx: &ExecContext,
    x: &Tensor<T>,
) -> Result<Tensor<U>> {
    let nothing = |_: &_, (), _| unreachable!("nothing is recorded");
    finish(ctx, OP, false, || Ok((ctx.cast(&x.raw)?, ())), nothing)
}

#[track_caller]
fn constant<T: Element, U: CastFrom<T>>(ctx: &ExecContext, x: &Tensor<T>) -> Result<Tensor<U>> {
    Ok(Tensor::constant(ctx.cast(&x.raw)?))
}
