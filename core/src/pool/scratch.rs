//! [`ScratchLease`]: pooled working memory of any element type.
#![forbid(unsafe_code)]

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::{Arm, HeapRef};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::storage::{Origin, Storage};

/// Working memory from the slab arm: a slice of `T` whose first contents are unspecified. Dropping it, on any thread,
/// returns it to the pool.
#[derive(Debug)]
pub struct ScratchLease<T: Element> {
    storage: Storage,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> ScratchLease<T> {
    pub(crate) fn acquire(
        op: &'static str,
        (heap, origin): (&HeapRef, Origin),
        len: usize,
    ) -> Result<Self> {
        let refused = Error::OutOfMemory { op, bytes: usize::MAX };
        let bytes = len.checked_mul(size_of::<T>()).ok_or(refused)?;
        let block = heap.acquire(op, Arm::Slab, bytes, origin)?;
        let storage = Storage::from_block(block).fit::<T>();
        Ok(Self { storage, len, element: PhantomData })
    }
}

impl<T: Element> Deref for ScratchLease<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.storage.elements()[..self.len]
    }
}

impl<T: Element> DerefMut for ScratchLease<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self.storage.elements_mut() {
            Some(all) => &mut all[..self.len],
            None => unreachable!("a lease is the only handle of its block"),
        }
    }
}
