//! Floats of 16 bits: read and written as lanes of a wider type, and whole slices converted.
//!
//! Lanes have the conversions ([`Lanes::load_f16`], ..), by instructions where there are some; [`Stored`] lets a kernel be written
//! once for operands of either width. A tail goes through the same conversion as the body.

use super::lanes::MOST_LANES;
use super::{Lanes, Op};
use crate::dtype::{Element, Float, Half, bf16, f16};

/// An element type whose values kernels read and write as lanes of `T`: `T`, `f16`, `bf16`.
pub trait Stored<T: Float>: Element {
    /// The first `N` of `x`, which has at least `N`.
    fn load<L: Lanes<T>>(l: L, x: &[Self]) -> L::V;
    /// Writes the first `N` of `out`, which has at least `N`.
    fn store<L: Lanes<T>>(l: L, v: L::V, out: &mut [Self]);
    /// All of `x`, which has fewer than `N`; the other lanes are 0.
    #[inline(always)]
    fn load_part<L: Lanes<T>>(l: L, x: &[Self]) -> L::V {
        let mut whole = [Self::default(); MOST_LANES];
        whole[..x.len()].copy_from_slice(x);
        Self::load(l, &whole)
    }
    /// Fills `out`, which has fewer than `N`, from the first lanes.
    #[inline(always)]
    fn store_part<L: Lanes<T>>(l: L, v: L::V, out: &mut [Self]) {
        let mut whole = [Self::default(); MOST_LANES];
        Self::store(l, v, &mut whole);
        out.copy_from_slice(&whole[..out.len()]);
    }
}

impl<T: Float> Stored<T> for T {
    #[inline(always)]
    fn load<L: Lanes<T>>(l: L, x: &[T]) -> L::V {
        l.load(x)
    }
    #[inline(always)]
    fn store<L: Lanes<T>>(l: L, v: L::V, out: &mut [T]) {
        l.store(v, out);
    }
    #[inline(always)]
    fn load_part<L: Lanes<T>>(l: L, x: &[T]) -> L::V {
        l.load_part(x)
    }
    #[inline(always)]
    fn store_part<L: Lanes<T>>(l: L, v: L::V, out: &mut [T]) {
        l.store_part(v, out);
    }
}

macro_rules! stored {
    // stored!(f16, load_f16, store_f16) => impl<T: Float> Stored<T> for f16 { fn load(l, x) { l.load_f16(x) } .. }
    ($t:ty, $load:ident, $store:ident) => {
        impl<T: Float> Stored<T> for $t {
            #[inline(always)]
            fn load<L: Lanes<T>>(l: L, x: &[Self]) -> L::V {
                l.$load(x)
            }
            #[inline(always)]
            fn store<L: Lanes<T>>(l: L, v: L::V, out: &mut [Self]) {
                l.$store(v, out);
            }
        }
    };
}

stored!(f16, load_f16, store_f16);
stored!(bf16, load_bf16, store_bf16);

/// What [`Lanes::load_f16`] does without an instruction for it.
#[inline(always)]
pub(super) fn load_each<T: Float, L: Lanes<T>, H: Half>(l: L, x: &[H]) -> L::V {
    let mut wide = [T::ZERO; MOST_LANES];
    wide.iter_mut().zip(&x[..L::N]).for_each(|(wide, &x)| *wide = T::from_half(x));
    l.load(&wide)
}

/// What [`Lanes::store_f16`] does without an instruction for it.
#[inline(always)]
pub(super) fn store_each<T: Float, L: Lanes<T>, H: Half>(l: L, v: L::V, out: &mut [H]) {
    let mut wide = [T::ZERO; MOST_LANES];
    l.store(v, &mut wide);
    out[..L::N].iter_mut().zip(wide).for_each(|(out, x)| *out = x.to_half());
}

/// `out[i]`: `x[i]`, widened, or to nearest, ties to even.
pub struct Convert<'a, A, B> {
    /// The operand.
    pub x: &'a [A],
    /// As long.
    pub out: &'a mut [B],
}

impl<T: Float, A: Stored<T>, B: Stored<T>> Op<T> for Convert<'_, A, B> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, l: L) {
        let mut xs = self.x.chunks_exact(L::N);
        let mut outs = self.out.chunks_exact_mut(L::N);
        for (x, out) in xs.by_ref().zip(outs.by_ref()) {
            B::store(l, A::load(l, x), out);
        }
        let (x, out) = (xs.remainder(), outs.into_remainder());
        if !x.is_empty() {
            B::store_part(l, A::load_part(l, x), out);
        }
    }
}
