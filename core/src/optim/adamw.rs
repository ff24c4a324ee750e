//! AdamW: Adam with decoupled weight decay (Loshchilov and Hutter, 2019).

use std_alloc::vec::Vec;

use super::params::{check, prepare};
use crate::autograd::Differentiable;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::kernels::optim::AdamWStep;
use crate::raw::RawTensor;
use crate::tensor::Tensor;

const OP: &str = "adamw_step";

/// Numbers of [`AdamW`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamWConfig {
    /// Step length; positive.
    pub learning_rate: f64,
    /// Decay of the first moment; in `0..1`.
    pub beta1: f64,
    /// Decay of the second moment; in `0..1`.
    pub beta2: f64,
    /// Added to the root of the second moment; positive.
    pub eps: f64,
    /// Share of the parameter, times the learning rate, that a step takes away; not negative.
    pub weight_decay: f64,
}

impl Default for AdamWConfig {
    fn default() -> Self {
        Self { learning_rate: 1e-3, beta1: 0.9, beta2: 0.999, eps: 1e-8, weight_decay: 1e-2 }
    }
}

/// `m = b1 m + (1 - b1) g`, `s = b2 s + (1 - b2) g^2`, both corrected for their start at 0; `w` shrinks by
/// `learning_rate * weight_decay` and moves by `learning_rate * m / (sqrt(s) + eps)`.
#[derive(Debug)]
pub struct AdamW<T: Differentiable = f32> {
    config: AdamWConfig,
    steps: u32,
    moments: Vec<Option<[RawTensor<T>; 2]>>,
}

impl<T: Differentiable> AdamW<T> {
    /// An optimiser without state yet.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a number outside its range.
    pub fn new(config: AdamWConfig) -> Result<Self> {
        let AdamWConfig { learning_rate: rate, beta1, beta2, eps, weight_decay: decay } = config;
        check(OP, "learning rate", "a positive number", rate > 0.0 && rate.is_finite())?;
        check(OP, "beta1", "a number in 0..1", (0.0..1.0).contains(&beta1))?;
        check(OP, "beta2", "a number in 0..1", (0.0..1.0).contains(&beta2))?;
        check(OP, "eps", "a positive number", eps > 0.0 && eps.is_finite())?;
        check(OP, "weight decay", "a number from 0 on", decay >= 0.0 && decay.is_finite())?;
        Ok(Self { config, steps: 0, moments: Vec::new() })
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
    /// As [`Sgd::step`](super::Sgd::step).
    pub fn step(&mut self, ctx: &ExecContext, params: &mut [&mut Tensor<T>]) -> Result<()> {
        prepare(OP, ctx, params, &mut self.moments)?;
        self.steps = self.steps.saturating_add(1);
        let c = self.config;
        let correction = |beta: f64| 1.0 - libm::pow(beta, f64::from(self.steps));
        let step = AdamWStep {
            shrink: T::from_f64(1.0 - c.learning_rate * c.weight_decay),
            rate: T::from_f64(c.learning_rate / correction(c.beta1)),
            second_scale: T::from_f64(1.0 / libm::sqrt(correction(c.beta2))),
            beta1: T::from_f64(c.beta1),
            beta2: T::from_f64(c.beta2),
            eps: T::from_f64(c.eps),
        };
        for (param, state) in params.iter_mut().zip(&mut self.moments) {
            if let (Some(g), Some([m, s])) = (param.grad_view(), state) {
                ctx.adamw_step(step, param.raw_mut(), g.raw(), m, s)?;
            }
        }
        Ok(())
    }
}
