//! What only integers have: remainders, bits and shifts, and right operands that are refused.

use crate::backend::Integer;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exec::context::ExecContext;
use crate::kernels::plain;
use crate::layout::broadcast_shape;
use crate::raw::RawTensor;

macro_rules! bit_ops {
    // bit_ops! { "docs" bit_and &; } => pub fn bit_and<T: Integer>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident $sign:tt;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::Overflow`]; [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Integer>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
            self.pair(stringify!($name), a, b, |a, b, out| plain::zip(a, b, out, |a, b| a $sign b))
        }
    )*};
}

macro_rules! shift_ops {
    // shift_ops! { "docs" shift_left <<; } => pub fn shift_left<T: Integer>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> ..
    ($($doc:literal $name:ident $sign:tt;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::InvalidArgument`] for a negative shift;
        /// [`Error::Overflow`]; [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Integer>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
            check_shift(stringify!($name), a, b)?;
            self.pair(stringify!($name), a, b, |a, b, out| {
                plain::zip(a, b, out, |a: T, b: T| {
                    // In two steps, each by fewer than all bits: the CPU has no shift by all.
                    let bits = 8 * size_of::<T>() as u32;
                    let count = b.try_into().unwrap_or(bits).min(bits);
                    (a $sign (count / 2)) $sign (count - count / 2)
                });
            })
        }
    )*};
}

impl ExecContext {
    bit_ops! {
        "The bits that both have." bit_and &;
        "The bits that either has." bit_or |;
        "The bits that one has and the other has not." bit_xor ^;
    }

    shift_ops! {
        "`a * 2^b` modulo 2^n: 0 where `b` is n or more, the number of bits." shift_left <<;
        "`a / 2^b`, rounded down: 0, or -1 of a negative `a`, where `b` is the number of bits or more." shift_right >>;
    }

    /// Every bit turned over: `-1 - x` of signed integers, `MAX - x` of unsigned ones.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn bit_not<T: Integer>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
        let operand = [(x, x.layout())];
        self.rows("bit_not", *x.shape(), operand, |[x], out| plain::each(x, out, |x: T| !x))
    }

    /// `a % b`, with the sign of `a`: `a - (a / b) * b`. `MIN % -1` is 0.
    ///
    /// Shapes broadcast; the result is contiguous.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::InvalidArgument`] for a divisor of 0;
    /// [`Error::Overflow`]; [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let x = ctx.from_slice(&[4], &[7, -7, i32::MIN, 0])?;
    /// let y = ctx.from_slice(&[4], &[3, 3, -1, 5])?;
    /// assert_eq!(ctx.rem(&x, &y)?.data()?, [1, -1, 0, 0]);
    /// assert_eq!(ctx.div(&x, &y)?.data()?, [2, -2, i32::MIN, 0]);
    /// assert!(ctx.rem(&y, &x).is_err()); // a divisor is 0
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn rem<T: Integer>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        let backend = self.backend();
        check_divisor("rem", a, b)?;
        self.pair("rem", a, b, |a, b, out| T::rem(backend, a, b, out))
    }
}

/// `Ok` if the shapes broadcast and no element of the divisor is 0.
pub(super) fn check_divisor<T: Element>(
    op: &'static str,
    a: &RawTensor<T>,
    b: &RawTensor<T>,
) -> Result<()> {
    broadcast_shape(op, a.shape(), b.shape())?;
    if any(b, |x| x == T::default()) {
        return Err(Error::InvalidArgument { op, argument: "divisor", fits: "one without zeros" });
    }
    Ok(())
}

/// `Ok` if the shapes broadcast and no shift is negative.
fn check_shift<T: Integer>(op: &'static str, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<()> {
    broadcast_shape(op, a.shape(), b.shape())?;
    if any(b, |x| x < T::default()) {
        return Err(Error::InvalidArgument { op, argument: "shift", fits: "0 or more everywhere" });
    }
    Ok(())
}

/// Whether an element is refused.
fn any<T: Element>(x: &RawTensor<T>, refused: impl Fn(T) -> bool) -> bool {
    match x.data() {
        Ok(data) => data.iter().any(|&x| refused(x)),
        Err(_) => x.iter().any(refused),
    }
}
