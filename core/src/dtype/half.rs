//! [`Half`]: the two floats of 16 bits, and what they mean in a wider one.
//!
//! Both conversions are bit arithmetic without branches, so that a loop of them becomes vectors. Where f16 has subnormal numbers
//! an integer or a sum of normal numbers rounds, so that no flush mode can change them; bf16 is the upper half of an f32.
//! NaN keeps its sign and the upper bits of its payload and is made quiet, as by the instructions of x86 and ARM.

use half::{bf16, f16};

use super::{CastFrom, Element};

/// A float of 16 bits: `f16` and `bf16`.
pub trait Half: Element + CastFrom<f64> {
    /// The value as an f32, which holds every one.
    fn to_single(self) -> f32;
    /// The nearest, ties to even.
    fn from_single(x: f32) -> Self;
}

/// What makes a NaN quiet.
const QUIET: u32 = 0x40_0000;
/// Above it, without the sign, is NaN.
const INFINITY: u32 = 0x7f80_0000;
/// 2^-14 as an f32: the smallest normal f16.
const SMALLEST: u32 = 113 << 23;

impl Half for f16 {
    #[inline(always)]
    fn to_single(self) -> f32 {
        let (sign, rest) = (u32::from(self.to_bits() & 0x8000), u32::from(self.to_bits() & 0x7fff));
        // In units of 2^-24, exactly.
        let small = (rest as i32 as f32 * f32::from_bits(103 << 23)).to_bits();
        let normal = (rest << 13) + (112 << 23);
        let quiet = if rest > 0x7c00 { QUIET } else { 0 };
        let infinite = (rest << 13) | INFINITY | quiet;
        let finite = if rest < 0x400 { small } else { normal };
        f32::from_bits((if rest < 0x7c00 { finite } else { infinite }) | (sign << 16))
    }
    #[inline(always)]
    fn from_single(x: f32) -> Self {
        let (sign, rest) = (x.to_bits() & !(u32::MAX >> 1), x.to_bits() & (u32::MAX >> 1));
        // The last place of a number from 1/2 to 1 is 2^-24, that of the subnormal f16.
        let small = (f32::from_bits(rest) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
        let odd = (rest >> 13) & 1;
        let rounded = rest.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
        let normal = rounded.min(0x7c00);
        let number = if rest < SMALLEST { small } else { normal };
        let nan = 0x7e00 | ((rest >> 13) & 0x3ff);
        let bits = if rest > INFINITY { nan } else { number };
        Self::from_bits((bits | (sign >> 16)) as u16)
    }
}

impl Half for bf16 {
    #[inline(always)]
    fn to_single(self) -> f32 {
        let bits = u32::from(self.to_bits()) << 16;
        let quiet = if bits & (u32::MAX >> 1) > INFINITY { QUIET } else { 0 };
        f32::from_bits(bits | quiet)
    }
    #[inline(always)]
    fn from_single(x: f32) -> Self {
        let bits = x.to_bits();
        let nan = (bits | QUIET) >> 16;
        let number = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
        let is_nan = bits & (u32::MAX >> 1) > INFINITY;
        Self::from_bits((if is_nan { nan } else { number }) as u16)
    }
}

/// Runs of conversions to and from `T` that backends have kernels for; slices of one call have one length.
pub trait HalfRuns<T> {
    /// Widens.
    fn widen_f16(&self, x: &[f16], out: &mut [T]);
    /// Widens.
    fn widen_bf16(&self, x: &[bf16], out: &mut [T]);
    /// Rounds.
    fn narrow_f16(&self, x: &[T], out: &mut [f16]);
    /// Rounds.
    fn narrow_bf16(&self, x: &[T], out: &mut [bf16]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_widens_as_by_its_crate() {
        for bits in 0..=u16::MAX {
            let (a, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert_eq!(a.to_single().to_bits(), a.to_f32().to_bits(), "f16 {bits:#x}");
            assert_eq!(b.to_single().to_bits(), b.to_f32().to_bits(), "bf16 {bits:#x}");
        }
    }

    /// All upper 20 bits of an f32, with lower bits on both sides of every tie of either type.
    #[test]
    fn singles_narrow_as_by_the_crate() {
        let step = if cfg!(miri) { 1021 } else { 1 };
        for upper in (0..1_u32 << 20).step_by(step) {
            for lower in [0, 1, 0x7ff, 0x800, 0xfff] {
                let x = f32::from_bits(upper << 12 | lower);
                let (a, b) = (f16::from_single(x), bf16::from_single(x));
                assert_eq!(a.to_bits(), f16::from_f32(x).to_bits(), "f16 of {:#x}", x.to_bits());
                assert_eq!(b.to_bits(), bf16::from_f32(x).to_bits(), "bf16 of {:#x}", x.to_bits());
            }
        }
    }
}
