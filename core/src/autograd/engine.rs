//! The engine: one backward pass.
//!
//! A pass keeps the nodes it has met in a list, each with the gradient gathered so far, and takes the latest one out of
//! a priority queue: since a node is older than all its consumers, every contribution has arrived by then, and each
//! node's VJP runs once. There is no recursion and no sort of the whole graph; nodes without a gradient to hand on
//! are never met.
//!
//! All or nothing: gradients are gathered in the pass, not in the nodes, and leaves receive them at the end, when
//! nothing can fail any more. A pass that fails (or unwinds) drops what it gathered and gives up its claims; the graph
//! can be walked again. Two passes that meet in a node do not wait for each other: the later gets `GraphBusy`.

use allocator_api2::vec::Vec;

use super::grad::Grad;
use super::node::NodeRef;
use super::queue::Queue;
use super::vjp::Inputs;
use crate::error::{Error, Result};
use crate::exec::ExecContext;
use crate::pool::HeapRef;
use crate::storage::Cell;
use crate::sync::Ordering;

const OP: &str = "backward";

/// Nodes met by a pass, with their gradients.
pub(super) struct Pending {
    met: Vec<Met, HeapRef>,
    queue: Queue,
}

struct Met {
    node: NodeRef,
    grad: Option<Grad>,
    /// What the node will keep.
    kept: Option<Cell<Grad>>,
    /// The pass was asked for this node: it keeps its gradient.
    is_output: bool,
}

impl Pending {
    /// Adds `grad` to what is gathered for `node`.
    pub(super) fn add(&mut self, ctx: &ExecContext, node: &NodeRef, grad: Grad) -> Result<()> {
        let index = self.meet(node)?;
        match &mut self.met[index].grad {
            Some(gathered) => gathered.accumulate(ctx, &grad),
            empty => {
                *empty = Some(grad);
                Ok(())
            }
        }
    }

    /// The node's place in the list; claims it at the first meeting.
    fn meet(&mut self, node: &NodeRef) -> Result<usize> {
        let busy = Error::GraphBusy { op: node.op };
        // ORDERING: Relaxed; a claim of ours was stored by this thread; another's is only compared.
        let claim = node.claim.load(Ordering::Relaxed);
        if let Some(index) = claim.checked_sub(1) {
            let ours = self.met.get(index).is_some_and(|met| met.node.same(node));
            return if ours { Ok(index) } else { Err(busy) };
        }
        node.check_live()?;
        let index = self.met.len();
        let bytes = size_of::<Met>();
        self.met.try_reserve(1).map_err(|_| Error::OutOfMemory { op: OP, bytes })?;
        if !node.is_leaf {
            self.queue.push(node.time, index)?;
        }
        // ORDERING: Acquire; pairs with the Release in `drop`: the pass before us has let go of the node's gradient.
        let taken = node.claim.compare_exchange(0, index + 1, Ordering::Acquire, Ordering::Relaxed);
        taken.map_err(|_| busy)?;
        self.met.push(Met { node: node.clone(), grad: None, kept: None, is_output: false });
        Ok(index)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        for met in &self.met {
            // ORDERING: Release; pairs with the Acquire of the next claim.
            met.node.claim.store(0, Ordering::Release);
        }
    }
}

/// Runs a pass from `outputs`, each with its gradient.
pub(crate) fn run<'a>(
    ctx: &ExecContext,
    outputs: impl Iterator<Item = (&'a NodeRef, Grad)>,
) -> Result<()> {
    let _no_grad = ctx.no_grad();
    let heap = ctx.heap(OP)?;
    let queue = Queue::new(heap.clone());
    let mut pending = Pending { met: Vec::new_in(heap.clone()), queue };
    for (node, seed) in outputs {
        pending.add(ctx, node, seed)?;
        let index = pending.meet(node)?;
        pending.met[index].is_output = true;
    }
    while let Some(index) = pending.queue.pop() {
        visit(ctx, &mut pending, index)?;
    }
    gather_kept(ctx, &mut pending)?;
    commit(&mut pending);
    Ok(())
}

/// Runs one node's VJP.
fn visit(ctx: &ExecContext, pending: &mut Pending, index: usize) -> Result<()> {
    let met = &mut pending.met[index];
    let node = met.node.clone();
    let grad = if met.is_output { met.grad.clone() } else { met.grad.take() };
    let Some(grad) = grad else { return Ok(()) };
    let state = node.state.try_lock().ok_or(Error::GraphBusy { op: node.op })?;
    let mut inputs = Inputs::new(ctx, pending, &state.parents);
    state.slot.backward(ctx, &grad, &mut inputs)?;
    inputs.check_complete(node.op)
}

/// Readies what leaves and outputs will keep, a leaf's added to what it has from earlier passes: the last step that can
/// fail.
fn gather_kept(ctx: &ExecContext, pending: &mut Pending) -> Result<()> {
    for met in pending.met.iter_mut().filter(|met| met.node.is_leaf || met.is_output) {
        let Some(mut grad) = met.grad.take() else { continue };
        if let (true, Some(before)) = (met.node.is_leaf, met.node.grad()) {
            grad = before.sum(ctx, &grad)?;
        }
        met.kept = Some(Cell::try_new(OP, ctx.site(OP)?, || grad)?);
    }
    Ok(())
}

/// Stores the gradients of leaves and outputs, and lets go of everything else.
fn commit(pending: &mut Pending) {
    for met in &mut pending.met {
        if let Some(kept) = met.kept.take() {
            met.node.set_grad(Some(kept));
        }
        met.node.used();
    }
}
