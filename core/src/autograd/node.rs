//! [`Node`]: one recorded op, or a leaf.
//!
//! Invariants:
//! 1. A node's `time` is later than that of each parent, so newest-first is a topological order.
//! 2. `status` leaves [`Status::Live`] once, for [`Status::Used`] (a pass succeeded) or [`Status::Closed`] (its scope
//!    closed); what was saved is let go of at that moment, also while handles live on.
//! 3. `claim` is 0, or one more than the node's index in the pending list of the one pass that walks it.
//! 4. Dropping a graph does not recurse: the last handle to a node takes its parents apart in a loop.

use allocator_api2::vec::Vec;

use super::grad::{Differentiable, Grad};
use super::vjp::{Inputs, Vjp};
use crate::error::{Error, Result};
use crate::exec::{ExecContext, ScopeNode};
use crate::pool::HeapRef;
use crate::storage::Cell;
use crate::sync::{AtomicUsize, Mutex, Ordering};

/// A counted handle to a node.
pub(crate) type NodeRef = Cell<Node<dyn Slot>>;

/// One recorded op, or a leaf. `S` is what it saved.
pub(crate) struct Node<S: ?Sized> {
    pub(super) time: u64,
    pub(super) op: &'static str,
    pub(super) is_leaf: bool,
    status: AtomicUsize,
    pub(super) claim: AtomicUsize,
    pub(super) state: Mutex<State<S>>,
}

pub(super) struct State<S: ?Sized> {
    pub(super) parents: Parents,
    /// A leaf's accumulated gradient; that of an output after its pass.
    pub(super) grad: Option<Cell<Grad>>,
    /// The next node to take apart, while a graph is dropped.
    chain: Option<NodeRef>,
    pub(super) slot: S,
}

/// Whether a node can be walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Live,
    Used,
    Closed,
}

/// What a node saved, whatever it is.
pub(crate) trait Slot: Send {
    /// Hands on the gradients of the inputs.
    fn backward(&self, ctx: &ExecContext, grad: &Grad, inputs: &mut Inputs<'_>) -> Result<()>;
    /// Lets go of it.
    fn clear(&mut self);
}

/// A VJP, until it is used up.
struct Saved<T, V> {
    vjp: Option<V>,
    op: &'static str,
    element: core::marker::PhantomData<fn(T)>,
}

impl<T: Differentiable, V: Vjp<T>> Slot for Saved<T, V> {
    fn backward(&self, ctx: &ExecContext, grad: &Grad, inputs: &mut Inputs<'_>) -> Result<()> {
        let g = T::unwrap(grad).ok_or_else(|| grad.unexpected(self.op))?;
        match &self.vjp {
            Some(vjp) => vjp.backward(ctx, g, inputs),
            None => Err(Error::BackwardAlreadyRun { op: self.op }),
        }
    }
    fn clear(&mut self) {
        self.vjp = None;
    }
}

/// A leaf saves nothing.
struct Leaf;

impl Slot for Leaf {
    fn backward(&self, _: &ExecContext, _: &Grad, _: &mut Inputs<'_>) -> Result<()> {
        Ok(())
    }
    fn clear(&mut self) {}
}

/// A new node, as its two kinds of owners hold it.
pub(crate) struct Made {
    /// For tensors and later nodes.
    pub(crate) node: NodeRef,
    /// For a scope, if it was asked for.
    pub(crate) for_scope: Option<Cell<dyn ScopeNode>>,
}

/// What kind of node is made.
#[derive(Clone, Copy)]
struct Kind {
    is_leaf: bool,
    scoped: bool,
}

/// A leaf: a variable's node.
#[track_caller]
pub(crate) fn leaf(ctx: &ExecContext, op: &'static str) -> Result<NodeRef> {
    let kind = Kind { is_leaf: true, scoped: false };
    Ok(make(ctx, op, kind, Parents::default(), || Leaf)?.node)
}

/// The node of a recorded op.
#[inline(always)]
pub(crate) fn recorded<T: Differentiable, V: Vjp<T>>(
    ctx: &ExecContext,
    op: &'static str,
    scoped: bool,
    parents: Parents,
    vjp: impl FnOnce() -> V,
) -> Result<Made> {
    let element = core::marker::PhantomData;
    make(ctx, op, Kind { is_leaf: false, scoped }, parents, || Saved {
        vjp: Some(vjp()),
        op,
        element,
    })
}

#[inline(always)]
#[track_caller]
fn make<S: Slot + 'static>(
    ctx: &ExecContext,
    op: &'static str,
    kind: Kind,
    parents: Parents,
    slot: impl FnOnce() -> S,
) -> Result<Made> {
    let time = ctx.tick(parents.latest());
    let node = Cell::try_new(op, ctx.site(op)?, || Node {
        time,
        op,
        is_leaf: kind.is_leaf,
        status: AtomicUsize::new(Status::Live as usize),
        claim: AtomicUsize::new(0),
        state: Mutex::new(State { parents, grad: None, chain: None, slot: slot() }),
    })?;
    let for_scope = kind.scoped.then(|| node.clone().unsize(|node| node as *mut dyn ScopeNode));
    Ok(Made { node: node.unsize(|node| node as *mut Node<dyn Slot>), for_scope })
}

