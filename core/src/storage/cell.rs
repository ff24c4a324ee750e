//! [`Cell`]: a counted handle to one value in a pooled block, sized or a trait object.
//!
//! What `Arc` is to the global allocator this is to a context's pool: making one is fallible and, on a warm pool,
//! takes no allocation.
//!
//! Unsafe code here, and why it holds: `value` points into the payload of `block`, where `try_new` wrote it; shared
//! access gives `&V`, and only a [`Unique`] gives `&mut V`. A trait object's pointer is the same address with the
//! metadata of a safe coercion. The value is dropped once, by the last handle (or by [`Unique`]), before the block
//! returns to the pool.

use core::mem::{align_of, size_of};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::block::{ALIGN, Block};
use super::handle::{release, retain};
use super::origin::Origin;
use crate::error::Result;
use crate::pool::{Arm, Heap, HeapRef};

/// A counted handle to a value in a pooled block.
pub(crate) struct Cell<V: ?Sized> {
    block: Block,
    value: NonNull<V>,
}

// SAFETY: like `Arc`: handles on several threads share `&V`, and the last one drops `V`.
unsafe impl<V: ?Sized + Send + Sync> Send for Cell<V> {}
// SAFETY: as above.
unsafe impl<V: ?Sized + Send + Sync> Sync for Cell<V> {}

impl<V> Cell<V> {
    /// Makes a value in a block of the pool; `make` is not called if there is no memory.
    #[inline(always)]
    pub(crate) fn try_new(
        op: &'static str,
        (heap, origin): (&HeapRef, Origin),
        make: impl FnOnce() -> V,
    ) -> Result<Self> {
        const { assert!(align_of::<V>() <= ALIGN) };
        let block = heap.acquire(op, Arm::Cell, size_of::<V>(), origin)?;
        let room = Room(block);
        let place = block.payload().cast::<V>();
        // SAFETY: the payload has room for a `V` and is aligned for it; the block is ours alone.
        unsafe { place.write(make()) };
        core::mem::forget(room);
        Ok(Self { block, value: place })
    }

    /// The same handle under a trait object: `coerce` is `|value| value`.
    pub(crate) fn unsize<U: ?Sized>(self, coerce: fn(*mut V) -> *mut U) -> Cell<U> {
        let this = core::mem::ManuallyDrop::new(self);
        let value = coerce(this.value.as_ptr());
        assert!(core::ptr::addr_eq(value, this.value.as_ptr()), "coerce returns its argument");
        match NonNull::new(value) {
            Some(value) => Cell { block: this.block, value },
            None => unreachable!("the address was just compared"),
        }
    }
}

impl<V: ?Sized> Cell<V> {
    /// Whether both handles count the same value.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.block == other.block
    }

    /// Drops this handle; the value itself comes back if it was the last, so that an owner can take it apart
    /// without recursion.
    pub(crate) fn into_last(self) -> Option<Unique<V>> {
        let this = core::mem::ManuallyDrop::new(self);
        release(this.block).then(|| Unique { block: this.block, value: this.value })
    }
}

impl<V: ?Sized> Clone for Cell<V> {
    fn clone(&self) -> Self {
        retain(self.block);
        Self { block: self.block, value: self.value }
    }
}

impl<V: ?Sized> Deref for Cell<V> {
    type Target = V;
    #[inline(always)]
    fn deref(&self) -> &V {
        // SAFETY: a counted handle: the value lives and is only shared.
        unsafe { self.value.as_ref() }
    }
}

impl<V: ?Sized> Drop for Cell<V> {
    fn drop(&mut self) {
        if release(self.block) {
            drop(Unique { block: self.block, value: self.value });
        }
    }
}

/// The last handle to a value: as good as owning it.
pub(crate) struct Unique<V: ?Sized> {
    block: Block,
    value: NonNull<V>,
}

impl<V: ?Sized> Unique<V> {
    /// A counted handle again.
    pub(crate) fn into_cell(self) -> Cell<V> {
        let this = core::mem::ManuallyDrop::new(self);
        // ORDERING: Relaxed; this is the only handle, nobody else reads the count.
        this.block.header().refs.store(1, crate::sync::Ordering::Relaxed);
        Cell { block: this.block, value: this.value }
    }
}

impl<V: ?Sized> Deref for Unique<V> {
    type Target = V;
    fn deref(&self) -> &V {
        // SAFETY: the only handle, and the value is dropped in `Drop` only.
        unsafe { self.value.as_ref() }
    }
}

impl<V: ?Sized> DerefMut for Unique<V> {
    fn deref_mut(&mut self) -> &mut V {
        // SAFETY: the only handle.
        unsafe { self.value.as_mut() }
    }
}

impl<V: ?Sized> Drop for Unique<V> {
    fn drop(&mut self) {
        let _room = Room(self.block);
        // SAFETY: the only handle: the value is not used again.
        unsafe { self.value.drop_in_place() };
    }
}

/// A block without a value, on its way back to the pool; also when `make` or the value's own drop unwinds.
struct Room(Block);

impl Drop for Room {
    fn drop(&mut self) {
        Heap::give_back(self.0);
    }
}
