//! [`Tensor`]: values that remember how they were made.
//!
//! One file a domain, mirroring `exec`: constructors, access, then the ops. Every op takes the context first, checks,
//! computes through the raw surface, records its VJP if an operand carries a gradient, and hands the result to the
//! innermost scope if one is open (`record`).
#![forbid(unsafe_code)]

mod access;
mod attention;
mod conv;
mod create;
mod elementwise;
mod fmt;
mod grad;
mod gradcheck;
mod index;
mod linear;
mod matmul;
mod norm;
mod pooling;
mod random;
mod record;
mod reduce;
mod rope;
mod shape;
mod softmax;
mod take;

pub use elementwise::{Arithmetic, CastTo};
pub use gradcheck::{GradcheckError, gradcheck};

use crate::autograd::node::NodeRef;
use crate::dtype::Element;
use crate::raw::RawTensor;

/// A tensor of rank 1 to 8, maybe part of a graph.
///
/// A handle: cloning and dropping count, nothing is copied. Elements are immutable while shared. `f32` and `f64`
/// tensors can carry gradients; those of other element types are constants.
///
/// # Examples
/// ```
/// use fucina_core::{ExecContext, Tensor};
///
/// let ctx = ExecContext::new();
/// let w = Tensor::variable_from_slice(&ctx, &[3], &[1.0_f32, 2.0, 3.0])?;
/// let loss = w.mul(&ctx, &w)?.sum_all(&ctx)?;
/// loss.backward(&ctx)?;
/// assert_eq!(w.grad(&ctx)?.unwrap().to_vec()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), fucina_core::Error>(())
/// ```
pub struct Tensor<T: Element = f32> {
    raw: RawTensor<T>,
    node: Option<NodeRef>,
    scope_owned: bool,
}

impl<T: Element> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), node: self.node.clone(), scope_owned: self.scope_owned }
    }
}
