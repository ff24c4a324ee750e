//! [`WorkerTeam`]: a persistent fork-join team. A dense stream of small ops pays a few atomics; an idle team sleeps.
//!
//! Protocol:
//! 1. One dispatch at a time holds `busy`. A nested or concurrent one finds it taken and runs serially on its caller.
//! 2. `gate` is the number of workers inside a dispatch, and the bit [`OPEN`]. The dispatcher writes `job` while the gate
//!    is closed and nobody is inside, then opens it. A worker enters by counting itself in; if it finds the gate
//!    closed it counts itself out again and has read nothing.
//! 3. Inside, indices are claimed from `next` in steps: each index is claimed once. The dispatcher claims too, and first.
//! 4. When the dispatcher finds nothing left to claim it closes the gate and waits until nobody is inside. A worker that
//!    wakes late is not waited for: it finds the gate closed.
//! 5. `generation` tells workers that a gate was opened. A worker looks at it for `spin` iterations, then announces
//!    itself in `parked`, looks once more, and sleeps on it. The dispatcher bumps it and then reads `parked`: one of the
//!    two sees the other (both are sequentially consistent), so no wake-up is lost and none is made for nobody.
//! 6. A panic in a task ends the claiming of that dispatch; the first is kept and goes on in the dispatcher once everybody
//!    is out. The team survives it.
//! 7. Workers start with the first dispatch that has work for them. One that cannot be started makes the team smaller. In a
//!    forked child there are none: dispatches run serially, and nobody is joined.
//!
//! Unsafe code here, and why it holds: `job` holds a reference with its lifetime erased; it is read between entering and
//! leaving an open gate only, and the dispatch that wrote it does not return before everybody has left (2, 4).

mod worker;

use core::any::Any;
use core::cell::UnsafeCell;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use fucina_core::parallel::Team;
use fucina_platform::{fork_generation, futex_wait_timeout, futex_wake_all, futex_wake_one};

/// How long threads spin before they sleep, in iterations of a spin hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpinPolicy {
    /// A worker looking for the next dispatch.
    pub worker: u32,
    /// The dispatcher waiting for the last worker; then it naps.
    pub join: u32,
}

impl SpinPolicy {
    /// The policy for a team of `width` on a machine with `cores` to run it on. Spinning on more threads than cores takes
    /// the very cores that the others need, so such a team sleeps at once. `worker` overrides the workers' half.
    #[must_use]
    pub fn of(width: usize, cores: Option<usize>, worker: Option<u32>) -> Self {
        let oversubscribed = cores.is_some_and(|cores| width > cores);
        let (own, join) = if oversubscribed { (0, 4096) } else { (32_768, 1 << 20) };
        Self { worker: worker.unwrap_or(own), join }
    }
}

/// The dispatcher's nap after its spin window.
const NAP: Duration = Duration::from_millis(1);
/// Set in `gate` while workers may enter.
const OPEN: u32 = 1 << 31;

/// A value alone on its cache line (and the one its prefetcher brings).
#[repr(align(128))]
struct Line<T>(T);

/// The task of one dispatch.
#[derive(Clone, Copy)]
struct Job {
    task: *const (dyn Fn(usize) + Sync),
    count: usize,
    step: usize,
}

struct Shared {
    generation: Line<AtomicU32>,
    parked: Line<AtomicU32>,
    gate: Line<AtomicU32>,
    next: Line<AtomicUsize>,
    job: UnsafeCell<Job>,
    shutdown: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    spin: SpinPolicy,
}

// SAFETY: `job` is written with the gate closed and nobody inside, and read inside only (protocol, 2); the task it points
// to is `Sync`. All else is atomics and locks.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Worker threads, and the caller as participant 0.
///
/// # Examples
/// ```
/// use core::sync::atomic::{AtomicUsize, Ordering};
/// use fucina_core::parallel::Team;
/// use fucina_runtime::WorkerTeam;
///
/// let team = WorkerTeam::new(2);
/// let sum = AtomicUsize::new(0);
/// team.for_each(100, &|i| {
///     sum.fetch_add(i, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 4950);
/// ```
pub struct WorkerTeam {
    shared: Arc<Shared>,
    width: usize,
    busy: AtomicBool,
    workers: OnceLock<Workers>,
}

/// The workers of a team, and the process that started them.
struct Workers {
    threads: Vec<JoinHandle<()>>,
    fork: u32,
}

impl WorkerTeam {
    /// A team of at most `width` participants (at least 1), the caller among them. Starts no thread yet.
    #[must_use]
    pub fn new(width: usize) -> Self {
        let cores = crate::parallel::host().schedulable();
        Self::with_spin(width, SpinPolicy::of(width, cores, crate::knobs::spin_budget()))
    }

    /// The same with a spin policy of its own.
    #[must_use]
    pub fn with_spin(width: usize, spin: SpinPolicy) -> Self {
        fn nothing(_: usize) {}
        const NOTHING: &(dyn Fn(usize) + Sync) = &nothing;
        let shared = Shared {
            generation: Line(AtomicU32::new(0)),
            parked: Line(AtomicU32::new(0)),
            gate: Line(AtomicU32::new(0)),
            next: Line(AtomicUsize::new(0)),
            job: UnsafeCell::new(Job { task: NOTHING, count: 0, step: 1 }),
            shutdown: AtomicBool::new(false),
            panic: Mutex::new(None),
            spin,
        };
        Self {
            shared: Arc::new(shared),
            width: width.max(1),
            busy: AtomicBool::new(false),
            workers: OnceLock::new(),
        }
    }

    /// Threads that have been started: none before the first dispatch with work for them.
    #[must_use]
    pub fn started_workers(&self) -> usize {
        self.workers.get().map_or(0, |workers| workers.threads.len())
    }

