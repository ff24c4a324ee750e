//! Reading a tensor.

use std_alloc::vec::Vec;

use super::Tensor;
use crate::dtype::{DType, Element};
use crate::error::{Error, Fits, Result};
use crate::exec::ExecContext;
use crate::layout::Shape;
use crate::raw::RawTensor;

impl<T: Element> Tensor<T> {
    /// The shape.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        self.raw.shape()
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Always false: there are no empty tensors.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// The element type's name.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        T::DTYPE
    }

    /// The value without its graph.
    #[must_use]
    pub fn raw(&self) -> &RawTensor<T> {
        &self.raw
    }

    /// The value without its graph, to write: for optimisers.
    pub(crate) fn raw_mut(&mut self) -> &mut RawTensor<T> {
        &mut self.raw
    }

    /// Gives the tensor contiguous storage that nothing else shares.
    #[track_caller]
    pub(crate) fn own_storage(&mut self, ctx: &ExecContext) -> Result<()> {
        if self.raw.unique_mut().is_none() {
            self.raw = ctx.materialize(&self.raw)?;
        }
        Ok(())
    }

    /// Whether a scope owns the value: an op returned it while one was open.
    #[must_use]
    pub fn is_scope_owned(&self) -> bool {
        self.scope_owned
    }

    /// The elements in row-major order, without a copy.
    ///
    /// # Errors
    /// [`Error::UnsupportedView`] if they do not lie one behind the other; [`to_vec`](Self::to_vec) copies any view.
    pub fn data(&self) -> Result<&[T]> {
        self.raw.data()
    }

    /// The elements in row-major order, to write.
    ///
    /// # Errors
    /// [`Error::UnsupportedGradient`] if the tensor carries a gradient; [`Error::UnsupportedView`] if it is not
    /// contiguous or not the only owner of its storage.
    pub fn data_mut(&mut self) -> Result<&mut [T]> {
        if self.node.is_some() {
            return Err(Error::UnsupportedGradient { op: "data_mut" });
        }
        self.raw.data_mut()
    }

    /// A copy of the elements in row-major order.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut out = Vec::new();
        let bytes = self.len().saturating_mul(size_of::<T>());
        let refused = Error::OutOfMemory { op: "to_vec", bytes };
        out.try_reserve_exact(self.len()).map_err(|_| refused)?;
        match self.raw.contiguous() {
            Some(data) => out.extend_from_slice(data),
            None => out.extend(self.raw.iter()),
        }
        Ok(out)
    }

    /// The one element of a tensor that has one.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if there are more.
    pub fn item(&self) -> Result<T> {
        let refused = || Error::ShapeMismatch {
            op: "item",
            left: Shape::scalar(),
            right: *self.shape(),
            fits: Fits::SameCount(1),
        };
        match self.len() {
            1 => self.raw.iter().next().ok_or_else(refused),
            _ => Err(refused()),
        }
    }

    /// The same value as a constant: shared storage, no graph.
    #[must_use]
    pub fn detach(&self) -> Self {
        Self::constant(self.raw.clone())
    }
}
