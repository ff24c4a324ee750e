//! What the optimisers share: checking a list of parameters, and making each writable.

use std_alloc::vec::Vec;

use crate::autograd::Differentiable;
use crate::error::{Error, Result};
use crate::exec::ExecContext;
use crate::raw::RawTensor;
use crate::tensor::Tensor;

/// Grows per-parameter state to the list's length and makes every parameter that has a gradient writable.
///
/// `state` keeps `N` tensors a parameter, zeros at first.
pub(super) fn prepare<T: Differentiable, const N: usize>(
    op: &'static str,
    ctx: &ExecContext,
    params: &mut [&mut Tensor<T>],
    state: &mut Vec<Option<[RawTensor<T>; N]>>,
) -> Result<()> {
    let bytes = params.len().saturating_mul(size_of::<Option<[RawTensor<T>; N]>>());
    let missing = params.len().saturating_sub(state.len());
    state.try_reserve(missing).map_err(|_| Error::OutOfMemory { op, bytes })?;
    state.resize_with(state.len().max(params.len()), || None);
    for (param, state) in params.iter_mut().zip(state) {
        if !param.requires_grad() {
            return Err(Error::NoGradientGraph { op });
        }
        if param.grad_view().is_none() {
            continue;
        }
        match state {
            None => *state = Some(zeros(op, ctx, param)?),
            Some(tensors) => {
                for tensor in tensors {
                    param.shape().check_same(op, tensor.shape())?;
                }
            }
        }
        param.own_storage(ctx)?;
    }
    Ok(())
}

fn zeros<T: Differentiable, const N: usize>(
    op: &'static str,
    ctx: &ExecContext,
    like: &Tensor<T>,
) -> Result<[RawTensor<T>; N]> {
    let mut made = [const { None }; N];
    for place in &mut made {
        *place = Some(ctx.full_shape(op, *like.shape(), T::ZERO)?);
    }
    Ok(made.map(|made| match made {
        Some(made) => made,
        None => unreachable!("every place was filled"),
    }))
}

/// `Ok` if `value` is finite and within the bounds.
pub(super) fn check(
    op: &'static str,
    argument: &'static str,
    fits: &'static str,
    holds: bool,
) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::InvalidArgument { op, argument, fits }) }
}
