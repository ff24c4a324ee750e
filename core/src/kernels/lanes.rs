//! [`Lanes`]: the few vector operations that kernels are written in, and their one-lane form.
//!
//! Each operation is exact or correctly rounded by IEEE 754, so its result does not depend on the number of lanes.
//! [`Lanes::mul_add`] is the one that comes in two classes, fused and unfused: targets without a fused
//! multiply-add have bits of their own.

mod twice;

pub use twice::Twice;

use super::half::{load_each, store_each};
use crate::dtype::{Float, bf16, f16};
use crate::rng::{ByNewton, Roots};

/// Rows of the largest square that is transposed.
pub const MOST_ROWS: usize = 8;
/// The most lanes of one value of [`Lanes`].
pub const MOST_LANES: usize = 32;

/// Operations on `N` values at once. A value of the type is the proof that the CPU has them.
pub trait Lanes<T: Float>: Roots {
    /// `N` values.
    type V: Copy;
    /// `N` truth values.
    type M: Copy;
    /// How many.
    const N: usize;
    /// Whether [`Lanes::mul_add`] rounds once.
    const FUSED: bool;

    /// Rows of the matrix product's register tile: 6 where sixteen registers hold `N` values each, else 4.
    const TILE_ROWS: usize = 4;

    /// The same value in every lane.
    fn splat(self, x: T) -> Self::V;
    /// The first `N` of `x`, which has at least `N`.
    fn load(self, x: &[T]) -> Self::V;
    /// All of `x`, which has fewer than `N`; the other lanes are 0.
    fn load_part(self, x: &[T]) -> Self::V;
    /// Writes the first `N` of `out`, which has at least `N`.
    fn store(self, v: Self::V, out: &mut [T]);
    /// Fills `out`, which has fewer than `N`, from the first lanes.
    fn store_part(self, v: Self::V, out: &mut [T]);
    /// Up to `N` values of `x`; the other lanes are 0.
    #[inline(always)]
    fn load_upto(self, x: &[T]) -> Self::V {
        if x.len() >= Self::N { self.load(x) } else { self.load_part(x) }
    }
    /// Up to `N` values to `out`.
    #[inline(always)]
    fn store_upto(self, v: Self::V, out: &mut [T]) {
        if out.len() >= Self::N {
            self.store(v, out);
        } else {
            self.store_part(v, out);
        }
    }

    /// The first `N` of `x`, widened; `x` has at least `N`. NaN is made quiet and keeps the upper bits of its payload.
    #[inline(always)]
    fn load_f16(self, x: &[f16]) -> Self::V {
        load_each(self, x)
    }
    /// As [`load_f16`](Lanes::load_f16).
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> Self::V {
        load_each(self, x)
    }
    /// Writes the first `N` of `out`, which has at least `N`: to nearest, ties to even. NaN as in [`load_f16`](Lanes::load_f16).
    #[inline(always)]
    fn store_f16(self, v: Self::V, out: &mut [f16]) {
        store_each(self, v, out);
    }
    /// As [`store_f16`](Lanes::store_f16).
    #[inline(always)]
    fn store_bf16(self, v: Self::V, out: &mut [bf16]) {
        store_each(self, v, out);
    }

