//! Stochastic gradient descent with momentum.

use std_alloc::vec::Vec;

use super::params::{check, prepare};
use crate::autograd::Differentiable;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::kernels::optim::SgdStep;
use crate::raw::RawTensor;
use crate::tensor::Tensor;

const OP: &str = "sgd_step";

/// Numbers of [`Sgd`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SgdConfig {
    /// Step length per unit of gradient; positive.
    pub learning_rate: f64,
    /// Share of the old velocity that stays; in `0..1`.
    pub momentum: f64,
    /// `weight_decay * w` is added to the gradient; not negative.
    pub weight_decay: f64,
}

impl Default for SgdConfig {
    fn default() -> Self {
        Self { learning_rate: 1e-2, momentum: 0.0, weight_decay: 0.0 }
    }
}

/// `v = momentum * v + (g + weight_decay * w)`; `w -= learning_rate * v`.
///
/// # Examples
/// ```
/// use fucina_core::optim::{Sgd, SgdConfig};
/// use fucina_core::{ExecContext, Tensor};
///
/// let ctx = ExecContext::new();
/// let mut w = Tensor::variable_from_slice(&ctx, &[1], &[4.0_f32])?;
/// let mut sgd = Sgd::new(SgdConfig { learning_rate: 0.25, ..SgdConfig::default() })?;
/// for _ in 0..2 {
///     w.mul(&ctx, &w)?.sum_all(&ctx)?.backward(&ctx)?;
///     sgd.step(&ctx, &mut [&mut w])?;
///     w.zero_grad();
/// }
/// assert_eq!(w.item()?, 1.0); // halved twice
/// # Ok::<(), fucina_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Sgd<T: Differentiable = f32> {
    config: SgdConfig,
    velocity: Vec<Option<[RawTensor<T>; 1]>>,
}

impl<T: Differentiable> Sgd<T> {
    /// An optimiser without state yet.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a number outside its range.
    pub fn new(config: SgdConfig) -> Result<Self> {
        let SgdConfig { learning_rate: rate, momentum, weight_decay: decay } = config;
        check(OP, "learning rate", "a positive number", rate > 0.0 && rate.is_finite())?;
        check(OP, "momentum", "a number in 0..1", (0.0..1.0).contains(&momentum))?;
        check(OP, "weight decay", "a number from 0 on", decay >= 0.0 && decay.is_finite())?;
        Ok(Self { config, velocity: Vec::new() })
    }

    /// Sets the learning rate of the steps to come.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) unless positive and finite.
    pub fn set_learning_rate(&mut self, rate: f64) -> Result<()> {
        check(OP, "learning rate", "a positive number", rate > 0.0 && rate.is_finite())?;
        self.config.learning_rate = rate;
        Ok(())
    }

    /// One step for each parameter that has a gradient.
    ///
    /// # Errors
    /// [`Error::NoGradientGraph`](crate::Error::NoGradientGraph) for a constant;
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if a place in the list has changed its shape;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory). No parameter is changed then.
    pub fn step(&mut self, ctx: &ExecContext, params: &mut [&mut Tensor<T>]) -> Result<()> {
        prepare(OP, ctx, params, &mut self.velocity)?;
        let step = SgdStep {
            learning_rate: T::from_f64(self.config.learning_rate),
            momentum: T::from_f64(self.config.momentum),
            weight_decay: T::from_f64(self.config.weight_decay),
        };
        for (param, state) in params.iter_mut().zip(&mut self.velocity) {
            if let (Some(g), Some([v])) = (param.grad_view(), state) {
                ctx.sgd_step(step, param.raw_mut(), g.raw(), v)?;
            }
        }
        Ok(())
    }
}
