//! Exec scopes: the context owns what ops return until the scope closes.
//!
//! Protocol:
//! 1. `frames` is the stack of open scopes, each with the number of `adopted` values at its opening. A value is
//!    adopted by the innermost scope and released when that scope closes, newest first.
//! 2. Guards close in reverse order of opening. Closing an outer one early marks its frame; the frame closes with
//!    the last scope opened inside it. Nothing is ever released from under an open inner scope.
//! 3. Adoption has two phases, so that an op can fail before it changes anything: [`ExecContext::reserve_scope_slot`]
//!    makes room and may fail, [`ScopeSlot::adopt`] cannot.
//! 4. Opening never fails: eight frames are inline, more are allocated, and where that fails the scope shares its
//!    parent's frame (its values live as long as the parent's).
//! 5. No borrow of the stack is held while a value is released: a release hook may do anything.
#![forbid(unsafe_code)]

use core::cell::RefCell;

use allocator_api2::vec::Vec;

use super::context::ExecContext;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::pool::HeapRef;
use crate::raw::RawTensor;
use crate::storage::{Cell, Storage};

/// What a scope owns beside a value: its graph node, which it closes.
pub(crate) trait ScopeNode: Send + Sync {
    /// The scope closes: let go of saved operands and of the graph behind.
    fn scope_closed(&self);
}

/// Whether recorded ops need an open scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScopePolicy {
    /// A graph outside of scopes lives as long as its handles.
    #[default]
    Optional,
    /// A recorded op outside of scopes is [`Error::ActiveExecScopeRequired`]: catches graphs kept by accident.
    RequiredForGrad,
}

struct Adopted {
    node: Option<Cell<dyn ScopeNode>>,
    _value: Storage,
}

#[derive(Clone, Copy)]
struct Frame {
    serial: u64,
    first: usize,
    closing: bool,
}

const INLINE_FRAMES: usize = 8;

/// The scope stack of a context.
pub(super) struct Scopes(RefCell<Stack>);

struct Stack {
    inline: [Frame; INLINE_FRAMES],
    more: Option<Vec<Frame, HeapRef>>,
    depth: usize,
    adopted: Option<Vec<Adopted, HeapRef>>,
    /// Slots reserved and not yet adopted or dropped.
    reserved: usize,
    serial: u64,
}

impl Stack {
    fn frame(&mut self, level: usize) -> Option<&mut Frame> {
        if level >= self.depth {
            return None;
        }
        match level.checked_sub(INLINE_FRAMES) {
            None => Some(&mut self.inline[level]),
            Some(i) => self.more.as_mut()?.get_mut(i),
        }
    }

    fn adopted_len(&self) -> usize {
        self.adopted.as_ref().map_or(0, |adopted| adopted.len())
    }

    /// Takes the newest adopted value of the innermost frame, if that frame is closing and not empty; drops frames
    /// that are.
    fn next_release(&mut self) -> Option<Adopted> {
        while let Some(frame) = self.frame(self.depth.wrapping_sub(1)).copied() {
            if !frame.closing {
                return None;
            }
            if self.adopted_len() > frame.first {
                return self.adopted.as_mut()?.pop();
            }
            self.depth -= 1;
            if let (true, Some(more)) = (self.depth >= INLINE_FRAMES, self.more.as_mut()) {
                more.pop();
            }
        }
        None
    }
}

impl Scopes {
    pub(super) const fn new() -> Self {
        let frame = Frame { serial: 0, first: 0, closing: false };
        Self(RefCell::new(Stack {
            inline: [frame; INLINE_FRAMES],
            more: None,
            depth: 0,
            adopted: None,
            reserved: 0,
            serial: 0,
        }))
    }

    /// Number of open scopes.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.0.borrow().depth
    }

    /// Opens a scope; 0 if it shares its parent's frame for want of memory.
    fn open(&self, heap: Option<&HeapRef>) -> u64 {
        let mut stack = self.0.borrow_mut();
        let frame = Frame { serial: stack.serial + 1, first: stack.adopted_len(), closing: false };
        if stack.depth < INLINE_FRAMES {
            let level = stack.depth;
            stack.inline[level] = frame;
        } else {
            let Some(heap) = heap else { return 0 };
            let more = stack.more.get_or_insert_with(|| Vec::new_in(heap.clone()));
            if more.try_reserve(1).is_err() {
                return 0;
            }
            more.push(frame);
        }
        stack.serial += 1;
        stack.depth += 1;
        stack.serial
    }

    /// Closes the scope, or marks it if others are open inside; how many are.
    fn close(&self, serial: u64) -> usize {
        let inner_open = {
            let mut stack = self.0.borrow_mut();
            let mut level = stack.depth;
            loop {
                let Some(next) = level.checked_sub(1) else { return 0 };
                level = next;
                match stack.frame(level) {
                    Some(frame) if frame.serial == serial => {
                        frame.closing = true;
                        break stack.depth - 1 - level;
                    }
                    _ => {}
                }
            }
        };
        self.release_closing();
        inner_open
    }

    fn release_closing(&self) {
        loop {
            let next = self.0.borrow_mut().next_release();
            let Some(adopted) = next else { break };
            if let Some(node) = &adopted.node {
                node.scope_closed();
            }
        }
        // The outermost scope gives the stack's own memory back to the pool.
        let mut stack = self.0.borrow_mut();
        if stack.depth == 0 {
            let memory = (stack.more.take(), stack.adopted.take());
            drop(stack);
            drop(memory);
        }
    }

    /// Closes whatever is open.
    pub(super) fn release_all(&self) {
        {
            let mut stack = self.0.borrow_mut();
            for level in 0..stack.depth {
                if let Some(frame) = stack.frame(level) {
                    frame.closing = true;
                }
            }
        }
        self.release_closing();
    }
}

