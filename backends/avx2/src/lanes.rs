//! [`Lanes`] in AVX2 registers: eight `f32`, four `f64`.
//!
//! Each operation has the bits of the scalar one: comparisons are ordered (NaN is false), signs are flipped by bit,
//! and rounding and scaling follow the scalar formulas step by step. The intrinsics stand in functions that carry
//! their `target_feature`; they inline into the backend's `enter`, which carries the same.

use core::arch::x86_64::*;

use fucina_core::dtype::{Half, bf16, f16};
use fucina_core::kernels::lanes::MOST_ROWS;
use fucina_core::kernels::{Lanes, Op};
use fucina_core::roots_of_lanes;

use crate::Avx2;

/// `FIRST[8 - n..][..8]` has its first `n` words set: a mask for the first lanes.
static FIRST: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

impl Avx2 {
    /// The mask of the first `words` 32-bit words; at most 8 (more is a panic, not a read beyond).
    #[inline(always)]
    fn first(self, words: usize) -> __m256i {
        let mask = &FIRST[8 - words..][..8];
        // SAFETY: `mask` is 8 readable words (sliced above); `loadu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }
}

macro_rules! on_registers {
    // on_registers! { add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b); } =>
    // fn add(self, a: __m256, b: __m256) -> __m256 { #[target_feature(..)] fn op(..) { _mm256_add_ps(a, b) } op(a, b) }
    ($($name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $body:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: $ty),*) -> $out {
            #[inline]
            #[target_feature(enable = "avx2,fma,f16c")]
            fn op($($arg: $ty),*) -> $out {
                $body
            }
            // SAFETY: `self` came from `detect`, which saw avx2, fma and f16c on this CPU.
            unsafe { op($($arg),*) }
        }
    )*};
}

impl Avx2 {
    on_registers! {
        // Four rows of each half become the columns of that half.
        transposed4(rows: [__m256; 4]) -> [__m256; 4] = {
            let [a, b, c, d] = rows;
            let (ab0, ab1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
            [
                _mm256_shuffle_ps::<0x44>(ab0, cd0),
                _mm256_shuffle_ps::<0xEE>(ab0, cd0),
                _mm256_shuffle_ps::<0x44>(ab1, cd1),
                _mm256_shuffle_ps::<0xEE>(ab1, cd1),
            ]
        };
        halves(low: __m128, high: __m128) -> __m256 = _mm256_set_m128(high, low);
        widened_f16(x: __m128i) -> __m256 = _mm256_cvtph_ps(x);
        widened_bf16(x: __m128i) -> __m256 = {
            let v = _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(x)));
            let quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x40_0000));
            _mm256_or_ps(v, _mm256_and_ps(_mm256_cmp_ps::<_CMP_UNORD_Q>(v, v), quiet))
        };
        // Rounds as its constant says, whatever the mode of the CPU.
        narrowed_f16(v: __m256) -> __m128i = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(v);
        narrowed_bf16(v: __m256) -> __m128i = {
            let bits = _mm256_castps_si256(v);
            let upper = _mm256_srli_epi32::<16>(bits);
            let odd = _mm256_and_si256(upper, _mm256_set1_epi32(1));
            let half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
            let number = _mm256_srli_epi32::<16>(_mm256_add_epi32(bits, half));
            let quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
            let is_nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(v, v));
            let words = _mm256_blendv_epi8(number, quiet, is_nan);
            // Each half of the register is packed for itself: its first quarter is wanted.
            let packed = _mm256_packus_epi32(words, words);
            _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b10_00>(packed))
        };
        transposed(rows: [__m256d; 4]) -> [__m256d; 4] = {
            let [a, b, c, d] = rows;
            let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab0, cd0),
                _mm256_permute2f128_pd::<0x20>(ab1, cd1),
                _mm256_permute2f128_pd::<0x31>(ab0, cd0),
                _mm256_permute2f128_pd::<0x31>(ab1, cd1),
            ]
        };
    }

    /// Eight halves, of either kind.
    #[inline(always)]
    fn load_halves<H: Half>(self, x: &[H]) -> __m128i {
        const { assert!(size_of::<H>() == 2) };
        let x = &x[..8];
        // SAFETY: `x` is 16 readable bytes (sliced, asserted above); `loadu` needs no alignment; `self` proves AVX.
        unsafe { _mm_loadu_si128(x.as_ptr().cast()) }
    }
    #[inline(always)]
    fn store_halves<H: Half>(self, v: __m128i, out: &mut [H]) {
        const { assert!(size_of::<H>() == 2) };
        let out = &mut out[..8];
        // SAFETY: `out` is 16 writable bytes (as above) that any bits may fill; `storeu` needs no alignment; `self` proves AVX.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), v) }
    }

    /// Rows `r` and `r + 4` of a square, four columns from `at` on: a load and one with insertion, which keep the ports of
    /// shuffles free.
    ///
    /// # Safety
    /// - `x` has more than `(r + 4) * stride + at + 3` elements.
    #[inline(always)]
    unsafe fn row_pair(self, x: &[f32], stride: usize, r: usize, at: usize) -> __m256 {
        // SAFETY: within `x`, as the caller says; row `r` lies before row `r + 4`.
        let low = unsafe { x.as_ptr().add(r * stride + at) };
        // SAFETY: within `x`, as the caller says.
        let high = unsafe { x.as_ptr().add((r + 4) * stride + at) };
        // SAFETY: 4 readable f32, as the caller says; `loadu` needs no alignment.
        let low = unsafe { _mm_loadu_ps(low) };
        // SAFETY: as above.
        let high = unsafe { _mm_loadu_ps(high) };
        self.halves(low, high)
    }

    /// Four columns of a square, from `at` on.
    ///
    /// # Safety
    /// - `x` has more than `7 * stride + at + 3` elements.
    #[inline(always)]
    unsafe fn four_columns(self, x: &[f32], stride: usize, at: usize) -> [__m256; 4] {
        // SAFETY: the last row is row 7, of which the caller says so; the others lie before it.
        let a = unsafe { self.row_pair(x, stride, 0, at) };
        // SAFETY: as above.
        let b = unsafe { self.row_pair(x, stride, 1, at) };
        // SAFETY: as above.
        let c = unsafe { self.row_pair(x, stride, 2, at) };
        // SAFETY: as above.
        let d = unsafe { self.row_pair(x, stride, 3, at) };
        self.transposed4([a, b, c, d])
    }
}

