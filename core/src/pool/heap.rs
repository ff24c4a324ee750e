//! [`Heap`]: allocator, free lists and counts behind one lock. The protocol stands in the head of `pool`.
//!
//! Unsafe code here, and why it holds:
//! 1. `HeapRef` and every block's `home` point to a heap that protocol lines 2 and 3 keep alive.
//! 2. `make` writes a whole `Header` into memory of `block_layout`, whose alignment is the header's; the payload
//!    behind it is zeroed.
//! 3. `free` gets blocks that nobody counts and no bin holds, with the layout that `make` used (`capacity` is
//!    immutable).
//! 4. `destroy` runs when the sum of counts has come to zero: nobody else has a pointer to the heap.
//! 5. `HeapRef` as an allocator hands out payloads of cell blocks: at least as large and aligned as asked for, and found
//!    again from the payload's address, whose provenance is the whole block's.

use core::alloc::Layout;
use core::cell::Cell as StdCell;
use core::ptr::NonNull;

use super::bins::Bins;
use super::config::{PoolConfig, PoolStats};
use super::live::LiveList;
use crate::alloc::AllocHandle;
use crate::error::{Error, Result};
use crate::storage::Origin;
use crate::storage::block::{ALIGN, Block, Header, Links, PAYLOAD};
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// The three arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    /// `f32` tensors.
    F32,
    /// Tensors of other types, and scratch.
    Slab,
    /// Graph nodes and hooks.
    Cell,
}

const ARMS: usize = 3;

/// Allocator, free lists and counts.
pub(crate) struct Heap {
    state: Mutex<State>,
    allocator: AllocHandle,
    config: PoolConfig,
}

struct State {
    bins: [Bins; ARMS],
    /// The block each arm got back last, not in its bins yet: loops of one size never touch a trie.
    recent: [Option<Block>; ARMS],
    /// The live blocks themselves, with `track-origins`.
    live_list: LiveList,
    /// Live blocks by arm; `stats.outstanding` and `cells` are made of these.
    live: [usize; ARMS],
    holders: usize,
    open: bool,
    cached_bytes: usize,
    outstanding_bytes: usize,
    peak_bytes: usize,
    hits: u64,
    misses: u64,
}

impl State {
    fn is_unused(&self) -> bool {
        self.holders == 0 && self.live.iter().all(|&n| n == 0)
    }

    /// Caches a block.
    #[inline(always)]
    fn put(&mut self, arm: Arm, block: Block) {
        self.cached_bytes += block.header().capacity;
        if let Some(older) = self.recent[arm as usize].replace(block) {
            self.bins[arm as usize].put(older);
        }
    }

    /// Takes the smallest cached block of at least `capacity` bytes, of equal ones the last put.
    #[inline(always)]
    fn take(&mut self, arm: Arm, capacity: usize) -> Option<Block> {
        let block = match self.recent[arm as usize].take() {
            Some(recent) if recent.header().capacity == capacity => recent,
            recent => self.take_from_bins(arm, capacity, recent)?,
        };
        self.cached_bytes -= block.header().capacity;
        Some(block)
    }

    fn take_from_bins(
        &mut self,
        arm: Arm,
        capacity: usize,
        recent: Option<Block>,
    ) -> Option<Block> {
        let bins = &mut self.bins[arm as usize];
        if let Some(recent) = recent {
            bins.put(recent);
        }
        bins.take(capacity)
    }

    /// Takes a large cached block of any arm.
    fn take_any(&mut self) -> Option<Block> {
        for (recent, bins) in self.recent.iter_mut().zip(&mut self.bins) {
            if let Some(recent) = recent.take() {
                bins.put(recent);
            }
        }
        let block = self.bins.iter_mut().find_map(Bins::take_large)?;
        self.cached_bytes -= block.header().capacity;
        Some(block)
    }

    fn cached(&self, arm: Arm) -> usize {
        self.bins[arm as usize].count() + usize::from(self.recent[arm as usize].is_some())
    }

    /// Counts a block out; the caller holds the lock.
    fn count_out(&mut self, arm: Arm, capacity: usize) {
        self.live[arm as usize] += 1;
        if arm != Arm::Cell {
            self.outstanding_bytes += capacity;
            self.peak_bytes = self.peak_bytes.max(self.outstanding_bytes);
        }
    }

    fn count_in(&mut self, arm: Arm, capacity: usize) {
        self.live[arm as usize] -= 1;
        if arm != Arm::Cell {
            self.outstanding_bytes -= capacity;
        }
    }
}

/// The layout of a block with `capacity` payload bytes.
fn block_layout(capacity: usize) -> Option<Layout> {
    Layout::from_size_align(capacity.checked_add(PAYLOAD)?, ALIGN).ok()
}

