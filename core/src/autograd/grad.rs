//! [`Grad`]: a gradient of whichever type, as the engine carries it.

use crate::backend::Real;
use crate::error::{Error, Result};
use crate::exec::ExecContext;
use crate::raw::RawTensor;

/// A gradient on its way through a graph.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Grad {
    /// Of an `f32` value.
    F32(RawTensor<f32>),
    /// Of an `f64` value.
    F64(RawTensor<f64>),
}

impl Grad {
    /// `self + other`: into the buffer if it is ours alone, else into a new one.
    pub(crate) fn accumulate(&mut self, ctx: &ExecContext, other: &Self) -> Result<()> {
        match (self, other) {
            (Self::F32(acc), Self::F32(x)) => accumulate(ctx, acc, x),
            (Self::F64(acc), Self::F64(x)) => accumulate(ctx, acc, x),
            (_, other) => Err(other.unexpected("backward")),
        }
    }

    /// `self + other` in a new buffer.
    pub(crate) fn sum(&self, ctx: &ExecContext, other: &Self) -> Result<Self> {
        match (self, other) {
            (Self::F32(a), Self::F32(b)) => Ok(Self::F32(ctx.add(a, b)?)),
            (Self::F64(a), Self::F64(b)) => Ok(Self::F64(ctx.add(a, b)?)),
            (_, other) => Err(other.unexpected("backward")),
        }
    }

    pub(super) fn unexpected(&self, op: &'static str) -> Error {
        let found = match self {
            Self::F32(x) => x.dtype(),
            Self::F64(x) => x.dtype(),
        };
        Error::UnsupportedDType { op, found, fits: "a gradient of the value's dtype" }
    }
}

fn accumulate<T: Real>(ctx: &ExecContext, acc: &mut RawTensor<T>, x: &RawTensor<T>) -> Result<()> {
    if acc.shape() == x.shape() && acc.unique_mut().is_some() {
        return ctx.add_in_place(acc, x);
    }
    *acc = ctx.add(acc, x)?;
    Ok(())
}

/// An element type whose tensors can be differentiated: `f32` and `f64`.
pub trait Differentiable: Real {
    #[doc(hidden)]
    fn wrap(grad: RawTensor<Self>) -> Grad;
    #[doc(hidden)]
    fn unwrap(grad: &Grad) -> Option<&RawTensor<Self>>;
}

impl Differentiable for f32 {
    fn wrap(grad: RawTensor<Self>) -> Grad {
        Grad::F32(grad)
    }
    fn unwrap(grad: &Grad) -> Option<&RawTensor<Self>> {
        match grad {
            Grad::F32(grad) => Some(grad),
            Grad::F64(_) => None,
        }
    }
}

impl Differentiable for f64 {
    fn wrap(grad: RawTensor<Self>) -> Grad {
        Grad::F64(grad)
    }
    fn unwrap(grad: &Grad) -> Option<&RawTensor<Self>> {
        match grad {
            Grad::F64(grad) => Some(grad),
            Grad::F32(_) => None,
        }
    }
}
