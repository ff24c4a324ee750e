//! [`Float`]: the element types that kernels compute in, with the scalar operations kernels are built from.
//!
//! Each operation is exact or rounded once, on every target, whether or not its CPU has an instruction for it.

use super::{CastFrom, Element, Half};

/// An element type that kernels compute in: `f32` and `f64`.
pub trait Float:
    Element
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
    + core::ops::Neg<Output = Self>
{
    /// Zero.
    const ZERO: Self;
    /// Infinity: the identity of min.
    const INFINITY: Self;
    /// Negative infinity: the identity of max.
    const NEG_INFINITY: Self;
    /// Not a number.
    const NAN: Self;
    /// The first positive number from which on none has bits below the point: 2^23 (f32), 2^52 (f64).
    const INTEGRAL: Self;
    /// 32 ones and 32 zeros, of which kernels make the mask of the first lanes.
    const ONES_THEN_ZEROS: &'static [Self; 64];
    /// Rounds an `f64` to this type.
    fn from_f64(x: f64) -> Self;
    /// Widens (or keeps) the value.
    fn to_f64(self) -> f64;
    /// Widens a float of 16 bits.
    fn from_half<H: Half>(x: H) -> Self;
    /// The nearest float of 16 bits, ties to even.
    fn to_half<H: Half>(self) -> H;
    /// `self * b + c`, rounded once.
    fn fused_mul_add(self, b: Self, c: Self) -> Self;
    /// The correctly rounded square root.
    fn square_root(self) -> Self;
    /// Whether it is NaN.
    fn is_not_a_number(self) -> bool;
    /// The absolute value.
    fn magnitude(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn with_sign_of(self, sign: Self) -> Self;
    /// The nearest integer, ties to even. For magnitudes below 2^22 (f32) or 2^51 (f64).
    fn nearest_integer(self) -> Self;
    /// `self * 2^n` for integral `n`, rounded once; `n` may lie up to twice the exponent range outside the normal ones.
    fn scale_pow2(self, n: Self) -> Self;
    /// `(m, e)` with `self = m * 2^e`, `m` in `[0.5, 1)`, `e` integral, for positive normal values.
    fn split_exponent(self) -> (Self, Self);
}

macro_rules! float {
    // float!(f32, u32, i32, 23, libm::sqrtf, fuse_f32, Half::from_single) => impl Float for f32 { const ZERO: f32 = 0.0; .. }
    ($t:ty, $bits:ty, $int:ty, $mantissa:literal, $sqrt:path, $fma:path, $narrow:path) => {
        impl Float for $t {
            const ZERO: Self = 0.0;
            const INFINITY: Self = Self::INFINITY;
            const NEG_INFINITY: Self = Self::NEG_INFINITY;
            const ONES_THEN_ZEROS: &'static [$t; 64] = &{
                let mut x = [0.0; 64];
                let mut i = 0;
                while i < 32 {
                    x[i] = 1.0;
                    i += 1;
                }
                x
            };
            const NAN: Self = Self::NAN;
            const INTEGRAL: Self = ((1 as $bits) << $mantissa) as $t;
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_half<H: Half>(x: H) -> Self {
                x.to_single().into()
            }
            #[inline(always)]
            fn to_half<H: Half>(self) -> H {
                $narrow(self)
            }
            #[inline(always)]
            fn fused_mul_add(self, b: Self, c: Self) -> Self {
                $fma(self, b, c)
            }
            #[inline(always)]
            fn square_root(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            fn is_not_a_number(self) -> bool {
                self.is_nan()
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn with_sign_of(self, sign: Self) -> Self {
                self.copysign(sign)
            }
            #[inline(always)]
            fn nearest_integer(self) -> Self {
                // Adding 1.5 * 2^mantissa leaves no bits below the point; taking it away is exact.
                const MAGIC: $t = ((3 as $bits) << ($mantissa - 1)) as $t;
                (self + MAGIC) - MAGIC
            }
            #[inline(always)]
            fn scale_pow2(self, n: Self) -> Self {
                // Two factors of about 2^(n/2): only the second product rounds.
                let n = n as $int;
                let half = n >> 1;
                let bias = <$t>::MAX_EXP as $int - 1;
                let pow2 = |e: $int| <$t>::from_bits((e.wrapping_add(bias) as $bits) << $mantissa);
                self * pow2(half) * pow2(n.wrapping_sub(half))
            }
            #[inline(always)]
            fn split_exponent(self) -> (Self, Self) {
                let bits = self.to_bits();
                let half_exponent = <$t>::MAX_EXP as $int - 2;
                let e = (bits >> $mantissa) as $int - half_exponent;
                let fraction = bits & ((1 << $mantissa) - 1);
                (<$t>::from_bits(fraction | (half_exponent as $bits) << $mantissa), e as $t)
            }
        }
    };
}

float!(f32, u32, i32, 23, libm::sqrtf, fuse_f32, Half::from_single);
float!(f64, u64, i64, 52, libm::sqrt, libm::fma, CastFrom::cast_from);

/// `a * b + c` rounded once. The product is exact in f64; the sum is rounded to odd there, so that the last rounding
/// is the only one that counts (Boldo and Melquiond, 2008: 53 bits are at least 24 + 2).
#[inline(always)]
fn fuse_f32(a: f32, b: f32, c: f32) -> f32 {
    let (p, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = p + c;
    // The sum's rounding error, exactly (two-sum).
    let carried = sum - p;
    let error = (p - (sum - carried)) + (c - carried);
    let bits = sum.to_bits();
    // An inexact sum with an even last bit moves one step towards the error.
    let moves = error != 0.0 && sum.is_finite() && bits & 1 == 0;
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    let odd = if moves { bits.wrapping_add(step) } else { bits };
    f64::from_bits(odd) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fused_f32_rounds_once() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f32::from_bits((state >> 32) as u32)
        };
        for _ in 0..200_000 {
            let (a, b, c) = (next(), next(), next());
            let (ours, theirs) = (a.fused_mul_add(b, c), libm::fmaf(a, b, c));
            let same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
            assert!(same, "{a:e} * {b:e} + {c:e}: {ours:e}, {theirs:e}");
        }
        // A tie that rounding twice gets wrong: 1 + 2^-24 + 2^-60.
        let tiny = f32::from_bits((127 - 30) << 23);
        assert_eq!(tiny.fused_mul_add(tiny, 1.0), 1.0);
        let near = (1.0 + f32::EPSILON).fused_mul_add(1.0 + f32::EPSILON, -1.0);
        assert_eq!(
            near.to_bits(),
            libm::fmaf(1.0 + f32::EPSILON, 1.0 + f32::EPSILON, -1.0).to_bits()
        );
    }

    #[test]
    fn exponents_split_and_scale() {
        for x in [1.0_f32, 0.75, 3.5e37, f32::MIN_POSITIVE] {
            let (m, e) = x.split_exponent();
            assert!((0.5..1.0).contains(&m));
            assert_eq!(m.scale_pow2(e), x);
        }
        assert_eq!(1.0_f32.scale_pow2(-149.0), f32::from_bits(1));
        assert_eq!(0.5_f32.scale_pow2(128.0), f32::from_bits(0x7f00_0000));
        assert_eq!(1.0_f32.scale_pow2(128.0), f32::INFINITY);
        assert_eq!(1.0_f64.scale_pow2(-1074.0), f64::from_bits(1));
        for (x, n) in [(2.5_f32, 2.0_f32), (-0.5, -0.0), (3.5, 4.0), (-7.49, -7.0)] {
            assert_eq!(x.nearest_integer(), n);
        }
    }
}
