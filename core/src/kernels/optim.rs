//! Optimiser steps: parameter, gradient and state in one pass.

use super::{Lanes, Op};
use crate::dtype::Float;

/// Numbers of one SGD step.
#[derive(Clone, Copy, Debug)]
pub struct SgdStep<T> {
    /// Learning rate.
    pub learning_rate: T,
    /// Share of the old velocity that stays.
    pub momentum: T,
    /// `weight_decay * w` is added to the gradient.
    pub weight_decay: T,
}

/// `v = momentum * v + (g + weight_decay * w)`; `w -= learning_rate * v`. One element at a time, fused steps.
pub struct Sgd<'a, T> {
    /// The numbers.
    pub step: SgdStep<T>,
    /// Parameter.
    pub w: &'a mut [T],
    /// Gradient.
    pub g: &'a [T],
    /// Velocity.
    pub v: &'a mut [T],
}

impl<T: Float> Op<T> for Sgd<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let (rate, momentum) =
            (l.neg(l.splat(self.step.learning_rate)), l.splat(self.step.momentum));
        let decay = l.splat(self.step.weight_decay);
        let rows = self.w.chunks_mut(L::N).zip(self.g.chunks(L::N)).zip(self.v.chunks_mut(L::N));
        for ((w, g), v) in rows {
            let (w0, g0, v0) = (l.load_upto(w), l.load_upto(g), l.load_upto(v));
            let v1 = l.mul_add(momentum, v0, l.mul_add(decay, w0, g0));
            let w1 = l.mul_add(rate, v1, w0);
            l.store_upto(v1, v);
            l.store_upto(w1, w);
        }
    }
}

/// Numbers of one AdamW step.
#[derive(Clone, Copy, Debug)]
pub struct AdamWStep<T> {
    /// `1 - learning_rate * weight_decay`.
    pub shrink: T,
    /// `learning_rate / (1 - beta1^t)`.
    pub rate: T,
    /// `1 / sqrt(1 - beta2^t)`.
    pub second_scale: T,
    /// Decay of the first moment.
    pub beta1: T,
    /// Decay of the second moment.
    pub beta2: T,
    /// Added to the root.
    pub eps: T,
}

/// Moments `m = b1 m + (1 - b1) g`, `s = b2 s + (1 - b2) g^2`; then `w = shrink * w - rate * m / (sqrt(s) *
/// second_scale + eps)`.
pub struct AdamW<'a, T> {
    /// The numbers.
    pub step: AdamWStep<T>,
    /// Parameter.
    pub w: &'a mut [T],
    /// Gradient.
    pub g: &'a [T],
    /// First moment.
    pub m: &'a mut [T],
    /// Second moment.
    pub s: &'a mut [T],
}

impl<T: Float> Op<T> for AdamW<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let k = self.step;
        let (b1, c1) = (l.splat(k.beta1), l.splat(T::ONE - k.beta1));
        let (b2, c2) = (l.splat(k.beta2), l.splat(T::ONE - k.beta2));
        let (rate, eps) = (l.neg(l.splat(k.rate)), l.splat(k.eps));
        let (shrink, scale) = (l.splat(k.shrink), l.splat(k.second_scale));
        let rows = self.w.chunks_mut(L::N).zip(self.g.chunks(L::N));
        let rows = rows.zip(self.m.chunks_mut(L::N)).zip(self.s.chunks_mut(L::N));
        for (((w, g), m), s) in rows {
            let g0 = l.load_upto(g);
            let m1 = l.mul_add(b1, l.load_upto(m), l.mul(c1, g0));
            let s1 = l.mul_add(b2, l.load_upto(s), l.mul(l.mul(c2, g0), g0));
            let root = l.mul_add(l.sqrt(s1), scale, eps);
            let w1 = l.mul_add(rate, l.div(m1, root), l.mul(shrink, l.load_upto(w)));
            l.store_upto(m1, m);
            l.store_upto(s1, s);
            l.store_upto(w1, w);
        }
    }
}
