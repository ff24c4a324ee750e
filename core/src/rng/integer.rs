//! Integer fills: values of a range, and permutations.
//!
//! Both scale an output to a range by the upper half of a 64 by 64 bit product: one output a value, no rejection
//! loop, so the value at an index stays a function of the index.
#![forbid(unsafe_code)]

use super::{RngError, Stream, below};

/// Fills `out` with uniform integers of `low..high`.
///
/// - Numerics: element `i` is `low` plus the upper 64 bits of `at(seed, i) * (high - low)`, in wrapping integers.
///   Each probability differs from `1 / (high - low)` by less than 2^-64. Any range fits, up to `i64::MIN..i64::MAX`.
/// - Checkpoint contract: the values depend on `seed`, index and range alone, and never change.
///
/// # Errors
/// [`RngError::EmptyRange`] unless `low < high`.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut out = [0; 3];
/// rng::randint_fill(0, &mut out, -5, 17)?;
/// assert_eq!(out, [14, 4, -5]);
/// assert!(rng::randint_fill(0, &mut out, 3, 3).is_err());
/// # Ok::<(), rng::RngError>(())
/// ```
pub fn randint_fill(seed: u64, out: &mut [i64], low: i64, high: i64) -> Result<(), RngError> {
    fill("randint_fill", seed, 0, out, low, high)
}

/// Elements `first..first + out.len()` of the sequence of [`randint_fill`].
///
/// # Errors
/// [`RngError::EmptyRange`] unless `low < high`.
pub fn randint_fill_at(
    seed: u64,
    first: u64,
    out: &mut [i64],
    low: i64,
    high: i64,
) -> Result<(), RngError> {
    fill("randint_fill_at", seed, first, out, low, high)
}

/// Fills `out` with a uniform permutation of `0..out.len()`.
///
/// - Numerics: Fisher and Yates's shuffle of the identity from the end: for `k` from `n - 1` down to 1, elements `k`
///   and `j` change places, `j` being the upper 64 bits of `at(seed, n - 1 - k) * (k + 1)`. `n - 1` outputs.
/// - Checkpoint contract: the permutation depends on `seed` and length alone, and never changes. There is no form
///   with a first index: a permutation is whole.
///
/// # Examples
/// ```
/// let mut out = [0; 10];
/// fucina_core::rng::randperm_fill(0, &mut out);
/// assert_eq!(out[..3], [4, 9, 2]);
/// ```
pub fn randperm_fill(seed: u64, out: &mut [i64]) {
    for (i, x) in out.iter_mut().enumerate() {
        *x = i as i64;
    }
    let mut stream = Stream::new(seed, 0);
    for k in (1..out.len()).rev() {
        let j = below(stream.next(), k as u64 + 1);
        out.swap(k, j as usize);
    }
}

fn fill(
    op: &'static str,
    seed: u64,
    first: u64,
    out: &mut [i64],
    low: i64,
    high: i64,
) -> Result<(), RngError> {
    if low >= high {
        return Err(RngError::EmptyRange { op, low, high });
    }
    write(seed, first, out, low, high);
    Ok(())
}

/// The fill of a range that is not empty.
#[inline(always)] // into a backend's target_feature function
pub(crate) fn write(seed: u64, first: u64, out: &mut [i64], low: i64, high: i64) {
    let span = high.wrapping_sub(low) as u64;
    let mut stream = Stream::new(seed, first);
    for x in out {
        *x = low.wrapping_add(below(stream.next(), span) as i64);
    }
}
