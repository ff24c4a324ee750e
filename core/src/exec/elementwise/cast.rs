//! Conversions between element types.

use crate::dtype::{CastFrom, Element};
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::plain;
use crate::raw::RawTensor;

impl ExecContext {
    /// Every element as another type, in a contiguous result.
    ///
    /// To an integer: towards zero, saturating, NaN to 0. To a float: to nearest, ties to even, rounded once; subnormal
    /// numbers are kept, overflow is infinite, NaN stays NaN. To `bool`: whether it is not 0; from it: 1 and 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let x = ctx.from_slice(&[4], &[-25.5_f32, 3e9, f32::NAN, f32::NEG_INFINITY])?;
    /// assert_eq!(ctx.cast::<_, i32>(&x)?.data()?, [-25, i32::MAX, 0, i32::MIN]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn cast<T: Element, U: CastFrom<T>>(&self, x: &RawTensor<T>) -> Result<RawTensor<U>> {
        let operand = [(x, x.layout())];
        self.rows("cast", *x.shape(), operand, |[x], out| plain::each(x, out, U::cast_from))
    }
}
