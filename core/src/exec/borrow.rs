//! Tensors over memory that Rust cannot prove to live long enough: the caller promises it.
//!
//! Unsafe code here, and why it holds: both constructors pass their own contract on to `Storage::wrap`.

use core::ptr::NonNull;

use super::context::ExecContext;
use super::create::checked_len;
use crate::dtype::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::raw::RawTensor;
use crate::storage::Storage;

impl ExecContext {
    /// Wraps a slice of the caller's without a copy. Only a header is allocated.
    ///
    /// [`from_slice`](Self::from_slice) copies, [`from_vec`](Self::from_vec) takes over and
    /// [`from_static`](Self::from_static) reads in place; those three are safe.
    ///
    /// # Safety
    /// As long as the tensor, a view of it or a graph that saved one lives:
    /// - `values` stays where it is,
    /// - nobody writes it.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice).
    #[track_caller]
    pub unsafe fn from_borrowed_slice<T: Element>(
        &self,
        dims: &[usize],
        values: &[T],
    ) -> Result<RawTensor<T>> {
        // SAFETY: the caller's promise; a reference is aligned and its elements initialised.
        unsafe { self.from_foreign(dims, NonNull::from(values).cast(), values.len(), || ()) }
    }

    /// Wraps `len` elements at `data`; `release` runs once, on the thread that drops the last reference.
    ///
    /// # Safety
    /// From now until `release` runs:
    /// - `data` is aligned for `T` and points to `len` initialised elements,
    /// - nobody writes them.
    ///
    /// # Errors
    /// As [`from_slice`](Self::from_slice); `release` is then dropped without being run.
    #[track_caller]
    pub unsafe fn from_foreign<T: Element>(
        &self,
        dims: &[usize],
        data: NonNull<T>,
        len: usize,
        release: impl FnOnce() + Send + 'static,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "from_foreign";
        let shape = checked_len(OP, dims, len)?;
        let bytes = len * size_of::<T>();
        // SAFETY: the caller's promise.
        let storage = unsafe { Storage::wrap(OP, self.site(OP)?, data.cast(), bytes, release)? };
        Ok(RawTensor::from_parts(storage, Layout::contiguous(shape)))
    }
}
