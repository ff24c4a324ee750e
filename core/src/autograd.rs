//! Reverse-mode differentiation: nodes, the engine that walks them, and one VJP file a domain.
//!
//! A recorded op's result carries a `Node`: the op's VJP with the operand views it needs, and counted handles
//! to the operands' nodes. `backward` (`engine`) seeds the result's gradient and visits nodes newest first. A
//! graph is used once: a pass that succeeds lets go of everything saved, one that fails leaves it as it was.
#![forbid(unsafe_code)]

pub(crate) mod attention;
pub(crate) mod conv;
pub(crate) mod elementwise;
pub(crate) mod engine;
mod grad;
pub(crate) mod index;
pub(crate) mod linear;
pub(crate) mod matmul;
pub(crate) mod node;
pub(crate) mod norm;
pub(crate) mod pooling;
mod queue;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod rope;
pub(crate) mod shape;
pub(crate) mod softmax;
mod vjp;

pub use grad::{Differentiable, Grad};
pub(crate) use vjp::{Inputs, Vjp};
