//! Gaussian fills by Box and Muller's transform, in f64.
//!
//! Elements come in aligned pairs `(2p, 2p + 1)`. A pair takes outputs `2p` and `2p + 1` of the stream, one for a
//! radius and one for an angle, and is the cosine and the sine half of that vector. A window that begins or ends
//! inside a pair computes the pair and drops the other half, so windows never change a bit.
#![forbid(unsafe_code)]

use core::f64::consts::TAU;

use super::sqrt::sqrt_f64;
use super::window::{PAIRS, Pairs, fill_pairs};
use super::{ByNewton, RngError, Roots, STEP, Stream, UNIT, at, draw, msun};

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
    write(ByNewton, seed, first, out, [0.0, scale]);
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
    check_moments(op, mean, std_dev)?;
    write(ByNewton, seed, first, out, [mean, std_dev]);
    Ok(())
}

pub(super) fn check_moments(op: &'static str, mean: f32, std_dev: f32) -> Result<(), RngError> {
    if mean.is_finite() && std_dev.is_finite() && std_dev >= 0.0 {
        Ok(())
    } else {
        Err(RngError::BadMoments { op, mean, std_dev })
    }
}

/// The fill of checked moments, with roots taken this way.
#[inline(always)] // into a backend's target_feature function, where the loops take its vectors
pub(super) fn write(
    roots: impl Roots,
    seed: u64,
    first: u64,
    out: &mut [f32],
    [mean, std_dev]: [f32; 2],
) {
    fill_pairs(&Exact { seed, scale: f64::from(std_dev) }, roots, first, out);
    if mean != 0.0 {
        for x in out {
            *x += mean;
        }
    }
}

/// The sequence of one seed and scale.
struct Exact {
    seed: u64,
    scale: f64,
}

impl Pairs for Exact {
    // A loop a step, so that each step may become vectors.
    #[inline(always)] // as above
    fn block(&self, roots: impl Roots, even: u64, out: &mut [f32; 2 * PAIRS]) {
        let mut radius = [0.0; PAIRS];
        let mut angle = [0.0; PAIRS];
        let mut stream = Stream::new(self.seed, even);
        for (r, a) in radius.iter_mut().zip(&mut angle) {
            (*r, *a) = uniforms(stream.next(), stream.next());
        }
        for r in &mut radius {
            *r = -2.0 * msun::log(*r);
        }
        roots.roots64(&mut radius);
        let mut rare = false;
        for a in &mut angle {
            *a *= TAU;
            rare |= msun::near_quarter(*a);
        }
        let (pairs, _) = out.as_chunks_mut::<2>();
        for (two, (&r, &a)) in pairs.iter_mut().zip(radius.iter().zip(&angle)) {
            *two = rotate(r, msun::sin_cos(a), self.scale);
        }
        if rare {
            for (two, (&r, &a)) in pairs.iter_mut().zip(radius.iter().zip(&angle)) {
                if msun::near_quarter(a) {
                    *two = rotate(r, libm::sincos(a), self.scale);
                }
            }
        }
    }

    #[inline(always)] // as above
    fn pair(&self, even: u64) -> [f32; 2] {
        let (ua, ub) = uniforms(at(self.seed, even), at(self.seed, even.wrapping_add(1)));
        rotate(sqrt_f64(-2.0 * msun::log(ua)), libm::sincos(TAU * ub), self.scale)
    }
}

/// The uniforms of a pair. The first lies in `(0, 1]`, so its logarithm is finite; the sum is exact.
#[inline(always)] // one loop body, so that the compiler may vectorise it
fn uniforms(a: u64, b: u64) -> (f64, f64) {
    ((draw(a) + STEP) * UNIT, draw(b) * UNIT)
}

/// The vector of length `radius` at an angle of which sine and cosine are given, times `scale`.
#[inline(always)] // as above
fn rotate(radius: f64, (sin, cos): (f64, f64), scale: f64) -> [f32; 2] {
    [(radius * cos * scale) as f32, (radius * sin * scale) as f32]
}
