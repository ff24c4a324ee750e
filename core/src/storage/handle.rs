//! [`Storage`]: a counted handle to bytes.
//!
//! Invariants: `refs` is the number of handles; bytes are written only through a handle that is unique (`refs == 1`,
//! and `&mut`), so a shared reference to the bytes never meets a write.
//!
//! Unsafe code here, and why it holds: slices are made of `data..data + len`, which is the payload (allocated zeroed,
//! so initialised, and any bit pattern is a value of the `Element`; where not, for `bool`, whoever acquires the block
//! zeroes it, and from then on it is only written as that type: `ExecContext::fresh`, `ScratchLease`) or foreign memory
//! whose validity the constructor's contract gives; alignment is asserted on each use. `Send`/`Sync`: the count is atomic, the bytes immutable while
//! shared, the hook is `Send`, and the pool locks.

use core::ptr::NonNull;

use super::block::Block;
use super::foreign;
use crate::dtype::Element;
use crate::pool::Heap;
use crate::sync::{Ordering, fence};

/// A counted handle to the bytes of one block. Cloning counts; the last drop gives the block back to its pool, on
/// whichever thread that happens.
pub struct Storage {
    block: Block,
}

// SAFETY: the count is atomic, bytes are immutable while shared, and the pool behind `home` locks.
unsafe impl Send for Storage {}
// SAFETY: as above: `&Storage` gives only shared reads and counted clones.
unsafe impl Sync for Storage {}

impl Storage {
    /// Takes over the one count of a live block.
    pub(crate) fn from_block(block: Block) -> Self {
        debug_assert_eq!(block.header().refs.load(Ordering::Relaxed), 1);
        Self { block }
    }

    /// Bytes it holds: at least as many as were asked for.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        let header = self.block.header();
        if header.foreign.get() { foreign::len_bytes(self.block) } else { header.capacity }
    }

    /// Address of the first byte.
    #[must_use]
    pub fn address(&self) -> NonNull<u8> {
        self.block.header().data.get()
    }

    /// Whether this is the only handle.
    #[must_use]
    #[inline]
    pub fn is_unique(&self) -> bool {
        // ORDERING: Acquire; pairs with the Release in `drop`; what other owners read happened before we write.
        self.block.header().refs.load(Ordering::Acquire) == 1
    }

    /// Whether two handles count the same block.
    #[must_use]
    pub fn same_block(&self, other: &Self) -> bool {
        self.block == other.block
    }

    /// Whether the bytes are foreign memory: borrowed, static or taken over.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.block.header().foreign.get()
    }

    /// Makes memory just acquired fit for a type of which not any bit pattern is a value.
    #[inline(always)]
    pub(crate) fn fit<T: Element>(mut self) -> Self {
        if !T::ANY_BITS
            && let Some(bytes) = self.elements_mut::<u8>()
        {
            bytes.fill(0);
        }
        self
    }

    /// All whole elements. A handle is only ever read as one type, that which it was made for.
    #[inline]
    pub(crate) fn elements<T: Element>(&self) -> &[T] {
        let data = self.address().cast::<T>();
        assert!(data.is_aligned(), "storage is aligned for its element type");
        // SAFETY: module head: `len_bytes` initialised bytes from `data` on, aligned (asserted), immutable while `&self`.
        unsafe { core::slice::from_raw_parts(data.as_ptr(), self.len_bytes() / size_of::<T>()) }
    }

    /// All whole elements, to write; `None` if another handle counts the block or the bytes are foreign.
    #[inline]
    pub(crate) fn elements_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        if !self.is_unique() || self.is_foreign() {
            return None;
        }
        let data = self.address().cast::<T>();
        assert!(data.is_aligned(), "storage is aligned for its element type");
        let len = self.len_bytes() / size_of::<T>();
        // SAFETY: as in `elements`; and nobody else has a handle while we hold `&mut` of the only one.
        Some(unsafe { core::slice::from_raw_parts_mut(data.as_ptr(), len) })
    }
}

impl Clone for Storage {
    #[inline]
    fn clone(&self) -> Self {
        retain(self.block);
        Self { block: self.block }
    }
}

impl Drop for Storage {
    #[inline]
    fn drop(&mut self) {
        if !release(self.block) {
            return;
        }
        if self.block.header().foreign.get() {
            foreign::run_hook(self.block);
        }
        Heap::give_back(self.block);
    }
}

impl core::fmt::Debug for Storage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let bytes = self.len_bytes();
        f.debug_struct("Storage").field("len_bytes", &bytes).finish_non_exhaustive()
    }
}

/// Counts one more handle.
#[inline]
pub(super) fn retain(block: Block) {
    // ORDERING: Relaxed; the caller holds a handle, so the block lives; nothing is published by counting up.
    let before = block.header().refs.fetch_add(1, Ordering::Relaxed);
    assert!(before < isize::MAX as usize, "reference count overflow");
}

/// Counts one handle less; true if that was the last.
#[inline]
pub(super) fn release(block: Block) -> bool {
    let refs = &block.header().refs;
    // ORDERING: Acquire; pairs with the Release below. A count of 1 is ours alone: nobody is left who could clone it,
    // so the read-modify-write can be skipped.
    if refs.load(Ordering::Acquire) == 1 {
        return true;
    }
    // ORDERING: Release; pairs with the Acquire fence (and load above) of the last owner; our reads come first.
    if refs.fetch_sub(1, Ordering::Release) != 1 {
        return false;
    }
    fence(Ordering::Acquire);
    true
}
