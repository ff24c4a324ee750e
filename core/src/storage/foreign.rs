//! Foreign bytes: a block whose header points at memory that is not its payload.
//!
//! The payload of such a block holds a [`Hook`]: the foreign length, the function that runs the hook, and right behind
//! it the closure itself. The hook runs once, on the thread that drops the last handle, before the block returns to
//! the pool.
//!
//! Unsafe code here, and why it holds: `wrap` alone sets `foreign`, after writing the `Hook` and the closure; both
//! fit (the block was acquired with their size) and are aligned (64-byte payload, asserted alignments). `run_hook`
//! is called once, by the last handle, and clears `foreign` first.

use core::mem::{align_of, size_of};
use core::ptr::NonNull;

use std_alloc::vec::Vec;

use super::block::{ALIGN, Block};
use super::handle::Storage;
use super::origin::Origin;
use crate::dtype::Element;
use crate::error::Result;
use crate::pool::{Arm, Heap, HeapRef};

struct Hook {
    len_bytes: usize,
    run: unsafe fn(NonNull<u8>),
}

/// The hook's place: behind the record, aligned for `F`.
const fn hook_offset<F>() -> usize {
    size_of::<Hook>().next_multiple_of(align_of::<F>())
}

impl Storage {
    /// Takes a vector over; it is dropped with the last handle.
    pub(crate) fn from_vec<T: Element>(
        op: &'static str,
        at: (&HeapRef, Origin),
        values: Vec<T>,
    ) -> Result<Self> {
        let (data, bytes) = (NonNull::from(values.as_slice()).cast(), size_of_val(&*values));
        // SAFETY: the vector's buffer lives, unmoved and unwritten, in the hook until the hook runs.
        unsafe { Self::wrap(op, at, data, bytes, move || drop(values)) }
    }

    /// Reads a static slice in place.
    pub(crate) fn from_static<T: Element>(
        op: &'static str,
        at: (&HeapRef, Origin),
        values: &'static [T],
    ) -> Result<Self> {
        // SAFETY: a static shared slice is valid, aligned and unwritten for ever.
        unsafe { Self::wrap(op, at, NonNull::from(values).cast(), size_of_val(values), || ()) }
    }

    /// Wraps `len_bytes` bytes at `data`; `hook` runs when the last handle is dropped.
    ///
    /// # Safety
    /// Until the hook runs (or for ever, if it does nothing):
    /// - the bytes are initialised, readable and not written by anyone;
    /// - `data` is aligned for the element type it will be read as.
    pub(crate) unsafe fn wrap<F: FnOnce() + Send + 'static>(
        op: &'static str,
        (heap, origin): (&HeapRef, Origin),
        data: NonNull<u8>,
        len_bytes: usize,
        hook: F,
    ) -> Result<Self> {
        const { assert!(align_of::<F>() <= ALIGN) };
        let block = heap.acquire(op, Arm::Cell, hook_offset::<F>() + size_of::<F>(), origin)?;
        let record = Hook { len_bytes, run: run::<F> };
        // SAFETY: the payload has room for the record and is 64-byte aligned; the block is ours alone.
        unsafe { block.payload().cast::<Hook>().write(record) };
        // SAFETY: the room behind the record, inside the payload by the size acquired above.
        let place = unsafe { block.payload().byte_add(hook_offset::<F>()) };
        // SAFETY: as above; `hook_offset` aligned it for `F`.
        unsafe { place.cast::<F>().write(hook) };
        block.header().data.set(data);
        block.header().foreign.set(true);
        Ok(Self::from_block(block))
    }
}

/// # Safety
/// `payload` holds a hook of type `F`, which is not used again.
unsafe fn run<F: FnOnce()>(payload: NonNull<u8>) {
    // SAFETY: `wrap` wrote an `F` there.
    let place = unsafe { payload.byte_add(hook_offset::<F>()) };
    // SAFETY: as above; the caller promises that it is read once.
    let hook = unsafe { place.cast::<F>().read() };
    hook();
}

/// Bytes of the foreign memory.
pub(super) fn len_bytes(block: Block) -> usize {
    debug_assert!(block.header().foreign.get());
    // SAFETY: `foreign` is set: the payload starts with a `Hook`.
    unsafe { block.payload().cast::<Hook>().as_ref() }.len_bytes
}

/// Runs the hook; the block is an ordinary one afterwards. If the hook panics, the block still returns to its pool.
pub(super) fn run_hook(block: Block) {
    struct Unwinding(Block);
    impl Drop for Unwinding {
        fn drop(&mut self) {
            Heap::give_back(self.0);
        }
    }
    block.header().foreign.set(false);
    block.header().data.set(block.payload());
    // SAFETY: `foreign` was set: the payload starts with a `Hook`.
    let run = unsafe { block.payload().cast::<Hook>().as_ref() }.run;
    let guard = Unwinding(block);
    // SAFETY: the hook is there, and `foreign` is cleared: nobody runs it again.
    unsafe { run(block.payload()) };
    core::mem::forget(guard);
}
