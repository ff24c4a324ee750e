//! [`Lanes`] in WASM SIMD registers: four `f32`, two `f64`.
//!
//! Each operation has the bits of the unfused scalar one: comparisons are ordered (NaN is false), signs are flipped
//! by bit, and rounding and scaling follow the scalar formulas step by step. Intrinsics without a pointer are safe on
//! WASM: a module that holds an instruction which the engine lacks does not load.

use core::arch::wasm32::*;

use fucina_core::kernels::Lanes;
use fucina_core::roots_of_lanes;

use crate::Simd128;

roots_of_lanes!(Simd128);

impl Lanes<f32> for Simd128 {
    type V = v128;
    type M = v128;
    const N: usize = 4;
    const FUSED: bool = false;

    #[inline(always)]
    fn load(self, x: &[f32]) -> v128 {
        let x = &x[..4];
        // SAFETY: `x` is 4 readable f32 (sliced above); `v128_load` needs no alignment.
        unsafe { v128_load(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f32]) -> v128 {
        let whole = match *x {
            [] => [0.0; 4],
            [a] => [a, 0.0, 0.0, 0.0],
            [a, b] => [a, b, 0.0, 0.0],
            [a, b, c] => [a, b, c, 0.0],
            _ => return Lanes::<f32>::load(self, x),
        };
        Lanes::<f32>::load(self, &whole)
    }
    #[inline(always)]
    fn store(self, v: v128, out: &mut [f32]) {
        let out = &mut out[..4];
        // SAFETY: `out` is 4 writable f32 (sliced above); `v128_store` needs no alignment.
        unsafe { v128_store(out.as_mut_ptr().cast(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: v128, out: &mut [f32]) {
        let mut whole = [0.0; 4];
        Lanes::<f32>::store(self, v, &mut whole);
        for (out, x) in out.iter_mut().zip(whole) {
            *out = x;
        }
    }

    #[inline(always)]
    fn splat(self, x: f32) -> v128 {
        f32x4_splat(x)
    }
    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        f32x4_add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: v128, b: v128) -> v128 {
        f32x4_sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: v128, b: v128) -> v128 {
        f32x4_mul(a, b)
    }
    #[inline(always)]
    fn div(self, a: v128, b: v128) -> v128 {
        f32x4_div(a, b)
    }
    #[inline(always)]
    fn mul_add(self, a: v128, b: v128, c: v128) -> v128 {
        f32x4_add(f32x4_mul(a, b), c)
    }
    #[inline(always)]
    fn sqrt(self, a: v128) -> v128 {
        f32x4_sqrt(a)
    }
    #[inline(always)]
    fn neg(self, a: v128) -> v128 {
        f32x4_neg(a)
    }
    #[inline(always)]
    fn abs(self, a: v128) -> v128 {
        f32x4_abs(a)
    }
    #[inline(always)]
    fn copysign(self, a: v128, sign: v128) -> v128 {
        v128_bitselect(sign, a, f32x4_splat(-0.0))
    }
    #[inline(always)]
    fn round(self, a: v128) -> v128 {
        // As the scalar: adding 1.5 * 2^23 leaves no bits below the point (and a zero is +0).
        let magic = f32x4_splat(12_582_912.0);
        f32x4_sub(f32x4_add(a, magic), magic)
    }
    #[inline(always)]
    fn scale_pow2(self, a: v128, n: v128) -> v128 {
        let n = i32x4_trunc_sat_f32x4(n);
        let half = i32x4_shr(n, 1);
        let pow2 = |e| i32x4_shl(i32x4_add(e, i32x4_splat(127)), 23);
        f32x4_mul(f32x4_mul(a, pow2(half)), pow2(i32x4_sub(n, half)))
    }
    #[inline(always)]
    fn pow2(self, n: v128) -> v128 {
        i32x4_shl(i32x4_add(i32x4_trunc_sat_f32x4(n), i32x4_splat(127)), 23)
    }
    #[inline(always)]
    fn split_exponent(self, a: v128) -> (v128, v128) {
        let e = i32x4_sub(u32x4_shr(a, 23), i32x4_splat(126));
        let fraction = v128_and(a, i32x4_splat((1 << 23) - 1));
        (v128_or(fraction, i32x4_splat(126 << 23)), f32x4_convert_i32x4(e))
    }
    #[inline(always)]
    fn lt(self, a: v128, b: v128) -> v128 {
        f32x4_lt(a, b)
    }
    #[inline(always)]
    fn le(self, a: v128, b: v128) -> v128 {
        f32x4_le(a, b)
    }
    #[inline(always)]
    fn eq(self, a: v128, b: v128) -> v128 {
        f32x4_eq(a, b)
    }
    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    #[inline(always)]
    fn select(self, mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }
    // The instructions take `b` where it is less (greater) than `a`: the operands change places.
    #[inline(always)]
    fn min(self, a: v128, b: v128) -> v128 {
        f32x4_pmin(b, a)
    }
    #[inline(always)]
    fn max(self, a: v128, b: v128) -> v128 {
        f32x4_pmax(b, a)
    }

    #[inline(always)]
    fn map(self, a: v128, f: impl Fn(f32) -> f32) -> v128 {
        let mut x = [0.0; 4];
        Lanes::<f32>::store(self, a, &mut x);
        Lanes::<f32>::load(self, &x.map(f))
    }
}

impl Lanes<f64> for Simd128 {
    type V = v128;
    type M = v128;
    const N: usize = 2;
    const FUSED: bool = false;

    #[inline(always)]
    fn load(self, x: &[f64]) -> v128 {
        let x = &x[..2];
        // SAFETY: `x` is 2 readable f64 (sliced above); `v128_load` needs no alignment.
        unsafe { v128_load(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f64]) -> v128 {
        let whole = match *x {
            [] => [0.0; 2],
            [a] => [a, 0.0],
            _ => return Lanes::<f64>::load(self, x),
        };
        Lanes::<f64>::load(self, &whole)
    }
    #[inline(always)]
    fn store(self, v: v128, out: &mut [f64]) {
        let out = &mut out[..2];
        // SAFETY: `out` is 2 writable f64 (sliced above); `v128_store` needs no alignment.
        unsafe { v128_store(out.as_mut_ptr().cast(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: v128, out: &mut [f64]) {
        let mut whole = [0.0; 2];
        Lanes::<f64>::store(self, v, &mut whole);
        for (out, x) in out.iter_mut().zip(whole) {
            *out = x;
        }
    }

    #[inline(always)]
    fn splat(self, x: f64) -> v128 {
        f64x2_splat(x)
    }
    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        f64x2_add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: v128, b: v128) -> v128 {
        f64x2_sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: v128, b: v128) -> v128 {
        f64x2_mul(a, b)
    }
    #[inline(always)]
    fn div(self, a: v128, b: v128) -> v128 {
        f64x2_div(a, b)
    }
    #[inline(always)]
    fn mul_add(self, a: v128, b: v128, c: v128) -> v128 {
        f64x2_add(f64x2_mul(a, b), c)
    }
    #[inline(always)]
    fn sqrt(self, a: v128) -> v128 {
        f64x2_sqrt(a)
    }
    #[inline(always)]
    fn neg(self, a: v128) -> v128 {
        f64x2_neg(a)
    }
    #[inline(always)]
    fn abs(self, a: v128) -> v128 {
        f64x2_abs(a)
    }
    #[inline(always)]
    fn copysign(self, a: v128, sign: v128) -> v128 {
        v128_bitselect(sign, a, f64x2_splat(-0.0))
    }
    #[inline(always)]
    fn round(self, a: v128) -> v128 {
        // As the scalar: adding 1.5 * 2^52 leaves no bits below the point (and a zero is +0).
        let magic = f64x2_splat(6_755_399_441_055_744.0);
        f64x2_sub(f64x2_add(a, magic), magic)
    }
    #[inline(always)]
    fn scale_pow2(self, a: v128, n: v128) -> v128 {
        // 32 bits hold any `n` that is allowed; there is no conversion to 64.
        let n = i32x4_trunc_sat_f64x2_zero(n);
        let half = i32x4_shr(n, 1);
        let biased = |e| i64x2_extend_low_i32x4(i32x4_add(e, i32x4_splat(1023)));
        let pow2 = |e| i64x2_shl(biased(e), 52);
        f64x2_mul(f64x2_mul(a, pow2(half)), pow2(i32x4_sub(n, half)))
    }
    #[inline(always)]
    fn split_exponent(self, a: v128) -> (v128, v128) {
        // 2^52 + biased exponent, by its bits; the subtraction is exact.
        let biased = v128_or(u64x2_shr(a, 52), f64x2_splat(4_503_599_627_370_496.0));
        let e = f64x2_sub(biased, f64x2_splat(4_503_599_627_370_496.0 + 1022.0));
        let fraction = v128_and(a, i64x2_splat((1 << 52) - 1));
        (v128_or(fraction, i64x2_splat(1022 << 52)), e)
    }
    #[inline(always)]
    fn lt(self, a: v128, b: v128) -> v128 {
        f64x2_lt(a, b)
    }
    #[inline(always)]
    fn le(self, a: v128, b: v128) -> v128 {
        f64x2_le(a, b)
    }
    #[inline(always)]
    fn eq(self, a: v128, b: v128) -> v128 {
        f64x2_eq(a, b)
    }
    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    #[inline(always)]
    fn select(self, mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }

    #[inline(always)]
    fn map(self, a: v128, f: impl Fn(f64) -> f64) -> v128 {
        let mut x = [0.0; 2];
        Lanes::<f64>::store(self, a, &mut x);
        Lanes::<f64>::load(self, &x.map(f))
    }
}
