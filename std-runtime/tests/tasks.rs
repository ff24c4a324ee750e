//! The one-shot worker and the task pool.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::{Arc, mpsc};
use std::thread;

use fucina_runtime::{OneShotWorker, TaskPool, WaitGroup};

fn counter() -> (Arc<AtomicUsize>, impl Fn() + Clone + Send + 'static) {
    let count = Arc::new(AtomicUsize::new(0));
    let there = count.clone();
    (count, move || {
        there.fetch_add(1, Ordering::Relaxed);
    })
}

#[test]
fn a_one_shot_worker_runs_one_task_after_the_other() {
    let worker = OneShotWorker::new();
    let (count, bump) = counter();
    for expected in 1..=100 {
        assert!(worker.start(bump.clone()));
        worker.wait();
        assert_eq!(count.load(Ordering::Relaxed), expected);
    }
}

#[test]
fn a_busy_one_shot_worker_says_no() {
    let worker = OneShotWorker::new();
    let (go, gate) = mpsc::channel::<()>();
    assert!(worker.start(move || gate.recv().unwrap()));
    assert!(!worker.start(|| unreachable!("not taken")));
    go.send(()).unwrap();
    worker.wait();
    assert!(worker.start(|| {}));
}

#[test]
fn a_one_shot_panic_goes_on_where_it_is_waited_for() {
    let worker = OneShotWorker::new();
    assert!(worker.start(|| std::panic::resume_unwind(Box::new(3))));
    let unwound = catch_unwind(AssertUnwindSafe(|| worker.wait()));
    assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&3));
    assert!(worker.start(|| {}));
    worker.wait();
}

#[test]
fn dropping_a_one_shot_worker_waits_for_its_task() {
    let (count, bump) = counter();
    let worker = OneShotWorker::new();
    assert!(worker.start(move || {
        thread::sleep(Duration::from_millis(5));
        bump();
    }));
    drop(worker);
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn every_task_runs_once_with_any_number_of_threads() {
    for threads in [0, 1, 2, 7] {
        let (pool, group, (count, bump)) = (TaskPool::new(threads), WaitGroup::new(), counter());
        for round in 1..=3 {
            (0..100).for_each(|_| pool.spawn(&group, bump.clone()));
            pool.wait_and_work(&group);
            assert_eq!(count.load(Ordering::Relaxed), round * 100, "{threads} threads");
        }
    }
}

#[test]
fn tasks_may_spawn_tasks_of_their_group() {
    for threads in [0, 2] {
        let (pool, group, (count, bump)) =
            (Arc::new(TaskPool::new(threads)), WaitGroup::new(), counter());
        for _ in 0..10 {
            let (inner, group_inner, bump) = (Arc::downgrade(&pool), group.clone(), bump.clone());
            pool.spawn(&group, move || {
                bump();
                if let Some(pool) = inner.upgrade() {
                    pool.spawn(&group_inner, bump);
                }
            });
        }
        pool.wait_and_work(&group);
        assert_eq!(count.load(Ordering::Relaxed), 20);
    }
}

#[test]
fn waiting_for_a_group_runs_no_foreign_task() {
    let pool = TaskPool::new(0);
    let (ours, theirs) = (WaitGroup::new(), WaitGroup::new());
    let (count, bump) = counter();
    pool.spawn(&theirs, || unreachable!("nobody waits for it"));
    pool.spawn(&ours, bump);
    pool.wait_and_work(&ours);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    core::mem::forget(pool);
}

#[test]
fn try_spawn_gives_the_task_back_when_every_thread_is_busy() {
    let (pool, group) = (TaskPool::new(1), WaitGroup::new());
    let (go, gate) = mpsc::channel::<()>();
    let (running, is_running) = mpsc::channel::<()>();
    pool.spawn(&group, move || {
        running.send(()).unwrap();
        gate.recv().unwrap();
    });
    is_running.recv().unwrap();
    assert!(pool.try_spawn(&group, || {}).is_err());
    go.send(()).unwrap();
    pool.wait_and_work(&group);
}

#[test]
fn the_first_panic_of_a_group_goes_on_where_it_is_waited_for() {
    let (pool, group, (count, bump)) = (TaskPool::new(2), WaitGroup::new(), counter());
    pool.spawn(&group, || std::panic::resume_unwind(Box::new("one")));
    (0..20).for_each(|_| pool.spawn(&group, bump.clone()));
    let unwound = catch_unwind(AssertUnwindSafe(|| pool.wait_and_work(&group)));
    assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&"one"));
    pool.wait_and_work(&group);
    assert_eq!(count.load(Ordering::Relaxed), 20);
}
