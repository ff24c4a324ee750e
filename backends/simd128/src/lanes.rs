//! [`Lanes`] in WASM SIMD registers: four `f32`, two `f64`.
//!
//! Each operation has the bits of the unfused scalar one: comparisons are ordered (NaN is false), signs are flipped
//! by bit, and rounding and scaling follow the scalar formulas step by step. Intrinsics without a pointer are safe on
//! WASM: a module that holds an instruction which the engine lacks does not load.

use core::arch::wasm32::*;

use fucina_core::dtype::{Half, bf16, f16};
use fucina_core::kernels::Lanes;
use fucina_core::roots_of_lanes;

use crate::Simd128;

/// Bits of f32 vectors: the sign, infinity, and what makes NaN quiet.
const SIGN: i32 = i32::MIN;
const INFINITY: i32 = 0x7f80_0000;
const QUIET: i32 = 0x40_0000;

/// f16 widened, one in each word: the steps of the scalar form.
#[inline(always)]
fn widened_f16(x: v128) -> v128 {
    let rest = v128_and(x, i32x4_splat(0x7fff));
    let small = f32x4_mul(f32x4_convert_i32x4(rest), f32x4_splat(f32::from_bits(103 << 23)));
    let shifted = i32x4_shl(rest, 13);
    let normal = i32x4_add(shifted, i32x4_splat(112 << 23));
    let quiet = v128_and(i32x4_gt(rest, i32x4_splat(0x7c00)), i32x4_splat(QUIET));
    let infinite = v128_or(v128_or(shifted, i32x4_splat(INFINITY)), quiet);
    let finite = v128_bitselect(small, normal, i32x4_lt(rest, i32x4_splat(0x400)));
    let bits = v128_bitselect(finite, infinite, i32x4_lt(rest, i32x4_splat(0x7c00)));
    v128_or(bits, v128_and(i32x4_shl(x, 16), i32x4_splat(SIGN)))
}

#[inline(always)]
fn widened_bf16(x: v128) -> v128 {
    let bits = i32x4_shl(x, 16);
    let quiet = v128_andnot(i32x4_splat(QUIET), f32x4_eq(bits, bits));
    v128_or(bits, quiet)
}

/// To f16, one in each word: the steps of the scalar form.
#[inline(always)]
fn narrowed_f16(v: v128) -> v128 {
    let rest = v128_andnot(v, i32x4_splat(SIGN));
    let half = f32x4_splat(0.5);
    let small = i32x4_sub(f32x4_add(rest, half), half);
    let odd = v128_and(u32x4_shr(rest, 13), i32x4_splat(1));
    let rounded = i32x4_sub(i32x4_add(rest, odd), i32x4_splat((112 << 23) - 0xfff));
    let normal = i32x4_min(i32x4_shr(rounded, 13), i32x4_splat(0x7c00));
    let number = v128_bitselect(small, normal, i32x4_lt(rest, i32x4_splat(113 << 23)));
    let nan = v128_and(u32x4_shr(rest, 13), i32x4_splat(0x3ff));
    let nan = v128_or(nan, i32x4_splat(0x7e00));
    let bits = v128_bitselect(number, nan, f32x4_eq(v, v));
    v128_or(bits, u32x4_shr(v128_and(v, i32x4_splat(SIGN)), 16))
}

#[inline(always)]
fn narrowed_bf16(v: v128) -> v128 {
    let upper = u32x4_shr(v, 16);
    let half = i32x4_add(v128_and(upper, i32x4_splat(1)), i32x4_splat(0x7fff));
    let number = u32x4_shr(i32x4_add(v, half), 16);
    v128_bitselect(number, v128_or(upper, i32x4_splat(0x40)), f32x4_eq(v, v))
}

/// Four halves, of either kind, one in each word.
#[inline(always)]
fn load_halves<H: Half>(x: &[H]) -> v128 {
    const { assert!(size_of::<H>() == 2) };
    let x = &x[..4];
    // SAFETY: `x` is 8 readable bytes (sliced, asserted above); the load needs no alignment.
    unsafe { u32x4_load_extend_u16x4(x.as_ptr().cast()) }
}

#[inline(always)]
fn store_halves<H: Half>(v: v128, out: &mut [H]) {
    const { assert!(size_of::<H>() == 2) };
    let out = &mut out[..4];
    let packed = u16x8_narrow_i32x4(v, v);
    // SAFETY: `out` is 8 writable bytes (as above) that any bits may fill; the store needs no alignment.
    unsafe { v128_store64_lane::<0>(packed, out.as_mut_ptr().cast()) }
}

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
    fn load_f16(self, x: &[f16]) -> v128 {
        widened_f16(load_halves(x))
    }
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> v128 {
        widened_bf16(load_halves(x))
    }
    #[inline(always)]
    fn store_f16(self, v: v128, out: &mut [f16]) {
        store_halves(narrowed_f16(v), out);
    }
    #[inline(always)]
    fn store_bf16(self, v: v128, out: &mut [bf16]) {
        store_halves(narrowed_bf16(v), out);
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
