//! Logic on masks.

use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::plain;
use crate::raw::RawTensor;

macro_rules! logic_ops {
    // logic_ops! { "docs" and &; } => pub fn and(&self, a: &RawTensor<bool>, b: &RawTensor<bool>) -> Result<RawTensor<bool>>
    ($($doc:literal $name:ident $sign:tt;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
        /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name(&self, a: &RawTensor<bool>, b: &RawTensor<bool>) -> Result<RawTensor<bool>> {
            self.pair(stringify!($name), a, b, |a, b, out| plain::zip(a, b, out, |a, b| a $sign b))
        }
    )*};
}

impl ExecContext {
    logic_ops! {
        "Both." and &;
        "Either, or both." or |;
        "Either, not both." xor ^;
    }

    /// The opposite.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn not(&self, x: &RawTensor<bool>) -> Result<RawTensor<bool>> {
        let operand = [(x, x.layout())];
        self.rows("not", *x.shape(), operand, |[x], out| plain::each(x, out, |x: bool| !x))
    }
}