impl Heap {
    /// The capacity that a request of `bytes` is rounded to.
    fn round(&self, arm: Arm, bytes: usize) -> Option<usize> {
        let bytes = bytes.max(1);
        match arm {
            Arm::F32 => {
                let (elems, quantum) = (bytes.div_ceil(4), self.config.f32_quantum_elems.max(1));
                let rounded = if elems <= quantum {
                    elems.checked_next_power_of_two()?
                } else {
                    elems.checked_next_multiple_of(quantum)?
                };
                rounded.checked_mul(4)
            }
            Arm::Slab => bytes.checked_next_multiple_of(self.config.slab_quantum_bytes.max(1)),
            Arm::Cell => bytes.checked_next_multiple_of(ALIGN),
        }
    }

    fn acquire(&self, op: &'static str, arm: Arm, bytes: usize, origin: Origin) -> Result<Block> {
        let refused = Error::OutOfMemory { op, bytes };
        let capacity = self.round(arm, bytes).ok_or(refused)?;
        let mut state = self.state.lock();
        if let Some(block) = state.take(arm, capacity) {
            let capacity = block.header().capacity;
            state.hits += 1;
            state.count_out(arm, capacity);
            block.header().origin.set(origin);
            state.live_list.link(block);
            drop(state);
            // ORDERING: Relaxed; the block is ours alone until a handle to it is sent elsewhere.
            block.header().refs.store(1, Ordering::Relaxed);
            return Ok(block);
        }
        // Counted before the memory is there (protocol, 3).
        state.misses += 1;
        state.count_out(arm, capacity);
        drop(state);
        match self.make(arm, capacity, origin) {
            Some(block) => {
                self.link_fresh(block);
                Ok(block)
            }
            None => {
                self.state.lock().count_in(arm, capacity);
                Err(refused)
            }
        }
    }

    /// A fresh block.
    fn make(&self, arm: Arm, capacity: usize, origin: Origin) -> Option<Block> {
        let base = self.allocator.allocate_zeroed(block_layout(capacity)?).ok()?;
        // SAFETY: the payload lies `PAYLOAD` bytes behind the base, inside (or at the end of) the allocation.
        let payload = unsafe { base.byte_add(PAYLOAD) };
        let header = Header {
            refs: AtomicUsize::new(1),
            capacity,
            home: NonNull::from(self),
            data: StdCell::new(payload),
            arm,
            foreign: StdCell::new(false),
            links: Links::default(),
            origin: StdCell::new(origin),
        };
        let place = base.cast::<Header>();
        // SAFETY: (2) in the module's head.
        unsafe { place.write(header) };
        // SAFETY: the header was just written; the pool alone frees the block.
        Some(unsafe { Block::from_raw(place) })
    }

    /// Puts a fresh block into the live list, if there is one.
    #[inline(always)]
    fn link_fresh(&self, block: Block) {
        if LiveList::KEPT {
            self.state.lock().live_list.link(block);
        }
    }

    /// Frees the memory of a block.
    fn free(&self, block: Block) {
        let capacity = block.header().capacity;
        let Some(layout) = block_layout(capacity) else { return };
        // SAFETY: (3) in the module's head.
        unsafe { self.allocator.deallocate(block.base(), layout) };
    }

    /// Takes a block back whose last handle is gone: caches it within the budget, else frees it.
    pub(crate) fn give_back(block: Block) {
        let home = block.header().home;
        // SAFETY: (1) in the module's head: the block is still counted.
        let heap = unsafe { home.as_ref() };
        let (arm, capacity) = (block.header().arm, block.header().capacity);
        let mut state = heap.state.lock();
        state.live_list.unlink(block);
        let fits = capacity <= heap.config.max_cached_bytes.saturating_sub(state.cached_bytes);
        if state.open && fits {
            state.put(arm, block);
        } else {
            // Freed before it is counted in (protocol, 3).
            drop(state);
            heap.free(block);
            state = heap.state.lock();
        }
        state.count_in(arm, capacity);
        let unused = state.is_unused();
        drop(state);
        if unused {
            // SAFETY: the counts have come to zero.
            unsafe { Self::destroy(home) };
        }
    }

    /// Frees cached blocks until at most `keep_bytes` are cached, largest size classes first.
    fn trim(&self, keep_bytes: usize) {
        loop {
            let mut state = self.state.lock();
            if state.cached_bytes <= keep_bytes {
                return;
            }
            let Some(block) = state.take_any() else { return };
            drop(state);
            // The caller's own hold keeps the heap meanwhile.
            self.free(block);
        }
    }

