//! [`Twice`]: two registers as one, to hide latency.
//!
//! A polynomial is a chain in which each step waits for the one before. Where a kernel runs on pairs, two independent
//! chains stand side by side in the code, and the CPU need not look far ahead to find work. The operations are those of
//! the single register: so are the bits.
#![forbid(unsafe_code)]

use super::Lanes;
use crate::dtype::{Float, bf16, f16};
use crate::rng::Roots;

/// Two registers of the lanes `L`.
#[derive(Clone, Copy, Debug)]
pub struct Twice<L>(pub L);

macro_rules! both {
    // both! { add(a: V, b: V) -> V; } => fn add(self, a: Self::V, b: Self::V) -> Self::V { [self.0.add(a[0], b[0]), self.0.add(a[1], b[1])] }
    ($($name:ident($($arg:ident: $kind:ident),*) -> $out:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, $($arg: Self::$kind),*) -> Self::$out {
            [self.0.$name($($arg[0]),*), self.0.$name($($arg[1]),*)]
        }
    )*};
}

impl<L: Roots> Roots for Twice<L> {
    #[inline(always)]
    fn roots32(self, x: &mut [f32]) {
        self.0.roots32(x);
    }
    #[inline(always)]
    fn roots64(self, x: &mut [f64]) {
        self.0.roots64(x);
    }
}

impl<T: Float, L: Lanes<T>> Lanes<T> for Twice<L> {
    type V = [L::V; 2];
    type M = [L::M; 2];
    const N: usize = 2 * L::N;
    const FUSED: bool = L::FUSED;

    #[inline(always)]
    fn splat(self, x: T) -> Self::V {
        [self.0.splat(x); 2]
    }
    #[inline(always)]
    fn load(self, x: &[T]) -> Self::V {
        [self.0.load(x), self.0.load(&x[L::N..])]
    }
    #[inline(always)]
    fn load_part(self, x: &[T]) -> Self::V {
        match x.split_at_checked(L::N) {
            Some((low, high)) => [self.0.load(low), self.0.load_part(high)],
            None => [self.0.load_part(x), self.0.splat(T::ZERO)],
        }
    }
    #[inline(always)]
    fn store(self, v: Self::V, out: &mut [T]) {
        self.0.store(v[0], out);
        self.0.store(v[1], &mut out[L::N..]);
    }
    #[inline(always)]
    fn store_part(self, v: Self::V, out: &mut [T]) {
        match out.split_at_mut_checked(L::N) {
            Some((low, high)) => {
                self.0.store(v[0], low);
                self.0.store_part(v[1], high);
            }
            None => self.0.store_part(v[0], out),
        }
    }
    #[inline(always)]
    fn load_f16(self, x: &[f16]) -> Self::V {
        [self.0.load_f16(x), self.0.load_f16(&x[L::N..])]
    }
    #[inline(always)]
    fn load_bf16(self, x: &[bf16]) -> Self::V {
        [self.0.load_bf16(x), self.0.load_bf16(&x[L::N..])]
    }
    #[inline(always)]
    fn store_f16(self, v: Self::V, out: &mut [f16]) {
        self.0.store_f16(v[0], out);
        self.0.store_f16(v[1], &mut out[L::N..]);
    }
    #[inline(always)]
    fn store_bf16(self, v: Self::V, out: &mut [bf16]) {
        self.0.store_bf16(v[0], out);
        self.0.store_bf16(v[1], &mut out[L::N..]);
    }
    both! {
        add(a: V, b: V) -> V;
        sub(a: V, b: V) -> V;
        mul(a: V, b: V) -> V;
        div(a: V, b: V) -> V;
        mul_add(a: V, b: V, c: V) -> V;
        sqrt(a: V) -> V;
        neg(a: V) -> V;
        abs(a: V) -> V;
        copysign(a: V, sign: V) -> V;
        round(a: V) -> V;
        scale_pow2(a: V, n: V) -> V;
        pow2(n: V) -> V;
        lt(a: V, b: V) -> M;
        le(a: V, b: V) -> M;
        eq(a: V, b: V) -> M;
        and(a: M, b: M) -> M;
        select(mask: M, yes: V, no: V) -> V;
        min(a: V, b: V) -> V;
        max(a: V, b: V) -> V;
    }
    #[inline(always)]
    fn split_exponent(self, a: Self::V) -> (Self::V, Self::V) {
        let [(m0, e0), (m1, e1)] = [self.0.split_exponent(a[0]), self.0.split_exponent(a[1])];
        ([m0, m1], [e0, e1])
    }
    #[inline(always)]
    fn map(self, a: Self::V, f: impl Fn(T) -> T) -> Self::V {
        [self.0.map(a[0], &f), self.0.map(a[1], &f)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::ScalarLanes;

    #[test]
    fn parts_of_every_length_are_read_and_written_in_order() {
        let l = Twice(Twice(ScalarLanes::<true>));
        let x = [1.0_f32, 2.0, 3.0, 4.0];
        for len in 0..=4 {
            let v = l.load_upto(&x[..len]);
            let mut out = [0.0; 4];
            l.store(v, &mut out);
            assert_eq!(out[..len], x[..len]);
            assert!(out[len..].iter().all(|&rest| rest == 0.0));
            let mut part = [9.0; 4];
            l.store_upto(v, &mut part[..len]);
            assert_eq!(part[..len], x[..len]);
            assert!(part[len..].iter().all(|&rest| rest == 9.0));
        }
    }

    #[test]
    fn both_registers_take_part() {
        let l = Twice(ScalarLanes::<true>);
        let (a, b) = (l.load(&[1.0_f32, 8.0]), l.load(&[2.0_f32, 4.0]));
        assert_eq!(l.sub(a, b), [-1.0, 4.0]);
        assert_eq!(l.select(l.lt(a, b), a, b), [1.0, 4.0]);
        assert_eq!(l.split_exponent(a), ([0.5, 0.5], [1.0, 4.0]));
        assert_eq!(l.map2(a, b, |a, b| a / b), [0.5, 2.0]);
    }
}
