//! [`OneShotWorker`]: one thread that runs one task at a time, to overlap it with the caller's work.
#![forbid(unsafe_code)]

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use fucina_core::fpenv;
use fucina_platform::{fork_generation, prefer_performance_cores};

use crate::sync::lock;

type Task = Box<dyn FnOnce() + Send>;

/// One lazily started thread: [`start`](Self::start) hands it a task, [`wait`](Self::wait) waits for the task.
///
/// Unlike the team it sleeps between tasks and costs an allocation and two wake-ups each: for work of tens of
/// microseconds and more.
///
/// # Examples
/// ```
/// use std::sync::{Arc, Mutex};
///
/// let worker = fucina_runtime::OneShotWorker::new();
/// let sum = Arc::new(Mutex::new(0));
/// let there = sum.clone();
/// assert!(worker.start(move || *there.lock().unwrap() += 1));
/// worker.wait();
/// assert_eq!(*sum.lock().unwrap(), 1);
/// ```
#[derive(Debug, Default)]
pub struct OneShotWorker {
    shared: Arc<Shared>,
    thread: Mutex<Option<Thread>>,
}

#[derive(Debug)]
struct Thread {
    handle: JoinHandle<()>,
    fork: u32,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    Handed(Task),
    Running,
    Panicked(Box<dyn Any + Send>),
    Shutdown,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Sleeps until `done` is true of the state.
    fn until(&self, done: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let woken = self.changed.wait_while(self.state(), |state| !done(state));
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    fn live(&self) {
        loop {
            let mut state = self.until(|s| matches!(s, State::Handed(_) | State::Shutdown));
            let State::Handed(task) = core::mem::replace(&mut *state, State::Running) else {
                return;
            };
            drop(state);
            let next = match catch_unwind(AssertUnwindSafe(task)) {
                Ok(()) => State::Idle,
                Err(panic) => State::Panicked(panic),
            };
            *self.state() = next;
            self.changed.notify_all();
        }
    }
}

impl OneShotWorker {
    /// A worker; its thread starts with the first task.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hands over `task`. False, and nothing is started, while an earlier task runs or waits to be waited for after a panic,
    /// and where no thread can be had.
    #[must_use = "a task that was not taken has not run"]
    pub fn start(&self, task: impl FnOnce() + Send + 'static) -> bool {
        if !self.has_thread() {
            return false;
        }
        let mut state = self.shared.state();
        if !matches!(*state, State::Idle) {
            return false;
        }
        *state = State::Handed(Box::new(task));
        drop(state);
        self.shared.changed.notify_all();
        true
    }

    /// Waits until no task runs. A task's panic goes on here.
    pub fn wait(&self) {
        let mut state = self.shared.until(|s| !matches!(s, State::Handed(_) | State::Running));
        if let State::Panicked(panic) = core::mem::take(&mut *state) {
            drop(state);
            resume_unwind(panic);
        }
    }

    fn has_thread(&self) -> bool {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = self.shared.clone();
            let started = Builder::new().name("fucina-one-shot".into()).spawn(move || {
                prefer_performance_cores();
                fpenv::reset();
                shared.live();
            });
            *thread = started.ok().map(|handle| Thread { handle, fork: fork_generation() });
        }
        thread.as_ref().is_some_and(|thread| thread.fork == fork_generation())
    }
}

impl Drop for OneShotWorker {
    /// Waits for the task that runs.
    fn drop(&mut self) {
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Thread { handle, fork }) = thread else { return };
        if fork != fork_generation() {
            // A forked child: the thread is its parent's.
            return core::mem::forget(handle);
        }
        let mut state = self.shared.until(|s| !matches!(s, State::Handed(_) | State::Running));
        *state = State::Shutdown;
        drop(state);
        self.shared.changed.notify_all();
        // Its tasks' panics are caught.
        let _ = handle.join();
    }
}
