//! Constructors. Their results are the caller's, inside a scope too.

use std_alloc::vec::Vec;

use super::Tensor;
use crate::autograd::{Differentiable, node};
use crate::dtype::Element;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::raw::RawTensor;

impl<T: Element> Tensor<T> {
    /// A constant over a raw tensor.
    #[must_use]
    pub fn constant(raw: RawTensor<T>) -> Self {
        Self { raw, node: None, scope_owned: false }
    }

    /// A constant with a copy of `values`, row-major.
    ///
    /// # Errors
    /// [`Error::InvalidShape`](crate::Error::InvalidShape), [`Error::Overflow`](crate::Error::Overflow),
    /// [`Error::InvalidDataLength`](crate::Error::InvalidDataLength),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn from_slice(ctx: &ExecContext, dims: &[usize], values: &[T]) -> Result<Self> {
        Ok(Self::constant(ctx.from_slice(dims, values)?))
    }

    /// A constant that takes a vector over, without a copy.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn from_vec(ctx: &ExecContext, dims: &[usize], values: Vec<T>) -> Result<Self> {
        Ok(Self::constant(ctx.from_vec(dims, values)?))
    }

    /// A constant that reads a static slice in place, without a copy.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn from_static(ctx: &ExecContext, dims: &[usize], values: &'static [T]) -> Result<Self> {
        Ok(Self::constant(ctx.from_static(dims, values)?))
    }

    /// A constant whose contents are unspecified (but some value of `T`).
    ///
    /// # Errors
    /// [`Error::InvalidShape`](crate::Error::InvalidShape), [`Error::Overflow`](crate::Error::Overflow),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn empty(ctx: &ExecContext, dims: &[usize]) -> Result<Self> {
        Ok(Self::constant(ctx.empty(dims)?))
    }

    /// A constant filled with zeros.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    #[track_caller]
    pub fn zeros(ctx: &ExecContext, dims: &[usize]) -> Result<Self> {
        Ok(Self::constant(ctx.zeros(dims)?))
    }

    /// A constant filled with ones.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    #[track_caller]
    pub fn ones(ctx: &ExecContext, dims: &[usize]) -> Result<Self> {
        Ok(Self::constant(ctx.ones(dims)?))
    }

    /// A constant filled with `value`.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    #[track_caller]
    pub fn full(ctx: &ExecContext, dims: &[usize], value: T) -> Result<Self> {
        Ok(Self::constant(ctx.full(dims, value)?))
    }

    /// A constant of shape `[1]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn scalar(ctx: &ExecContext, value: T) -> Result<Self> {
        Ok(Self::constant(ctx.scalar(value)?))
    }
}

impl<T: Differentiable> Tensor<T> {
    /// A variable over a raw tensor: a leaf that gathers gradients.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn variable(ctx: &ExecContext, raw: RawTensor<T>) -> Result<Self> {
        let node = Some(node::leaf(ctx, "variable")?);
        Ok(Self { raw, node, scope_owned: false })
    }

    /// A variable with a copy of `values`, row-major.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn variable_from_slice(ctx: &ExecContext, dims: &[usize], values: &[T]) -> Result<Self> {
        Self::variable(ctx, ctx.from_slice(dims, values)?)
    }
}
