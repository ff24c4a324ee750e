//! [`Lanes`] in AVX-512 registers: sixteen `f32`, eight `f64`.
//!
//! Each operation has the bits of the scalar one: comparisons are ordered (NaN is false), signs are flipped by bit,
//! and rounding follows the scalar formula step by step. The intrinsics stand in functions that carry their
//! `target_feature`; they inline into the backend's `enter`, which carries the same.

use core::arch::x86_64::*;

use fucina_core::dtype::{Half, bf16, f16};
use fucina_core::kernels::{Lanes, Op};
use fucina_core::roots_of_lanes;

use crate::Avx512;

/// The mask of the first `len` lanes of `of`, 16 at most; no lane beyond, whatever `len` is.
#[inline(always)]
fn first(len: usize, of: u32) -> u32 {
    (1 << (len as u32).min(of)) - 1
}

macro_rules! on_registers {
    // on_registers! { add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b); } =>
    // fn add(self, a: __m512, b: __m512) -> __m512 { #[target_feature(..)] fn op(..) { _mm512_add_ps(a, b) } op(a, b) }
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            #[inline]
            #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512dq,avx512vl")]
            fn op($($arg: $ty),*) -> $out {
                $body
            }
            // SAFETY: `self` came from `detect`, which saw all of these on this CPU.
            unsafe { op($($arg),*) }
        }
    )*};
}

impl Avx512 {
    on_registers! {
        widened_f16(x: __m256i) -> __m512 = _mm512_cvtph_ps(x);
        widened_bf16(x: __m256i) -> __m512 = {
            let bits = _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(x));
            let v = _mm512_castsi512_ps(bits);
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(v, v);
            let quiet = _mm512_set1_epi32(0x40_0000);
            _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, is_nan, bits, quiet))
        };
        // Rounds as its constant says, whatever the mode of the CPU.
        narrowed_f16(v: __m512) -> __m256i = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v);
        // The instruction of AVX-512 BF16 would flush subnormal numbers.
        narrowed_bf16(v: __m512) -> __m256i = {
            let bits = _mm512_castps_si512(v);
            let upper = _mm512_srli_epi32::<16>(bits);
            let odd = _mm512_and_si512(upper, _mm512_set1_epi32(1));
            let half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
            let number = _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, half));
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(v, v);
            let quiet = _mm512_set1_epi32(0x40);
            _mm512_cvtepi32_epi16(_mm512_mask_or_epi32(number, is_nan, upper, quiet))
        };
    }

    /// Sixteen halves, of either kind.
    #[inline(always)]
    fn load_halves<H: Half>(self, x: &[H]) -> __m256i {
        const { assert!(size_of::<H>() == 2) };
        let x = &x[..16];
        // SAFETY: `x` is 32 readable bytes (sliced, asserted above); `loadu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_loadu_si256(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_halves<H: Half>(self, v: __m256i, out: &mut [H]) {
        const { assert!(size_of::<H>() == 2) };
        let out = &mut out[..16];
        // SAFETY: `out` is 32 writable bytes (as above) that any bits may fill; `storeu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) }
    }
}

roots_of_lanes!(Avx512);

impl Lanes<f32> for Avx512 {
    type V = __m512;
    type M = __mmask16;
    const N: usize = 16;
    const FUSED: bool = true;
    const TILE_ROWS: usize = 6;

