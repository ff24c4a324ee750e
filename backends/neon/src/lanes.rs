//! [`Lanes`] in NEON registers: four `f32`, two `f64`.
//!
//! Each operation has the bits of the scalar one: comparisons are ordered (NaN is false), signs are flipped by bit,
//! and rounding and scaling follow the scalar formulas step by step. The intrinsics stand in functions that carry
//! their `target_feature`; they inline into the backend's `enter`, which carries the same.

use core::arch::aarch64::*;

use fucina_core::dtype::{Half, bf16, f16};
use fucina_core::kernels::Lanes;
use fucina_core::roots_of_lanes;

use crate::Neon;

macro_rules! on_registers {
    // on_registers! { sqrt(a: float32x4_t) -> float32x4_t = vsqrtq_f32(a); } =>
    // fn sqrt(self, a: float32x4_t) -> float32x4_t { #[target_feature(..)] fn op(..) { vsqrtq_f32(a) } op(a) }
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            #[inline]
            #[target_feature(enable = "neon")]
            fn op($($arg: $ty),*) -> $out {
                $body
            }
            // SAFETY: the target has neon (the `cfg` of the module above).
            unsafe { op($($arg),*) }
        }
    )*};
}

impl Neon {
    on_registers! {
        widened_f16(x: uint16x4_t) -> float32x4_t = vcvt_f32_f16(vreinterpret_f16_u16(x));
        widened_bf16(x: uint16x4_t) -> float32x4_t = {
            let bits = vshll_n_u16::<16>(x);
            let v = vreinterpretq_f32_u32(bits);
            let quiet = vbicq_u32(vdupq_n_u32(0x40_0000), vceqq_f32(v, v));
            vreinterpretq_f32_u32(vorrq_u32(bits, quiet))
        };
        narrowed_f16(v: float32x4_t) -> uint16x4_t = vreinterpret_u16_f16(vcvt_f16_f32(v));
        narrowed_bf16(v: float32x4_t) -> uint16x4_t = {
            let bits = vreinterpretq_u32_f32(v);
            let odd = vandq_u32(vshrq_n_u32::<16>(bits), vdupq_n_u32(1));
            let half = vaddq_u32(odd, vdupq_n_u32(0x7fff));
            let number = vshrn_n_u32::<16>(vaddq_u32(bits, half));
            let quiet = vorr_u16(vshrn_n_u32::<16>(bits), vdup_n_u16(0x40));
            vbsl_u16(vmovn_u32(vceqq_f32(v, v)), number, quiet)
        };
    }

