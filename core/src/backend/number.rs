//! [`Number`]: the element types that add, subtract, multiply and divide; [`Integer`]: those that do it exactly.
//!
//! Floats go through the backend's table. Integers wrap around as two's complement does, on every target: `MIN / -1`, `-MIN`
//! and `|MIN|` are `MIN`, its remainder 0.

use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::{BackendRef, Real};
use crate::dtype::Element;
use crate::kernels::elementwise::Operand;
use crate::kernels::plain;

macro_rules! rows {
    // rows! { "docs" add } => fn add(backend: BackendRef, a: Operand<'_, Self>, b: Operand<'_, Self>, out: &mut [Self]);
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        #[doc(hidden)]
        fn $name(backend: BackendRef, a: Operand<'_, Self>, b: Operand<'_, Self>, out: &mut [Self]);
    )*};
}

macro_rules! rows_of_one {
    // rows_of_one! { "docs" neg } => fn neg(backend: BackendRef, x: &[Self], out: &mut [Self]);
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        #[doc(hidden)]
        fn $name(backend: BackendRef, x: &[Self], out: &mut [Self]);
    )*};
}

/// An element type with arithmetic: `f32`, `f64` and the integers.
pub trait Number: Element {
    /// Whether a divisor of 0 has a quotient.
    #[doc(hidden)]
    const DIVIDES_BY_ZERO: bool;

    rows! {
        "`out[i] = a[i] + b[i]`." add;
        "`out[i] = a[i] - b[i]`." sub;
        "`out[i] = a[i] * b[i]`." mul;
        "`out[i] = a[i] / b[i]`; no integer divisor is 0." div;
        "The larger of `a[i]` and `b[i]`." maximum;
        "The smaller of `a[i]` and `b[i]`." minimum;
    }

    rows_of_one! {
        "`out[i] = -x[i]`." neg;
        "`out[i] = |x[i]|`." abs;
        "`out[i]`: 1 with the sign of `x[i]`, or its 0." sign;
    }

    /// `out[i]`: the smaller of `high` and the larger of `x[i]` and `low`.
    #[doc(hidden)]
    fn clamp(backend: BackendRef, range: [Self; 2], x: &[Self], out: &mut [Self]);
}

/// An integer element type.
pub trait Integer:
    Number
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + TryInto<u32>
{
    rows! {
        "`out[i] = a[i] % b[i]`, with the sign of `a[i]`; no divisor is 0." rem;
    }
}

macro_rules! floats {
    // floats! { f32: add } => impl Number for f32 { fn add(backend, a, b, out) { Self::table(backend).add(a, b, out) } }
    ($($t:ty: $($name:ident),*;)*) => {$(
        impl Number for $t {
            const DIVIDES_BY_ZERO: bool = true;
            $(
                #[inline(always)]
                fn $name(backend: BackendRef, a: Operand<'_, Self>, b: Operand<'_, Self>, out: &mut [Self]) {
                    Self::table(backend).$name(a, b, out);
                }
            )*
            floats!(@ neg, abs, sign);
            #[inline(always)]
            fn clamp(backend: BackendRef, [low, high]: [Self; 2], x: &[Self], out: &mut [Self]) {
                Self::table(backend).clamp(low, high, x, out);
            }
        }
    )*};
    (@ $($name:ident),*) => {$(
        #[inline(always)]
        fn $name(backend: BackendRef, x: &[Self], out: &mut [Self]) {
            Self::table(backend).$name(x, out);
        }
    )*};
}

floats! {
    f32: add, sub, mul, div, maximum, minimum;
    f64: add, sub, mul, div, maximum, minimum;
}

macro_rules! integers {
    // integers! { wrapping_abs, signum: i8 } =>
    // impl Number for i8 { fn add(..) { plain::zip(a, b, out, Self::wrapping_add) } .. } impl Integer for i8 { .. }
    ($($abs:expr, $sign:expr => $($t:ty),*;)*) => {$($(
        impl Number for $t {
            const DIVIDES_BY_ZERO: bool = false;
            integers!(@ add wrapping_add, sub wrapping_sub, mul wrapping_mul, div wrapping_div, maximum max, minimum min);
            integers!(@ one: neg |x: Self| x.wrapping_neg(), abs $abs, sign $sign);
            fn clamp(_: BackendRef, [low, high]: [Self; 2], x: &[Self], out: &mut [Self]) {
                plain::each(Operand::Slice(x), out, |x: Self| x.max(low).min(high));
            }
        }
        impl Integer for $t {
            integers!(@ rem wrapping_rem);
        }
    )*)*};
    (@ $($name:ident $with:ident),*) => {$(
        fn $name(_: BackendRef, a: Operand<'_, Self>, b: Operand<'_, Self>, out: &mut [Self]) {
            plain::zip(a, b, out, Self::$with);
        }
    )*};
    (@ one: $($name:ident $with:expr),*) => {$(
        fn $name(_: BackendRef, x: &[Self], out: &mut [Self]) {
            plain::each(Operand::Slice(x), out, $with);
        }
    )*};
}

integers! {
    |x: Self| x.wrapping_abs(), |x: Self| x.signum() => i8, i16, i32, i64;
    |x: Self| x, |x: Self| x.min(1) => u8, u16, u32, u64;
}
