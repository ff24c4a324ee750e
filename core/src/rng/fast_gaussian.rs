//! Gaussian fills by Box and Muller's transform, in f32 polynomials: several times faster, with bits of its own.
//!
//! The pairs and outputs are those of the exact fill; the two uniforms are narrowed to f32 and all that follows is
//! f32, each operation rounded by itself. There is no branch and no table, so pairs do not touch each other and a
//! block of them becomes a handful of vector loops; how many lanes the vectors have cannot change a bit.
#![forbid(unsafe_code)]

use super::sqrt::sqrt_f32;
use super::window::{PAIRS, Pairs, fill_pairs};
use super::{ByNewton, Roots, STEP, Stream, UNIT, at, draw};

/// Elements `first..first + out.len()` of a Gaussian sequence of mean 0 and standard deviation `scale`.
///
/// - Numerics: agrees with [`gaussian_fill_at`](super::gaussian_fill_at) to within `1e-5 * max(1, |x|)` at scale 1,
///   but not in bits. The value at scale `s` is exactly the f32 product of `s` and the value at scale 1.
/// - Checkpoint contract: the bits depend on `seed`, index and `scale` alone, and never change. It is a mapping of
///   its own: a seed stored for one Gaussian fill does not give back the values of the other.
/// - Source: G. E. P. Box, M. E. Muller, 1958; the polynomials are those of S. L. Moshier's Cephes library, single
///   precision (`logf`, `sinf`, `cosf`).
///
/// # Examples
/// ```
/// let mut out = [0.0; 3];
/// fucina_core::rng::gaussian_fill_at_fast(42, 0, &mut out, 1.0);
/// assert_eq!(out.map(f32::to_bits), [0x3ed4_5626, 0x3f27_161d, 0xbf64_52a7]);
/// ```
pub fn gaussian_fill_at_fast(seed: u64, first: u64, out: &mut [f32], scale: f32) {
    write_fast(ByNewton, seed, first, out, scale);
}

/// The fill, with roots taken this way.
#[inline(always)] // into a backend's target_feature function, where the loops take its vectors
pub(super) fn write_fast(roots: impl Roots, seed: u64, first: u64, out: &mut [f32], scale: f32) {
    fill_pairs(&Fast { seed, scale }, roots, first, out);
}

/// The sequence of one seed and scale.
struct Fast {
    seed: u64,
    scale: f32,
}

impl Pairs for Fast {
    // A loop a step, so that each step becomes vectors.
    #[inline(always)] // as above
    fn block(&self, roots: impl Roots, even: u64, out: &mut [f32; 2 * PAIRS]) {
        let mut ua = [0.0; PAIRS];
        let mut ub = [0.0; PAIRS];
        let mut stream = Stream::new(self.seed, even);
        for (a, b) in ua.iter_mut().zip(&mut ub) {
            (*a, *b) = uniforms(stream.next(), stream.next());
        }
        for a in &mut ua {
            *a = -2.0 * log(*a);
        }
        roots.roots32(&mut ua);
        let (pairs, _) = out.as_chunks_mut::<2>();
        for (two, (&r, &u)) in pairs.iter_mut().zip(ua.iter().zip(&ub)) {
            *two = rotate(r, u, self.scale);
        }
    }

    #[inline(always)] // as above
    fn pair(&self, even: u64) -> [f32; 2] {
        let (ua, ub) = uniforms(at(self.seed, even), at(self.seed, even.wrapping_add(1)));
        rotate(sqrt_f32(-2.0 * log(ua)), ub, self.scale)
    }
}

/// The uniforms of a pair, the first in `(0, 1]`, the second in `[0, 1]`: multiples of 2^-53 narrowed to f32.
#[inline(always)] // one loop body, so that the compiler may vectorise it
fn uniforms(a: u64, b: u64) -> (f32, f32) {
    // Scaling by a power of two and narrowing commute: half as many vectors to scale.
    ((draw(a) + STEP) as f32 * UNIT as f32, draw(b) as f32 * UNIT as f32)
}

/// The vector of length `radius` at `turn` turns, times `scale`.
#[inline(always)] // as above
fn rotate(radius: f32, turn: f32, scale: f32) -> [f32; 2] {
    let (sin, cos) = sin_cos_turn(turn);
    [(radius * cos) * scale, (radius * sin) * scale]
}

/// The natural logarithm, for normal positive `x`.
#[inline(always)] // as above
#[expect(clippy::excessive_precision, reason = "the coefficients stand as published")]
fn log(x: f32) -> f32 {
    let bits = x.to_bits();
    let e = ((bits >> 23) as i32 - 126) as f32;
    let m = f32::from_bits((bits & 0x007F_FFFF) | 0x3F00_0000);
    let low = m < core::f32::consts::FRAC_1_SQRT_2;
    let e = if low { e - 1.0 } else { e };
    let m = if low { m + m } else { m };
    let f = m - 1.0;
    let z = f * f;
    let mut p = 7.0376836292e-2_f32;
    p = p * f - 1.1514610310e-1;
    p = p * f + 1.1676998740e-1;
    p = p * f - 1.2420140846e-1;
    p = p * f + 1.4249322787e-1;
    p = p * f - 1.6668057665e-1;
    p = p * f + 2.0000714765e-1;
    p = p * f - 2.4999993993e-1;
    p = p * f + 3.3333331174e-1;
    // ln 2 in two parts: the upper, 0.693359375, has 9 bits, so that its product with `e` is exact.
    let mut y = (f * z) * p;
    y += e * -2.12194440e-4;
    y -= 0.5 * z;
    y += f;
    y + e * 0.693359375
}

/// Sine and cosine of `u` turns, for `u` in `[0, 1]`.
#[inline(always)] // as above
#[expect(clippy::excessive_precision, reason = "the coefficients stand as published")]
fn sin_cos_turn(u: f32) -> (f32, f32) {
    let t = u * 4.0;
    // The floor of a number from 0.5 to 4.5. A conversion saturates, lane by lane; comparisons do not.
    let up = t + 0.5;
    let q = [1.0, 2.0, 3.0, 4.0].into_iter().map(|step| i32::from(up >= step)).sum::<i32>();
    let y = t - q as f32;
    let r = y * core::f32::consts::FRAC_PI_2;
    let z = r * r;
    let p = (-1.9515295891e-4 * z + 8.3321608736e-3) * z - 1.6666654611e-1;
    let s = r + (r * z) * p;
    let p = (2.443315711809948e-5 * z - 1.388731625493765e-3) * z + 4.166664568298827e-2;
    let c = (1.0 - 0.5 * z) + (z * z) * p;
    let odd = q & 1 == 1;
    let (s, c) = (if odd { c } else { s }, if odd { s } else { c });
    let flip = |v: f32, q: i32| f32::from_bits(v.to_bits() ^ ((q as u32 & 2) << 30));
    (flip(s, q), flip(c, q + 1))
}