impl ExecContext {
    /// Opens a scope: until the guard is dropped (or closed), the context owns what ops return.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let w = Tensor::variable_from_slice(&ctx, &[3], &[1.0_f32, 2.0, 3.0])?;
    /// let scope = ctx.open_exec_scope();
    /// let loss = w.mul(&ctx, &w)?.sum_all(&ctx)?;
    /// loss.backward(&ctx)?;
    /// assert_eq!(w.grad(&ctx)?.unwrap().to_vec()?, [2.0, 4.0, 6.0]);
    /// scope.close()?;
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[must_use = "the scope closes when the guard is dropped"]
    pub fn open_exec_scope(&self) -> ExecScope<'_> {
        let serial = self.scopes.open(self.heap("open_exec_scope").ok());
        ExecScope { ctx: self, serial }
    }

    /// Whether a scope is open.
    #[must_use]
    #[inline]
    pub fn exec_scope_active(&self) -> bool {
        self.scopes.depth() > 0
    }

    /// Makes room for one more value in the innermost scope: the fallible half of an adoption.
    ///
    /// # Errors
    /// [`Error::ActiveExecScopeRequired`] if no scope is open; [`Error::OutOfMemory`].
    pub fn reserve_scope_slot(&self) -> Result<ScopeSlot<'_>> {
        self.scope_slot("reserve_scope_slot")?
            .ok_or(Error::ActiveExecScopeRequired { op: "reserve_scope_slot" })
    }

    /// A slot if a scope is open.
    #[inline]
    pub(crate) fn scope_slot(&self, op: &'static str) -> Result<Option<ScopeSlot<'_>>> {
        if !self.exec_scope_active() {
            return Ok(None);
        }
        let heap = self.heap(op)?;
        let mut stack = self.scopes.0.borrow_mut();
        let needed = stack.reserved + 1;
        let adopted = stack.adopted.get_or_insert_with(|| Vec::new_in(heap.clone()));
        adopted.try_reserve(needed).map_err(|_| Error::OutOfMemory {
            op,
            bytes: needed.saturating_mul(size_of::<Adopted>()),
        })?;
        stack.reserved = needed;
        Ok(Some(ScopeSlot { ctx: self }))
    }
}

/// An open scope. Dropping it closes it.
#[derive(Debug)]
pub struct ExecScope<'ctx> {
    ctx: &'ctx ExecContext,
    serial: u64,
}

impl ExecScope<'_> {
    /// Closes the scope: releases what it adopted, newest first.
    ///
    /// # Errors
    /// [`Error::ScopeOrder`] if a scope opened later is still open. This one then closes as soon as that one has.
    pub fn close(self) -> Result<()> {
        let this = core::mem::ManuallyDrop::new(self);
        match this.ctx.scopes.close(this.serial) {
            0 => Ok(()),
            inner_open => Err(Error::ScopeOrder { inner_open }),
        }
    }
}

impl Drop for ExecScope<'_> {
    fn drop(&mut self) {
        self.ctx.scopes.close(self.serial);
    }
}

/// Room for one value in a scope.
#[derive(Debug)]
pub struct ScopeSlot<'ctx> {
    ctx: &'ctx ExecContext,
}

impl ScopeSlot<'_> {
    /// The innermost scope shares `value` until it closes. False if all scopes have closed meanwhile: the value is
    /// then the caller's alone.
    pub fn adopt<T: Element>(self, value: &RawTensor<T>) -> bool {
        self.adopt_with_node(value, None)
    }

    pub(crate) fn adopt_with_node<T: Element>(
        self,
        value: &RawTensor<T>,
        node: Option<Cell<dyn ScopeNode>>,
    ) -> bool {
        let mut stack = self.ctx.scopes.0.borrow_mut();
        let open = stack.depth > 0;
        match stack.adopted.as_mut() {
            Some(adopted) if open => {
                debug_assert!(adopted.len() < adopted.capacity());
                adopted.push(Adopted { node, _value: value.storage().clone() });
                true
            }
            _ => false,
        }
    }
}

impl Drop for ScopeSlot<'_> {
    fn drop(&mut self) {
        self.ctx.scopes.0.borrow_mut().reserved -= 1;
    }
}