roots_of_lanes!(Avx2);

impl Lanes<f32> for Avx2 {
    type V = __m256;
    type M = __m256;
    const N: usize = 8;
    const FUSED: bool = true;
    const TILE_ROWS: usize = 6;

    #[inline(always)]
    fn load(self, x: &[f32]) -> __m256 {
        let x = &x[..8];
        // SAFETY: `x` is 8 readable f32 (sliced above); `loadu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f32]) -> __m256 {
        let mask = self.first(x.len());
        // SAFETY: `x` is `x.len()` readable f32, and no other lane is in the mask; `self` proves AVX.
        unsafe { _mm256_maskload_ps(x.as_ptr(), mask) }
    }
    #[inline(always)]
    fn store(self, v: __m256, out: &mut [f32]) {
        let out = &mut out[..8];
        // SAFETY: `out` is 8 writable f32 (sliced above); `storeu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: __m256, out: &mut [f32]) {
        let mask = self.first(out.len());
        // SAFETY: `out` is `out.len()` writable f32, and no other lane is in the mask; `self` proves AVX.
        unsafe { _mm256_maskstore_ps(out.as_mut_ptr(), mask, v) }
    }
    #[inline(always)]
    fn load_f16(self, x: &[f16]) -> __m256 {
        self.widened_f16(self.load_halves(x))
    }
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> __m256 {
        self.widened_bf16(self.load_halves(x))
    }
    #[inline(always)]
    fn store_f16(self, v: __m256, out: &mut [f16]) {
        self.store_halves(self.narrowed_f16(v), out);
    }
    #[inline(always)]
    fn store_bf16(self, v: __m256, out: &mut [bf16]) {
        self.store_halves(self.narrowed_bf16(v), out);
    }

