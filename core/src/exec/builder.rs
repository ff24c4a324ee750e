//! [`ExecContextBuilder`]: what a context is made of.
#![forbid(unsafe_code)]

use std_alloc::boxed::Box;

use allocator_api2::alloc::Allocator;

use super::context::ExecContext;
use super::scope::ScopePolicy;
use crate::alloc::{AllocHandle, Locked};
use crate::backend::BackendRef;
use crate::parallel::{SerialTeam, Team};
use crate::pool::PoolConfig;

/// A context's team: borrowed for ever, or owned.
#[non_exhaustive]
pub enum TeamRef {
    /// Lives as long as the program.
    Static(&'static dyn Team),
    /// Ends with the context.
    Owned(Box<dyn Team>),
}

impl TeamRef {
    #[inline]
    pub(crate) fn get(&self) -> &(dyn Team + 'static) {
        match self {
            Self::Static(team) => *team,
            Self::Owned(team) => &**team,
        }
    }
}

impl AsRef<dyn Team> for TeamRef {
    fn as_ref(&self) -> &(dyn Team + 'static) {
        self.get()
    }
}

impl From<&'static dyn Team> for TeamRef {
    fn from(team: &'static dyn Team) -> Self {
        Self::Static(team)
    }
}

impl<X: Team + 'static> From<Box<X>> for TeamRef {
    fn from(team: Box<X>) -> Self {
        Self::Owned(team)
    }
}

/// Sets up an [`ExecContext`]; neither it nor [`build`](Self::build) allocates.
pub struct ExecContextBuilder {
    pub(super) allocator: AllocHandle,
    pub(super) pool: PoolConfig,
    pub(super) backend: BackendRef,
    pub(super) team: TeamRef,
    pub(super) scope_policy: ScopePolicy,
}

impl ExecContextBuilder {
    pub(super) const fn new() -> Self {
        Self {
            allocator: AllocHandle::global(),
            pool: PoolConfig::DEFAULT,
            backend: &crate::backend::SCALAR,
            team: TeamRef::Static(&SerialTeam),
            scope_policy: ScopePolicy::Optional,
        }
    }

    /// All memory comes from `allocator`. It may be at most eight words large; a larger one goes in by `&'static`
    /// reference, or behind a counted handle of your own. It is dropped with the last block.
    #[must_use]
    pub fn allocator<A: Allocator + Send + Sync + 'static>(mut self, allocator: A) -> Self {
        self.allocator = AllocHandle::new(allocator);
        self
    }

    /// Like [`allocator`](Self::allocator) for one that threads cannot share: every call is made under a lock.
    #[must_use]
    pub fn allocator_locked<A: Allocator + Send + 'static>(mut self, allocator: A) -> Self {
        self.allocator = AllocHandle::new(Locked::new(allocator));
        self
    }

    /// Sizes and limits of the pool.
    #[must_use]
    pub fn pool(mut self, config: PoolConfig) -> Self {
        self.pool = config;
        self
    }

    /// The kernels of an instruction set, or of a class of bits.
    #[must_use]
    pub fn backend(mut self, backend: BackendRef) -> Self {
        self.backend = backend;
        self
    }

    /// The threads that kernels run on.
    #[must_use]
    pub fn team(mut self, team: impl Into<TeamRef>) -> Self {
        self.team = team.into();
        self
    }

    /// Whether recorded ops need an open scope.
    #[must_use]
    pub fn scope_policy(mut self, policy: ScopePolicy) -> Self {
        self.scope_policy = policy;
        self
    }

    /// The context. Allocates nothing.
    #[must_use]
    pub fn build(self) -> ExecContext {
        ExecContext::from_builder(self)
    }
}
