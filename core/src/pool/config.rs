//! What can be set of a pool, and what it tells.

/// Sizes and limits of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolConfig {
    /// The most bytes kept in the free lists, over all arms. Live blocks do not count.
    pub max_cached_bytes: usize,
    /// `f32` blocks above this many elements are rounded to multiples of it, smaller ones to powers of two.
    pub f32_quantum_elems: usize,
    /// Blocks of other types are rounded to multiples of this many bytes.
    pub slab_quantum_bytes: usize,
}

impl PoolConfig {
    /// A gibibyte of cache (a quarter of the address space where that is less), 1,024 elements, 4,096 bytes.
    pub const DEFAULT: Self = Self {
        max_cached_bytes: if usize::BITS > 32 { 1 << 30 } else { usize::MAX / 4 },
        f32_quantum_elems: 1024,
        slab_quantum_bytes: 4096,
    };

    /// For machines with kilobytes: 16 KiB of cache, fine rounding.
    pub const EMBEDDED: Self =
        Self { max_cached_bytes: 16 << 10, f32_quantum_elems: 32, slab_quantum_bytes: 128 };

    /// The same with another byte budget.
    #[must_use]
    pub const fn with_max_cached_bytes(mut self, bytes: usize) -> Self {
        self.max_cached_bytes = bytes;
        self
    }
}

impl Default for PoolConfig {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A pool's counts at one moment. Bytes are payload bytes after rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Live tensor and scratch blocks.
    pub outstanding: usize,
    /// Their bytes.
    pub outstanding_bytes: usize,
    /// The most bytes that were ever live at once.
    pub peak_bytes: usize,
    /// Live graph nodes, headers of foreign memory, and the library's own lists (scopes, backward passes, recordings).
    pub cells: usize,
    /// Cached `f32` blocks.
    pub cached_buffers: usize,
    /// Cached slabs.
    pub cached_slabs: usize,
    /// Cached cells.
    pub cached_cells: usize,
    /// Bytes of all cached blocks.
    pub cached_bytes: usize,
    /// Requests served from a free list.
    pub hits: u64,
    /// Requests that went to the allocator.
    pub misses: u64,
}