    on_registers! {
        splat(x: f32) -> __m256 = _mm256_set1_ps(x);
        add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        sub(a: __m256, b: __m256) -> __m256 = _mm256_sub_ps(a, b);
        mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        div(a: __m256, b: __m256) -> __m256 = _mm256_div_ps(a, b);
        mul_add(a: __m256, b: __m256, c: __m256) -> __m256 = _mm256_fmadd_ps(a, b, c);
        sqrt(a: __m256) -> __m256 = _mm256_sqrt_ps(a);
        neg(a: __m256) -> __m256 = _mm256_xor_ps(a, _mm256_set1_ps(-0.0));
        abs(a: __m256) -> __m256 = _mm256_andnot_ps(_mm256_set1_ps(-0.0), a);
        copysign(a: __m256, sign: __m256) -> __m256 = {
            let sign_bit = _mm256_set1_ps(-0.0);
            _mm256_or_ps(_mm256_andnot_ps(sign_bit, a), _mm256_and_ps(sign_bit, sign))
        };
        round(a: __m256) -> __m256 = {
            // As the scalar: adding 1.5 * 2^23 leaves no bits below the point (and a zero is +0).
            let magic = _mm256_set1_ps(12_582_912.0);
            _mm256_sub_ps(_mm256_add_ps(a, magic), magic)
        };
        scale_pow2(a: __m256, n: __m256) -> __m256 = {
            let n = _mm256_cvttps_epi32(n);
            let half = _mm256_srai_epi32::<1>(n);
            let bias = _mm256_set1_epi32(127);
            let pow2 =
                |e| _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_add_epi32(e, bias)));
            let rest = _mm256_sub_epi32(n, half);
            _mm256_mul_ps(_mm256_mul_ps(a, pow2(half)), pow2(rest))
        };
        pow2(n: __m256) -> __m256 = {
            let biased = _mm256_add_epi32(_mm256_cvttps_epi32(n), _mm256_set1_epi32(127));
            _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
        };
        split_exponent(a: __m256) -> (__m256, __m256) = {
            let bits = _mm256_castps_si256(a);
            let e = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), _mm256_set1_epi32(126));
            let fraction = _mm256_and_si256(bits, _mm256_set1_epi32((1 << 23) - 1));
            let m = _mm256_or_si256(fraction, _mm256_set1_epi32(126 << 23));
            (_mm256_castsi256_ps(m), _mm256_cvtepi32_ps(e))
        };
        lt(a: __m256, b: __m256) -> __m256 = _mm256_cmp_ps::<_CMP_LT_OQ>(a, b);
        le(a: __m256, b: __m256) -> __m256 = _mm256_cmp_ps::<_CMP_LE_OQ>(a, b);
        eq(a: __m256, b: __m256) -> __m256 = _mm256_cmp_ps::<_CMP_EQ_OQ>(a, b);
        and(a: __m256, b: __m256) -> __m256 = _mm256_and_ps(a, b);
        // Where neither is less, or one is NaN: the second, as asked.
        min(a: __m256, b: __m256) -> __m256 = _mm256_min_ps(a, b);
        max(a: __m256, b: __m256) -> __m256 = _mm256_max_ps(a, b);
        select(mask: __m256, yes: __m256, no: __m256) -> __m256 = _mm256_blendv_ps(no, yes, mask);
    }

    #[inline(always)]
    fn turned(self, x: &[f32], stride: usize) -> [__m256; MOST_ROWS] {
        // One check for the square.
        assert!(stride < 1 << 56 && x.len() >= 7 * stride + 8);
        // SAFETY: `x` has `7 * stride + 8` elements at least (asserted).
        let [p, q, r, s] = unsafe { self.four_columns(x, stride, 0) };
        // SAFETY: as above.
        let [t, u, v, w] = unsafe { self.four_columns(x, stride, 4) };
        [p, q, r, s, t, u, v, w]
    }

    #[inline(always)]
    fn outline<O: Op<f32>>(self, op: O) -> O::Out {
        self.enter_outlined(op)
    }

    #[inline(always)]
    fn map(self, a: __m256, f: impl Fn(f32) -> f32) -> __m256 {
        let mut x = [0.0; 8];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}

impl Lanes<f64> for Avx2 {
    type V = __m256d;
    type M = __m256d;
    const N: usize = 4;
    const FUSED: bool = true;
    const TILE_ROWS: usize = 6;

    #[inline(always)]
    fn load(self, x: &[f64]) -> __m256d {
        let x = &x[..4];
        // SAFETY: `x` is 4 readable f64 (sliced above); `loadu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_loadu_pd(x.as_ptr()) }
    }
    #[inline(always)]
    fn load_part(self, x: &[f64]) -> __m256d {
        let mask = self.first(2 * x.len());
        // SAFETY: `x` is `x.len()` readable f64, and no other lane is in the mask; `self` proves AVX.
        unsafe { _mm256_maskload_pd(x.as_ptr(), mask) }
    }
    #[inline(always)]
    fn store(self, v: __m256d, out: &mut [f64]) {
        let out = &mut out[..4];
        // SAFETY: `out` is 4 writable f64 (sliced above); `storeu` needs no alignment; `self` proves AVX.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), v) }
    }
    #[inline(always)]
    fn store_part(self, v: __m256d, out: &mut [f64]) {
        let mask = self.first(2 * out.len());
        // SAFETY: `out` is `out.len()` writable f64, and no other lane is in the mask; `self` proves AVX.
        unsafe { _mm256_maskstore_pd(out.as_mut_ptr(), mask, v) }
    }

