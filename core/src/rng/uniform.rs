//! Uniform f32 fills and what rests on them: the Kaiming initialisation and Bernoulli draws.
//!
//! One output an element. The interval is half open although the narrowing to f32 may round up to its end: that
//! value is replaced by the f32 below.
#![forbid(unsafe_code)]

use super::{RngError, Stream, UNIT, draw};

/// Fills `out` with uniform values in `[lo, hi)`.
///
/// - Numerics: element `i` is `lo + (hi - lo) * u` in f64, narrowed once, with `u` = [`unit`](super::unit)`(seed, i)`;
///   a result that rounds to `hi` becomes the f32 just below `hi`. Absolute error at most half an f32 ulp of the
///   result plus 2 f64 ulp of the largest of `|lo|`, `|hi|` and `hi - lo`.
/// - Checkpoint contract: the bits depend on `seed`, index, `lo` and `hi` alone, and never change.
///
/// # Errors
/// [`RngError::BadInterval`] unless both ends are finite and `lo < hi`.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut out = [0.0; 4];
/// rng::uniform_fill(42, &mut out, -1.0, 3.0)?;
/// assert_eq!(out[0].to_bits(), 0x3ffb_ae64);
/// assert!(rng::uniform_fill(42, &mut out, 3.0, 3.0).is_err());
/// # Ok::<(), rng::RngError>(())
/// ```
pub fn uniform_fill(seed: u64, out: &mut [f32], lo: f32, hi: f32) -> Result<(), RngError> {
    fill("uniform_fill", seed, 0, out, lo, hi)
}

/// Elements `first..first + out.len()` of the sequence of [`uniform_fill`].
///
/// # Errors
/// [`RngError::BadInterval`] unless both ends are finite and `lo < hi`.
#[inline(always)] // into a backend's target_feature function, where the loop takes its vectors
pub fn uniform_fill_at(
    seed: u64,
    first: u64,
    out: &mut [f32],
    lo: f32,
    hi: f32,
) -> Result<(), RngError> {
    fill("uniform_fill_at", seed, first, out, lo, hi)
}

/// Fills `out`, the weights of a linear layer with `fan_in` inputs, as Kaiming He's uniform rule does with the
/// negative slope `sqrt(5)`: uniform in `[-bound, bound)`, `bound = 1 / sqrt(fan_in)`.
///
/// - Numerics: `bound` is `sqrt(1 / fan_in)` in f64, narrowed to f32; then [`uniform_fill`].
/// - Checkpoint contract: the bits depend on `seed`, index and `fan_in` alone, and never change.
/// - Source: K. He, X. Zhang, S. Ren, J. Sun, "Delving deep into rectifiers", ICCV 2015, section 2.2.
///
/// # Errors
/// [`RngError::ZeroFanIn`] if `fan_in` is 0.
pub fn kaiming_uniform_fill(seed: u64, out: &mut [f32], fan_in: usize) -> Result<(), RngError> {
    kaiming("kaiming_uniform_fill", seed, 0, out, fan_in)
}

/// Elements `first..first + out.len()` of the sequence of [`kaiming_uniform_fill`].
///
/// # Errors
/// [`RngError::ZeroFanIn`] if `fan_in` is 0.
#[inline(always)] // as above
pub fn kaiming_uniform_fill_at(
    seed: u64,
    first: u64,
    out: &mut [f32],
    fan_in: usize,
) -> Result<(), RngError> {
    kaiming("kaiming_uniform_fill_at", seed, first, out, fan_in)
}

/// Fills `out` with 1 where a draw succeeds, with probability `p`, and 0 elsewhere.
///
/// - Numerics: element `i` is 1 if the uniform f32 of [`uniform_fill`] on `[0, 1)` is below `p`, so 0 and 1 are
///   exact; elsewhere the probability is `p` to within 2^-25 of `p` plus 2^-53.
/// - Checkpoint contract: the bits depend on `seed`, index and `p` alone, and never change.
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p <= 1`.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut out = [0.5; 3];
/// rng::bernoulli_fill(1, &mut out, 1.0)?;
/// assert_eq!(out, [1.0; 3]);
/// assert!(rng::bernoulli_fill(1, &mut out, f32::NAN).is_err());
/// # Ok::<(), rng::RngError>(())
/// ```
pub fn bernoulli_fill(seed: u64, out: &mut [f32], p: f32) -> Result<(), RngError> {
    bernoulli("bernoulli_fill", seed, 0, out, p)
}

/// Elements `first..first + out.len()` of the sequence of [`bernoulli_fill`].
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p <= 1`.
#[inline(always)] // as above
pub fn bernoulli_fill_at(seed: u64, first: u64, out: &mut [f32], p: f32) -> Result<(), RngError> {
    bernoulli("bernoulli_fill_at", seed, first, out, p)
}

#[inline(always)] // as above
fn fill(
    op: &'static str,
    seed: u64,
    first: u64,
    out: &mut [f32],
    lo: f32,
    hi: f32,
) -> Result<(), RngError> {
    check_interval(op, lo, hi)?;
    write(seed, first, out, lo, hi);
    Ok(())
}

pub(super) fn check_interval(op: &'static str, lo: f32, hi: f32) -> Result<(), RngError> {
    if lo.is_finite() && hi.is_finite() && lo < hi {
        Ok(())
    } else {
        Err(RngError::BadInterval { op, lo, hi })
    }
}

/// The fill of a checked interval.
#[inline(always)] // as above
pub(super) fn write(seed: u64, first: u64, out: &mut [f32], lo: f32, hi: f32) {
    let mut stream = Stream::new(seed, first);
    for x in out {
        *x = uniform(stream.next(), lo, hi);
    }
}

#[inline(always)] // as above
fn kaiming(
    op: &'static str,
    seed: u64,
    first: u64,
    out: &mut [f32],
    fan_in: usize,
) -> Result<(), RngError> {
    if fan_in == 0 {
        return Err(RngError::ZeroFanIn { op });
    }
    let bound = libm::sqrt(1.0 / fan_in as f64) as f32;
    fill(op, seed, first, out, -bound, bound)
}

#[inline(always)] // as above
fn bernoulli(
    op: &'static str,
    seed: u64,
    first: u64,
    out: &mut [f32],
    p: f32,
) -> Result<(), RngError> {
    check_probability(op, p)?;
    write_bernoulli(seed, first, out, p);
    Ok(())
}

pub(super) fn check_probability(op: &'static str, p: f32) -> Result<(), RngError> {
    if (0.0..=1.0).contains(&p) {
        Ok(())
    } else {
        Err(RngError::BadProbability { op, p, one_fits: true })
    }
}

/// The fill of a checked probability.
#[inline(always)] // as above
pub(super) fn write_bernoulli(seed: u64, first: u64, out: &mut [f32], p: f32) {
    let mut stream = Stream::new(seed, first);
    for x in out {
        *x = f32::from(u8::from(uniform(stream.next(), 0.0, 1.0) < p));
    }
}

#[inline(always)] // as above
fn uniform(output: u64, lo: f32, hi: f32) -> f32 {
    let (from, to) = (f64::from(lo), f64::from(hi));
    let v = (from + ((to - from) * UNIT) * draw(output)) as f32;
    if v >= hi { hi.next_down() } else { v }
}
