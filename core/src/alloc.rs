//! The allocator handle: any `allocator-api2` allocator behind one concrete type.
//!
//! [`AllocHandle`] keeps the allocator inline (up to eight words; larger ones go in by reference) beside a
//! table of its functions, so that neither a context nor a tensor has an allocator in its type, and making one
//! allocates nothing. This is the only file that calls a raw allocator.
//!
//! Unsafe code here, and why it holds:
//! 1. `AllocHandle::new` writes `A` into `Room`, whose size and alignment a constant assertion compares.
//! 2. The table's functions read `Room` as the `A` they were made for: `new` sets both together, and nothing else
//!    writes either.
//! 3. `Drop` drops that `A` once: the handle owns it, and moving the handle moves the bytes.
//! 4. `Locked` forwards each call to its one allocator, under its lock.

use core::alloc::Layout;
use core::mem::{MaybeUninit, align_of, size_of};
use core::ptr::NonNull;

use allocator_api2::alloc::{AllocError, Allocator, Global};

/// Inline room for an allocator.
type Room = [MaybeUninit<usize>; 8];

/// A type-erased allocator.
pub(crate) struct AllocHandle {
    room: Room,
    table: &'static Functions,
}

struct Functions {
    allocate_zeroed: fn(&Room, Layout) -> Result<NonNull<u8>, AllocError>,
    deallocate: unsafe fn(&Room, NonNull<u8>, Layout),
    drop: unsafe fn(&mut Room),
}

/// The functions of one allocator type.
struct Of<A>(core::marker::PhantomData<A>);

impl<A: Allocator + Send + Sync + 'static> Of<A> {
    const TABLE: Functions = Functions {
        allocate_zeroed: |room, layout| Self::get(room).allocate_zeroed(layout).map(NonNull::cast),
        // SAFETY: forwarded: the caller passes a block of this allocator and its layout.
        deallocate: |room, ptr, layout| unsafe { Self::get(room).deallocate(ptr, layout) },
        drop: |room| {
            // SAFETY: `room` holds an `A` (module head, 2), and its owner is being dropped.
            unsafe { core::ptr::drop_in_place(room.as_mut_ptr().cast::<A>()) };
        },
    };

    fn get(room: &Room) -> &A {
        // SAFETY: `room` holds an `A` (module head, 2).
        unsafe { &*room.as_ptr().cast::<A>() }
    }
}

// SAFETY: the allocator inside is `Send` (bound of `new`).
unsafe impl Send for AllocHandle {}
// SAFETY: the allocator inside is `Sync` (bound of `new`); the table is shared data.
unsafe impl Sync for AllocHandle {}

impl AllocHandle {
    /// The global allocator.
    pub(crate) const fn global() -> Self {
        const { assert!(size_of::<Global>() == 0) };
        Self { room: [MaybeUninit::uninit(); 8], table: &Of::<Global>::TABLE }
    }

    /// Any allocator of at most eight words.
    pub(crate) fn new<A: Allocator + Send + Sync + 'static>(allocator: A) -> Self {
        const {
            assert!(
                size_of::<A>() <= size_of::<Room>() && align_of::<A>() <= align_of::<Room>(),
                "an allocator of more than eight words goes in by reference"
            );
        }
        let mut room: Room = [MaybeUninit::uninit(); 8];
        // SAFETY: the assertion above: an `A` fits the room and its alignment.
        unsafe { room.as_mut_ptr().cast::<A>().write(allocator) };
        Self { room, table: &Of::<A>::TABLE }
    }

    /// A zeroed block.
    pub(crate) fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        (self.table.allocate_zeroed)(&self.room, layout)
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// - `ptr` came from [`Self::allocate_zeroed`] of this handle and was not given back before;
    /// - `layout` is the one it was asked with.
    pub(crate) unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise, word for word.
        unsafe { (self.table.deallocate)(&self.room, ptr, layout) };
    }
}

impl Drop for AllocHandle {
    fn drop(&mut self) {
        // SAFETY: the room holds the table's allocator, dropped here only.
        unsafe { (self.table.drop)(&mut self.room) };
    }
}

/// An allocator that is not `Sync`, behind a lock.
pub(crate) struct Locked<A>(spin::Mutex<A>);

impl<A> Locked<A> {
    pub(crate) fn new(allocator: A) -> Self {
        Self(spin::Mutex::new(allocator))
    }
}

// SAFETY: every call goes to the one allocator inside, under its lock; moving this moves the allocator, which by its
// own contract keeps its blocks valid.
unsafe impl<A: Allocator> Allocator for Locked<A> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.lock().allocate(layout)
    }
    fn allocate_zeroed(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.0.lock().allocate_zeroed(layout)
    }
    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        // SAFETY: forwarded to the same allocator.
        unsafe { self.0.lock().deallocate(ptr, layout) };
    }
}
