//! [`WorkerTeam`]: a persistent fork-join team. A dense stream of small ops pays a few atomics; an idle team sleeps.
//!
//! The protocol stands in `team/README.md`, the model of it in `tests/loom.rs`.
//!
//! Unsafe code here, and why it holds: `job` holds a reference with its lifetime erased; it is read between entering and
//! leaving an open gate only, and the dispatch that wrote it does not return before everybody has left (protocol, 2 and 4).

mod chained;
mod config;
mod trace;
mod trace_file;
mod worker;

use core::any::Any;
use core::panic::AssertUnwindSafe;
use core::time::Duration;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, OnceLock};

use fucina_core::parallel::{Chain, Team};
use fucina_platform::fork_generation;

use crate::sync::{
    AtomicBool, AtomicU32, AtomicUsize, Futex, JoinHandle, Ordering, UnsafeCell, lock, spin_loop,
};
use chained::ChainRoom;
use trace::{Slot, Trace};

pub use config::{SpinPolicy, TeamConfig};

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
    generation: Line<Futex>,
    parked: Line<AtomicU32>,
    gate: Line<Futex>,
    next: Line<AtomicUsize>,
    job: UnsafeCell<Job>,
    shutdown: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    spin: SpinPolicy,
    trace: Option<Trace>,
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
    chains: ChainRoom,
    dispatches: AtomicUsize,
}

/// The workers of a team, and the process that started them.
struct Workers {
    threads: Vec<JoinHandle<()>>,
    fork: u32,
}

impl WorkerTeam {
    /// A team of at most `width` participants (at least 1), the caller among them, by the knobs. Starts no thread yet.
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self::with_config(TeamConfig::of(width))
    }

    /// The same with a configuration of its own.
    #[must_use]
    pub fn with_config(config: TeamConfig) -> Self {
        fn nothing(_: usize) {}
        const NOTHING: &(dyn Fn(usize) + Sync) = &nothing;
        let width = config.width.max(1);
        let shared = Shared {
            generation: Line(Futex::new(0)),
            parked: Line(AtomicU32::new(0)),
            gate: Line(Futex::new(0)),
            next: Line(AtomicUsize::new(0)),
            job: UnsafeCell::new(Job { task: NOTHING, count: 0, step: 1 }),
            shutdown: AtomicBool::new(false),
            panic: Mutex::new(None),
            spin: config.spin,
            trace: Trace::new(&config),
        };
        Self {
            shared: Arc::new(shared),
            width,
            busy: AtomicBool::new(false),
            workers: OnceLock::new(),
            chains: ChainRoom::default(),
            dispatches: AtomicUsize::new(0),
        }
    }

    /// Threads that have been started: none before the first dispatch with work for them.
    #[must_use]
    pub fn started_workers(&self) -> usize {
        self.workers.get().map_or(0, |workers| workers.threads.len())
    }

    /// Dispatches that went to the workers; those that ran serially are not among them.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        // ORDERING: Relaxed; a statistic.
        self.dispatches.load(Ordering::Relaxed)
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

    /// The right to dispatch, or `None` if the team is busy (with the caller's own dispatch, perhaps) or has no workers.
    fn take(&self) -> Option<Taken<'_>> {
        // ORDERING: Acquire; pairs with the Release at the end of the dispatch before.
        self.busy.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).ok()?;
        let taken = Taken { team: self };
        if self.has_workers() { Some(taken) } else { None }
    }

    /// Claim granularity: single indices when there are few, several at a time when there are many.
    fn step(&self, count: usize) -> usize {
        match count.div_ceil(self.width) {
            0..=4 => 1,
            5..=16 => 2,
            _ => 4,
        }
    }
}

/// The right to dispatch; given back when dropped.
struct Taken<'a> {
    team: &'a WorkerTeam,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // ORDERING: Release; pairs with the Acquire in `WorkerTeam::take`.
        self.team.busy.store(false, Ordering::Release);
    }
}

