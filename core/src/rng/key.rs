//! [`Key`]: seeds that beget seeds, for programs that draw in many places.
//!
//! A child is the finaliser applied twice, with a constant of its own for each way of making one, so the children of
//! a key, its folds and the outputs it draws itself are unrelated. For one key each way is a bijection of the index.
#![forbid(unsafe_code)]

use super::{at, mix};

/// Sets [`Key::split`] apart from every other use of a seed: the first 64 bits of the fraction of pi.
const SPLIT: u64 = 0x243F_6A88_85A3_08D3;
/// Sets [`Key::fold_in`] apart: the next 64 bits of the fraction of pi.
const FOLD: u64 = 0x1319_8A2E_0370_7344;

/// A seed with rules for making further seeds from it. Plain data: using one twice gives the same values twice.
///
/// - Children of one key under different indices are always different seeds.
/// - Streams may still meet: all seeds walk one cycle of length 2^64. The chance that any two of `k` streams of `n`
///   outputs overlap is below `k^2 * n / 2^64`: for a million streams of a million outputs, 6%; for a thousand
///   streams of a billion outputs, 0.006%.
/// - Checkpoint contract: the children of a key never change.
///
/// # Examples
/// ```
/// use fucina_core::rng::{self, Key};
///
/// let key = Key::new(42);
/// let [weights, data] = key.split_array();
/// assert_eq!(weights, key.split(0));
/// let mut out = [0.0; 8];
/// rng::gaussian_fill(weights.seed(), &mut out, 1.0);
/// rng::uniform_fill(data.fold_in(3).seed(), &mut out, 0.0, 1.0)?; // step 3
/// # Ok::<(), rng::RngError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    seed: u64,
}

impl Key {
    /// The key whose own draws use `seed`.
    #[inline]
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The seed to give to a fill.
    #[inline]
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Child `i`: `at(mix(seed ^ c), i)` with a constant `c`, `mix` being the finaliser of splitmix64.
    #[inline]
    pub const fn split(self, i: u64) -> Self {
        Self { seed: at(mix(self.seed ^ SPLIT), i) }
    }

    /// Children `0..n`, lazily.
    #[inline]
    pub fn split_n(
        self,
        n: usize,
    ) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone {
        (0..n).map(move |i| self.split(i as u64))
    }

    /// The first `N` children, to be taken apart by a pattern.
    #[inline]
    pub fn split_array<const N: usize>(self) -> [Self; N] {
        core::array::from_fn(|i| self.split(i as u64))
    }

    /// A key for `data`: a step, a layer, a rank. It is as [`Key::split`], under another constant, so that a fold and
    /// a child never coincide by design.
    #[inline]
    pub const fn fold_in(self, data: u64) -> Self {
        Self { seed: at(mix(self.seed ^ FOLD), data) }
    }
}