    /// # Safety
    /// Every count has come to zero.
    unsafe fn destroy(heap: NonNull<Self>) {
        // SAFETY: (4) in the module's head: still whole.
        unsafe { heap.as_ref() }.trim(0);
        // SAFETY: (4) in the module's head: read once, never used again.
        let Self { allocator, .. } = unsafe { heap.read() };
        // SAFETY: `HeapRef::create` allocated it with this layout from this allocator.
        unsafe { allocator.deallocate(heap.cast(), Layout::new::<Self>()) };
    }
}

/// A counted hold on a heap.
pub(crate) struct HeapRef(NonNull<Heap>);

// SAFETY: a heap is shared data behind a lock.
unsafe impl Send for HeapRef {}
// SAFETY: as above.
unsafe impl Sync for HeapRef {}

impl HeapRef {
    /// Makes a heap; the allocator comes back if it has no memory for it.
    pub(crate) fn create(
        allocator: AllocHandle,
        config: PoolConfig,
    ) -> core::result::Result<Self, AllocHandle> {
        let Ok(place) = allocator.allocate_zeroed(Layout::new::<Heap>()) else {
            return Err(allocator);
        };
        let place = place.cast::<Heap>();
        let state = State {
            bins: [const { Bins::new() }; ARMS],
            recent: [None; ARMS],
            live_list: LiveList::new(),
            live: [0; ARMS],
            holders: 1,
            open: true,
            cached_bytes: 0,
            outstanding_bytes: 0,
            peak_bytes: 0,
            hits: 0,
            misses: 0,
        };
        // SAFETY: fresh memory of the heap's layout.
        unsafe { place.write(Heap { state: Mutex::new(state), allocator, config }) };
        Ok(Self(place))
    }

    #[inline(always)]
    fn heap(&self) -> &Heap {
        // SAFETY: (1) in the module's head: this hold is counted.
        unsafe { self.0.as_ref() }
    }

    /// A block of at least `bytes`, counted once, from the free list or the allocator.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[inline]
    pub(crate) fn acquire(
        &self,
        op: &'static str,
        arm: Arm,
        bytes: usize,
        origin: Origin,
    ) -> Result<Block> {
        self.heap().acquire(op, arm, bytes, origin)
    }

    /// Calls `f` with the payload bytes and the origin of each live block; of none without `track-origins`.
    pub(crate) fn for_each_live(&self, f: impl FnMut(usize, Origin)) {
        self.heap().state.lock().live_list.for_each(f);
    }

    /// Frees cached blocks until at most `keep_bytes` are cached.
    pub(crate) fn trim(&self, keep_bytes: usize) {
        self.heap().trim(keep_bytes);
    }

    /// The counts.
    pub(crate) fn stats(&self) -> PoolStats {
        let state = self.heap().state.lock();
        let [f32s, slabs, cells] = state.live;
        let [cached_buffers, cached_slabs, cached_cells] =
            [Arm::F32, Arm::Slab, Arm::Cell].map(|arm| state.cached(arm));
        PoolStats {
            outstanding: f32s + slabs,
            outstanding_bytes: state.outstanding_bytes,
            peak_bytes: state.peak_bytes,
            cells,
            cached_buffers,
            cached_slabs,
            cached_cells,
            cached_bytes: state.cached_bytes,
            hits: state.hits,
            misses: state.misses,
        }
    }

    /// The context closes: empties the free lists and frees every later release at once.
    pub(crate) fn close(&self) {
        self.heap().state.lock().open = false;
        self.trim(0);
    }
}

impl Clone for HeapRef {
    fn clone(&self) -> Self {
        self.heap().state.lock().holders += 1;
        Self(self.0)
    }
}

impl Drop for HeapRef {
    fn drop(&mut self) {
        let mut state = self.heap().state.lock();
        state.holders -= 1;
        let unused = state.is_unused();
        drop(state);
        if unused {
            // SAFETY: the counts have come to zero.
            unsafe { Heap::destroy(self.0) };
        }
    }
}

// SAFETY: each allocation is the payload of a block of the cell arm, at least as large and aligned as asked for, and ours
// until it is given back; a hold keeps the heap, and moving or cloning a hold moves or copies a pointer to it.
unsafe impl allocator_api2::alloc::Allocator for HeapRef {
    fn allocate(
        &self,
        layout: Layout,
    ) -> core::result::Result<NonNull<[u8]>, allocator_api2::alloc::AllocError> {
        if layout.align() > ALIGN {
            return Err(allocator_api2::alloc::AllocError);
        }
        let block = self.acquire("allocate", Arm::Cell, layout.size(), Origin::here());
        let block = block.map_err(|_| allocator_api2::alloc::AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block.payload(), layout.size()))
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, _: Layout) {
        // SAFETY: the caller's promise: `ptr` is the payload of a block that `allocate` acquired, ours alone.
        Heap::give_back(unsafe { Block::of_payload(ptr) });
    }
}
