//! [`CastFrom`]: every element type into every other, one value.
//!
//! To an integer: towards zero, saturating, NaN to 0. To a float: to nearest, ties to even, once, also where the way leads
//! over a wider type; overflow is infinite, underflow gradual, NaN stays NaN (quiet, with the upper bits of its payload).
//! To `bool`: whether it is not 0, so NaN is `true`; from `bool`: 1 and 0.

use half::{bf16, f16};

use super::{Element, Float, Half, HalfRuns};

/// An element type that values of type `A` convert to.
pub trait CastFrom<A: Element>: Element {
    /// Converts one value.
    fn cast_from(x: A) -> Self;
    /// Converts values: by `kernels` if there is one for the two types.
    #[doc(hidden)]
    #[inline(always)]
    fn cast_run(_kernels: &(impl HalfRuns<f32> + HalfRuns<f64>), x: &[A], out: &mut [Self]) {
        for (&x, out) in x.iter().zip(out) {
            *out = Self::cast_from(x);
        }
    }
}

/// The nearest f32 towards zero, its last bit set if that is not exact: rounding this to a narrower type rounds once
/// (rounding to odd: Boldo and Melquiond, 2008).
fn to_odd(x: f64) -> f32 {
    let near = x as f32;
    if x.is_nan() || f64::from(near) == x {
        return near;
    }
    let bits = near.to_bits();
    // Both have one sign, so the bits of the smaller magnitude are the smaller number.
    let towards_zero = if f64::from(near).abs() > x.abs() { bits - 1 } else { bits };
    f32::from_bits(towards_zero | 1)
}

/// An integer's sign and size as an f64 that is exact or rounded to odd.
fn integer_to_odd(negative: bool, size: u64) -> f64 {
    let exact = if size >> 53 == 0 {
        size as f64
    } else {
        // 53 bits and what is behind them, as the last one.
        ((size >> 11) | u64::from(size & 0x7ff != 0)) as f64 * 2048.0
    };
    if negative { -exact } else { exact }
}