impl Taken<'_> {
    /// One dispatch. A panic of a task goes on in the caller once everybody is out.
    fn dispatch(&self, op: &'static str, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let shared = &*self.team.shared;
        // SAFETY: only the lifetime is erased; nobody reads the job once this function has returned (protocol, 4).
        let task = unsafe {
            core::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        let job = Job { task, count, step: self.team.step(count) };
        // ORDERING: Relaxed; a statistic.
        self.team.dispatches.fetch_add(1, Ordering::Relaxed);
        if let Some(trace) = &shared.trace {
            trace.start();
        }
        // ORDERING: Relaxed; published by the gate's Release below.
        shared.next.0.store(0, Ordering::Relaxed);
        // SAFETY: the gate is closed and everybody has left (the wait below ended): nobody reads the job.
        shared.job.with_mut(|to| unsafe { *to = job });
        // ORDERING: Release; pairs with the Acquire of a worker's entry; publishes `job` and `next`.
        shared.gate.0.fetch_or(OPEN, Ordering::Release);
        // ORDERING: AcqRel; pairs with the second look in `Shared::next_generation`, a read-modify-write too: the earlier of
        // the two happens before the later (protocol, 5).
        shared.generation.0.fetch_add(1, Ordering::AcqRel);
        // ORDERING: Relaxed; after the line above.
        let parked = shared.parked.0.load(Ordering::Relaxed) as usize;
        if parked > count - 1 {
            (1..count).for_each(|_| shared.generation.0.wake_one());
        } else if parked > 0 {
            shared.generation.0.wake_all();
        }
        shared.claim(job, shared.slot(0));
        // ORDERING: Relaxed; nothing is published by closing, and who is inside is read below.
        shared.gate.0.fetch_and(!OPEN, Ordering::Relaxed);
        shared.wait_until_empty();
        if let Some(trace) = &shared.trace {
            trace.finish(op, count);
        }
        let panic = lock(&shared.panic).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Shared {
    /// Where participant `index` notes its times, if anyone wants to know.
    fn slot(&self, index: usize) -> Option<&Slot> {
        self.trace.as_ref().map(|trace| trace.slot(index))
    }

    /// Runs indices of `job` until none is left.
    fn claim(&self, job: Job, slot: Option<&Slot>) {
        // SAFETY: the caller is the dispatcher, or inside its open gate: the task lives.
        let task = unsafe { &*job.task };
        let run = || {
            if let Some(slot) = slot {
                slot.entered();
            }
            loop {
                // ORDERING: Relaxed; only the uniqueness of the claim matters, the gate publishes everything else.
                let start = self.next.0.fetch_add(job.step, Ordering::Relaxed);
                if start >= job.count {
                    return;
                }
                let indices = start..job.count.min(start + job.step);
                if let Some(slot) = slot {
                    slot.claimed(indices.len());
                }
                indices.for_each(task);
            }
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
            // ORDERING: Relaxed; as above. Nobody claims more.
            self.next.0.store(job.count, Ordering::Relaxed);
            lock(&self.panic).get_or_insert(panic);
        }
        if let Some(slot) = slot {
            slot.left();
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
                spin_loop();
            }
            // ORDERING: Relaxed; the futex compares it once more, and the loop above decides.
            let inside = self.gate.0.load(Ordering::Relaxed);
            // Nobody wakes this: a worker's way out stays one atomic, and a nap costs at most a millisecond.
            if inside != 0 {
                self.gate.0.nap(inside, NAP);
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
        self.for_each_named("for_each", n, task);
    }

    fn for_each_named(&self, op: &'static str, n: usize, task: &(dyn Fn(usize) + Sync)) {
        if n < 2 || self.width < 2 {
            return (0..n).for_each(task);
        }
        match self.take() {
            Some(taken) => taken.dispatch(op, n, task),
            None => (0..n).for_each(task),
        }
    }

    fn for_each_chained(
        &self,
        n: usize,
        seeds: usize,
        task: &(dyn Fn(usize, &Chain<'_>) + Sync),
    ) -> fucina_core::Result<bool> {
        if n == 0 || seeds == 0 || seeds > n || self.width < 2 {
            return Ok(n == 0);
        }
        match self.take() {
            Some(taken) => taken.dispatch_chained(n, seeds, task),
            None => Ok(false),
        }
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
        // ORDERING: AcqRel; as in `dispatch`.
        self.shared.generation.0.fetch_add(1, Ordering::AcqRel);
        self.shared.generation.0.wake_all();
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
