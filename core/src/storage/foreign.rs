//! Foreign bytes: a block whose header points at memory that is not its payload, or at an owner inside of it.
//!
//! The payload of such a block holds a [`Hook`]: the foreign length, the function that ends it, and right behind it the
//! *keeper*: a release closure, or the owner of the bytes. It ends once, on the thread that drops the last handle,
//! before the block returns to the pool; until then it does not move.
//!
//! Unsafe code here, and why it holds: `keep` alone sets `foreign`, after writing the `Hook` and the keeper; both fit
//! (the block was acquired with their size) and are aligned (64-byte payload, asserted alignment). `run_hook` is called
//! once, by the last handle, and clears `foreign` first.

use core::mem::{align_of, size_of};
use core::ptr::NonNull;

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

/// The keeper's place: behind the record, aligned for `K`.
const fn keeper_offset<K>() -> usize {
    size_of::<Hook>().next_multiple_of(align_of::<K>())
}

impl Storage {
    /// Takes an owner of elements over; it is dropped with the last handle.
    pub(crate) fn hold<T: Element, O: AsRef<[T]> + Send + 'static>(
        op: &'static str,
        at: (&HeapRef, Origin),
        owner: O,
    ) -> Result<Self> {
        let block = keep(op, at, owner, drop::<O>)?;
        // SAFETY: `keep` wrote the owner there, where it stays until the hook runs; nobody borrows it to write.
        let owner = unsafe { keeper::<O>(block).as_ref() };
        let elements = owner.as_ref();
        set_data(block, NonNull::from(elements).cast(), size_of_val(elements));
        Ok(Self::from_block(block))
    }

    /// Wraps `len_bytes` bytes at `data`; `hook` runs when the last handle is dropped.
    ///
    /// # Safety
    /// Until the hook runs (or for ever, if it does nothing):
    /// - the bytes are initialised, readable and not written by anyone;
    /// - `data` is aligned for the element type it will be read as.
    pub(crate) unsafe fn wrap<F: FnOnce() + Send + 'static>(
        op: &'static str,
        at: (&HeapRef, Origin),
        data: NonNull<u8>,
        len_bytes: usize,
        hook: F,
    ) -> Result<Self> {
        let block = keep(op, at, hook, |hook: F| hook())?;
        set_data(block, data, len_bytes);
        Ok(Self::from_block(block))
    }
}

/// A foreign block around `keeper`, which ends with `end`; its data are still to be set.
fn keep<K: Send + 'static>(
    op: &'static str,
    (heap, origin): (&HeapRef, Origin),
    keeper_value: K,
    end: fn(K),
) -> Result<Block> {
    const { assert!(align_of::<K>() <= ALIGN) };
    let bytes = keeper_offset::<Ended<K>>() + size_of::<Ended<K>>();
    let block = heap.acquire(op, Arm::Cell, bytes, origin)?;
    let record = Hook { len_bytes: 0, run: run::<K> };
    // SAFETY: the payload has room for the record and is 64-byte aligned; the block is ours alone.
    unsafe { block.payload().cast::<Hook>().write(record) };
    // SAFETY: the payload was acquired above, for a `K`.
    let place = unsafe { place::<K>(block.payload()) };
    // SAFETY: room and alignment for it lie there, by the size acquired and the offset.
    unsafe { place.write(Ended { keeper: keeper_value, end }) };
    block.header().foreign.set(true);
    Ok(block)
}

/// A keeper, and what ends it.
#[repr(C)]
struct Ended<K> {
    keeper: K,
    end: fn(K),
}

/// Where the payload holds it.
///
/// # Safety
/// `payload` is that of a block acquired by [`keep`] for a `K`.
unsafe fn place<K>(payload: NonNull<u8>) -> NonNull<Ended<K>> {
    // SAFETY: the offset lies inside the payload, by the size acquired.
    unsafe { payload.byte_add(keeper_offset::<Ended<K>>()) }.cast()
}

/// The keeper of a block that [`keep`] made for a `K`: the first field of its record.
fn keeper<K>(block: Block) -> NonNull<K> {
    // SAFETY: only called on a block just made for a `K`.
    unsafe { place::<K>(block.payload()) }.cast()
}

/// Points a foreign block at its bytes.
fn set_data(block: Block, data: NonNull<u8>, len_bytes: usize) {
    debug_assert!(block.header().foreign.get());
    // SAFETY: `keep` wrote the record there; the block is still ours alone.
    unsafe { block.payload().cast::<Hook>().as_mut() }.len_bytes = len_bytes;
    block.header().data.set(data);
}

/// # Safety
/// `payload` is that of a block of [`keep`] for a `K`, whose keeper is not used again.
unsafe fn run<K>(payload: NonNull<u8>) {
    // SAFETY: `keep` wrote it there.
    let place = unsafe { place::<K>(payload) };
    // SAFETY: as above; the caller promises that it is read once.
    let Ended { keeper, end } = unsafe { place.read() };
    end(keeper);
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
    // SAFETY: the keeper is there, and `foreign` is cleared: nobody runs it again.
    unsafe { run(block.payload()) };
    core::mem::forget(guard);
}
