//! [`gradcheck`]: recorded gradients against finite differences.

use core::fmt;

use std_alloc::vec::Vec;

use super::Tensor;
use crate::error::Error;
use crate::exec::ExecContext;

/// How far apart two gradients were, or what kept them from being compared.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum GradcheckError {
    /// The function or its backward pass failed.
    Failed(Error),
    /// An element's gradients differ by more than `tolerance * max(1, |numeric|)`.
    Differs {
        /// Which input.
        input: usize,
        /// Which element of it, row-major.
        element: usize,
        /// The recorded gradient.
        recorded: f64,
        /// The central difference.
        numeric: f64,
    },
}

impl fmt::Display for GradcheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "gradcheck: {error}"),
            Self::Differs { input, element, recorded, numeric } => write!(
                f,
                "gradcheck: input {input}, element {element}: recorded {recorded:e}, \
                 numeric {numeric:e}; they must agree"
            ),
        }
    }
}

impl core::error::Error for GradcheckError {}

impl From<Error> for GradcheckError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Compares the recorded gradient of `f` with finite differences, in f64, for every element of every input.
///
/// `f` may return any shape: it is weighted with fixed, uneven numbers and summed. The difference is central, of fourth
/// order, with a step of about `1e-3` times the element's size, whose error is far below `tolerance` (1e-6 is usual) for
/// a smooth function; keep inputs away from kinks.
///
/// # Errors
/// [`GradcheckError`].
///
/// # Examples
/// ```
/// use fucina_core::{ExecContext, Tensor, gradcheck};
///
/// let ctx = ExecContext::new();
/// let x = Tensor::from_slice(&ctx, &[2], &[0.5_f64, -1.25])?;
/// gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].tanh(ctx))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gradcheck(
    ctx: &ExecContext,
    inputs: &[&Tensor<f64>],
    tolerance: f64,
    f: impl Fn(&ExecContext, &[Tensor<f64>]) -> Result<Tensor<f64>, Error>,
) -> Result<(), GradcheckError> {
    let variables =
        try_collect(inputs.iter().map(|x| Tensor::variable(ctx, ctx.materialize(x.raw())?)))?;
    let out = f(ctx, &variables)?;
    out.backward_with_grad(ctx, &weights(ctx, &out)?)?;
    for (input, x) in variables.iter().enumerate() {
        let recorded = match x.grad(ctx)? {
            Some(grad) => grad.to_vec()?,
            None => try_collect((0..x.len()).map(|_| Ok(0.0)))?,
        };
        for (element, &recorded) in recorded.iter().enumerate() {
            let numeric = difference(ctx, &variables, input, element, &f)?;
            let bound = tolerance * numeric.abs().max(1.0);
            if (recorded - numeric).abs() > bound || recorded.is_nan() || numeric.is_nan() {
                return Err(GradcheckError::Differs { input, element, recorded, numeric });
            }
        }
    }
    Ok(())
}

/// Uneven weights, so that errors do not cancel.
fn weights(ctx: &ExecContext, like: &Tensor<f64>) -> Result<Tensor<f64>, Error> {
    let weight = |i: usize| Ok(0.5 + (i * 7 % 11) as f64 / 8.0);
    let values = try_collect((0..like.len()).map(weight))?;
    Tensor::from_slice(ctx, like.shape().dims(), &values)
}

/// Collects fallible values into fallible memory.
fn try_collect<X>(
    values: impl ExactSizeIterator<Item = Result<X, Error>>,
) -> Result<Vec<X>, Error> {
    let mut out = Vec::new();
    let bytes = values.len().saturating_mul(size_of::<X>());
    let refused = Error::OutOfMemory { op: "gradcheck", bytes };
    out.try_reserve_exact(values.len()).map_err(|_| refused)?;
    for value in values {
        out.push(value?);
    }
    Ok(out)
}

/// `(f(x - 2h) - 8 f(x - h) + 8 f(x + h) - f(x + 2h)) / 12h`.
fn difference(
    ctx: &ExecContext,
    variables: &[Tensor<f64>],
    input: usize,
    element: usize,
    f: &impl Fn(&ExecContext, &[Tensor<f64>]) -> Result<Tensor<f64>, Error>,
) -> Result<f64, Error> {
    let _no_grad = ctx.no_grad();
    let mut moved = variables[input].to_vec()?;
    let at = moved[element];
    let h = 1e-3 * at.abs().max(1.0);
    let mut total = 0.0;
    for (steps, factor) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        moved[element] = at + steps * h;
        let mut xs = try_collect(variables.iter().map(|x| Ok(x.detach())))?;
        xs[input] = Tensor::from_slice(ctx, variables[input].shape().dims(), &moved)?;
        let out = f(ctx, &xs)?;
        let weighted = out.mul(ctx, &weights(ctx, &out)?)?.sum_all(ctx)?;
        total += factor * weighted.item()?;
    }
    Ok(total / (12.0 * h))
}
