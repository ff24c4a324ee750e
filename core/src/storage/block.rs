//! [`Header`] and [`Block`]: one allocation, seen as the pool sees it.
//!
//! A block is either *live* (at least one handle counts it) or *cached* (it hangs in a bin of the pool, which then
//! owns it and uses `links`). `capacity`, `home` and `arm` never change after the block is made.
//!
//! Unsafe code here, and why it holds: `Block` wraps a pointer that `Block::new` got from the pool, valid until the
//! pool frees it; the pool frees only cached or unique blocks. All fields are read through `&Header`, and those that
//! change are atomics or `Cell`s that only the block's one owner touches (`data` while it is unique and live,
//! `links` under the pool's lock).

use core::cell::Cell;
use core::ptr::NonNull;

use super::origin::Origin;
use crate::pool::{Arm, Heap};
use crate::sync::AtomicUsize;

/// Alignment of headers and payloads: a cache line, and more than any element needs.
pub(crate) const ALIGN: usize = 64;

/// What stands before every payload.
#[repr(C, align(64))]
pub(crate) struct Header {
    /// Live handles.
    pub(crate) refs: AtomicUsize,
    /// Payload bytes of this allocation.
    pub(crate) capacity: usize,
    /// The pool that made it and takes it back.
    pub(crate) home: NonNull<Heap>,
    /// The bytes handles see: the payload, or foreign memory.
    pub(crate) data: Cell<NonNull<u8>>,
    /// Which arm of the pool it belongs to.
    pub(crate) arm: Arm,
    /// Whether `data` is foreign, and the payload a release hook.
    pub(crate) foreign: Cell<bool>,
    /// The pool's links while it is cached; with `track-origins` also those of the live list.
    pub(crate) links: Links,
    /// Who asked for it.
    pub(crate) origin: Cell<Origin>,
}

/// A cached block's place in its bin: two subtrees, and older blocks of the same capacity.
#[derive(Default)]
pub(crate) struct Links {
    pub(crate) child: [Cell<Option<Block>>; 2],
    pub(crate) next: Cell<Option<Block>>,
}

impl Links {
    /// Unhooks the block.
    pub(crate) fn clear(&self) {
        self.child[0].set(None);
        self.child[1].set(None);
        self.next.set(None);
    }

    /// One of the subtrees, with its side.
    pub(crate) fn some_child(&self) -> Option<(usize, Block)> {
        (0..2).find_map(|side| Some((side, self.child[side].get()?)))
    }
}

/// Bytes from a block's start to its payload.
pub(crate) const PAYLOAD: usize = size_of::<Header>();

/// An uncounted pointer to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block(NonNull<Header>);

impl Block {
    /// # Safety
    /// `header` points to an initialised header, valid until the pool frees the block through this value's copies.
    pub(crate) unsafe fn from_raw(header: NonNull<Header>) -> Self {
        Self(header)
    }

    /// # Safety
    /// `payload` is what [`Self::payload`] gave of a block that the pool has not freed.
    pub(crate) unsafe fn of_payload(payload: NonNull<u8>) -> Self {
        // SAFETY: the header starts `PAYLOAD` bytes before the payload, inside the same allocation.
        Self(unsafe { payload.byte_sub(PAYLOAD) }.cast())
    }

    #[inline(always)]
    pub(crate) fn header(&self) -> &Header {
        // SAFETY: the promise of `from_raw`: the header is valid as long as the pool has not freed it.
        unsafe { self.0.as_ref() }
    }

    /// Start of the payload; it carries the provenance of the whole allocation.
    #[inline(always)]
    pub(crate) fn payload(self) -> NonNull<u8> {
        // SAFETY: the payload starts `PAYLOAD` bytes behind the header, inside the same allocation.
        unsafe { self.0.cast::<u8>().byte_add(PAYLOAD) }
    }

    /// Start of the allocation.
    pub(crate) fn base(self) -> NonNull<u8> {
        self.0.cast()
    }
}
