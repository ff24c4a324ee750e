//! Tensors cross threads: dropped elsewhere, read by many, graphs shared.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use fucina_core::{Error, ExecContext, Tensor};

#[test]
fn tensors_dropped_on_other_threads_return_to_their_pool() {
    let ctx = ExecContext::new();
    for round in 0..50 {
        let tensors: Vec<_> = (0..64).map(|i| ctx.full(&[1 + i], i as f32).unwrap()).collect();
        let mut parts = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        for (i, x) in tensors.into_iter().enumerate() {
            parts[i % 4].push(x.clone());
            parts[(i + 1) % 4].push(x);
        }
        thread::scope(|s| {
            for part in parts {
                s.spawn(move || {
                    for x in part {
                        assert_eq!(x.data().unwrap()[0], (x.len() - 1) as f32);
                    }
                });
            }
        });
        let stats = ctx.pool().stats();
        assert_eq!((stats.outstanding, stats.cached_buffers), (0, 64), "round {round}");
    }
}

#[test]
fn a_taken_over_vector_is_freed_once_by_whoever_is_last() {
    struct CountsDrops(Arc<AtomicUsize>);
    impl Drop for CountsDrops {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let ctx = ExecContext::new();
    let drops = Arc::new(AtomicUsize::new(0));
    for round in 1..=200 {
        let values = vec![1.0_f32, 2.0, 3.0];
        let data = NonNull::from(values.as_slice()).cast::<f32>();
        let owner = (values, CountsDrops(drops.clone()));
        // SAFETY: the hook owns the values until it runs.
        let x = unsafe { ctx.from_foreign(&[3], data, 3, move || drop(owner)) }.unwrap();
        let start = Barrier::new(3);
        thread::scope(|s| {
            for x in [x.clone(), x.clone(), x] {
                let start = &start;
                s.spawn(move || {
                    start.wait();
                    assert_eq!(x.data().unwrap(), [1.0, 2.0, 3.0]);
                });
            }
        });
        assert_eq!(drops.load(Ordering::Relaxed), round);
    }
    assert_eq!(ctx.pool().stats().cells, 0);
}

#[test]
fn graphs_are_dropped_and_walked_on_other_threads() {
    let ctx = ExecContext::new();
    let w = Tensor::variable_from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap();
    let y = w.exp(&ctx).unwrap();
    let branches: Vec<_> =
        (0..8).map(|_| y.mul(&ctx, &y).unwrap().sum_all(&ctx).unwrap()).collect();
    thread::scope(|s| {
        for branch in branches {
            s.spawn(move || drop(branch));
        }
    });
    let loss = y.sum_all(&ctx).unwrap();
    let elsewhere = ExecContext::new();
    let elsewhere = thread::scope(|s| {
        let (w, loss) = (&w, &loss);
        let pass = s.spawn(move || {
            loss.backward(&elsewhere).unwrap();
            assert!(w.grad_view().is_some());
            elsewhere
        });
        pass.join().unwrap()
    });
    w.zero_grad();
    drop((y, loss));
    elsewhere.close().unwrap();
    assert_eq!(ctx.pool().stats().outstanding, 1);
}

#[test]
fn passes_that_meet_in_a_graph_say_busy_and_lose_nothing() {
    let contexts: Vec<_> = (0..4).map(|_| ExecContext::new()).collect();
    let owner = ExecContext::new();
    let w = Tensor::variable_from_slice(&owner, &[4], &[1.0_f32; 4]).unwrap();
    let done = AtomicUsize::new(0);
    thread::scope(|s| {
        for ctx in contexts {
            let (w, done) = (&w, &done);
            s.spawn(move || {
                for _ in 0..200 {
                    let loss = w.scale(&ctx, 2.0).unwrap().sum_all(&ctx).unwrap();
                    match loss.backward(&ctx) {
                        Ok(()) => drop(done.fetch_add(1, Ordering::Relaxed)),
                        Err(Error::GraphBusy { .. }) => {}
                        Err(other) => panic!("{other}"),
                    }
                }
                // The last gradient may live in this context's pool.
                let _ = ctx.close();
            });
        }
    });
    let passes = done.load(Ordering::Relaxed) as f32;
    assert_eq!(w.grad(&owner).unwrap().unwrap().to_vec().unwrap(), [2.0 * passes; 4]);
    w.zero_grad();
}