    on_registers! {
        splat(x: f64) -> __m256d = _mm256_set1_pd(x);
        add(a: __m256d, b: __m256d) -> __m256d = _mm256_add_pd(a, b);
        sub(a: __m256d, b: __m256d) -> __m256d = _mm256_sub_pd(a, b);
        mul(a: __m256d, b: __m256d) -> __m256d = _mm256_mul_pd(a, b);
        div(a: __m256d, b: __m256d) -> __m256d = _mm256_div_pd(a, b);
        mul_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d = _mm256_fmadd_pd(a, b, c);
        sqrt(a: __m256d) -> __m256d = _mm256_sqrt_pd(a);
        neg(a: __m256d) -> __m256d = _mm256_xor_pd(a, _mm256_set1_pd(-0.0));
        abs(a: __m256d) -> __m256d = _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
        copysign(a: __m256d, sign: __m256d) -> __m256d = {
            let sign_bit = _mm256_set1_pd(-0.0);
            _mm256_or_pd(_mm256_andnot_pd(sign_bit, a), _mm256_and_pd(sign_bit, sign))
        };
        round(a: __m256d) -> __m256d = {
            // As the scalar: adding 1.5 * 2^52 leaves no bits below the point (and a zero is +0).
            let magic = _mm256_set1_pd(6_755_399_441_055_744.0);
            _mm256_sub_pd(_mm256_add_pd(a, magic), magic)
        };
        scale_pow2(a: __m256d, n: __m256d) -> __m256d = {
            // 32 bits hold any `n` that is allowed; there is no conversion to 64.
            let n = _mm256_cvttpd_epi32(n);
            let half = _mm_srai_epi32::<1>(n);
            let bias = _mm_set1_epi32(1023);
            let pow2 = |e| {
                let biased = _mm256_cvtepi32_epi64(_mm_add_epi32(e, bias));
                _mm256_castsi256_pd(_mm256_slli_epi64::<52>(biased))
            };
            let rest = _mm_sub_epi32(n, half);
            _mm256_mul_pd(_mm256_mul_pd(a, pow2(half)), pow2(rest))
        };
        split_exponent(a: __m256d) -> (__m256d, __m256d) = {
            let bits = _mm256_castpd_si256(a);
            // 2^52 + biased exponent, by its bits; the subtraction is exact.
            let two_52 = _mm256_set1_pd(4_503_599_627_370_496.0);
            let biased = _mm256_or_si256(_mm256_srli_epi64::<52>(bits), _mm256_castpd_si256(two_52));
            let zero = _mm256_add_pd(two_52, _mm256_set1_pd(1022.0));
            let e = _mm256_sub_pd(_mm256_castsi256_pd(biased), zero);
            let fraction = _mm256_and_si256(bits, _mm256_set1_epi64x((1 << 52) - 1));
            let m = _mm256_or_si256(fraction, _mm256_set1_epi64x(1022 << 52));
            (_mm256_castsi256_pd(m), e)
        };
        lt(a: __m256d, b: __m256d) -> __m256d = _mm256_cmp_pd::<_CMP_LT_OQ>(a, b);
        le(a: __m256d, b: __m256d) -> __m256d = _mm256_cmp_pd::<_CMP_LE_OQ>(a, b);
        eq(a: __m256d, b: __m256d) -> __m256d = _mm256_cmp_pd::<_CMP_EQ_OQ>(a, b);
        and(a: __m256d, b: __m256d) -> __m256d = _mm256_and_pd(a, b);
        min(a: __m256d, b: __m256d) -> __m256d = _mm256_min_pd(a, b);
        max(a: __m256d, b: __m256d) -> __m256d = _mm256_max_pd(a, b);
        select(mask: __m256d, yes: __m256d, no: __m256d) -> __m256d =
            _mm256_blendv_pd(no, yes, mask);
    }

    #[inline(always)]
    fn turned(self, x: &[f64], stride: usize) -> [__m256d; MOST_ROWS] {
        let [a, b, c, d] = self.transposed([
            self.load(x),
            self.load(&x[stride..]),
            self.load(&x[2 * stride..]),
            self.load(&x[3 * stride..]),
        ]);
        let zero = self.splat(0.0);
        [a, b, c, d, zero, zero, zero, zero]
    }

    #[inline(always)]
    fn outline<O: Op<f64>>(self, op: O) -> O::Out {
        self.enter_outlined(op)
    }

    #[inline(always)]
    fn map(self, a: __m256d, f: impl Fn(f64) -> f64) -> __m256d {
        let mut x = [0.0; 4];
        self.store(a, &mut x);
        self.load(&x.map(f))
    }
}
