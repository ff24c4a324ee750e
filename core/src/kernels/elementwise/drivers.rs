//! The loops: one, two or three operands, slices or single values, and the sum into a gradient.

use super::{Binary, Operand, Ternary, Unary};
use crate::dtype::Float;
use crate::kernels::{Lanes, Op, Twice};

/// `out[i] = F(x[i])`.
pub struct Map<'a, T, F> {
    x: &'a [T],
    out: &'a mut [T],
    f: F,
}

impl<'a, T, F> Map<'a, T, F> {
    /// `x` and `out` have one length.
    #[inline]
    pub fn new(f: F, x: &'a [T], out: &'a mut [T]) -> Self {
        debug_assert_eq!(x.len(), out.len());
        Self { x, out, f }
    }
}

impl<T: Float, F: Unary<T>> Op<T> for Map<'_, T, F> {
    type Out = ();
    #[inline(always)] // must inline into the backend's target_feature function
    fn run<L: Lanes<T>>(self, l: L) {
        let f = self.f;
        // Two registers at once: the functions are long chains, each step waiting for the one before.
        let l = Twice(l);
        let mut xs = self.x.chunks_exact(2 * L::N);
        let mut outs = self.out.chunks_exact_mut(2 * L::N);
        for (x, out) in xs.by_ref().zip(outs.by_ref()) {
            l.store(f.apply(l, l.load(x)), out);
        }
        let (x, out) = (xs.remainder(), outs.into_remainder());
        if !x.is_empty() {
            l.store_part(f.apply(l, l.load_part(x)), out);
        }
    }
}

/// `out[i] = F(a[i], b[i])`.
pub struct Zip<'a, T, F> {
    a: Operand<'a, T>,
    b: Operand<'a, T>,
    out: &'a mut [T],
    f: F,
}

impl<'a, T, F> Zip<'a, T, F> {
    /// Slices are as long as `out`.
    #[inline]
    pub fn new(f: F, a: Operand<'a, T>, b: Operand<'a, T>, out: &'a mut [T]) -> Self {
        Self { a, b, out, f }
    }
}

impl<T: Float, F: Binary<T>> Op<T> for Zip<'_, T, F> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let f = self.f;
        match (self.a, self.b) {
            (Operand::Slice(a), Operand::Slice(b)) => zip(l, f, a, b, self.out),
            (Operand::Slice(a), Operand::Splat(b)) => {
                let b = l.splat(b);
                each(l, a, self.out, |l, a| f.apply(l, a, b));
            }
            (Operand::Splat(a), Operand::Slice(b)) => {
                let a = l.splat(a);
                each(l, b, self.out, |l, b| f.apply(l, a, b));
            }
            (Operand::Splat(a), Operand::Splat(b)) => {
                let mut one = [T::ZERO];
                zip(l, f, &[a], &[b], &mut one);
                self.out.fill(one[0]);
            }
        }
    }
}

#[inline(always)]
fn zip<T: Float, L: Lanes<T>, F: Binary<T>>(l: L, f: F, a: &[T], b: &[T], out: &mut [T]) {
    debug_assert!(a.len() == out.len() && b.len() == out.len());
    let (mut xs, mut ys) = (a.chunks_exact(L::N), b.chunks_exact(L::N));
    let mut outs = out.chunks_exact_mut(L::N);
    for ((x, y), out) in xs.by_ref().zip(ys.by_ref()).zip(outs.by_ref()) {
        l.store(f.apply(l, l.load(x), l.load(y)), out);
    }
    let (x, y, out) = (xs.remainder(), ys.remainder(), outs.into_remainder());
    if !x.is_empty() {
        l.store_part(f.apply(l, l.load_part(x), l.load_part(y)), out);
    }
}

#[inline(always)]
fn each<T: Float, L: Lanes<T>>(l: L, x: &[T], out: &mut [T], f: impl Fn(L, L::V) -> L::V) {
    debug_assert_eq!(x.len(), out.len());
    let mut xs = x.chunks_exact(L::N);
    let mut outs = out.chunks_exact_mut(L::N);
    for (x, out) in xs.by_ref().zip(outs.by_ref()) {
        l.store(f(l, l.load(x)), out);
    }
    let (x, out) = (xs.remainder(), outs.into_remainder());
    if !x.is_empty() {
        l.store_part(f(l, l.load_part(x)), out);
    }
}

/// `out[i] = F(a[i], b[i], c[i])`.
pub struct Zip3<'a, T, F> {
    operands: [Operand<'a, T>; 3],
    out: &'a mut [T],
    f: F,
}

impl<'a, T, F> Zip3<'a, T, F> {
    /// Slices are as long as `out`.
    #[inline]
    pub fn new(f: F, operands: [Operand<'a, T>; 3], out: &'a mut [T]) -> Self {
        Self { operands, out, f }
    }
}

/// One operand on its way through a row: a slice, or the value in every lane.
enum Feed<'a, T, V> {
    Slice(&'a [T]),
    Splat(V),
}

impl<T: Float, V: Copy> Feed<'_, T, V> {
    #[inline(always)]
    fn new<L: Lanes<T, V = V>>(l: L, operand: Operand<'_, T>) -> Feed<'_, T, V> {
        match operand {
            Operand::Slice(x) => Feed::Slice(x),
            Operand::Splat(x) => Feed::Splat(l.splat(x)),
        }
    }
    /// The lanes from element `at` on; fewer at the end.
    #[inline(always)]
    fn at<L: Lanes<T, V = V>>(&self, l: L, at: usize) -> V {
        match *self {
            Self::Slice(x) => l.load_upto(&x[at..]),
            Self::Splat(x) => x,
        }
    }
}

impl<T: Float, F: Ternary<T>> Op<T> for Zip3<'_, T, F> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let (f, [a, b, c]) = (self.f, self.operands);
        let (a, b, c) = (Feed::new(l, a), Feed::new(l, b), Feed::new(l, c));
        for (i, out) in self.out.chunks_mut(L::N).enumerate() {
            let at = i * L::N;
            l.store_upto(f.apply(l, a.at(l, at), b.at(l, at), c.at(l, at)), out);
        }
    }
}

/// `acc[i] += x[i]`.
pub struct Accumulate<'a, T> {
    /// Added.
    pub x: Operand<'a, T>,
    /// Added to.
    pub acc: &'a mut [T],
}

impl<T: Float> Op<T> for Accumulate<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let mut outs = self.acc.chunks_exact_mut(L::N);
        match self.x {
            Operand::Slice(x) => {
                let mut xs = x.chunks_exact(L::N);
                for (x, out) in xs.by_ref().zip(outs.by_ref()) {
                    l.store(l.add(l.load(out), l.load(x)), out);
                }
                let (x, out) = (xs.remainder(), outs.into_remainder());
                if !x.is_empty() {
                    l.store_part(l.add(l.load_part(out), l.load_part(x)), out);
                }
            }
            Operand::Splat(x) => {
                let x = l.splat(x);
                for out in outs.by_ref() {
                    l.store(l.add(l.load(out), x), out);
                }
                let out = outs.into_remainder();
                if !out.is_empty() {
                    l.store_part(l.add(l.load_part(out), x), out);
                }
            }
        }
    }
}
