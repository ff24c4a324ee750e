//! What only integers have: remainders, and divisors that must not be 0.

use crate::backend::Integer;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::exec::context::ExecContext;
use crate::layout::broadcast_shape;
use crate::raw::RawTensor;

impl ExecContext {
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
    let has_zero = match b.data() {
        Ok(data) => data.contains(&T::default()),
        Err(_) => b.iter().any(|x| x == T::default()),
    };
    if has_zero {
        return Err(Error::InvalidArgument { op, argument: "divisor", fits: "one without zeros" });
    }
    Ok(())
}
