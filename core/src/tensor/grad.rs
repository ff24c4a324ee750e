//! Gradients: running a pass, and reading what it left.

use super::Tensor;
use crate::autograd::{Differentiable, engine};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exec::ExecContext;

impl<T: Element> Tensor<T> {
    /// Whether the tensor is a variable or was recorded from one.
    #[must_use]
    pub fn requires_grad(&self) -> bool {
        self.node.is_some()
    }
}

impl<T: Differentiable> Tensor<T> {
    /// Computes the gradient of this value (of one element, seed 1) for every variable it was made from.
    ///
    /// Gradients add to those of earlier passes. A graph can be walked once: what it saved is let go of.
    ///
    /// # Errors
    /// [`Error::NoGradientGraph`] for a constant; [`Error::MissingOutputGradient`] for more than one element;
    /// [`Error::BackwardAlreadyRun`]; [`Error::ScopeClosed`]; [`Error::GraphBusy`]; [`Error::OutOfMemory`]. Nothing is
    /// changed then, and the graph can still be walked.
    #[track_caller]
    pub fn backward(&self, ctx: &ExecContext) -> Result<()> {
        const OP: &str = "backward";
        let node = self.node.as_ref().ok_or(Error::NoGradientGraph { op: OP })?;
        if self.len() != 1 {
            return Err(Error::MissingOutputGradient { op: OP, shape: *self.shape() });
        }
        let seed = ctx.full_shape(OP, *self.shape(), T::ONE)?;
        engine::run(ctx, core::iter::once((node, T::wrap(seed))))
    }

    /// Like [`backward`](Self::backward), from a given gradient of this value.
    ///
    /// # Errors
    /// As [`backward`](Self::backward); [`Error::ShapeMismatch`] if `seed` has another shape.
    #[track_caller]
    pub fn backward_with_grad(&self, ctx: &ExecContext, seed: &Self) -> Result<()> {
        Self::backward_all(ctx, &[(self, seed)])
    }

    /// One pass from several outputs, each with its gradient. An output reached through another gets both.
    ///
    /// # Errors
    /// As [`backward_with_grad`](Self::backward_with_grad).
    #[track_caller]
    pub fn backward_all(ctx: &ExecContext, outputs: &[(&Self, &Self)]) -> Result<()> {
        const OP: &str = "backward";
        for (output, seed) in outputs {
            if output.node.is_none() {
                return Err(Error::NoGradientGraph { op: OP });
            }
            output.shape().check_same(OP, seed.shape())?;
        }
        let seeds = outputs.iter();
        let seeds =
            seeds.filter_map(|(x, seed)| Some((x.node.as_ref()?, T::wrap(seed.raw.clone()))));
        engine::run(ctx, seeds)
    }

    /// A copy of the gradient; `None` before a pass reached this value, or after [`zero_grad`](Self::zero_grad). The
    /// caller's, inside a scope too.
    ///
    /// Variables keep gradients, and the outputs a pass was asked for; values in between do not.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn grad(&self, ctx: &ExecContext) -> Result<Option<Self>> {
        let Some(view) = self.grad_view() else { return Ok(None) };
        Ok(Some(Self::constant(ctx.materialize(&view.raw)?)))
    }

    /// The gradient without a copy. It keeps its values whatever later passes add.
    #[must_use]
    pub fn grad_view(&self) -> Option<Self> {
        let grad = self.node.as_ref()?.grad()?;
        Some(Self::constant(T::unwrap(&grad)?.clone()))
    }

    /// Forgets the gradient.
    pub fn zero_grad(&self) {
        if let Some(node) = &self.node {
            node.set_grad(None);
        }
    }
}

impl ExecContext {
    /// Advances a value through `op`: on success the old value is dropped and the new one stands in its place; on
    /// error the old one stays.
    ///
    /// # Errors
    /// What `op` returns.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let mut x = Tensor::from_slice(&ctx, &[2], &[1.0_f32, 2.0])?;
    /// for _ in 0..3 {
    ///     ctx.replace(&mut x, |x| x.scale(&ctx, 2.0))?;
    /// }
    /// assert_eq!(x.to_vec()?, [8.0, 16.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    pub fn replace<V>(&self, value: &mut V, op: impl FnOnce(&V) -> Result<V>) -> Result<()> {
        *value = op(value)?;
        Ok(())
    }
}