    /// Starts the workers if that was not tried yet; whether there are any to dispatch to.
    fn has_workers(&self) -> bool {
        let workers = self.workers.get_or_init(|| {
            let start = |index| worker::start(index, self.shared.clone());
            // No resources for one more: a smaller team.
            let threads = (1..self.width).map_while(|index| start(index).ok()).collect();
            Workers { threads, fork: fork_generation() }
        });
        !workers.threads.is_empty() && workers.fork == fork_generation()
    }

    /// Claim granularity: single indices when there are few, several at a time when there are many.
    fn step(&self, count: usize) -> usize {
        match count.div_ceil(self.width) {
            0..=4 => 1,
            5..=16 => 2,
            _ => 4,
        }
    }

    fn dispatch(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.shared;
        // SAFETY: only the lifetime is erased; nobody reads the job once this function has returned (protocol, 4).
        let task = unsafe {
            core::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        // ORDERING: Relaxed; published by the gate's Release below.
        shared.next.0.store(0, Ordering::Relaxed);
        // SAFETY: the gate is closed and everybody has left (the wait below ended): nobody reads the job.
        unsafe { *shared.job.get() = Job { task, count, step: self.step(count) } };
        // ORDERING: Release; pairs with the Acquire of a worker's entry; publishes `job` and `next`.
        shared.gate.0.fetch_or(OPEN, Ordering::Release);
        // ORDERING: SeqCst; with the read of `parked` below it pairs with a worker's announcement and second look.
        shared.generation.0.fetch_add(1, Ordering::SeqCst);
        // ORDERING: SeqCst; see the line above.
        let parked = shared.parked.0.load(Ordering::SeqCst) as usize;
        if parked > count - 1 {
            (1..count).for_each(|_| futex_wake_one(&shared.generation.0));
        } else if parked > 0 {
            futex_wake_all(&shared.generation.0);
        }
        shared.claim(Job { task, count, step: self.step(count) });
        // ORDERING: Relaxed; nothing is published by closing, and who is inside is read below.
        shared.gate.0.fetch_and(!OPEN, Ordering::Relaxed);
        shared.wait_until_empty();
        let panic = lock(&shared.panic).take();
        // ORDERING: Release; pairs with the Acquire of the next dispatch's claim of `busy`.
        self.busy.store(false, Ordering::Release);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Shared {
    /// Runs indices of `job` until none is left.
    fn claim(&self, job: Job) {
        // SAFETY: the caller is the dispatcher, or inside its open gate: the task lives.
        let task = unsafe { &*job.task };
        let run = || {
            loop {
                // ORDERING: Relaxed; only the uniqueness of the claim matters, the gate publishes everything else.
                let start = self.next.0.fetch_add(job.step, Ordering::Relaxed);
                if start >= job.count {
                    return;
                }
                (start..job.count.min(start + job.step)).for_each(task);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            // ORDERING: Relaxed; as above. Nobody claims more.
            self.next.0.store(job.count, Ordering::Relaxed);
            lock(&self.panic).get_or_insert(panic);
        }
    }

    /// Waits until every worker has left the closed gate.
    fn wait_until_empty(&self) {
        let mut spins = self.spin.join;
        loop {
            for _ in 0..=spins {
                // ORDERING: Acquire; pairs with the Release of a worker's leaving: its results are visible.
                if self.gate.0.load(Ordering::Acquire) == 0 {
                    return;
                }
                core::hint::spin_loop();
            }
            // ORDERING: Relaxed; the futex compares it once more, and the loop above decides.
            let inside = self.gate.0.load(Ordering::Relaxed);
            // Nobody wakes this: a worker's way out stays one atomic, and a nap costs at most a millisecond.
            if inside != 0 {
                let _ = futex_wait_timeout(&self.gate.0, inside, NAP);
            }
            spins = spins.min(4096);
        }
    }
}

// SAFETY: each index is claimed once from `next`, or run by the serial loop; `dispatch` returns (or unwinds) after
// everybody has left, whose Release its Acquire has seen.
unsafe impl Team for WorkerTeam {
    fn width(&self) -> usize {
        self.width
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        // ORDERING: Acquire; pairs with the Release at the end of the dispatch before.
        let free = || {
            self.busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        if n < 2 || self.width < 2 || !free() {
            return (0..n).for_each(task);
        }
        if self.has_workers() {
            return self.dispatch(n, task);
        }
        // ORDERING: Release; pairs with the Acquire above.
        self.busy.store(false, Ordering::Release);
        (0..n).for_each(task);
    }
}

impl Drop for WorkerTeam {
    fn drop(&mut self) {
        let Some(workers) = self.workers.take() else { return };
        if workers.fork != fork_generation() {
            // A forked child: the threads are its parent's.
            core::mem::forget(workers);
            return;
        }
        // ORDERING: Release; pairs with the Acquire of a worker that saw the generation change.
        self.shared.shutdown.store(true, Ordering::Release);
        // ORDERING: SeqCst; as in `dispatch`.
        self.shared.generation.0.fetch_add(1, Ordering::SeqCst);
        futex_wake_all(&self.shared.generation.0);
        for thread in workers.threads {
            // A worker's own panics are caught in `claim`.
            let _ = thread.join();
        }
    }
}

impl core::fmt::Debug for WorkerTeam {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { width, shared, .. } = self;
        f.debug_struct("WorkerTeam")
            .field("width", width)
            .field("started_workers", &self.started_workers())
            .field("spin", &shared.spin)
            .finish()
    }
}

/// Locks; a panic elsewhere has not left these values half-made.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
