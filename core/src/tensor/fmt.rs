//! Printing tensors as NumPy does.

use core::fmt;

use super::Tensor;
use crate::dtype::Element;

impl<T: Element> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>{}", T::DTYPE, self.shape())
    }
}
