//! Comparisons of elements of any type. NaN is equal to nothing, less and greater than nothing; -0 equals +0.

use crate::dtype::Element;
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::plain;
use crate::raw::RawTensor;

macro_rules! compare_ops {
    // compare_ops! { "docs" lt <; } => pub fn lt<T: Element>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<bool>>
    ($($doc:literal $name:ident $sign:tt;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
        /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name<T: Element>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<bool>> {
            self.pair(stringify!($name), a, b, |a, b, out| plain::zip(a, b, out, |a, b| a $sign b))
        }
    )*};
}

impl ExecContext {
    compare_ops! {
        "`a == b`: false where either is NaN." eq ==;
        "`a != b`: true where either is NaN." ne !=;
        "`a < b`: false where either is NaN." lt <;
        "`a <= b`: false where either is NaN." le <=;
        "`a > b`: false where either is NaN." gt >;
        "`a >= b`: false where either is NaN." ge >=;
    }
}