    /// Four halves, of either kind.
    #[inline(always)]
    fn load_halves<H: Half>(self, x: &[H]) -> uint16x4_t {
        const { assert!(size_of::<H>() == 2 && align_of::<H>() == 2) };
        let x = &x[..4];
        // SAFETY: `x` is 8 readable bytes (sliced, asserted above), aligned as u16; the target has neon.
        unsafe { vld1_u16(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_halves<H: Half>(self, v: uint16x4_t, out: &mut [H]) {
        const { assert!(size_of::<H>() == 2 && align_of::<H>() == 2) };
        let out = &mut out[..4];
        // SAFETY: `out` is 8 writable bytes (as above) that any bits may fill, aligned as u16; the target has neon.
        unsafe { vst1_u16(out.as_mut_ptr().cast(), v) }
    }
}

roots_of_lanes!(Neon);

impl Lanes<f32> for Neon {
    type V = float32x4_t;
    type M = uint32x4_t;
    const N: usize = 4;
    const FUSED: bool = true;

    #[inline(always)]
    fn load(self, x: &[f32]) -> float32x4_t {
        let x = &x[..4];
        // SAFETY: `x` is 4 readable f32 (sliced above), aligned as f32; the target has neon.
        unsafe { vld1q_f32(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f32]) -> float32x4_t {
        let whole = match *x {
            [] => [0.0; 4],
            [a] => [a, 0.0, 0.0, 0.0],
            [a, b] => [a, b, 0.0, 0.0],
            [a, b, c] => [a, b, c, 0.0],
            _ => return self.load(x),
        };
        self.load(&whole)
    }
    #[inline(always)]
    fn store(self, v: float32x4_t, out: &mut [f32]) {
        let out = &mut out[..4];
        // SAFETY: `out` is 4 writable f32 (sliced above), aligned as f32; the target has neon.
        unsafe { vst1q_f32(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: float32x4_t, out: &mut [f32]) {
        let mut whole = [0.0; 4];
        self.store(v, &mut whole);
        for (out, x) in out.iter_mut().zip(whole) {
            *out = x;
        }
    }

    #[inline(always)]
    fn load_f16(self, x: &[f16]) -> float32x4_t {
        self.widened_f16(self.load_halves(x))
    }
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> float32x4_t {
        self.widened_bf16(self.load_halves(x))
    }
    #[inline(always)]
    fn store_f16(self, v: float32x4_t, out: &mut [f16]) {
        self.store_halves(self.narrowed_f16(v), out);
    }
    #[inline(always)]
    fn store_bf16(self, v: float32x4_t, out: &mut [bf16]) {
        self.store_halves(self.narrowed_bf16(v), out);
    }

    on_registers! {
        splat(x: f32) -> float32x4_t = vdupq_n_f32(x);
        add(a: float32x4_t, b: float32x4_t) -> float32x4_t = vaddq_f32(a, b);
        sub(a: float32x4_t, b: float32x4_t) -> float32x4_t = vsubq_f32(a, b);
        mul(a: float32x4_t, b: float32x4_t) -> float32x4_t = vmulq_f32(a, b);
        div(a: float32x4_t, b: float32x4_t) -> float32x4_t = vdivq_f32(a, b);
        mul_add(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t = vfmaq_f32(c, a, b);
        sqrt(a: float32x4_t) -> float32x4_t = vsqrtq_f32(a);
        neg(a: float32x4_t) -> float32x4_t = vnegq_f32(a);
        abs(a: float32x4_t) -> float32x4_t = vabsq_f32(a);
        copysign(a: float32x4_t, sign: float32x4_t) -> float32x4_t =
            vbslq_f32(vdupq_n_u32(1 << (u32::BITS - 1)), sign, a);
        round(a: float32x4_t) -> float32x4_t = {
            // As the scalar: adding 1.5 * 2^23 leaves no bits below the point (and a zero is +0).
            let magic = vdupq_n_f32(12_582_912.0);
            vsubq_f32(vaddq_f32(a, magic), magic)
        };
        scale_pow2(a: float32x4_t, n: float32x4_t) -> float32x4_t = {
            let n = vcvtq_s32_f32(n);
            let half = vshrq_n_s32::<1>(n);
            let bias = vdupq_n_s32(127);
            let pow2 = |e| vreinterpretq_f32_s32(vshlq_n_s32::<23>(vaddq_s32(e, bias)));
            vmulq_f32(vmulq_f32(a, pow2(half)), pow2(vsubq_s32(n, half)))
        };
        pow2(n: float32x4_t) -> float32x4_t = {
            let biased = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
            vreinterpretq_f32_s32(vshlq_n_s32::<23>(biased))
        };
        split_exponent(a: float32x4_t) -> (float32x4_t, float32x4_t) = {
            let bits = vreinterpretq_u32_f32(a);
            let biased = vreinterpretq_s32_u32(vshrq_n_u32::<23>(bits));
            let e = vsubq_s32(biased, vdupq_n_s32(126));
            let fraction = vandq_u32(bits, vdupq_n_u32((1 << 23) - 1));
            let m = vorrq_u32(fraction, vdupq_n_u32(126 << 23));
            (vreinterpretq_f32_u32(m), vcvtq_f32_s32(e))
        };
        lt(a: float32x4_t, b: float32x4_t) -> uint32x4_t = vcltq_f32(a, b);
        le(a: float32x4_t, b: float32x4_t) -> uint32x4_t = vcleq_f32(a, b);
        eq(a: float32x4_t, b: float32x4_t) -> uint32x4_t = vceqq_f32(a, b);
        and(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vandq_u32(a, b);
        select(mask: uint32x4_t, yes: float32x4_t, no: float32x4_t) -> float32x4_t = vbslq_f32(mask, yes, no);
    }

    #[inline(always)]
    fn map(self, a: float32x4_t, f: impl Fn(f32) -> f32) -> float32x4_t {
        let mut x = [0.0; 4];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}

impl Lanes<f64> for Neon {
    type V = float64x2_t;
    type M = uint64x2_t;
    const N: usize = 2;
    const FUSED: bool = true;

    #[inline(always)]
    fn load(self, x: &[f64]) -> float64x2_t {
        let x = &x[..2];
        // SAFETY: `x` is 2 readable f64 (sliced above), aligned as f64; the target has neon.
        unsafe { vld1q_f64(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f64]) -> float64x2_t {
        let whole = match *x {
            [] => [0.0; 2],
            [a] => [a, 0.0],
            _ => return self.load(x),
        };
        self.load(&whole)
    }
    #[inline(always)]
    fn store(self, v: float64x2_t, out: &mut [f64]) {
        let out = &mut out[..2];
        // SAFETY: `out` is 2 writable f64 (sliced above), aligned as f64; the target has neon.
        unsafe { vst1q_f64(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: float64x2_t, out: &mut [f64]) {
        let mut whole = [0.0; 2];
        self.store(v, &mut whole);
        for (out, x) in out.iter_mut().zip(whole) {
            *out = x;
        }
    }

    on_registers! {
        splat(x: f64) -> float64x2_t = vdupq_n_f64(x);
        add(a: float64x2_t, b: float64x2_t) -> float64x2_t = vaddq_f64(a, b);
        sub(a: float64x2_t, b: float64x2_t) -> float64x2_t = vsubq_f64(a, b);
        mul(a: float64x2_t, b: float64x2_t) -> float64x2_t = vmulq_f64(a, b);
        div(a: float64x2_t, b: float64x2_t) -> float64x2_t = vdivq_f64(a, b);
        mul_add(a: float64x2_t, b: float64x2_t, c: float64x2_t) -> float64x2_t = vfmaq_f64(c, a, b);
        sqrt(a: float64x2_t) -> float64x2_t = vsqrtq_f64(a);
        neg(a: float64x2_t) -> float64x2_t = vnegq_f64(a);
        abs(a: float64x2_t) -> float64x2_t = vabsq_f64(a);
        copysign(a: float64x2_t, sign: float64x2_t) -> float64x2_t =
            vbslq_f64(vdupq_n_u64(1 << (u64::BITS - 1)), sign, a);
        round(a: float64x2_t) -> float64x2_t = {
            // As the scalar: adding 1.5 * 2^52 leaves no bits below the point (and a zero is +0).
            let magic = vdupq_n_f64(6_755_399_441_055_744.0);
            vsubq_f64(vaddq_f64(a, magic), magic)
        };
        scale_pow2(a: float64x2_t, n: float64x2_t) -> float64x2_t = {
            let n = vcvtq_s64_f64(n);
            let half = vshrq_n_s64::<1>(n);
            let bias = vdupq_n_s64(1023);
            let pow2 = |e| vreinterpretq_f64_s64(vshlq_n_s64::<52>(vaddq_s64(e, bias)));
            vmulq_f64(vmulq_f64(a, pow2(half)), pow2(vsubq_s64(n, half)))
        };
        split_exponent(a: float64x2_t) -> (float64x2_t, float64x2_t) = {
            let bits = vreinterpretq_u64_f64(a);
            let biased = vreinterpretq_s64_u64(vshrq_n_u64::<52>(bits));
            let e = vsubq_s64(biased, vdupq_n_s64(1022));
            let fraction = vandq_u64(bits, vdupq_n_u64((1 << 52) - 1));
            let m = vorrq_u64(fraction, vdupq_n_u64(1022 << 52));
            (vreinterpretq_f64_u64(m), vcvtq_f64_s64(e))
        };
        lt(a: float64x2_t, b: float64x2_t) -> uint64x2_t = vcltq_f64(a, b);
        le(a: float64x2_t, b: float64x2_t) -> uint64x2_t = vcleq_f64(a, b);
        eq(a: float64x2_t, b: float64x2_t) -> uint64x2_t = vceqq_f64(a, b);
        and(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vandq_u64(a, b);
        select(mask: uint64x2_t, yes: float64x2_t, no: float64x2_t) -> float64x2_t = vbslq_f64(mask, yes, no);
    }

    #[inline(always)]
    fn map(self, a: float64x2_t, f: impl Fn(f64) -> f64) -> float64x2_t {
        let mut x = [0.0; 2];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}
