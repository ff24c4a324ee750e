//! Views: the same storage under another layout. Nothing is copied; the result counts the storage.

use super::RawTensor;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::layout::{Layout, Permutation, Shape};

impl<T: Element> RawTensor<T> {
    pub(crate) fn with_layout(&self, layout: Layout) -> Self {
        Self::from_parts(self.storage.clone(), layout)
    }

    /// The same elements under another shape.
    ///
    /// # Errors
    /// [`Error::InvalidShape`]; [`Error::ShapeMismatch`] if the number of elements differs;
    /// [`Error::UnsupportedView`] if only a copy could say it (`ctx.reshape` makes one).
    pub fn reshape(&self, dims: &[usize]) -> Result<Self> {
        const OP: &str = "reshape";
        let shape = Shape::new(OP, dims)?;
        let layout = self.layout.reshape(OP, &shape)?;
        let refusal = Error::UnsupportedView { op: OP, fits: "a layout whose axes merge in order" };
        Ok(self.with_layout(layout.ok_or(refusal)?))
    }

    /// Axes in another order: result axis `i` is source axis `order[i]`.
    ///
    /// # Errors
    /// [`Error::InvalidAxes`].
    pub fn permute(&self, order: &[usize]) -> Result<Self> {
        Ok(self.with_layout(self.layout.permute("permute", order)?))
    }

    pub(crate) fn permuted(&self, order: &Permutation) -> Self {
        self.with_layout(self.layout.permuted(order))
    }

    /// Two axes swapped.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn transpose(&self, a: usize, b: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout.transpose("transpose", a, b)?))
    }

    /// `len` indices of `axis` from `start` on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::RangeOutOfBounds`] if the range is empty or leaves the axis.
    pub fn narrow(&self, axis: usize, start: usize, len: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout.narrow("narrow", axis, start, len)?))
    }

    /// `axis` from its last index to its first.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn flip(&self, axis: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout.flip("flip", axis)?))
    }

    /// Every `step`-th index of `axis`, from the first on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::InvalidArgument`] for a step of 0.
    pub fn step(&self, axis: usize, step: usize) -> Result<Self> {
        Ok(self.with_layout(self.layout.step("step", axis, step)?))
    }

    /// Stretched to `dims`: new and stretched axes have stride 0.
    ///
    /// # Errors
    /// [`Error::InvalidShape`]; [`Error::ShapeMismatch`] if `dims` changes a dimension that is not 1, or has a lower
    /// rank.
    pub fn broadcast_to(&self, dims: &[usize]) -> Result<Self> {
        const OP: &str = "broadcast_to";
        let shape = Shape::new(OP, dims)?;
        Ok(self.with_layout(self.layout.broadcast_to(OP, &shape)?))
    }

    /// Any shape and strides, from element `offset` of this tensor's storage on, up to the last element that this tensor
    /// reaches.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::InvalidAxes`] for a wrong number of strides, [`Error::InvalidDataLength`]
    /// if an element would lie outside.
    pub fn as_strided(&self, dims: &[usize], strides: &[isize], offset: usize) -> Result<Self> {
        const OP: &str = "as_strided";
        let shape = Shape::new(OP, dims)?;
        // Blocks are rounded up: what lies behind the tensor's last element is nobody's.
        let len = self.layout.span().end;
        Ok(self.with_layout(Layout::strided(OP, shape, strides, offset, len)?))
    }
}
