//! Raw constructors: `empty`, `zeros`, `full`, from slices borrowed, copied or taken over. Results are the caller's.
#![forbid(unsafe_code)]

use std_alloc::vec::Vec;

use super::context::ExecContext;
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::layout::{Layout, Shape};
use crate::pool::Arm;
use crate::raw::{Fresh, RawTensor};
use crate::storage::Storage;

impl ExecContext {
    /// Storage for a result of a checked shape; contents unspecified (but some value of `T`).
    #[inline(always)]
    #[track_caller]
    pub(crate) fn fresh<T: Element>(&self, op: &'static str, shape: Shape) -> Result<Fresh<T>> {
        let arm = if T::DTYPE == DType::F32 { Arm::F32 } else { Arm::Slab };
        let (heap, origin) = self.site(op)?;
        let block = heap.acquire(op, arm, shape.count() * size_of::<T>(), origin)?;
        self.recording.sample(op, heap);
        Ok(Fresh::new(Storage::from_block(block).fit::<T>(), shape))
    }

    /// A tensor whose contents are unspecified (but some value of `T`): what a recycled block held.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn empty<T: Element>(&self, dims: &[usize]) -> Result<RawTensor<T>> {
        Ok(self.fresh("empty", Shape::new("empty", dims)?)?.done())
    }

    /// Filled with `value`.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn full<T: Element>(&self, dims: &[usize], value: T) -> Result<RawTensor<T>> {
        self.full_shape("full", Shape::new("full", dims)?, value)
    }

    #[track_caller]
    pub(crate) fn full_shape<T: Element>(
        &self,
        op: &'static str,
        shape: Shape,
        value: T,
    ) -> Result<RawTensor<T>> {
        Ok(self.fresh_filled(op, shape, value)?.done())
    }

    /// Storage for a result, filled with `value`.
    #[track_caller]
    pub(crate) fn fresh_filled<T: Element>(
        &self,
        op: &'static str,
        shape: Shape,
        value: T,
    ) -> Result<Fresh<T>> {
        let mut out = self.fresh(op, shape)?;
        out.data().fill(value);
        Ok(out)
    }

    /// Filled with zeros.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn zeros<T: Element>(&self, dims: &[usize]) -> Result<RawTensor<T>> {
        self.full_shape("zeros", Shape::new("zeros", dims)?, T::default())
    }

    /// Filled with ones.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn ones<T: Element>(&self, dims: &[usize]) -> Result<RawTensor<T>> {
        self.full_shape("ones", Shape::new("ones", dims)?, T::ONE)
    }

    /// One value, of shape `[1]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn scalar<T: Element>(&self, value: T) -> Result<RawTensor<T>> {
        self.full_shape("scalar", Shape::scalar(), value)
    }

    /// A copy of `values`, row-major.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::InvalidDataLength`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn from_slice<T: Element>(&self, dims: &[usize], values: &[T]) -> Result<RawTensor<T>> {
        const OP: &str = "from_slice";
        let shape = checked_len(OP, dims, values.len())?;
        let mut out = self.fresh(OP, shape)?;
        out.data().copy_from_slice(values);
        Ok(out.done())
    }

    /// Takes a vector over, without a copy; it is dropped with the last reference, on whichever thread that happens.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice); the vector is then dropped.
    #[track_caller]
    pub fn from_vec<T: Element>(&self, dims: &[usize], values: Vec<T>) -> Result<RawTensor<T>> {
        self.hold("from_vec", dims, values)
    }

    /// Reads a static slice in place (weights in flash), without a copy.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub fn from_static<T: Element>(
        &self,
        dims: &[usize],
        values: &'static [T],
    ) -> Result<RawTensor<T>> {
        self.hold("from_static", dims, values)
    }

    /// Takes any owner of elements over (a mapped file, an `Arc<[T]>`), without a copy; it is dropped with the last
    /// reference, on whichever thread that happens.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice); the owner is then dropped.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    ///
    /// let weights: Arc<[f32]> = Arc::from([1.0, 2.0]);
    /// let ctx = fucina_core::ExecContext::new();
    /// let x = ctx.from_owner(&[2], weights.clone())?;
    /// assert_eq!(x.data()?.as_ptr(), weights.as_ptr());
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn from_owner<T: Element>(
        &self,
        dims: &[usize],
        owner: impl AsRef<[T]> + Send + 'static,
    ) -> Result<RawTensor<T>> {
        self.hold("from_owner", dims, owner)
    }

    #[track_caller]
    fn hold<T: Element>(
        &self,
        op: &'static str,
        dims: &[usize],
        owner: impl AsRef<[T]> + Send + 'static,
    ) -> Result<RawTensor<T>> {
        let shape = Shape::new(op, dims)?;
        let storage = Storage::hold(op, self.site(op)?, owner)?;
        // Asked of the storage, not of the owner: what counts is the slice it gave when it was placed.
        let (expected, found) = (shape.count(), storage.len_bytes() / size_of::<T>());
        if expected != found {
            return Err(Error::InvalidDataLength { op, expected, found });
        }
        Ok(RawTensor::from_parts(storage, Layout::contiguous(shape)))
    }
}

/// The shape, if it has `found` elements.
pub(super) fn checked_len(op: &'static str, dims: &[usize], found: usize) -> Result<Shape> {
    let shape = Shape::new(op, dims)?;
    let expected = shape.count();
    if expected == found {
        Ok(shape)
    } else {
        Err(Error::InvalidDataLength { op, expected, found })
    }
}
