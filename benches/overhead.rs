//! What an op costs beside its arithmetic: the pool's round trip, a small raw op, a facade op, a recorded op.
//!
//! The pool stands beside a plain `Vec` free list (no lock, one size: the least a pool could cost) and the system
//! allocator. Every case checks its result once before it is timed. `cargo bench --bench overhead`.

use core::alloc::Layout;
use core::hint::black_box;

use allocator_api2::alloc::{Allocator, System};
use criterion::{Criterion, criterion_group, criterion_main};
use fucina::pool::PoolConfig;
use fucina::{ExecContext, Tensor};

/// A result was computed; by reference, so that moving it about is not timed.
fn held<V>(value: &V) {
    black_box(value);
}

/// Acquire and release 64 KiB, the pool's only traffic.
fn pool(c: &mut Criterion) {
    let mut group = c.benchmark_group("pool round trip, 64 KiB");
    const ELEMS: usize = 16 * 1024;

    // 1,024 sizes are 2.1 GB in all (never touched): the budget must hold them.
    let config = PoolConfig::DEFAULT.with_max_cached_bytes(usize::MAX);
    let ctx = ExecContext::builder().pool(config).build();
    let lease = |elems| ctx.pool().acquire_scratch::<f32>(elems).unwrap();
    drop(lease(ELEMS));
    group.bench_function("fucina, one size cached", |b| {
        b.iter(|| held(&lease(ELEMS)));
    });
    assert_eq!(ctx.pool().stats().misses, 1);

    let many: Vec<_> = (1..=1024).map(|i| lease(i * 1024)).collect();
    drop(many);
    group.bench_function("fucina, 1,024 sizes cached", |b| {
        b.iter(|| held(&lease(ELEMS)));
    });
    assert_eq!(ctx.pool().stats().cached_slabs, 1024);
    let mut size = 0;
    group.bench_function("fucina, 1,024 sizes cached, another at each call", |b| {
        b.iter(|| {
            size = (size + 389) % 1024;
            held(&lease((size + 1) * 1024));
        });
    });

    let mut free: Vec<Vec<f32>> = vec![vec![0.0; ELEMS]];
    group.bench_function("a Vec as a free list", |b| {
        b.iter(|| {
            let block = black_box(free.pop().unwrap());
            free.push(block);
        });
    });
    let layout = Layout::array::<f32>(ELEMS).unwrap();
    group.bench_function("the system allocator", |b| {
        b.iter(|| {
            let block = black_box(System.allocate(layout).unwrap()).cast();
            // SAFETY: the block just allocated, with its layout.
            unsafe { System.deallocate(block, layout) };
        });
    });
    group.finish();
}

/// Sixteen elements: everything but the arithmetic.
fn ops(c: &mut Criterion) {
    let ctx = fucina::context();
    let values: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let (a, b) = (ctx.from_slice(&[16], &values).unwrap(), ctx.from_slice(&[16], &values).unwrap());
    let sum = ctx.add(&a, &b).unwrap();
    assert!(sum.iter().enumerate().all(|(i, x)| x == 2.0 * i as f32));
    let mut group = c.benchmark_group("ops of 16 elements");
    group.bench_function("add, raw", |t| t.iter(|| held(&ctx.add(&a, &b).unwrap())));

    let (ta, tb) = (Tensor::constant(a), Tensor::constant(b));
    group.bench_function("add", |t| t.iter(|| held(&ta.add(&ctx, &tb).unwrap())));

    let w = Tensor::variable_from_slice(&ctx, &[16], &values).unwrap();
    group.bench_function("mul, recorded", |t| t.iter(|| held(&w.mul(&ctx, &tb).unwrap())));
    group.bench_function("mul, recorded under a scope, 100 at a time", |t| {
        t.iter(|| {
            let _scope = ctx.open_exec_scope();
            for _ in 0..100 {
                held(&w.mul(&ctx, &tb).unwrap());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, pool, ops);
criterion_main!(benches);
