//! Correctly rounded square roots without branches, for loops that should become vectors.
//!
//! Without the standard library the square root is a call into `libm`, one lane at a time, and would cost as much as
//! the rest of a Gaussian. Both roots here start from an estimate of `1 / sqrt(x)` by the exponent and refine it by
//! Newton's iteration `y -> y * (1.5 - 0.5 * x * y^2)`, whose relative error goes 2^-4.8, 2^-9.1, 2^-17.6, 2^-34.
//! They are equal to `libm`'s in every bit, because a correctly rounded root is one number.
//!
//! Vector units have an instruction for it, and by the same argument its bits are these: whoever has one says so by
//! [`Roots`].
#![forbid(unsafe_code)]

/// Correctly rounded square roots of many values at once.
pub trait Roots: Copy {
    /// Puts the root in place of each of `x`, whose values are 0 or from 2^-60 to 2^60. Their number is a multiple of 32.
    fn roots32(self, x: &mut [f32]);
    /// The same for values that are 0 or from 2^-200 to 2^200.
    fn roots64(self, x: &mut [f64]);
}

/// By multiplications, on any target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByNewton;

impl Roots for ByNewton {
    #[inline(always)] // into a backend's target_feature function, where the loops take its vectors
    fn roots32(self, x: &mut [f32]) {
        for x in x {
            *x = sqrt_f32(*x);
        }
    }
    #[inline(always)] // as above
    fn roots64(self, x: &mut [f64]) {
        for x in x {
            *x = sqrt_f64(*x);
        }
    }
}

/// The square root, for `x` a zero of either sign or from 2^-60 to 2^60.
///
/// The last step, on the root itself in f64, leaves a relative error below 2^-52. A root of an f32 is never closer
/// than 2^-51, relatively, to a midpoint of two f32: in units in which a midpoint is an odd integer below 2^26, four
/// times `x` is a multiple of 2^25 and the midpoint's square is odd. So the narrowing rounds correctly.
#[inline(always)] // part of one loop body, so that the compiler may vectorise it
pub(super) fn sqrt_f32(x: f32) -> f32 {
    let half = 0.5 * x;
    let mut y = f32::from_bits(0x5F37_59DF_u32.wrapping_sub(x.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    let (w, mut y) = (f64::from(x), f64::from(y));
    y *= 1.5 - 0.5 * w * y * y;
    let s = w * y;
    let root = (s + 0.5 * y * (w - s * s)) as f32;
    if x == 0.0 { x } else { root }
}

/// The square root, for `x` a zero of either sign or from 2^-200 to 2^200.
///
/// Newton's root `s` is off by at most one unit in the last place. The residual `r = x - s * s` is computed without
/// error (Dekker's product) and decides: with `up` the distance to the next f64, the root lies above the midpoint
/// `s + up / 2` if and only if `r > s * up + up^2 / 4`, that is `r > s * up`, as all three are multiples of `up^2`
/// but the last; and likewise below, where the distance differs if `s` is a power of two.
#[inline(always)] // as above
pub(super) fn sqrt_f64(x: f64) -> f64 {
    let half = 0.5 * x;
    let mut y = f64::from_bits(0x5FE6_EB50_C7B5_37A9_u64.wrapping_sub(x.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    let s = x * y;
    let s = s + 0.5 * y * (x - s * s);

    let c = s * 134_217_729.0; // 2^27 + 1 splits a significand in two halves
    let high = c - (c - s);
    let low = s - high;
    let square = s * s;
    let error = ((high * high - square) + 2.0 * high * low) + low * low;
    let r = (x - square) - error;

    let above = f64::from_bits(s.to_bits().wrapping_add(1));
    let below = f64::from_bits(s.to_bits().wrapping_sub(1));
    let root = if r > s * (above - s) { above } else { s };
    let root = if r <= -(s * (s - below)) { below } else { root };
    if x == 0.0 { x } else { root }
}

#[cfg(test)]
mod tests {
    use super::super::at;
    use super::*;

    fn agrees_f32(x: f32) {
        assert_eq!(sqrt_f32(x).to_bits(), libm::sqrtf(x).to_bits(), "{x:e}");
    }

    fn agrees_f64(x: f64) {
        assert_eq!(sqrt_f64(x).to_bits(), libm::sqrt(x).to_bits(), "{x:e}");
    }

    #[test]
    fn f32_roots_are_those_of_libm_for_every_significand() {
        // Two exponents, one of each parity, decide for all; a third of the values in a debug build.
        let step = if cfg!(debug_assertions) { 3 } else { 1 };
        for bits in (1.0_f32.to_bits()..4.0_f32.to_bits()).step_by(step) {
            agrees_f32(f32::from_bits(bits));
        }
    }

    #[test]
    fn f32_roots_are_those_of_libm_over_the_range() {
        for i in 0..400_000 {
            let word = at(1, i);
            let exponent = 127 - 60 + (word >> 32) as u32 % 120;
            agrees_f32(f32::from_bits((exponent << 23) | (word as u32 >> 9)));
        }
        agrees_f32(0.0);
        agrees_f32(-0.0);
    }

    #[test]
    fn f64_roots_are_those_of_libm() {
        for i in 0..400_000 {
            let exponent = 1023 - 200 + at(2, i) % 400;
            agrees_f64(f64::from_bits((exponent << 52) | (at(3, i) >> 12)));
        }
        agrees_f64(0.0);
        agrees_f64(-0.0);
    }

    #[test]
    fn f64_roots_near_midpoints_and_powers_of_two_are_those_of_libm() {
        let near = |x: f64| {
            for step in 0..9 {
                agrees_f64(f64::from_bits(x.to_bits() - 4 + step));
            }
        };
        for e in -50..50 {
            near(libm::exp2(f64::from(e)));
        }
        for i in 0..100_000 {
            // Squares of midpoints of two f64, rounded: no roots are closer to midpoints than those beside them.
            let s = f64::from_bits((1023 << 52) | (at(4, i) >> 12));
            near(s * s + s * f64::EPSILON);
            near(s * s);
        }
    }
}
