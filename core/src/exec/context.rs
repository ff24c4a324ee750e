//! The context itself: its parts, made as they are first needed.
#![forbid(unsafe_code)]

use core::cell::{Cell, OnceCell};
use core::fmt;

use super::builder::{ExecContextBuilder, TeamRef};
use super::scope::{ScopePolicy, Scopes};
use super::timeline::Recording;
use crate::alloc::AllocHandle;
use crate::backend::{BackendRef, Real, SCALAR, Table};
use crate::error::{Error, Result};
use crate::fpenv::{self, Environment};
use crate::parallel::{Flushing, SerialTeam, Team};
use crate::pool::{Heap, HeapRef, PoolConfig};
use crate::storage::Origin;

/// Allocator, pool, backend, team and scopes: every op call goes through one.
///
/// A plain value: it can be moved at any time (while no scope guard borrows it), and making one allocates nothing.
///
/// # Examples
/// ```
/// use fucina_core::{ExecContext, Tensor};
///
/// let ctx = ExecContext::new();
/// let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(x.scale(&ctx, 2.0)?.to_vec()?, [2.0, 4.0, 6.0, 8.0]);
/// # Ok::<(), fucina_core::Error>(())
/// ```
pub struct ExecContext {
    /// The allocator until the heap is made, which then owns it.
    seed: Cell<Option<AllocHandle>>,
    heap: OnceCell<HeapRef>,
    pool: PoolConfig,
    backend: BackendRef,
    team: Flushing<TeamRef>,
    /// A flush scope is open.
    pub(super) flush: Cell<bool>,
    pub(super) scopes: Scopes,
    scope_policy: ScopePolicy,
    no_grad: Cell<usize>,
    /// The facade op that is running, for the blocks it asks for.
    origin: Cell<Option<Origin>>,
    pub(super) recording: Recording,
    /// What outlives the context was reported by `close`.
    pub(super) reported: Cell<bool>,
    clock: Cell<u64>,
    /// That of the thread on which the context began.
    pub(super) float_environment: OnceCell<Option<Environment>>,
}

impl ExecContext {
    /// Scalar backend, no threads, the global allocator.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            seed: Cell::new(Some(AllocHandle::global())),
            heap: OnceCell::new(),
            pool: PoolConfig::DEFAULT,
            backend: &SCALAR,
            team: Flushing(TeamRef::Static(&SerialTeam)),
            flush: Cell::new(false),
            scopes: Scopes::new(),
            scope_policy: ScopePolicy::Optional,
            no_grad: Cell::new(0),
            origin: Cell::new(None),
            recording: Recording::new(),
            reported: Cell::new(false),
            clock: Cell::new(0),
            float_environment: OnceCell::new(),
        }
    }

    /// A context of other parts.
    #[must_use]
    pub const fn builder() -> ExecContextBuilder {
        ExecContextBuilder::new()
    }

    pub(super) fn from_builder(parts: ExecContextBuilder) -> Self {
        Self {
            seed: Cell::new(Some(parts.allocator)),
            heap: OnceCell::new(),
            pool: parts.pool,
            backend: parts.backend,
            team: Flushing(parts.team),
            flush: Cell::new(false),
            scopes: Scopes::new(),
            scope_policy: parts.scope_policy,
            no_grad: Cell::new(0),
            origin: Cell::new(None),
            recording: Recording::new(),
            reported: Cell::new(false),
            clock: Cell::new(0),
            float_environment: OnceCell::from(fpenv::get()),
        }
    }

    /// The heap, made at the first call.
    #[inline]
    pub(crate) fn heap(&self, op: &'static str) -> Result<&HeapRef> {
        match self.heap.get() {
            Some(heap) => Ok(heap),
            None => self.make_heap(op),
        }
    }

    /// The heap, and who asks for memory: the facade op that is running, else the caller.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn site(&self, op: &'static str) -> Result<(&HeapRef, Origin)> {
        // Not `unwrap_or_else(Origin::here)`: a function passed on has no caller to track.
        let origin = match self.origin.get() {
            Some(origin) => origin,
            None => Origin::here(),
        };
        Ok((self.heap(op)?, origin))
    }

    /// Until the guard is dropped, memory is asked for by the caller of this function's caller.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn on_behalf_of_caller(&self) -> OnBehalf<'_> {
        OnBehalf { ctx: self, before: self.origin.replace(Some(Origin::here())) }
    }

    /// The heap, if something was ever allocated.
    pub(super) fn heap_if_made(&self) -> Option<&HeapRef> {
        self.heap.get()
    }

    #[cold]
    fn make_heap(&self, op: &'static str) -> Result<&HeapRef> {
        let _ = self.float_environment_at_init();
        let refused = Error::OutOfMemory { op, bytes: size_of::<Heap>() };
        let allocator = self.seed.take().ok_or(refused)?;
        match HeapRef::create(allocator, self.pool) {
            Ok(heap) => Ok(self.heap.get_or_init(|| heap)),
            Err(allocator) => {
                self.seed.set(Some(allocator));
                Err(refused)
            }
        }
    }

    /// The backend.
    #[must_use]
    pub fn backend(&self) -> BackendRef {
        self.backend
    }

    /// The kernels of one element type.
    #[inline]
    pub(crate) fn kernels<T: Real>(&self) -> Table<T> {
        T::table(self.backend)
    }

    /// The team; its tasks flush while a [`FlushScope`](super::FlushScope) is open.
    #[must_use]
    #[inline]
    pub fn team(&self) -> &dyn Team {
        if self.flush.get() { &self.team } else { self.team.0.get() }
    }

    /// Whether recorded ops need an open scope.
    #[must_use]
    pub fn scope_policy(&self) -> ScopePolicy {
        self.scope_policy
    }

    /// Records nothing until the guard is dropped. Guards nest.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let w = Tensor::variable_from_slice(&ctx, &[1], &[3.0_f32])?;
    /// let _guard = ctx.no_grad();
    /// assert!(!w.mul(&ctx, &w)?.requires_grad());
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[must_use = "recording resumes when the guard is dropped"]
    pub fn no_grad(&self) -> NoGrad<'_> {
        self.no_grad.set(self.no_grad.get() + 1);
        NoGrad { ctx: self }
    }

    /// Whether ops on variables are recorded: no [`NoGrad`] guard is alive.
    #[must_use]
    #[inline]
    pub fn grad_enabled(&self) -> bool {
        self.no_grad.get() == 0
    }

    /// A time after `after` and after every earlier one of this context.
    pub(crate) fn tick(&self, after: u64) -> u64 {
        let now = self.clock.get().max(after) + 1;
        self.clock.set(now);
        now
    }
}

/// While it lives, a facade op answers for the memory that is asked for.
pub(crate) struct OnBehalf<'ctx> {
    ctx: &'ctx ExecContext,
    before: Option<Origin>,
}

impl Drop for OnBehalf<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.ctx.origin.set(self.before);
    }
}

impl Default for ExecContext {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ExecContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecContext")
            .field("backend", &crate::backend::name(self.backend))
            .field("team_width", &self.team().width())
            .field("open_scopes", &self.scopes.depth())
            .finish_non_exhaustive()
    }
}

/// While it lives, ops of its context record nothing.
#[derive(Debug)]
pub struct NoGrad<'ctx> {
    ctx: &'ctx ExecContext,
}

impl Drop for NoGrad<'_> {
    fn drop(&mut self) {
        self.ctx.no_grad.set(self.ctx.no_grad.get() - 1);
    }
}
