//! [`Bins`]: cached blocks of one arm, found by size in a bounded number of steps.
//!
//! Blocks hang in one bitwise trie for each power of two of their capacity, linked through their own headers: caching
//! a block allocates nothing. A node's capacity shares the leading bits of its path, so a walk is no longer than
//! the bits below a size's leading one, nor than the number of distinct sizes cached. Blocks of one capacity form a
//! stack behind the node of that capacity: the most recently put one is taken first.
//!
//! The bins own the blocks in them, and callers hold the pool's lock: nobody else touches `links` meanwhile.
#![forbid(unsafe_code)]

use crate::storage::block::Block;

/// Cached blocks by capacity.
pub(crate) struct Bins {
    roots: [Option<Block>; usize::BITS as usize],
    /// Bit `b` is set if `roots[b]` holds a block.
    occupied: usize,
    count: usize,
}

/// Where a trie node hangs.
#[derive(Clone, Copy)]
enum Place {
    Root(u32),
    Child(Block, usize),
}

impl Bins {
    pub(crate) const fn new() -> Self {
        Self { roots: [None; usize::BITS as usize], occupied: 0, count: 0 }
    }

    /// Number of cached blocks.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Caches a block.
    pub(crate) fn put(&mut self, block: Block) {
        let capacity = block.header().capacity;
        let bucket = capacity.ilog2();
        block.header().links.clear();
        self.count += 1;
        self.occupied |= 1 << bucket;
        let (mut place, mut shift) = (Place::Root(bucket), bucket);
        while let Some(node) = self.at(place) {
            let header = node.header();
            if header.capacity == capacity {
                block.header().links.next.set(header.links.next.get());
                header.links.next.set(Some(block));
                return;
            }
            // Capacities that agree in every bit are equal, so a bit is left.
            shift -= 1;
            place = Place::Child(node, capacity >> shift & 1);
        }
        self.hang(place, Some(block));
    }

    /// Takes the smallest block of at least `capacity` bytes; of equal ones the last put.
    pub(crate) fn take(&mut self, capacity: usize) -> Option<Block> {
        let bucket = capacity.ilog2();
        if let Some(place) = self.smallest_fit(bucket, capacity) {
            return Some(self.pop(bucket, place));
        }
        let above = self.occupied & usize::MAX.checked_shl(bucket + 1).unwrap_or(0);
        (above != 0).then(|| {
            let bucket = above.trailing_zeros();
            let place = self.smallest_below(Place::Root(bucket));
            self.pop(bucket, place)
        })
    }

    /// Takes one of the largest blocks.
    pub(crate) fn take_large(&mut self) -> Option<Block> {
        let bucket = self.occupied.checked_ilog2()?;
        Some(self.pop(bucket, Place::Root(bucket)))
    }

    fn at(&self, place: Place) -> Option<Block> {
        match place {
            Place::Root(bucket) => self.roots[bucket as usize],
            Place::Child(node, side) => node.header().links.child[side].get(),
        }
    }

    fn hang(&mut self, place: Place, block: Option<Block>) {
        match place {
            Place::Root(bucket) => self.roots[bucket as usize] = block,
            Place::Child(node, side) => node.header().links.child[side].set(block),
        }
    }

    /// The smallest node of at least `capacity` in its own bucket.
    fn smallest_fit(&self, bucket: u32, capacity: usize) -> Option<Place> {
        let (mut best, mut best_capacity) = (None, usize::MAX);
        let mut larger = None;
        let (mut place, mut shift) = (Place::Root(bucket), bucket);
        while let Some(node) = self.at(place) {
            let found = node.header().capacity;
            if found == capacity {
                return Some(place);
            }
            if found > capacity && found < best_capacity {
                (best, best_capacity) = (Some(place), found);
            }
            shift -= 1;
            let side = capacity >> shift & 1;
            let sibling = Place::Child(node, 1);
            if side == 0 && self.at(sibling).is_some() {
                // Every capacity in there is larger, and closer than in any subtree passed before.
                larger = Some(sibling);
            }
            place = Place::Child(node, side);
        }
        if let Some(subtree) = larger {
            let place = self.smallest_below(subtree);
            if self.at(place).is_some_and(|node| node.header().capacity < best_capacity) {
                return Some(place);
            }
        }
        best
    }

    /// The smallest node of a subtree that is not empty: it lies on the leftmost path.
    fn smallest_below(&self, subtree: Place) -> Place {
        let (mut best, mut best_capacity) = (subtree, usize::MAX);
        let mut place = subtree;
        while let Some(node) = self.at(place) {
            let header = node.header();
            if header.capacity < best_capacity {
                (best, best_capacity) = (place, header.capacity);
            }
            let side = usize::from(header.links.child[0].get().is_none());
            place = Place::Child(node, side);
        }
        best
    }

    /// Takes a block of the capacity at `place`: the newest of its stack, else the node itself.
    fn pop(&mut self, bucket: u32, place: Place) -> Block {
        let node = match self.at(place) {
            Some(node) => node,
            None => unreachable!("place was found occupied"),
        };
        self.count -= 1;
        let links = &node.header().links;
        if let Some(newest) = links.next.get() {
            links.next.set(newest.header().links.next.get());
            return newest;
        }
        let leaf = self.detach_leaf_below(node);
        if let Some(leaf) = leaf {
            for side in 0..2 {
                leaf.header().links.child[side].set(links.child[side].get());
            }
        }
        self.hang(place, leaf);
        if self.roots[bucket as usize].is_none() {
            self.occupied &= !(1 << bucket);
        }
        node
    }

    /// Cuts off a leaf below `node`: it shares the node's prefix, so it may stand in its place.
    fn detach_leaf_below(&mut self, node: Block) -> Option<Block> {
        let mut place = None;
        let mut at = node;
        while let Some((side, child)) = at.header().links.some_child() {
            place = Some(Place::Child(at, side));
            at = child;
        }
        let place = place?;
        self.hang(place, None);
        Some(at)
    }
}
