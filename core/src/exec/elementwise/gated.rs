//! Gated units: an activation of `gate` times `up`, in one pass; or of the two halves of a tensor's last axis.

use super::{binary_ops, ternary_ops};
use crate::backend::Real;
use crate::error::{Error, Result};
use crate::exec::context::ExecContext;
use crate::exec::{BinaryOp, TernaryOp};
use crate::raw::RawTensor;

macro_rules! halves_ops {
    // halves_ops! { "docs" glu_halves glu; } => pub fn glu_halves<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident $of:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::InvalidArgument`] if the last axis has an odd length; [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
            let [gate, up] = halves(stringify!($name), x)?;
            self.binary(stringify!($name), &gate, &up, |k, gate, up, out| k.$of(gate, up, out))
        }
    )*};
}

impl ExecContext {
    binary_ops! {
        "`sigmoid(a) * b`: `a` is the gate." glu;
        "`silu(a) * b`: `a` is the gate." swiglu;
        "`gelu(a) * b`, gelu in its exact form: `a` is the gate." geglu;
        "`relu(a) * b`: `a` is the gate." reglu;
    }

    ternary_ops! {
        "The gradient of glu by its gate; by `up` it is `glu(gate, g)`." glu_backward(gate, up, g);
        "The gradient of swiglu by its gate; by `up` it is `swiglu(gate, g)`." swiglu_backward(gate, up, g);
        "The gradient of geglu by its gate; by `up` it is `geglu(gate, g)`." geglu_backward(gate, up, g);
        "The gradient of reglu by its gate; by `up` it is `reglu(gate, g)`." reglu_backward(gate, up, g);
    }

    halves_ops! {
        "[`glu`](Self::glu) of the last axis: its first half is the gate, its second half `up`." glu_halves glu;
        "[`swiglu`](Self::swiglu) of the last axis: its first half is the gate, its second half `up`." swiglu_halves swiglu;
        "[`geglu`](Self::geglu) of the last axis: its first half is the gate, its second half `up`." geglu_halves geglu;
        "[`reglu`](Self::reglu) of the last axis: its first half is the gate, its second half `up`." reglu_halves reglu;
    }

    /// The gradient of a unit of halves, from those of the unit by gate and by `up`.
    #[track_caller]
    pub(crate) fn halves_backward<T: Real>(
        &self,
        x: &RawTensor<T>,
        g: &RawTensor<T>,
        by_gate: TernaryOp<T>,
        unit: BinaryOp<T>,
    ) -> Result<RawTensor<T>> {
        let [gate, up] = halves("halves_backward", x)?;
        let both = [by_gate(self, &gate, &up, g)?, unit(self, &gate, g)?];
        self.concat(&[&both[0], &both[1]], x.shape().rank() - 1)
    }
}

/// Both halves of the last axis, as views.
fn halves<T: Real>(op: &'static str, x: &RawTensor<T>) -> Result<[RawTensor<T>; 2]> {
    let last = x.shape().rank() - 1;
    let half = x.shape()[last] / 2;
    if !x.shape()[last].is_multiple_of(2) {
        return Err(Error::InvalidArgument { op, argument: "last axis", fits: "an even length" });
    }
    Ok([x.narrow(last, 0, half)?, x.narrow(last, half, half)?])
}
