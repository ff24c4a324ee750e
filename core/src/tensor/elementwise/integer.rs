//! Arithmetic of integers, named as in the standard library, and of their bits: constants, the caller's inside a scope too.

use crate::backend::Integer;
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;

macro_rules! integer_ops {
    // integer_ops! { "docs" wrapping_add add; } => pub fn wrapping_add(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self>
    ($($doc:literal $name:ident $op:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast. The result is a constant.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
        /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a divisor of 0 and a negative shift;
        /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name(&self, ctx: &ExecContext, rhs: &Self) -> Result<Self> {
            Ok(Self::constant(ctx.$op(&self.raw, &rhs.raw)?))
        }
    )*};
}

impl<T: Integer> Tensor<T> {
    integer_ops! {
        "`self + rhs`, wrapping around." wrapping_add add;
        "`self - rhs`, wrapping around." wrapping_sub sub;
        "`self * rhs`, wrapping around." wrapping_mul mul;
        "`self / rhs`, towards zero; `MIN / -1` is `MIN`." wrapping_div div;
        "`self % rhs`, with the sign of `self`; `MIN % -1` is 0." wrapping_rem rem;
        "The bits that both have." bit_and bit_and;
        "The bits that either has." bit_or bit_or;
        "The bits that one has and the other has not." bit_xor bit_xor;
        "`self * 2^rhs` modulo 2^n: 0 where `rhs` is n or more, the number of bits." shift_left shift_left;
        "`self / 2^rhs`, rounded down: 0 or -1 where `rhs` is the number of bits or more." shift_right shift_right;
    }

    /// Every bit turned over: `-1 - self` of signed integers, `MAX - self` of unsigned ones.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn bit_not(&self, ctx: &ExecContext) -> Result<Self> {
        Ok(Self::constant(ctx.bit_not(&self.raw)?))
    }
}
