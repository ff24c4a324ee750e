//! FreeBSD's f64 logarithm, sine and cosine, the algorithms of the `libm` crate, without branches.
//!
//! Each operation is that of the original and in its order, so the bits are the same; what differs is that choices
//! are selections, which the compiler can make in vectors, and that the domain is only what the fills need. Where the
//! original reduces an angle by a second and third round, close to a multiple of a quarter turn, [`near_quarter`]
//! says so and the caller asks `libm`.
//!
//! Adapted from FreeBSD /usr/src/lib/msun/src: e_log.c, k_sin.c, k_cos.c, e_rem_pio2.c.
//!
//! Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//! Developed at SunPro and SunSoft, Sun Microsystems, Inc. businesses. Permission to use, copy, modify, and
//! distribute this software is freely granted, provided that this notice is preserved.
#![forbid(unsafe_code)]
#![expect(clippy::excessive_precision, reason = "the coefficients stand as published")]

use super::TWO_52;

const LN2_HI: f64 = 6.93147180369123816490e-01;
const LN2_LO: f64 = 1.90821492927058770002e-10;
const LG: [f64; 7] = [
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
];

const S: [f64; 6] = [
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
];
const C: [f64; 6] = [
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
];

/// The first 33 bits of a quarter turn, and the rest.
const QUARTER_HI: f64 = 1.57079632673412561417e+00;
const QUARTER_LO: f64 = 6.07710050650619224932e-11;

/// The odd eighths of a turn as the original compares them: the least f64 whose upper word is above the given one.
const EIGHTHS: [f64; 4] =
    [above(0x3FE9_21FB), above(0x4002_D97C), above(0x400F_6A7A), above(0x4015_FDBC)];

const fn above(upper_word: u32) -> f64 {
    f64::from_bits((upper_word as u64 + 1) << 32)
}

/// The natural logarithm, for normal positive finite `x`.
#[inline(always)] // part of one loop body, so that the compiler may vectorise it
pub(super) fn log(x: f64) -> f64 {
    // x = 2^k * (1 + f), with 1 + f from sqrt(2) / 2 to sqrt(2).
    const ROOT_HALF: u64 = 0x3FE6_A09E << 32;
    const ONE: u64 = 0x3FF0_0000 << 32;
    let bits = x.to_bits().wrapping_add(ONE - ROOT_HALF);
    // The biased k counts in units of 1 below the leading bit of 2^52.
    let k = f64::from_bits((bits >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let f = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) + ROOT_HALF) - 1.0;
    let hfsq = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let t1 = w * (LG[1] + w * (LG[3] + w * LG[5]));
    let t2 = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    s * (hfsq + (t2 + t1)) + k * LN2_LO - hfsq + f + k * LN2_HI
}

/// Sine and cosine of `x` radians, for `x` in `[0, 2 pi]` that is not [`near_quarter`].
#[inline(always)] // as above
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let (q, n) = quarters(x);
    let r = x - n * QUARTER_HI;
    let w = n * QUARTER_LO;
    let y0 = r - w;
    let y1 = (r - y0) - w;
    let (s, c) = (k_sin(y0, y1, q == 0), k_cos(y0, y1));
    let odd = q & 1 == 1;
    let (s, c) = (if odd { c } else { s }, if odd { s } else { c });
    let flip = |v: f64, q: u64| f64::from_bits(v.to_bits() ^ ((q & 2) << 62));
    (flip(s, q), flip(c, q + 1))
}

/// Whether `x` may lie so close to a multiple of a quarter turn that [`sin_cos`] has not the bits of `libm`.
///
/// The original takes its slow way if the upper 20 bits of the significand are those of the multiple, so at most
/// 2^-17 away from it; this bound is four times as wide.
#[inline(always)] // as above
pub(super) fn near_quarter(x: f64) -> bool {
    let (_, n) = quarters(x);
    (x - n * QUARTER_HI).abs() < 1.0 / 32_768.0
}

/// The number of the nearest quarter turn, as an integer and as a float.
#[inline(always)] // as above
fn quarters(x: f64) -> (u64, f64) {
    let q = EIGHTHS.into_iter().map(|e| u64::from(x >= e)).sum::<u64>();
    (q, f64::from_bits(q | TWO_52.to_bits()) - TWO_52)
}

