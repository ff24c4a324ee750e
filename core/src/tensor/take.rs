//! Consuming ops on constants: the result takes the operand's buffer over, if it is the operand's alone.

use super::Tensor;
use super::record::finish;
use crate::autograd::Differentiable;
use crate::error::{Error, Result};
use crate::exec::{ExecContext, Refused};
use crate::raw::RawTensor;

/// What a consuming op returns.
type Taken<T> = Result<Tensor<T>, Refused<Tensor<T>>>;

macro_rules! take_binary_ops {
    // take_binary_ops! { "docs" take_add } => pub fn take_add(self, ctx: &ExecContext, rhs: &Self) -> Taken<T>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::ActiveExecScopeUnsupported`] if a scope owns `self`; [`Error::UnsupportedGradient`] if an operand
        /// carries a gradient; else as the op that leaves its operand. `self` comes back in the [`Refused`].
        #[track_caller]
        pub fn $name(self, ctx: &ExecContext, rhs: &Self) -> Taken<T> {
            self.take(ctx, stringify!($name), Some(rhs), |x| ctx.$name(x, &rhs.raw))
        }
    )*};
}

macro_rules! take_unary_ops {
    // take_unary_ops! { "docs" take_exp } => pub fn take_exp(self, ctx: &ExecContext) -> Taken<T>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::ActiveExecScopeUnsupported`] if a scope owns `self`; [`Error::UnsupportedGradient`] if it carries a
        /// gradient; [`Error::OutOfMemory`]. `self` comes back in the [`Refused`].
        #[track_caller]
        pub fn $name(self, ctx: &ExecContext) -> Taken<T> {
            self.take(ctx, stringify!($name), None, |x| ctx.$name(x))
        }
    )*};
}

impl<T: Differentiable> Tensor<T> {
    take_binary_ops! {
        "`self + rhs` in the buffer of `self`." take_add;
        "`self - rhs` in the buffer of `self`." take_sub;
        "`self * rhs` in the buffer of `self`." take_mul;
        "`self / rhs` in the buffer of `self`." take_div;
    }

    take_unary_ops! {
        "`-self` in its own buffer." take_neg;
        "`e^self` in its own buffer." take_exp;
        "The natural logarithm in its own buffer." take_log;
        "The square root in its own buffer." take_sqrt;
        "The hyperbolic tangent in its own buffer." take_tanh;
        "The logistic function in its own buffer." take_sigmoid;
        "Relu in its own buffer." take_relu;
        "Gelu in its own buffer." take_gelu;
    }

    /// `self * factor` in its own buffer.
    ///
    /// # Errors
    /// As [`take_neg`](Self::take_neg).
    #[track_caller]
    pub fn take_scale(self, ctx: &ExecContext, factor: T) -> Taken<T> {
        self.take(ctx, "take_scale", None, |x| ctx.take_scale(x, factor))
    }

    #[track_caller]
    fn take(
        self,
        ctx: &ExecContext,
        op: &'static str,
        rhs: Option<&Self>,
        compute: impl FnOnce(RawTensor<T>) -> Result<RawTensor<T>, Refused<RawTensor<T>>>,
    ) -> Taken<T> {
        let refusal = if self.scope_owned {
            Some(Error::ActiveExecScopeUnsupported { op })
        } else if self.node.is_some() || rhs.is_some_and(|rhs| rhs.node.is_some()) {
            Some(Error::UnsupportedGradient { op })
        } else {
            None
        };
        if let Some(error) = refusal {
            return Err(Refused { error, value: self });
        }
        let mut operand = Some(self.raw);
        let result = finish(
            ctx,
            op,
            false,
            || match operand.take().map(compute) {
                Some(Ok(raw)) => Ok((raw, ())),
                Some(Err(Refused { error, value })) => {
                    operand = Some(value);
                    Err(error)
                }
                None => unreachable!("computed once"),
            },
            |_, (), _| unreachable!("nothing is recorded"),
        );
        result.map_err(|error| match operand {
            Some(raw) => Refused { error, value: Self::constant(raw) },
            None => unreachable!("a failed op gave its operand back"),
        })
    }
}
