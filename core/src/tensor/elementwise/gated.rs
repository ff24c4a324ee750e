//! Gated units: an activation of `self`, the gate, times another tensor; or of the two halves of one.

use crate::autograd::Differentiable;
use crate::autograd::elementwise::{HalvesVjp, PairVjp};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::tensor::Tensor;
use crate::tensor::record::Recording;

impl<T: Differentiable> Tensor<T> {
    /// `sigmoid(self) * up`, in one pass.
    ///
    /// Gradient: `g * up * sigmoid'(self)` and `g * sigmoid(self)`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn glu(&self, ctx: &ExecContext, up: &Self) -> Result<Self> {
        Recording::new(ctx, "glu", [self, up]).run(
            |ctx, [gate, up]| ctx.glu(gate, up),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: up.raw.clone(),
                locals: [ExecContext::glu_backward, |ctx, gate, _, g| ctx.glu(gate, g)],
            },
        )
    }

    /// [`glu`](Self::glu) of the last axis: its first half is the gate, its second half `up`.
    ///
    /// Gradient: that of [`glu`](Self::glu), both halves joined.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if the last axis has an odd length;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn glu_halves(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "glu_halves", [self]).run(
            |ctx, [x]| ctx.glu_halves(x),
            |_, _| HalvesVjp {
                x: self.raw.clone(),
                by_gate: ExecContext::glu_backward,
                unit: ExecContext::glu,
            },
        )
    }

    /// `silu(self) * up`, in one pass.
    ///
    /// Gradient: `g * up * silu'(self)` and `g * silu(self)`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn swiglu(&self, ctx: &ExecContext, up: &Self) -> Result<Self> {
        Recording::new(ctx, "swiglu", [self, up]).run(
            |ctx, [gate, up]| ctx.swiglu(gate, up),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: up.raw.clone(),
                locals: [ExecContext::swiglu_backward, |ctx, gate, _, g| ctx.swiglu(gate, g)],
            },
        )
    }

    /// [`swiglu`](Self::swiglu) of the last axis: its first half is the gate, its second half `up`.
    ///
    /// Gradient: that of [`swiglu`](Self::swiglu), both halves joined.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if the last axis has an odd length;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn swiglu_halves(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "swiglu_halves", [self]).run(
            |ctx, [x]| ctx.swiglu_halves(x),
            |_, _| HalvesVjp {
                x: self.raw.clone(),
                by_gate: ExecContext::swiglu_backward,
                unit: ExecContext::swiglu,
            },
        )
    }

    /// `gelu(self) * up`, in one pass, gelu in its exact form.
    ///
    /// Gradient: `g * up * gelu'(self)` and `g * gelu(self)`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn geglu(&self, ctx: &ExecContext, up: &Self) -> Result<Self> {
        Recording::new(ctx, "geglu", [self, up]).run(
            |ctx, [gate, up]| ctx.geglu(gate, up),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: up.raw.clone(),
                locals: [ExecContext::geglu_backward, |ctx, gate, _, g| ctx.geglu(gate, g)],
            },
        )
    }

    /// [`geglu`](Self::geglu) of the last axis: its first half is the gate, its second half `up`.
    ///
    /// Gradient: that of [`geglu`](Self::geglu), both halves joined.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if the last axis has an odd length;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn geglu_halves(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "geglu_halves", [self]).run(
            |ctx, [x]| ctx.geglu_halves(x),
            |_, _| HalvesVjp {
                x: self.raw.clone(),
                by_gate: ExecContext::geglu_backward,
                unit: ExecContext::geglu,
            },
        )
    }

    /// `relu(self) * up`, in one pass.
    ///
    /// Gradient: `g * up * relu'(self)` and `g * relu(self)`, summed over broadcast axes.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[track_caller]
    pub fn reglu(&self, ctx: &ExecContext, up: &Self) -> Result<Self> {
        Recording::new(ctx, "reglu", [self, up]).run(
            |ctx, [gate, up]| ctx.reglu(gate, up),
            |_, _| PairVjp {
                a: self.raw.clone(),
                b: up.raw.clone(),
                locals: [ExecContext::reglu_backward, |ctx, gate, _, g| ctx.reglu(gate, g)],
            },
        )
    }

    /// [`reglu`](Self::reglu) of the last axis: its first half is the gate, its second half `up`.
    ///
    /// Gradient: that of [`reglu`](Self::reglu), both halves joined.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if the last axis has an odd length;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn reglu_halves(&self, ctx: &ExecContext) -> Result<Self> {
        Recording::new(ctx, "reglu_halves", [self]).run(
            |ctx, [x]| ctx.reglu_halves(x),
            |_, _| HalvesVjp {
                x: self.raw.clone(),
                by_gate: ExecContext::reglu_backward,
                unit: ExecContext::reglu,
            },
        )
    }
}
