//! VJPs of the matrix products: each is two products, in the orientation that needs no copy.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::raw::RawTensor;

/// Which operand of a product is transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orientation {
    /// `a * b`.
    Nn,
    /// `a * b^T`.
    Nt,
    /// `a^T * b`.
    Tn,
}

/// Operands of a product, each saved for the other's sake.
pub(crate) struct MatmulVjp<T: Differentiable> {
    pub(crate) orientation: Orientation,
    pub(crate) lhs: Option<RawTensor<T>>,
    pub(crate) rhs: Option<RawTensor<T>>,
}

impl<T: Differentiable> Vjp<T> for MatmulVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        if let Some(b) = &self.rhs {
            inputs.give(0, || match self.orientation {
                Orientation::Nn => ctx.matmul_nt(g, b),
                Orientation::Nt => ctx.matmul(g, b),
                Orientation::Tn => ctx.matmul_nt(b, g),
            })?;
        }
        if let Some(a) = &self.lhs {
            inputs.give(1, || match self.orientation {
                Orientation::Nn => ctx.matmul_tn(a, g),
                Orientation::Nt => ctx.matmul_tn(g, a),
                Orientation::Tn => ctx.matmul(a, g),
            })?;
        }
        Ok(())
    }
}