    #[inline(always)]
    fn load(self, x: &[f32]) -> __m512 {
        let x = &x[..16];
        // SAFETY: `x` is 16 readable f32 (sliced above); `loadu` needs no alignment; `self` proves AVX-512.
        unsafe { _mm512_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f32]) -> __m512 {
        let mask = first(x.len(), 16) as __mmask16;
        // SAFETY: `x` is `x.len()` readable f32, and no other lane is in the mask; `self` proves AVX-512.
        unsafe { _mm512_maskz_loadu_ps(mask, x.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m512, out: &mut [f32]) {
        let out = &mut out[..16];
        // SAFETY: `out` is 16 writable f32 (sliced above); `storeu` needs no alignment; `self` proves AVX-512.
        unsafe { _mm512_storeu_ps(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: __m512, out: &mut [f32]) {
        let mask = first(out.len(), 16) as __mmask16;
        // SAFETY: `out` is `out.len()` writable f32, and no other lane is in the mask; `self` proves AVX-512.
        unsafe { _mm512_mask_storeu_ps(out.as_mut_ptr(), mask, v) }
    }
    #[inline(always)]
    fn load_f16(self, x: &[f16]) -> __m512 {
        self.widened_f16(self.load_halves(x))
    }
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> __m512 {
        self.widened_bf16(self.load_halves(x))
    }
    #[inline(always)]
    fn store_f16(self, v: __m512, out: &mut [f16]) {
        self.store_halves(self.narrowed_f16(v), out);
    }
    #[inline(always)]
    fn store_bf16(self, v: __m512, out: &mut [bf16]) {
        self.store_halves(self.narrowed_bf16(v), out);
    }

    on_registers! {
        splat(x: f32) -> __m512 = _mm512_set1_ps(x);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        sub(a: __m512, b: __m512) -> __m512 = _mm512_sub_ps(a, b);
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        div(a: __m512, b: __m512) -> __m512 = _mm512_div_ps(a, b);
        mul_add(a: __m512, b: __m512, c: __m512) -> __m512 = _mm512_fmadd_ps(a, b, c);
        sqrt(a: __m512) -> __m512 = _mm512_sqrt_ps(a);
        neg(a: __m512) -> __m512 = _mm512_xor_ps(a, _mm512_set1_ps(-0.0));
        abs(a: __m512) -> __m512 = _mm512_andnot_ps(_mm512_set1_ps(-0.0), a);
        copysign(a: __m512, sign: __m512) -> __m512 = {
            // Where the first has a bit set the second's, else the third's. Of the same as `and`, `andnot` and `or`, below a
            // negation, LLVM 22 makes wrong code at opt-level 1.
            let sign_bit = _mm512_castps_si512(_mm512_set1_ps(-0.0));
            let (a, sign) = (_mm512_castps_si512(a), _mm512_castps_si512(sign));
            _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xCA>(sign_bit, sign, a))
        };
        round(a: __m512) -> __m512 = {
            // As the scalar: adding 1.5 * 2^23 leaves no bits below the point (and a zero is +0).
            let magic = _mm512_set1_ps(12_582_912.0);
            _mm512_sub_ps(_mm512_add_ps(a, magic), magic)
        };
        // One instruction, rounded once.
        scale_pow2(a: __m512, n: __m512) -> __m512 = _mm512_scalef_ps(a, n);
        split_exponent(a: __m512) -> (__m512, __m512) = {
            let bits = _mm512_castps_si512(a);
            let e = _mm512_sub_epi32(_mm512_srli_epi32::<23>(bits), _mm512_set1_epi32(126));
            let fraction = _mm512_and_si512(bits, _mm512_set1_epi32((1 << 23) - 1));
            let m = _mm512_or_si512(fraction, _mm512_set1_epi32(126 << 23));
            (_mm512_castsi512_ps(m), _mm512_cvtepi32_ps(e))
        };
        lt(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b);
        le(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b);
        eq(a: __m512, b: __m512) -> __mmask16 = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b);
        and(a: __mmask16, b: __mmask16) -> __mmask16 = a & b;
        // Where neither is less, or one is NaN: the second, as asked.
        min(a: __m512, b: __m512) -> __m512 = _mm512_min_ps(a, b);
        max(a: __m512, b: __m512) -> __m512 = _mm512_max_ps(a, b);
        select(mask: __mmask16, yes: __m512, no: __m512) -> __m512 =
            _mm512_mask_blend_ps(mask, no, yes);
    }

    #[inline(always)]
    fn outline<O: Op<f32>>(self, op: O) -> O::Out {
        self.enter_outlined(op)
    }

    #[inline(always)]
    fn map(self, a: __m512, f: impl Fn(f32) -> f32) -> __m512 {
        let mut x = [0.0; 16];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}

impl Lanes<f64> for Avx512 {
    type V = __m512d;
    type M = __mmask8;
    const N: usize = 8;
    const FUSED: bool = true;
    const TILE_ROWS: usize = 6;

    #[inline(always)]
    fn load(self, x: &[f64]) -> __m512d {
        let x = &x[..8];
        // SAFETY: `x` is 8 readable f64 (sliced above); `loadu` needs no alignment; `self` proves AVX-512.
        unsafe { _mm512_loadu_pd(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f64]) -> __m512d {
        let mask = first(x.len(), 8) as __mmask8;
        // SAFETY: `x` is `x.len()` readable f64, and no other lane is in the mask; `self` proves AVX-512.
        unsafe { _mm512_maskz_loadu_pd(mask, x.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, v: __m512d, out: &mut [f64]) {
        let out = &mut out[..8];
        // SAFETY: `out` is 8 writable f64 (sliced above); `storeu` needs no alignment; `self` proves AVX-512.
        unsafe { _mm512_storeu_pd(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: __m512d, out: &mut [f64]) {
        let mask = first(out.len(), 8) as __mmask8;
        // SAFETY: `out` is `out.len()` writable f64, and no other lane is in the mask; `self` proves AVX-512.
        unsafe { _mm512_mask_storeu_pd(out.as_mut_ptr(), mask, v) }
    }

    on_registers! {
        splat(x: f64) -> __m512d = _mm512_set1_pd(x);
        add(a: __m512d, b: __m512d) -> __m512d = _mm512_add_pd(a, b);
        sub(a: __m512d, b: __m512d) -> __m512d = _mm512_sub_pd(a, b);
        mul(a: __m512d, b: __m512d) -> __m512d = _mm512_mul_pd(a, b);
        div(a: __m512d, b: __m512d) -> __m512d = _mm512_div_pd(a, b);
        mul_add(a: __m512d, b: __m512d, c: __m512d) -> __m512d = _mm512_fmadd_pd(a, b, c);
        sqrt(a: __m512d) -> __m512d = _mm512_sqrt_pd(a);
        neg(a: __m512d) -> __m512d = _mm512_xor_pd(a, _mm512_set1_pd(-0.0));
        abs(a: __m512d) -> __m512d = _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
        copysign(a: __m512d, sign: __m512d) -> __m512d = {
            let sign_bit = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            let (a, sign) = (_mm512_castpd_si512(a), _mm512_castpd_si512(sign));
            _mm512_castsi512_pd(_mm512_ternarylogic_epi64::<0xCA>(sign_bit, sign, a))
        };
        round(a: __m512d) -> __m512d = {
            // As the scalar: adding 1.5 * 2^52 leaves no bits below the point (and a zero is +0).
            let magic = _mm512_set1_pd(6_755_399_441_055_744.0);
            _mm512_sub_pd(_mm512_add_pd(a, magic), magic)
        };
        // One instruction, rounded once.
        scale_pow2(a: __m512d, n: __m512d) -> __m512d = _mm512_scalef_pd(a, n);
        split_exponent(a: __m512d) -> (__m512d, __m512d) = {
            let bits = _mm512_castpd_si512(a);
            let e = _mm512_sub_epi64(_mm512_srli_epi64::<52>(bits), _mm512_set1_epi64(1022));
            let fraction = _mm512_and_si512(bits, _mm512_set1_epi64((1 << 52) - 1));
            let m = _mm512_or_si512(fraction, _mm512_set1_epi64(1022 << 52));
            (_mm512_castsi512_pd(m), _mm512_cvtepi64_pd(e))
        };
        lt(a: __m512d, b: __m512d) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b);
        le(a: __m512d, b: __m512d) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b);
        eq(a: __m512d, b: __m512d) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b);
        and(a: __mmask8, b: __mmask8) -> __mmask8 = a & b;
        // Where neither is less, or one is NaN: the second, as asked.
        min(a: __m512d, b: __m512d) -> __m512d = _mm512_min_pd(a, b);
        max(a: __m512d, b: __m512d) -> __m512d = _mm512_max_pd(a, b);
        select(mask: __mmask8, yes: __m512d, no: __m512d) -> __m512d =
            _mm512_mask_blend_pd(mask, no, yes);
    }

    #[inline(always)]
    fn outline<O: Op<f64>>(self, op: O) -> O::Out {
        self.enter_outlined(op)
    }

    #[inline(always)]
    fn map(self, a: __m512d, f: impl Fn(f64) -> f64) -> __m512d {
        let mut x = [0.0; 8];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}
