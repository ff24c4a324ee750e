//! Elementwise kernels: `out[i] = f(x[i])`, of two operands, of three.
//!
//! The drivers ([`Map`], [`Zip`], [`Zip3`]) are written once; an op is a [`Unary`], [`Binary`] or [`Ternary`], zero-sized
//! or with the scalars that it takes. The tail runs on the same lanes as the body, so an element's bits do not depend on
//! where it stands.

mod arithmetic;
mod derivatives;
mod drivers;
mod functions;
mod gated;

pub use arithmetic::*;
pub use derivatives::*;
pub use drivers::{Accumulate, Map, Zip, Zip3};
pub use functions::*;
pub use gated::*;

use super::Lanes;
use crate::dtype::Float;

/// One operand of a kernel.
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
pub trait Unary<T: Float>: Copy {
    /// Applies it.
    fn apply<L: Lanes<T>>(self, l: L, x: L::V) -> L::V;
}

/// A function of two values, on lanes.
pub trait Binary<T: Float>: Copy {
    /// Applies it.
    fn apply<L: Lanes<T>>(self, l: L, a: L::V, b: L::V) -> L::V;
}

/// A function of three values, on lanes.
pub trait Ternary<T: Float>: Copy {
    /// Applies it.
    fn apply<L: Lanes<T>>(self, l: L, a: L::V, b: L::V, c: L::V) -> L::V;
}

macro_rules! unary {
    // unary! { "docs" Exp(l, x) => T::exp(l, x); "docs" Elu { alpha }(l, x) => ..; } =>
    // pub struct Exp; impl<T: Math> Unary<T> for Exp { .. }
    // pub struct Elu<T> { pub alpha: T } impl<T: Math> Unary<T> for Elu<T> { .. }
    ($($doc:literal $name:ident $({ $($field:ident),* })? ($l:ident, $x:ident) => $body:expr;)*) => {$(
        unary!(@ $doc $name [$($($field),*)?]);
        impl<T: crate::kernels::math::Math> Unary<T> for unary!(# $name [$($($field),*)?]) {
            #[inline(always)]
            fn apply<L: crate::kernels::Lanes<T>>(self, $l: L, $x: L::V) -> L::V {
                $(let Self { $($field),* } = self;)?
                $body
            }
        }
    )*};
    (@ $doc:literal $name:ident []) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
    };
    (@ $doc:literal $name:ident [$($field:ident),+]) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T> {
            $(#[doc = concat!("The op's `", stringify!($field), "`.")] pub $field: T),+
        }
    };
    (# $name:ident []) => { $name };
    (# $name:ident [$($field:ident),+]) => { $name<T> };
}

macro_rules! binary {
    // binary! { "docs" Add(l, a, b) => l.add(a, b); } => pub struct Add; impl<T: Math> Binary<T> for Add { .. }
    // With scalars `{ alpha }` as in `unary!`.
    ($($doc:literal $name:ident $({ $($field:ident),* })? ($l:ident, $a:ident, $b:ident) => $body:expr;)*) => {$(
        unary!(@ $doc $name [$($($field),*)?]);
        impl<T: crate::kernels::math::Math> Binary<T> for unary!(# $name [$($($field),*)?]) {
            #[inline(always)]
            fn apply<L: crate::kernels::Lanes<T>>(self, $l: L, $a: L::V, $b: L::V) -> L::V {
                $(let Self { $($field),* } = self;)?
                $body
            }
        }
    )*};
}

macro_rules! ternary {
    // ternary! { "docs" MaximumBackward(l, a, b, g) => ..; } => pub struct MaximumBackward; impl<T: Math> Ternary<T> for ..
    ($($doc:literal $name:ident($l:ident, $a:ident, $b:ident, $c:ident) => $body:expr;)*) => {$(
        unary!(@ $doc $name []);
        impl<T: crate::kernels::math::Math> Ternary<T> for $name {
            #[inline(always)]
            fn apply<L: crate::kernels::Lanes<T>>(self, $l: L, $a: L::V, $b: L::V, $c: L::V) -> L::V {
                $body
            }
        }
    )*};
}

use {binary, ternary, unary};