macro_rules! cast {
    // cast! { i8, i16 => (f32, f64): |x| x as _ } => impl CastFrom<i8> for f32 { fn cast_from(x: i8) -> f32 { x as _ } } ..
    // cast! { f16 => (f32) [widen_f16]: .. } => the same, and runs go to that kernel
    (@ $from:ty => ($($to:ty),*) $kernel:tt: |$x:ident| $body:expr) => {$(
        impl CastFrom<$from> for $to {
            #[inline(always)]
            fn cast_from($x: $from) -> Self {
                $body
            }
            cast!(# $from => $to, $kernel);
        }
    )*};
    (# $from:ty => $to:ty, []) => {};
    (# $from:ty => $to:ty, [$kernel:ident]) => {
        #[inline(always)]
        fn cast_run(
            kernels: &(impl HalfRuns<f32> + HalfRuns<f64>),
            x: &[$from],
            out: &mut [$to],
        ) {
            kernels.$kernel(x, out);
        }
    };
    ($($from:ty),* => $to:tt: |$x:ident| $body:expr) => {
        $(cast!(@ $from => $to []: |$x| $body);)*
    };
    ($($from:ty),* => $to:tt $kernel:tt: |$x:ident| $body:expr) => {
        $(cast!(@ $from => $to $kernel: |$x| $body);)*
    };
}

// `as` is what the head asks for between all numbers that Rust has.
cast!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 => (f32, f64, i8, i16, i32, i64, u8, u16, u32, u64): |x| x as Self);
cast!(f16, bf16 => (i8, i16, i32, i64, u8, u16, u32, u64): |x| x.to_single() as Self);
cast!(f16 => (f32, f64) [widen_f16]: |x| Self::from_half(x));
cast!(bf16 => (f32, f64) [widen_bf16]: |x| Self::from_half(x));
cast!(f32 => (f16) [narrow_f16]: |x| Self::from_single(x));
cast!(f32 => (bf16) [narrow_bf16]: |x| Self::from_single(x));
cast!(f64 => (f16) [narrow_f16]: |x| Self::from_single(to_odd(x)));
cast!(f64 => (bf16) [narrow_bf16]: |x| Self::from_single(to_odd(x)));
cast!(i64 => (f16, bf16): |x| Self::from_single(to_odd(integer_to_odd(x < 0, x.unsigned_abs()))));
cast!(u64 => (f16, bf16): |x| Self::from_single(to_odd(integer_to_odd(false, x))));
cast!(i8, i16, i32 => (f16, bf16): |x| Self::cast_from(i64::from(x)));
cast!(u8, u16, u32 => (f16, bf16): |x| Self::cast_from(u64::from(x)));
cast!(f16 => (bf16): |x| Self::from_single(x.to_single()));
cast!(bf16 => (f16): |x| Self::from_single(x.to_single()));
cast!(f16 => (f16): |x| x);
cast!(bf16 => (bf16): |x| x);
cast!(bool => (bool): |x| x);
cast!(bool => (i8, i16, i32, i64, u8, u16, u32, u64): |x| Self::from(x));
cast!(bool => (f32, f64, f16, bf16): |x| if x { Self::ONE } else { Self::default() });
cast!(f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64 => (bool): |x| x != Default::default());

#[cfg(test)]
mod tests {
    use std_alloc::vec;
    use std_alloc::vec::Vec;

    use super::*;

    /// The nearest of the 2^16 values of a narrow type, found by trying all; ties to the even pattern.
    fn nearest(x: f64, all: &[(f64, u16)]) -> u16 {
        let better = |&a: &(f64, u16), &b: &(f64, u16)| {
            let (da, db) = ((a.0 - x).abs(), (b.0 - x).abs());
            if db < da || (db == da && b.1 & 1 == 0 && a.1 & 1 == 1) { b } else { a }
        };
        all.iter().copied().reduce(|a, b| better(&a, &b)).unwrap().1
    }

    #[test]
    fn doubles_and_integers_round_once_to_narrow_types() {
        let mut f16s: Vec<(f64, u16)> =
            (0..0x7c00).map(|b| (f16::from_bits(b).to_f64(), b)).collect();
        // What overflows is infinite: the next number of the pattern, were there one.
        f16s.push((65536.0, 0x7c00));
        let mut bf16s: Vec<(f64, u16)> =
            (0..0x7f80).map(|b| (bf16::from_bits(b).to_f64(), b)).collect();
        bf16s.push((2.0_f64.powi(128), 0x7f80));
        let mut cases =
            vec![0.0, 65519.999, 65520.0, 3.4e38, 3.396e38, 1e-8, 5.960464477539063e-8 / 2.0];
        for i in 0..60 {
            let tie = f64::midpoint(f16s[i * 521].0, f16s[i * 521 + 1].0);
            cases.extend([tie, tie.next_up(), tie.next_down()]);
            let tie = f64::midpoint(bf16s[i * 541].0, bf16s[i * 541 + 1].0);
            cases.extend([tie, tie.next_up(), tie.next_down()]);
        }
        for x in cases {
            assert_eq!(bf16::cast_from(x).to_bits(), nearest(x, &bf16s), "bf16 of {x:e}");
            if x < 65536.0 {
                assert_eq!(f16::cast_from(x).to_bits(), nearest(x, &f16s), "f16 of {x:e}");
                assert_eq!(
                    f16::cast_from(-x).to_bits(),
                    nearest(x, &f16s) | 0x8000,
                    "f16 of -{x:e}"
                );
            }
        }
        // A tie of bf16 that the last bit of an i64 breaks, and a true tie.
        assert_eq!(bf16::cast_from((0x101_i64 << 54) + 1).to_f64(), (0x102_u64 << 54) as f64);
        assert_eq!(bf16::cast_from(0x101_i64 << 54).to_f64(), (0x100_u64 << 54) as f64);
        assert_eq!(bf16::cast_from(-(0x101_i64 << 54) - 1).to_f64(), -((0x102_u64 << 54) as f64));
        assert_eq!(f16::cast_from(u64::MAX), f16::INFINITY);
    }

    #[test]
    fn narrow_types_come_back_as_they_were() {
        for bits in 0..=u16::MAX {
            let (a, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            if a.is_nan() {
                assert!(f32::cast_from(a).is_nan() && f16::cast_from(f32::cast_from(a)).is_nan());
            } else {
                assert_eq!(f16::cast_from(f32::cast_from(a)).to_bits(), bits);
                assert_eq!(f16::cast_from(f64::cast_from(a)).to_bits(), bits);
            }
            if b.is_nan() {
                assert!(f64::cast_from(b).is_nan() && bf16::cast_from(f64::cast_from(b)).is_nan());
            } else {
                assert_eq!(bf16::cast_from(f32::cast_from(b)).to_bits(), bits);
                assert_eq!(bf16::cast_from(f64::cast_from(b)).to_bits(), bits);
            }
        }
    }
}
