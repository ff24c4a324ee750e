//! VJPs of the matrix products: each is two products, in the orientation that needs no copy.

use super::{Differentiable, Inputs, Vjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::layout::Shape;
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
    pub(crate) shapes: [Shape; 2],
    pub(crate) lhs: Option<RawTensor<T>>,
    pub(crate) rhs: Option<RawTensor<T>>,
}

impl<T: Differentiable> Vjp<T> for MatmulVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        let [lhs, rhs] = &self.shapes;
        if let Some(b) = &self.rhs {
            inputs.give(0, || {
                let g = match self.orientation {
                    Orientation::Nn => ctx.matmul_nt(g, b),
                    Orientation::Nt => ctx.matmul(g, b),
                    Orientation::Tn => ctx.matmul_nt(b, g),
                }?;
                ctx.reduce_to(&g, lhs)
            })?;
        }
        if let Some(a) = &self.lhs {
            // A matrix that a batch shares: the sum over the batch is a part of one product.
            let joined = rhs.rank() == 2 && a.shape().rank() == g.shape().rank();
            inputs.give(1, || match self.orientation {
                Orientation::Nn if joined => ctx.matmul_tn_joined(a, g),
                Orientation::Nt if joined => ctx.matmul_tn_joined(g, a),
                Orientation::Nn => ctx.reduce_to(&ctx.matmul_tn(a, g)?, rhs),
                Orientation::Nt => ctx.reduce_to(&ctx.matmul_tn(g, a)?, rhs),
                Orientation::Tn => ctx.reduce_to(&ctx.matmul(a, g)?, rhs),
            })?;
        }
        Ok(())
    }
}

/// `c + a * b`.
pub(crate) struct MatmulAddVjp<T: Differentiable> {
    pub(crate) addend: Shape,
    pub(crate) product: MatmulVjp<T>,
}

impl<T: Differentiable> Vjp<T> for MatmulAddVjp<T> {
    fn backward(&self, ctx: &ExecContext, g: &RawTensor<T>, inputs: &mut Inputs<'_>) -> Result<()> {
        self.product.backward(ctx, g, inputs)?;
        inputs.give(2, || ctx.reduce_to(g, &self.addend))
    }
}
