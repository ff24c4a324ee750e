//! Standard Gumbel fills by the inverse distribution function.
//!
//! One output an element, put at the middle of its cell so that both logarithms stay finite. In f64 the middle of
//! the last cell rounds to 1, where the formula is infinite; that one draw takes the value of the draw below it.
#![forbid(unsafe_code)]

use super::{STEP, Stream, TWO_52, UNIT, draw, msun};

/// The last draw whose formula is finite: 2^53 - 2 steps.
const LAST_FINITE: f64 = (2.0 * TWO_52 - 2.0) * STEP;

/// Fills `out` with standard Gumbel values: location 0, scale 1, mean 0.5772, variance pi^2 / 6.
///
/// - Numerics: `-ln(-ln(u))` in f64, narrowed once, with `u = (d + 0.5) * 2^-53` and `d` the upper 53 bits of the
///   output: within 0.5 ulp (f32) plus an absolute 2^-50 of the formula at `u`.
/// - Every draw is finite, from -3.606 to 36.044. For `d = 2^53 - 1` the sum rounds to 2^53, where the formula
///   gives +infinity; that one draw is clamped to what `d = 2^53 - 2` gives, the largest finite value of the mapping.
///   Another implementation of the formula may give +infinity there (one draw in 2^53); all else agrees.
/// - Checkpoint contract: the bits depend on `seed` and index alone, and never change.
///
/// # Examples
/// ```
/// let mut out = [0.0; 2];
/// fucina_core::rng::gumbel_fill(42, &mut out);
/// assert_eq!(out.map(f32::to_bits), [0x3f9a_8a00, 0xbf1b_24dd]);
/// ```
pub fn gumbel_fill(seed: u64, out: &mut [f32]) {
    gumbel_fill_at(seed, 0, out);
}

/// Elements `first..first + out.len()` of the sequence of [`gumbel_fill`].
#[inline(always)] // into a backend's target_feature function, where the loops take its vectors
pub fn gumbel_fill_at(seed: u64, first: u64, out: &mut [f32]) {
    let mut stream = Stream::new(seed, first);
    for x in out {
        *x = gumbel(draw(stream.next()));
    }
}

/// The value of a draw.
#[inline(always)] // one loop body, so that the compiler may vectorise it
fn gumbel(draw: f64) -> f32 {
    let draw = if draw > LAST_FINITE { LAST_FINITE } else { draw };
    -msun::log(-msun::log((draw + 0.5 * STEP) * UNIT)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_range_are_finite_and_in_order() {
        let top = gumbel(LAST_FINITE + STEP);
        assert_eq!(top, gumbel(LAST_FINITE));
        // u = 1 - 2^-52, so -ln(-ln(u)) is 52 ln 2 up to 2^-52.
        assert_eq!(top, (52.0 * core::f64::consts::LN_2) as f32);
        // u = 2^-54, so -ln(54 ln 2).
        assert_eq!(gumbel(0.0), -libm::log(54.0 * core::f64::consts::LN_2) as f32);
        assert!(gumbel(0.0) < gumbel(STEP * TWO_52 / 4096.0) && gumbel(STEP * TWO_52) < top);
    }
}
