//! Elementwise kernels: `out[i] = f(x[i])` and `out[i] = f(a[i], b[i])`.
//!
//! The two drivers, [`Map`] and [`Zip`], are written once; an op is a zero-sized [`Unary`] or [`Binary`]. The tail
//! runs on the same lanes as the body, so an element's bits do not depend on where it stands.

use super::math::Math;
use super::{Lanes, Op, Twice};
use crate::dtype::Float;

/// One operand of a binary kernel.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a, T> {
    /// As long as the output.
    Slice(&'a [T]),
    /// One value for every element.
    Splat(T),
}

impl<'a, T: Copy> Operand<'a, T> {
    /// The part that meets `out[start..start + len]`.
    #[must_use]
    #[inline]
    pub fn part(self, start: usize, len: usize) -> Operand<'a, T> {
        match self {
            Self::Slice(x) => Self::Slice(&x[start..start + len]),
            splat => splat,
        }
    }
}

/// A function of one value, on lanes.
pub trait Unary<T: Float> {
    /// Applies it.
    fn apply<L: Lanes<T>>(l: L, x: L::V) -> L::V;
}

/// A function of two values, on lanes.
pub trait Binary<T: Float> {
    /// Applies it.
    fn apply<L: Lanes<T>>(l: L, a: L::V, b: L::V) -> L::V;
}

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
        let _ = self.f;
        // Two registers at once: the functions are long chains, each step waiting for the one before.
        let l = Twice(l);
        let mut xs = self.x.chunks_exact(2 * L::N);
        let mut outs = self.out.chunks_exact_mut(2 * L::N);
        for (x, out) in xs.by_ref().zip(outs.by_ref()) {
            l.store(F::apply(l, l.load(x)), out);
        }
        let (x, out) = (xs.remainder(), outs.into_remainder());
        if !x.is_empty() {
            l.store_part(F::apply(l, l.load_part(x)), out);
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
        let _ = self.f;
        match (self.a, self.b) {
            (Operand::Slice(a), Operand::Slice(b)) => zip::<T, L, F>(l, a, b, self.out),
            (Operand::Slice(a), Operand::Splat(b)) => {
                let b = l.splat(b);
                each(l, a, self.out, |l, a| F::apply(l, a, b));
            }
            (Operand::Splat(a), Operand::Slice(b)) => {
                let a = l.splat(a);
                each(l, b, self.out, |l, b| F::apply(l, a, b));
            }
            (Operand::Splat(a), Operand::Splat(b)) => {
                let mut one = [T::ZERO];
                zip::<T, L, F>(l, &[a], &[b], &mut one);
                self.out.fill(one[0]);
            }
        }
    }
}

#[inline(always)]
fn zip<T: Float, L: Lanes<T>, F: Binary<T>>(l: L, a: &[T], b: &[T], out: &mut [T]) {
    debug_assert!(a.len() == out.len() && b.len() == out.len());
    let (mut xs, mut ys) = (a.chunks_exact(L::N), b.chunks_exact(L::N));
    let mut outs = out.chunks_exact_mut(L::N);
    for ((x, y), out) in xs.by_ref().zip(ys.by_ref()).zip(outs.by_ref()) {
        l.store(F::apply(l, l.load(x), l.load(y)), out);
    }
    let (x, y, out) = (xs.remainder(), ys.remainder(), outs.into_remainder());
    if !x.is_empty() {
        l.store_part(F::apply(l, l.load_part(x), l.load_part(y)), out);
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

macro_rules! unary {
    // unary! { "docs" Exp(l, x) => T::exp(l, x) } => pub struct Exp; impl<T: Math> Unary<T> for Exp { .. }
    ($($doc:literal $name:ident($l:ident, $x:ident) => $body:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl<T: Math> Unary<T> for $name {
            #[inline(always)]
            fn apply<L: Lanes<T>>($l: L, $x: L::V) -> L::V {
                $body
            }
        }
    )*};
}

unary! {
    "`-x`." Neg(l, x) => l.neg(x);
    "`e^x`." Exp(l, x) => T::exp(l, x);
    "Natural logarithm." Log(l, x) => T::log(l, x);
    "Square root." Sqrt(l, x) => l.sqrt(x);
    "Hyperbolic tangent." Tanh(l, x) => T::tanh(l, x);
    "`1 / (1 + e^-x)`." Sigmoid(l, x) => T::sigmoid(l, x);
    "`x` where positive or NaN, else 0." Relu(l, x) => l.select(l.le(x, l.splat(T::ZERO)), l.splat(T::ZERO), x);
    "`x * Phi(x)`, the exact form." Gelu(l, x) => T::gelu(l, x);
}

macro_rules! binary {
    // binary! { "docs" Add(l, a, b) => l.add(a, b) } => pub struct Add; impl<T: Math> Binary<T> for Add { .. }
    ($($doc:literal $name:ident($l:ident, $a:ident, $b:ident) => $body:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl<T: Math> Binary<T> for $name {
            #[inline(always)]
            fn apply<L: Lanes<T>>($l: L, $a: L::V, $b: L::V) -> L::V {
                $body
            }
        }
    )*};
}

binary! {
    "`a + b`." Add(l, a, b) => l.add(a, b);
    "`a - b`." Sub(l, a, b) => l.sub(a, b);
    "`a * b`." Mul(l, a, b) => l.mul(a, b);
    "`a / b`." Div(l, a, b) => l.div(a, b);
    "`g` where the input `x` was positive or NaN, else 0." ReluBackward(l, x, g) =>
        l.select(l.le(x, l.splat(T::ZERO)), l.splat(T::ZERO), g);
    "`g * (1 - y^2)` from the output `y`." TanhBackward(l, y, g) =>
        l.mul(g, l.mul_add(l.neg(y), y, l.splat(T::ONE)));
    "`g * y * (1 - y)` from the output `y`." SigmoidBackward(l, y, g) =>
        l.mul(g, l.mul(y, l.sub(l.splat(T::ONE), y)));
    "`g / (2 y)` from the output `y`." SqrtBackward(l, y, g) => l.div(g, l.add(y, y));
    "`g * gelu'(x)` from the input `x`." GeluBackward(l, x, g) => l.mul(g, T::gelu_derivative(l, x));
}