impl<S: Slot + ?Sized> Node<S> {
    /// `Ok` while the node can be walked.
    pub(super) fn check_live(&self) -> Result<()> {
        let op = self.op;
        // ORDERING: Acquire; pairs with the Release in `retire`: who sees it retired sees it emptied or waits for it.
        match self.status.load(Ordering::Acquire) {
            s if s == Status::Live as usize => Ok(()),
            s if s == Status::Used as usize => Err(Error::BackwardAlreadyRun { op }),
            _ => Err(Error::ScopeClosed { op }),
        }
    }

    /// Lets go of everything saved; the first reason given stays.
    fn retire(&self, status: Status) {
        if self.is_leaf {
            return;
        }
        let (live, status) = (Status::Live as usize, status as usize);
        // ORDERING: Release on success; pairs with the Acquire in `check_live`. A failure changes nothing.
        let (done, failed) = (Ordering::Release, Ordering::Relaxed);
        let _ = self.status.compare_exchange(live, status, done, failed);
        let mut state = self.state.lock();
        state.slot.clear();
        let mut parents = core::mem::take(&mut state.parents);
        drop(state);
        parents.drop_without_recursion();
    }

    /// A pass has used the node up.
    pub(super) fn used(&self) {
        self.retire(Status::Used);
    }

    /// The gradient.
    pub(crate) fn grad(&self) -> Option<Cell<Grad>> {
        self.state.lock().grad.clone()
    }

    /// Replaces the gradient.
    pub(crate) fn set_grad(&self, grad: Option<Cell<Grad>>) {
        let old = core::mem::replace(&mut self.state.lock().grad, grad);
        drop(old);
    }
}

impl<S: Slot> ScopeNode for Node<S> {
    fn scope_closed(&self) {
        self.retire(Status::Closed);
    }
}

impl<S: ?Sized> Drop for Node<S> {
    fn drop(&mut self) {
        self.state.get_mut().parents.drop_without_recursion();
    }
}

/// Handles to the nodes of an op's operands; `None` for a constant.
#[derive(Default)]
pub(crate) struct Parents {
    inline: [Option<NodeRef>; 2],
    more: Option<Vec<Option<NodeRef>, HeapRef>>,
}

impl Parents {
    /// The nodes of `operands`, which may be many.
    pub(crate) fn collect<'a>(
        ctx: &ExecContext,
        op: &'static str,
        operands: impl ExactSizeIterator<Item = Option<&'a NodeRef>>,
    ) -> Result<Self> {
        let mut parents = Self::default();
        let beyond = operands.len().saturating_sub(parents.inline.len());
        if beyond > 0 {
            let mut more = Vec::new_in(ctx.heap(op)?.clone());
            let bytes = beyond.saturating_mul(size_of::<Option<NodeRef>>());
            more.try_reserve_exact(beyond).map_err(|_| Error::OutOfMemory { op, bytes })?;
            parents.more = Some(more);
        }
        for (i, node) in operands.enumerate() {
            match (parents.inline.get_mut(i), &mut parents.more) {
                (Some(place), _) => *place = node.cloned(),
                (None, Some(more)) => more.push(node.cloned()),
                (None, None) => unreachable!("room was made for every operand"),
            }
        }
        Ok(parents)
    }

    /// The parent of input `i`, if it needs a gradient.
    pub(super) fn get(&self, i: usize) -> Option<&NodeRef> {
        match i.checked_sub(self.inline.len()) {
            None => self.inline[i].as_ref(),
            Some(i) => self.more.as_ref()?.get(i)?.as_ref(),
        }
    }

    /// One more than the last input.
    pub(super) fn len(&self) -> usize {
        self.inline.len() + self.more.as_ref().map_or(0, |more| more.len())
    }

    fn latest(&self) -> u64 {
        let times = (0..self.len()).filter_map(|i| self.get(i)).map(|node| node.time);
        times.max().unwrap_or(0)
    }

    /// Drops the handles; nodes nobody else holds are taken apart in a loop, chained through their own `chain`.
    #[inline(always)]
    fn drop_without_recursion(&mut self) {
        let mut chain = None;
        self.hang_last(&mut chain);
        while let Some(mut node) = chain.take().and_then(Cell::into_last) {
            let state = node.state.get_mut();
            chain = state.chain.take();
            state.parents.hang_last(&mut chain);
        }
    }

    /// Drops the handles, and hangs the nodes they were the last of in front of `chain`.
    #[inline(always)]
    fn hang_last(&mut self, chain: &mut Option<NodeRef>) {
        for place in &mut self.inline {
            if let Some(parent) = place.take() {
                hang_if_last(parent, chain);
            }
        }
        if let Some(more) = self.more.take() {
            more.into_iter().flatten().for_each(|parent| hang_if_last(parent, chain));
        }
    }
}

#[inline(always)]
fn hang_if_last(parent: NodeRef, chain: &mut Option<NodeRef>) {
    if let Some(mut last) = parent.into_last() {
        last.state.get_mut().chain = chain.take();
        *chain = Some(last.into_cell());
    }
}
