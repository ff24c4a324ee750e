//! Inverted dropout whose mask is a function of seed and element index.
//!
//! No mask is stored: the forward pass, the backward pass and a recomputation each ask the stream again. Element `i`
//! is kept if the upper 53 bits of output `i` are below a threshold, an integer that stands for `1 - p` exactly.
#![forbid(unsafe_code)]

use super::{RngError, Stream, at, upper53};

/// 2^53: how many draws there are.
const DRAWS: f64 = 9_007_199_254_740_992.0;

/// How many of the 2^53 draws keep an element that is dropped with probability `p`: `ceil((1 - p) * 2^53)`.
///
/// - Numerics: `1 - p` in f64; the probability that an element is kept is exactly that.
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p < 1`.
///
/// # Examples
/// ```
/// assert_eq!(fucina_core::rng::dropout_threshold(0.25), Ok(3 << 51));
/// ```
pub fn dropout_threshold(p: f32) -> Result<u64, RngError> {
    check("dropout_threshold", p)?;
    Ok(threshold(p))
}

/// What a kept element is multiplied by, so that the expectation stays: `1 / (1 - p)`, subtracted and divided in f32.
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p < 1`.
///
/// # Examples
/// ```
/// assert_eq!(fucina_core::rng::dropout_scale(0.75), Ok(4.0));
/// ```
pub fn dropout_scale(p: f32) -> Result<f32, RngError> {
    check("dropout_scale", p)?;
    Ok(scale(p))
}

/// Whether element `i` is kept, for a threshold from [`dropout_threshold`].
///
/// - Checkpoint contract: depends on the three arguments alone, and never changes.
///
/// # Examples
/// ```
/// use fucina_core::rng::{dropout_keep, dropout_threshold};
///
/// let half = dropout_threshold(0.5)?;
/// assert_eq!([0, 1, 2].map(|i| dropout_keep(0, i, half)), [false, true, true]);
/// # Ok::<(), fucina_core::rng::RngError>(())
/// ```
#[inline]
pub const fn dropout_keep(seed: u64, i: u64, threshold: u64) -> bool {
    keeps(at(seed, i), threshold)
}

/// Writes `out[i] = x[i] / (1 - p)` where element `first + i` is kept, and +0 where it is dropped.
///
/// `first` is the flat row-major index of `x[0]` in the logical tensor: pieces of a tensor, in any cut and on any
/// thread, get the mask of the whole. The gradient of the op is the op itself, applied to the incoming gradient with
/// the same `seed`, `first` and `p`.
///
/// - Numerics: [`dropout_scale`] times `x[i]`, one f32 rounding. A dropped element is +0 whatever it was: negative,
///   infinite or NaN. `p = 0` copies.
/// - Checkpoint contract: the bits depend on the arguments alone, and never change.
/// - Source: N. Srivastava et al., "Dropout", JMLR 15, 2014, section 10 (the inverted form).
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p < 1`; [`RngError::LengthMismatch`] unless `x` and `out` are equally
/// long.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut out = [0.0; 3];
/// rng::dropout(0, 0, 0.5, &[1.0, 2.0, 3.0], &mut out)?;
/// assert_eq!(out, [0.0, 4.0, 6.0]);
/// # Ok::<(), rng::RngError>(())
/// ```
#[inline(always)] // into a backend's target_feature function, where the loop takes its vectors
pub fn dropout(seed: u64, first: u64, p: f32, x: &[f32], out: &mut [f32]) -> Result<(), RngError> {
    check("dropout", p)?;
    if x.len() != out.len() {
        let (expected, found) = (x.len(), out.len());
        return Err(RngError::LengthMismatch { op: "dropout", expected, found });
    }
    let (threshold, scale) = (threshold(p), scale(p));
    let mut stream = Stream::new(seed, first);
    for (y, &x) in out.iter_mut().zip(x) {
        *y = masked(stream.next(), threshold, x * scale);
    }
    Ok(())
}

/// [`dropout`] that overwrites its input.
///
/// # Errors
/// [`RngError::BadProbability`] unless `0 <= p < 1`.
#[inline(always)] // as above
pub fn dropout_in_place(seed: u64, first: u64, p: f32, x: &mut [f32]) -> Result<(), RngError> {
    check("dropout_in_place", p)?;
    let (threshold, scale) = (threshold(p), scale(p));
    let mut stream = Stream::new(seed, first);
    for x in x {
        *x = masked(stream.next(), threshold, *x * scale);
    }
    Ok(())
}

/// The mask of `p`, checked, over elements of any type: `x * scale` where kept, else `zero`.
#[inline(always)] // as above
pub(crate) fn masked_scale<T: Copy + core::ops::Mul<Output = T>>(
    seed: u64,
    first: u64,
    p: f32,
    [scale, zero]: [T; 2],
    x: &[T],
    out: &mut [T],
) {
    let threshold = threshold(p);
    let mut stream = Stream::new(seed, first);
    for (y, &x) in out.iter_mut().zip(x) {
        *y = if keeps(stream.next(), threshold) { x * scale } else { zero };
    }
}

fn check(op: &'static str, p: f32) -> Result<(), RngError> {
    if (0.0..1.0).contains(&p) {
        Ok(())
    } else {
        Err(RngError::BadProbability { op, p, one_fits: false })
    }
}

fn threshold(p: f32) -> u64 {
    libm::ceil((1.0 - f64::from(p)) * DRAWS) as u64
}

fn scale(p: f32) -> f32 {
    1.0 / (1.0 - p)
}

/// Whether an output keeps its element.
#[inline(always)] // one loop body, so that the compiler may vectorise it
const fn keeps(output: u64, threshold: u64) -> bool {
    upper53(output) < threshold
}

/// `x` if the output keeps it, else +0; by its bits, because a branch on random bits is mispredicted half the time.
#[inline(always)] // as above
fn masked(output: u64, threshold: u64, x: f32) -> f32 {
    let mask = u32::from(keeps(output, threshold)).wrapping_neg();
    f32::from_bits(x.to_bits() & mask)
}
