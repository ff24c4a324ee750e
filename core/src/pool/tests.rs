extern crate std;
use std::vec::Vec;

use super::*;
use crate::alloc::AllocHandle;
use crate::storage::{Origin, Storage};

fn heap(config: PoolConfig) -> HeapRef {
    HeapRef::create(AllocHandle::global(), config).ok().unwrap()
}

fn get(heap: &HeapRef, arm: Arm, bytes: usize) -> Storage {
    Storage::from_block(heap.acquire("test", arm, bytes, Origin::here()).unwrap())
}

#[test]
fn f32_sizes_round_to_powers_of_two_then_to_1024_elements() {
    let heap = heap(PoolConfig::DEFAULT);
    for (elems, rounded) in
        [(1, 1), (3, 4), (5, 8), (1000, 1024), (1024, 1024), (1025, 2048), (2049, 3072)]
    {
        assert_eq!(get(&heap, Arm::F32, elems * 4).len_bytes(), rounded * 4, "{elems}");
    }
    assert_eq!(get(&heap, Arm::Slab, 1).len_bytes(), 4096);
    assert_eq!(get(&heap, Arm::Slab, 4097).len_bytes(), 8192);
}

#[test]
fn a_released_block_is_handed_out_again_last_in_first_out() {
    let heap = heap(PoolConfig::DEFAULT);
    let (a, b) = (get(&heap, Arm::F32, 64), get(&heap, Arm::F32, 64));
    let (at_a, at_b) = (a.address(), b.address());
    drop(a);
    drop(b);
    let (first, second) = (get(&heap, Arm::F32, 64), get(&heap, Arm::F32, 64));
    assert_eq!((first.address(), second.address()), (at_b, at_a));
    assert_eq!((heap.stats().hits, heap.stats().misses), (2, 2));
}

#[test]
fn slabs_serve_every_type_and_are_aligned() {
    let heap = heap(PoolConfig::DEFAULT);
    let slab = get(&heap, Arm::Slab, 5000);
    let at = slab.address();
    assert_eq!(at.addr().get() % 64, 0);
    drop(slab);
    assert_eq!(heap.stats().cached_slabs, 1);
    let lease = ScratchLease::<f64>::acquire("test", (&heap, Origin::here()), 700).unwrap();
    assert_eq!((lease.len(), lease.as_ptr().addr()), (700, at.addr().get()));
    assert_eq!((heap.stats().cached_slabs, heap.stats().outstanding), (0, 1));
}

#[test]
fn the_budget_bounds_cached_bytes_not_live_ones() {
    let heap = heap(PoolConfig::DEFAULT.with_max_cached_bytes(4096));
    let blocks: Vec<_> = [4096, 4096, 8192].map(|n| get(&heap, Arm::Slab, n)).into();
    assert_eq!(heap.stats().outstanding_bytes, 16384);
    drop(blocks);
    let stats = heap.stats();
    assert_eq!((stats.cached_slabs, stats.cached_bytes), (1, 4096));
    assert_eq!((stats.outstanding, stats.outstanding_bytes, stats.peak_bytes), (0, 0, 16384));
    heap.trim(0);
    assert_eq!(heap.stats().cached_bytes, 0);
}

#[test]
fn blocks_outlive_the_context_that_made_them() {
    let heap = heap(PoolConfig::DEFAULT);
    let kept = get(&heap, Arm::F32, 64);
    drop(get(&heap, Arm::F32, 640));
    heap.close();
    assert_eq!(heap.stats().cached_bytes, 0);
    drop(heap);
    assert!(kept.elements::<f32>().iter().all(|&x| x == 0.0));
    std::thread::spawn(move || drop(kept)).join().unwrap();
}

/// The bins against a sorted list, over sizes that share buckets, prefixes and stacks. With `track-origins` live blocks
/// hang in the live list by the links that this test puts them into bins by.
#[cfg(not(feature = "track-origins"))]
#[test]
fn bins_hand_out_the_smallest_fit_and_the_newest_of_it() {
    let config = PoolConfig::DEFAULT.with_max_cached_bytes(0);
    let heap = heap(config);
    let mut bins = bins::Bins::new();
    let mut model: std::collections::BTreeMap<usize, Vec<crate::storage::block::Block>> =
        std::collections::BTreeMap::new();
    let mut seed = 1_u64;
    let mut next = |bound: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    for step in 0..60_000 {
        let spread = if step % 3 == 0 { 4 } else { 700 };
        let bytes = 64 * (1 + next(spread)) as usize;
        if next(100) < 52 {
            let block = heap.acquire("test", Arm::Cell, bytes, Origin::here()).unwrap();
            bins.put(block);
            model.entry(bytes).or_default().push(block);
        } else {
            let fit = model.range(bytes..).next().map(|(&size, _)| size);
            let want = fit.map(|size| {
                let stack = model.get_mut(&size).unwrap();
                let block = stack.pop().unwrap();
                if stack.is_empty() {
                    model.remove(&size);
                }
                block
            });
            let got = bins.take(bytes);
            assert!(got == want, "step {step}: {bytes} bytes");
            got.into_iter().for_each(Heap::give_back);
        }
        assert_eq!(bins.count(), model.values().map(Vec::len).sum::<usize>());
    }
    while let Some(block) = bins.take_large() {
        Heap::give_back(block);
    }
    assert_eq!((bins.count(), heap.stats().cells), (0, 0));
}
