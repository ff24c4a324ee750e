//! [`Vjp`]: what a recorded op does with its output's gradient; [`Inputs`]: where it hands the results.

use super::engine::Pending;
use super::grad::Differentiable;
use super::node::Parents;
use crate::error::{Error, Result};
use crate::exec::ExecContext;
use crate::raw::RawTensor;

/// A vector-Jacobian product with what it saved.
pub(crate) trait Vjp<T: Differentiable>: Send + 'static {
    /// Gives each input that needs one its gradient, from the output's gradient `g`.
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()>;
}

/// The inputs of the op whose VJP runs.
pub(crate) struct Inputs<'a> {
    ctx: &'a ExecContext,
    pending: &'a mut Pending,
    parents: &'a Parents,
    /// Bit `i % 64` of the inputs given so far.
    given: u64,
    count: usize,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(
        ctx: &'a ExecContext,
        pending: &'a mut Pending,
        parents: &'a Parents,
    ) -> Self {
        Self { ctx, pending, parents, given: 0, count: 0 }
    }

    /// Gives input `i` the gradient that `make` computes, if it needs one; else `make` is not called.
    pub(crate) fn give<T: Differentiable>(
        &mut self,
        i: usize,
        make: impl FnOnce() -> Result<RawTensor<T>>,
    ) -> Result<()> {
        let Some(parent) = self.parents.get(i) else { return Ok(()) };
        self.pending.add(self.ctx, parent, T::wrap(make()?))?;
        self.given |= 1 << (i % 64);
        self.count += 1;
        Ok(())
    }

    /// `Ok` if every input that needs a gradient was given one.
    pub(super) fn check_complete(&self, op: &'static str) -> Result<()> {
        let needing = (0..self.parents.len()).filter(|&i| self.parents.get(i).is_some());
        let missing = needing.clone().find(|i| self.given >> (i % 64) & 1 == 0);
        match missing {
            Some(input) => Err(Error::MissingBackwardGradient { op, input }),
            None if self.count < needing.count() => {
                Err(Error::MissingBackwardGradient { op, input: self.count })
            }
            None => Ok(()),
        }
    }
}