    /// `a + b`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a - b`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b`.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a / b`.
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`: rounded once if [`Lanes::FUSED`], else after each step.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The correctly rounded square root.
    fn sqrt(self, a: Self::V) -> Self::V;
    /// `a` with the sign flipped, NaN too.
    fn neg(self, a: Self::V) -> Self::V;
    /// `a` with the sign cleared, NaN too.
    fn abs(self, a: Self::V) -> Self::V;
    /// The magnitude of `a` with the sign of `sign`.
    fn copysign(self, a: Self::V, sign: Self::V) -> Self::V;
    /// The nearest integer, ties to even. For magnitudes below 2^22 (f32) or 2^51 (f64).
    fn round(self, a: Self::V) -> Self::V;
    /// `a * 2^n` for integral `n`, rounded once; `n` may lie up to twice the exponent range outside the normal ones.
    fn scale_pow2(self, a: Self::V, n: Self::V) -> Self::V;
    /// `2^n` for integral `n` that gives a normal number.
    #[inline(always)]
    fn pow2(self, n: Self::V) -> Self::V {
        self.scale_pow2(self.splat(T::ONE), n)
    }
    /// `(m, e)` with `a = m * 2^e`, `m` in `[0.5, 1)`, `e` integral, for positive normal `a`.
    fn split_exponent(self, a: Self::V) -> (Self::V, Self::V);

    /// `a < b`; false if either is NaN.
    fn lt(self, a: Self::V, b: Self::V) -> Self::M;
    /// `a <= b`; false if either is NaN.
    fn le(self, a: Self::V, b: Self::V) -> Self::M;
    /// `a == b`; false if either is NaN.
    fn eq(self, a: Self::V, b: Self::V) -> Self::M;
    /// Both.
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// `yes` where the mask is set, `no` elsewhere; no arithmetic, NaN bits survive.
    fn select(self, mask: Self::M, yes: Self::V, no: Self::V) -> Self::V;
    /// `yes` in the first `n` lanes, up to `N`, `no` in the others.
    #[inline(always)]
    fn first(self, n: usize, yes: Self::V, no: Self::V) -> Self::V {
        const { assert!(Self::N <= MOST_LANES && T::ONES_THEN_ZEROS.len() == 2 * MOST_LANES) };
        let ones = &T::ONES_THEN_ZEROS[MOST_LANES - n..];
        self.select(self.eq(self.load(ones), self.splat(T::ONE)), yes, no)
    }
    /// The columns of a square of `N x N`, for `N` up to 8: lane `r` of vector `c` is `x[r * stride + c]`. The vectors from `N`
    /// on are 0.
    #[inline(always)]
    fn turned(self, x: &[T], stride: usize) -> [Self::V; MOST_ROWS] {
        let mut columns = [self.splat(T::ZERO); MOST_ROWS];
        for (c, column) in columns.iter_mut().enumerate().take(Self::N) {
            let mut values = [T::ZERO; MOST_ROWS];
            for (r, value) in values.iter_mut().enumerate().take(Self::N) {
                *value = x[r * stride + c];
            }
            *column = self.load(&values);
        }
        columns
    }
    /// Runs `op` in a function of its own: for a hot loop that needs all registers.
    #[inline(always)]
    fn outline<O: super::Op<T>>(self, op: O) -> O::Out {
        op.run(self)
    }
    /// `a` where `a < b`, else `b` (also where either is NaN).
    #[inline(always)]
    fn min(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.lt(a, b), a, b)
    }
    /// `a` where `b < a`, else `b` (also where either is NaN).
    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.lt(b, a), a, b)
    }
    /// Applies `f` lane by lane: for functions that have no vector form yet.
    fn map(self, a: Self::V, f: impl Fn(T) -> T) -> Self::V;
    /// Applies `f` to two operands, lane by lane.
    #[inline(always)]
    fn map2(self, a: Self::V, b: Self::V, f: impl Fn(T, T) -> T) -> Self::V {
        let (mut x, mut y) = ([T::ZERO; MOST_LANES], [T::ZERO; MOST_LANES]);
        self.store(a, &mut x);
        self.store(b, &mut y);
        for (x, &y) in x.iter_mut().zip(&y).take(Self::N) {
            *x = f(*x, y);
        }
        self.load(&x)
    }
}

/// [`Roots`](crate::rng::Roots) of lanes of both types: by their square root.
#[doc(hidden)]
#[macro_export]
macro_rules! roots_of_lanes {
    // roots_of_lanes!(Avx2) => impl Roots for Avx2 { .. }
    ($lanes:ty) => {
        impl $crate::rng::Roots for $lanes {
            #[inline(always)]
            fn roots32(self, x: &mut [f32]) {
                $crate::kernels::lanes::square_roots(self, x);
            }
            #[inline(always)]
            fn roots64(self, x: &mut [f64]) {
                $crate::kernels::lanes::square_roots(self, x);
            }
        }
    };
}

/// The square root of each of `x`, `L::N` at a time.
#[inline(always)]
pub fn square_roots<T: Float, L: Lanes<T>>(l: L, x: &mut [T]) {
    for x in x.chunks_exact_mut(L::N) {
        l.store(l.sqrt(l.load(x)), x);
    }
}

/// One lane, on any target. `FUSED` chooses the class of bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScalarLanes<const FUSED: bool>;

impl<const FUSED: bool> Roots for ScalarLanes<FUSED> {
    #[inline(always)]
    fn roots32(self, x: &mut [f32]) {
        ByNewton.roots32(x);
    }
    #[inline(always)]
    fn roots64(self, x: &mut [f64]) {
        ByNewton.roots64(x);
    }
}

impl<T: Float, const FUSED: bool> Lanes<T> for ScalarLanes<FUSED> {
    type V = T;
    type M = bool;
    const N: usize = 1;
    const FUSED: bool = FUSED;

    #[inline(always)]
    fn splat(self, x: T) -> T {
        x
    }
    #[inline(always)]
    fn load(self, x: &[T]) -> T {
        x[0]
    }
    #[inline(always)]
    fn load_part(self, _: &[T]) -> T {
        T::ZERO
    }
    #[inline(always)]
    fn store(self, v: T, out: &mut [T]) {
        out[0] = v;
    }
    #[inline(always)]
    fn store_part(self, _: T, _: &mut [T]) {}
    #[inline(always)]
    fn add(self, a: T, b: T) -> T {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: T, b: T) -> T {
        a - b
    }
    #[inline(always)]
    fn mul(self, a: T, b: T) -> T {
        a * b
    }
    #[inline(always)]
    fn div(self, a: T, b: T) -> T {
        a / b
    }
    #[inline(always)]
    fn mul_add(self, a: T, b: T, c: T) -> T {
        if FUSED { a.fused_mul_add(b, c) } else { a * b + c }
    }
    #[inline(always)]
    fn sqrt(self, a: T) -> T {
        a.square_root()
    }
    #[inline(always)]
    fn neg(self, a: T) -> T {
        -a
    }
    #[inline(always)]
    fn abs(self, a: T) -> T {
        a.magnitude()
    }
    #[inline(always)]
    fn copysign(self, a: T, sign: T) -> T {
        a.with_sign_of(sign)
    }
    #[inline(always)]
    fn round(self, a: T) -> T {
        a.nearest_integer()
    }
    #[inline(always)]
    fn scale_pow2(self, a: T, n: T) -> T {
        a.scale_pow2(n)
    }
    #[inline(always)]
    fn split_exponent(self, a: T) -> (T, T) {
        a.split_exponent()
    }
    #[inline(always)]
    fn lt(self, a: T, b: T) -> bool {
        a < b
    }
    #[inline(always)]
    fn le(self, a: T, b: T) -> bool {
        a <= b
    }
    #[inline(always)]
    fn eq(self, a: T, b: T) -> bool {
        a == b
    }
    #[inline(always)]
    fn and(self, a: bool, b: bool) -> bool {
        a & b
    }
    #[inline(always)]
    fn select(self, mask: bool, yes: T, no: T) -> T {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn map(self, a: T, f: impl Fn(T) -> T) -> T {
        f(a)
    }
}
