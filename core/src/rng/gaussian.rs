//! Gaussian fills by Box and Muller's transform, in f64.
//!
//! Elements come in aligned pairs `(2p, 2p + 1)`. A pair takes outputs `2p` and `2p + 1` of the stream, one for a
//! radius and one for an angle, and is the cosine and the sine half of that vector. A window that begins or ends
//! inside a pair computes the pair and drops the other half, so windows never change a bit.
#![forbid(unsafe_code)]

use core::f64::consts::TAU;

use super::window::fill_pairs;
use super::{RngError, UNIT, at, upper53};

/// Fills `out` with Gaussian values of mean 0 and standard deviation `scale`.
///
/// - Numerics: computed in f64, scaled in f64, narrowed once to f32: within 0.5 ulp (f32) plus 4 ulp (f64) of the
///   exact transform. No value exceeds `8.6 * scale` in magnitude. A value at scale `s` is not always the f32
///   product of `s` and the value at scale 1. Any `scale` is taken as it is: a negative one mirrors, 0 gives zeros
///   of both signs, NaN gives NaN.
/// - Checkpoint contract: the bits depend on `seed`, index and `scale` alone, and never change.
/// - Source: G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", 1958.
///
/// # Examples
/// ```
/// let mut out = [0.0; 3];
/// fucina_core::rng::gaussian_fill(42, &mut out, 1.0);
/// assert_eq!(out.map(f32::to_bits), [0x3ed4_5626, 0x3f27_161e, 0xbf64_52a8]);
/// ```
pub fn gaussian_fill(seed: u64, out: &mut [f32], scale: f32) {
    gaussian_fill_at(seed, 0, out, scale);
}

/// Elements `first..first + out.len()` of the sequence of [`gaussian_fill`].
///
/// An odd `first` begins with the sine half of its pair.
pub fn gaussian_fill_at(seed: u64, first: u64, out: &mut [f32], scale: f32) {
    let pair = |even| gaussian_pair(seed, even, scale);
    fill_pairs(first, out, pair, |from, body| {
        let mut even = from;
        for two in body.chunks_exact_mut(2) {
            two.copy_from_slice(&pair(even));
            even = even.wrapping_add(2);
        }
    });
}

/// Fills `out` with Gaussian values of mean `mean` and standard deviation `std_dev`.
///
/// - Numerics: [`gaussian_fill`] with scale `std_dev`, then, unless `mean` is 0, `mean` is added in f32 (a second
///   rounding).
/// - Checkpoint contract: the bits depend on `seed`, index and the two moments alone, and never change.
///
/// # Errors
/// [`RngError::BadMoments`] unless both moments are finite and `std_dev >= 0`.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut out = [0.0; 2];
/// rng::normal_fill(9, &mut out, 3.0, 0.0)?;
/// assert_eq!(out, [3.0, 3.0]);
/// # Ok::<(), rng::RngError>(())
/// ```
pub fn normal_fill(seed: u64, out: &mut [f32], mean: f32, std_dev: f32) -> Result<(), RngError> {
    normal("normal_fill", seed, 0, out, mean, std_dev)
}

/// Elements `first..first + out.len()` of the sequence of [`normal_fill`].
///
/// # Errors
/// [`RngError::BadMoments`] unless both moments are finite and `std_dev >= 0`.
pub fn normal_fill_at(
    seed: u64,
    first: u64,
    out: &mut [f32],
    mean: f32,
    std_dev: f32,
) -> Result<(), RngError> {
    normal("normal_fill_at", seed, first, out, mean, std_dev)
}

fn normal(
    op: &'static str,
    seed: u64,
    first: u64,
    out: &mut [f32],
    mean: f32,
    std_dev: f32,
) -> Result<(), RngError> {
    if !(mean.is_finite() && std_dev.is_finite() && std_dev >= 0.0) {
        return Err(RngError::BadMoments { op, mean, std_dev });
    }
    gaussian_fill_at(seed, first, out, std_dev);
    if mean != 0.0 {
        for x in out {
            *x += mean;
        }
    }
    Ok(())
}

/// Elements `even` and `even + 1`.
fn gaussian_pair(seed: u64, even: u64, scale: f32) -> [f32; 2] {
    // In (0, 1], so the logarithm is finite; the sum is at most 2^53 and exact.
    let ua = (upper53(at(seed, even)) + 1) as f64 * UNIT;
    let ub = upper53(at(seed, even.wrapping_add(1))) as f64 * UNIT;
    let radius = libm::sqrt(-2.0 * libm::log(ua));
    let (sin, cos) = libm::sincos(TAU * ub);
    let scale = f64::from(scale);
    [(radius * cos * scale) as f32, (radius * sin * scale) as f32]
}
