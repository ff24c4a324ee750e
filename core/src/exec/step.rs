//! Optimiser steps on raw tensors: parameter and state are updated in place.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::{Error, Result};
use crate::kernels::optim::{AdamWStep, SgdStep};
use crate::parallel::for_chunks_of;
use crate::raw::RawTensor;

/// Elements of a piece: below it a step stays on the caller.
const PIECE: usize = 1 << 14;

impl ExecContext {
    /// One SGD step: `v = momentum * v + (g + weight_decay * w)`, `w -= learning_rate * v`.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the shapes differ; [`Error::UnsupportedView`] if `w` or `v` is shared or not
    /// contiguous; [`Error::OutOfMemory`] if `g` has to be copied and cannot. Nothing is changed then.
    #[track_caller]
    pub fn sgd_step<T: Real>(
        &self,
        step: SgdStep<T>,
        w: &mut RawTensor<T>,
        g: &RawTensor<T>,
        v: &mut RawTensor<T>,
    ) -> Result<()> {
        const OP: &str = "sgd_step";
        w.shape().check_same(OP, g.shape())?;
        w.shape().check_same(OP, v.shape())?;
        let g = self.prepare(OP, g)?;
        let (w, v) = (writable(OP, w)?, writable(OP, v)?);
        let (k, g) = (self.kernels::<T>(), g.data());
        for_chunks_of(self.team(), OP, [w, v], PIECE, |piece, [w, v]| {
            k.sgd_step(step, w, &g[piece * PIECE..][..v.len()], v);
        });
        Ok(())
    }

    /// One AdamW step; the formula stands at [`AdamW`](crate::kernels::optim::AdamW).
    ///
    /// # Errors
    /// As [`sgd_step`](Self::sgd_step), for the moments `m` and `s`.
    #[track_caller]
    pub fn adamw_step<T: Real>(
        &self,
        step: AdamWStep<T>,
        w: &mut RawTensor<T>,
        g: &RawTensor<T>,
        m: &mut RawTensor<T>,
        s: &mut RawTensor<T>,
    ) -> Result<()> {
        const OP: &str = "adamw_step";
        for other in [g, &*m, &*s] {
            w.shape().check_same(OP, other.shape())?;
        }
        let g = self.prepare(OP, g)?;
        let (w, m, s) = (writable(OP, w)?, writable(OP, m)?, writable(OP, s)?);
        let (k, g) = (self.kernels::<T>(), g.data());
        for_chunks_of(self.team(), OP, [w, m, s], PIECE, |piece, [w, m, s]| {
            k.adamw_step(step, w, &g[piece * PIECE..][..s.len()], m, s);
        });
        Ok(())
    }
}

fn writable<'a, T: Real>(op: &'static str, x: &'a mut RawTensor<T>) -> Result<&'a mut [T]> {
    let fits = "a contiguous tensor that is the only owner of its storage";
    x.unique_mut().ok_or(Error::UnsupportedView { op, fits })
}
