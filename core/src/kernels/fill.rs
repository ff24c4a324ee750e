//! Random fills and dropout.
//!
//! The mappings stand in `rng`, whose loops become vectors of whatever instruction set they are inlined into; they use no
//! lanes but for square roots, and no fused operation, so one set of bits serves both classes.

use core::marker::PhantomData;

use super::{Lanes, Op};
use crate::dtype::Float;
use crate::rng::{Distribution, masked_scale, randint_write};

/// Elements `first..first + out.len()` of a sequence. Other types than f32 get the f32 values.
pub struct Fill<'a, T> {
    /// What is drawn; checked.
    pub distribution: Distribution,
    /// The sequence.
    pub seed: u64,
    /// The first element.
    pub first: u64,
    /// The elements.
    pub out: &'a mut [T],
}

/// Elements at a time: they stay in the first-level cache.
const TILE: usize = 1024;

impl<T: Float> Op<T> for Fill<'_, T> {
    type Out = ();
    #[inline(always)] // must inline into the backend's target_feature function
    fn run<L: Lanes<T>>(self, l: L) {
        let mut tile = [0.0_f32; TILE];
        let mut first = self.first;
        for out in self.out.chunks_mut(TILE) {
            let tile = &mut tile[..out.len()];
            self.distribution.write(l, self.seed, first, tile);
            out.iter_mut().zip(tile).for_each(|(out, x)| *out = T::from_f64(f64::from(*x)));
            first = first.wrapping_add(TILE as u64);
        }
    }
}

/// Elements `first..first + out.len()` of a sequence of integers in `low..high`.
pub struct Integers<'a, T> {
    /// The sequence.
    pub seed: u64,
    /// The first element.
    pub first: u64,
    /// The lowest value.
    pub low: i64,
    /// The value behind the highest; above `low`.
    pub high: i64,
    /// The elements.
    pub out: &'a mut [i64],
    /// Whose table the kernel stands in; it does not matter.
    pub table: PhantomData<T>,
}

impl<T: Float> Op<T> for Integers<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, _: L) {
        randint_write(self.seed, self.first, self.out, self.low, self.high);
    }
}

/// `out[i] = x[i] / (1 - p)` where output `first + i` of the stream keeps the element, else 0.
pub struct Dropout<'a, T> {
    /// The probability that an element is dropped; in `[0, 1)`.
    pub p: f32,
    /// The stream.
    pub seed: u64,
    /// The output of the first element.
    pub first: u64,
    /// The operand.
    pub x: &'a [T],
    /// The result, as long.
    pub out: &'a mut [T],
}

impl<T: Float> Op<T> for Dropout<'_, T> {
    type Out = ();
    #[inline(always)]
    fn run<L: Lanes<T>>(self, _: L) {
        let scale = T::ONE / (T::ONE - T::from_f64(f64::from(self.p)));
        masked_scale(self.seed, self.first, self.p, [scale, T::ZERO], self.x, self.out);
    }
}
