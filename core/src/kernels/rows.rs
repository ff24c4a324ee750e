//! The driver of kernels that write one row from others, place by place.

use super::Lanes;
use crate::dtype::Float;

/// Elements between two checks of bounds.
const STEP: usize = 32;

/// A function of the elements at one place of `N` rows. A trait, not a closure: those cannot be told to inline.
pub trait Map<T: Float, const N: usize> {
    /// Whether it reads what the output holds.
    const READS: bool = false;
    /// The new value from `x` and, if [`Map::READS`], the old one (else 0).
    fn at<L: Lanes<T>>(&self, l: L, x: [L::V; N], old: L::V) -> L::V;
}

/// What is there, times a number.
pub struct Times<T>(pub T);

impl<T: Float> Map<T, 0> for Times<T> {
    const READS: bool = true;
    #[inline(always)]
    fn at<L: Lanes<T>>(&self, l: L, _: [L::V; 0], old: L::V) -> L::V {
        l.mul(old, l.splat(self.0))
    }
}

/// `out[i] = f(x[..][i], out[i])`, rows of one length.
#[inline(always)]
pub fn map_row<T, L, F, const N: usize>(l: L, f: &F, x: [&[T]; N], out: &mut [T])
where
    T: Float,
    L: Lanes<T>,
    F: Map<T, N>,
{
    let len = out.len();
    let split = x.map(|x| x[..len].as_chunks::<STEP>());
    let (steps, rest) = out.as_chunks_mut::<STEP>();
    for (i, out) in steps.iter_mut().enumerate() {
        let mut step = [&[] as &[T]; N];
        for (step, (steps, _)) in step.iter_mut().zip(&split) {
            *step = &steps[i][..];
        }
        for start in (0..STEP).step_by(L::N) {
            let mut v = [l.splat(T::ZERO); N];
            for (v, step) in v.iter_mut().zip(&step) {
                *v = l.load(&step[start..]);
            }
            let out = &mut out[start..];
            let old = if F::READS { l.load(out) } else { l.splat(T::ZERO) };
            l.store(f.at(l, v, old), out);
        }
    }
    for (i, out) in rest.chunks_mut(L::N).enumerate() {
        let start = i * L::N;
        let mut v = [l.splat(T::ZERO); N];
        for (v, (_, rest)) in v.iter_mut().zip(&split) {
            *v = l.load_upto(&rest[start..][..out.len()]);
        }
        let old = if F::READS { l.load_upto(out) } else { l.splat(T::ZERO) };
        l.store_upto(f.at(l, v, old), out);
    }
}