/// The sine of `x + y`; `exact` says that `y` is 0.
#[inline(always)] // as above
fn k_sin(x: f64, y: f64, exact: bool) -> f64 {
    let z = x * x;
    let w = z * z;
    let r = S[1] + z * (S[2] + z * S[3]) + z * w * (S[4] + z * S[5]);
    let v = z * x;
    let plain = x + v * (S[0] + z * r);
    let corrected = x - ((z * (0.5 * y - v * r) - y) - v * S[0]);
    if exact { plain } else { corrected }
}

/// The cosine of `x + y`.
#[inline(always)] // as above
fn k_cos(x: f64, y: f64) -> f64 {
    let z = x * x;
    let w = z * z;
    let r = z * (C[0] + z * (C[1] + z * C[2])) + w * w * (C[3] + z * (C[4] + z * C[5]));
    let hz = 0.5 * z;
    let w = 1.0 - hz;
    w + (((1.0 - w) - hz) + (z * r - x * y))
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::super::{STEP, UNIT, at, draw, unit};
    use super::*;

    fn log_agrees(x: f64) {
        assert_eq!(log(x).to_bits(), libm::log(x).to_bits(), "log {x:e}");
    }

    fn sin_cos_agrees(x: f64) -> bool {
        if near_quarter(x) {
            return false;
        }
        let ((s, c), (sin, cos)) = (sin_cos(x), libm::sincos(x));
        assert_eq!(s.to_bits(), sin.to_bits(), "sin {x:e}");
        assert_eq!(c.to_bits(), cos.to_bits(), "cos {x:e}");
        assert_eq!((sin, cos), (libm::sin(x), libm::cos(x)), "{x:e}");
        true
    }

    #[test]
    fn log_has_the_bits_of_libm() {
        for i in 0..300_000 {
            let u = (draw(at(1, i)) + STEP) * UNIT;
            log_agrees(u);
            log_agrees(-libm::log(u * 0.999_999));
            log_agrees(u * libm::exp2(-64.0 * unit(2, i)));
        }
        // Around the powers of 2 and the places where the exponent changes over.
        for e in -60..8 {
            for centre in [1.0, core::f64::consts::SQRT_2, 1.0_f64.next_down()] {
                let bits = (libm::exp2(f64::from(e)) * centre).to_bits();
                for step in 0..2000 {
                    log_agrees(f64::from_bits(bits - 1000 + step));
                    log_agrees(f64::from_bits(bits - (1000 << 32) + (step << 32)));
                }
            }
        }
        assert_eq!(log(1.0).to_bits(), 0);
    }

    #[test]
    fn sine_and_cosine_have_the_bits_of_libm() {
        let far = (0..500_000).filter(|&i| sin_cos_agrees(TAU * unit(3, i))).count();
        assert!(far > 499_900, "{far} of 500,000 away from quarters");
        for eighth in 0..=8 {
            let centre = f64::from(eighth) * (TAU / 8.0);
            for i in 0..50_000 {
                // Closer and closer from both sides, down to one ulp.
                let step = libm::exp2(-53.0 * unit(4, i)) * if i % 2 == 0 { 1.0 } else { -1.0 };
                let x = centre + step;
                if (0.0..TAU).contains(&x) {
                    sin_cos_agrees(x);
                }
                let word = (centre.to_bits() >> 32).wrapping_add(i % 64).wrapping_sub(32);
                let x = f64::from_bits((word << 32) | (at(5, i) >> 32));
                if eighth != 0 && x < TAU {
                    sin_cos_agrees(x);
                }
            }
        }
    }

    #[test]
    fn the_slow_way_of_the_original_lies_inside_near_quarter() {
        for word in [0x3FF9_21FB, 0x4009_21FB, 0x4012_D97C, 0x4019_21FB_u64] {
            for low in [0, 1 << 31, (1 << 32) - 1] {
                assert!(near_quarter(f64::from_bits((word << 32) | low)), "{word:#x}");
            }
        }
        assert!(near_quarter(0.0));
        assert!(!near_quarter(0.001) && !near_quarter(1.57) && !near_quarter(TAU - 0.001));
    }
}
