//! [`TaskPool`]: long jobs beside the team, each waited for in a [`WaitGroup`].
//!
//! A queue under one lock. Threads start one by one while there is more to do than threads idle, and sleep when there is
//! nothing. Who waits for a group runs tasks of that group alone, so a wait never nests foreign work and holds no foreign
//! memory.
#![forbid(unsafe_code)]

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::collections::VecDeque;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use fucina_core::fpenv;
use fucina_platform::fork_generation;

use crate::sync::lock;

/// Threads for long jobs: reading files, compressing, a whole evaluation. Each task is an allocation, a lock and a wake-up.
///
/// # Examples
/// ```
/// use core::sync::atomic::{AtomicUsize, Ordering};
/// use std::sync::Arc;
/// use fucina_runtime::{TaskPool, WaitGroup};
///
/// let (pool, group) = (TaskPool::new(2), WaitGroup::new());
/// let sum = Arc::new(AtomicUsize::new(0));
/// for i in 0..10 {
///     let sum = sum.clone();
///     pool.spawn(&group, move || {
///         sum.fetch_add(i, Ordering::Relaxed);
///     });
/// }
/// pool.wait_and_work(&group);
/// assert_eq!(sum.load(Ordering::Relaxed), 45);
/// ```
#[derive(Debug)]
pub struct TaskPool {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    most: usize,
    fork: u32,
}

/// Tasks that are waited for together. Clones are the same group.
#[derive(Clone, Debug, Default)]
pub struct WaitGroup {
    shared: Arc<Group>,
}

#[derive(Debug, Default)]
struct Group {
    state: Mutex<GroupState>,
    done: Condvar,
}

#[derive(Default)]
struct GroupState {
    open: usize,
    panic: Option<Box<dyn Any + Send>>,
}

impl core::fmt::Debug for GroupState {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("GroupState").field("open", &self.open).finish_non_exhaustive()
    }
}

struct Task {
    run: Box<dyn FnOnce() + Send>,
    group: Arc<Group>,
}

impl Task {
    fn run(self) {
        let outcome = catch_unwind(AssertUnwindSafe(self.run));
        let mut state = lock(&self.group.state);
        state.open -= 1;
        if let Err(panic) = outcome {
            state.panic.get_or_insert(panic);
        }
        if state.open == 0 {
            drop(state);
            self.group.done.notify_all();
        }
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    idle: usize,
    shutdown: bool,
}

impl Shared {
    fn live(&self) {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                drop(queue);
                task.run();
                queue = lock(&self.queue);
            } else if queue.shutdown {
                return;
            } else {
                queue.idle += 1;
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.idle -= 1;
            }
        }
    }
}

impl TaskPool {
    /// At most `most` threads, none of which is started yet. With 0 every task runs in [`wait_and_work`](Self::wait_and_work).
    #[must_use]
    pub fn new(most: usize) -> Self {
        let fork = fork_generation();
        Self { shared: Arc::default(), threads: Mutex::default(), most, fork }
    }

    /// Queues `task` for the group.
    pub fn spawn(&self, group: &WaitGroup, task: impl FnOnce() + Send + 'static) {
        lock(&group.shared.state).open += 1;
        let task = Task { run: Box::new(task), group: group.shared.clone() };
        let mut queue = lock(&self.shared.queue);
        queue.tasks.push_back(task);
        let idle = queue.idle >= queue.tasks.len();
        drop(queue);
        self.shared.changed.notify_one();
        if !idle {
            self.start_thread();
        }
    }

    /// Queues `task` only if a thread is there for it: an idle one, or one that can be started. Gives it back otherwise.
    ///
    /// # Errors
    /// The task, if every thread is busy.
    pub fn try_spawn<F: FnOnce() + Send + 'static>(
        &self,
        group: &WaitGroup,
        task: F,
    ) -> Result<(), F> {
        let queue = lock(&self.shared.queue);
        let idle = queue.idle > queue.tasks.len();
        drop(queue);
        if !idle && !self.start_thread() {
            return Err(task);
        }
        self.spawn(group, task);
        Ok(())
    }

    /// Runs queued tasks of `group` here, then waits for those that run elsewhere. The first panic of a task goes on here.
    ///
    /// The group can be used again afterwards.
    pub fn wait_and_work(&self, group: &WaitGroup) {
        loop {
            let mut queue = lock(&self.shared.queue);
            let ours = queue.tasks.iter().position(|task| Arc::ptr_eq(&task.group, &group.shared));
            let task = ours.and_then(|at| queue.tasks.remove(at));
            drop(queue);
            match task {
                Some(task) => task.run(),
                None => return group.wait(),
            }
        }
    }

    /// Starts one thread more, if there may be one and there can.
    fn start_thread(&self) -> bool {
        let mut threads = lock(&self.threads);
        if threads.len() >= self.most || self.fork != fork_generation() {
            return false;
        }
        let shared = self.shared.clone();
        let name = format!("fucina-task-{}", threads.len());
        let started = Builder::new().name(name).spawn(move || {
            fpenv::reset();
            shared.live();
        });
        started.map(|handle| threads.push(handle)).is_ok()
    }
}

impl Drop for TaskPool {
    /// Waits until every queued task has run.
    fn drop(&mut self) {
        let threads = core::mem::take(&mut *lock(&self.threads));
        if self.fork != fork_generation() {
            // A forked child: the threads are its parent's.
            return core::mem::forget(threads);
        }
        lock(&self.shared.queue).shutdown = true;
        self.shared.changed.notify_all();
        for thread in threads {
            // Its tasks' panics are caught.
            let _ = thread.join();
        }
        // Without a thread nobody has run them.
        while let Some(task) = pop(&self.shared) {
            task.run();
        }
    }
}

fn pop(shared: &Shared) -> Option<Task> {
    lock(&shared.queue).tasks.pop_front()
}

impl WaitGroup {
    /// A group of no tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until every task of the group has run. The first panic of one goes on here.
    ///
    /// For tasks that sit in the queue of a pool without threads use [`TaskPool::wait_and_work`].
    pub fn wait(&self) {
        let state = self.shared.done.wait_while(lock(&self.shared.state), |state| state.open > 0);
        let panic = state.unwrap_or_else(PoisonError::into_inner).panic.take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}
