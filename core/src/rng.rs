//! Random values as pure functions of a seed and an index: fills, permutations, dropout masks, keys.
//!
//! One counter-based stream stands under everything: output `i` of seed `s` is [`at`]`(s, i)`, the splitmix64
//! finaliser applied to `s + (i + 1) * G`. No state is carried between calls and none is global, so a value depends
//! on its seed and its index alone: any cut of a fill into windows, on any number of threads, gives the same bits.
//!
//! # The checkpoint contract
//! A program may store a seed instead of the values it drew. Each mapping (seed, index, arguments) -> bits in this
//! module is therefore frozen, on every target: a change of one bit is a breaking release. To keep that promise the
//! mappings use integer arithmetic and exact or correctly rounded IEEE operations one at a time, never a fused
//! multiply-add. Logarithm, sine and cosine are fixed sequences of such operations, in f64 those of FreeBSD and of the
//! `libm` crate, which itself serves the rare angles next to a quarter turn. Golden vectors and digests of whole fills
//! stand in the tests.
//! The contract presumes the default floating-point environment: round to nearest even, gradual underflow.
//!
//! # Indices
//! The `_at` form of a fill writes elements `first..first + out.len()` of the infinite sequence that the plain form
//! begins at 0. Indices are `u64` and wrap: after `u64::MAX` comes 0.
//!
//! # What it is not
//! splitmix64 is fast and passes the usual statistical batteries, but it is not cryptographic: one output reveals
//! the seed. All seeds walk one cycle of length 2^64 from different places; see [`Key`] for what that means for
//! many streams.
//!
//! # Examples
//! ```
//! use fucina_core::rng;
//!
//! let mut whole = [0.0; 6];
//! rng::gaussian_fill(7, &mut whole, 1.0);
//! let mut parts = [0.0; 6];
//! let (left, right) = parts.split_at_mut(1);
//! rng::gaussian_fill_at(7, 1, right, 1.0);
//! rng::gaussian_fill_at(7, 0, left, 1.0);
//! assert_eq!(whole.map(f32::to_bits), parts.map(f32::to_bits));
//! ```
//!
//! Source: G. L. Steele Jr., D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; the
//! finaliser's constants are variant 13 of D. Stafford, "Better bit mixing", 2011.
#![forbid(unsafe_code)]

mod distribution;
mod dropout;
mod error;
mod fast_gaussian;
mod gaussian;
mod gumbel;
mod integer;
mod key;
mod msun;
mod sqrt;
mod uniform;
mod window;

pub use distribution::Distribution;
pub(crate) use dropout::masked_scale;
pub use dropout::{dropout, dropout_in_place, dropout_keep, dropout_scale, dropout_threshold};
pub use error::RngError;
pub use fast_gaussian::gaussian_fill_at_fast;
pub use gaussian::{gaussian_fill, gaussian_fill_at, normal_fill, normal_fill_at};
pub use gumbel::{gumbel_fill, gumbel_fill_at};
pub(crate) use integer::write as randint_write;
pub use integer::{randint_fill, randint_fill_at, randperm_fill};
pub use key::Key;
pub(crate) use sqrt::ByNewton;
pub use sqrt::Roots;
pub use uniform::{
    bernoulli_fill, bernoulli_fill_at, kaiming_uniform_fill, kaiming_uniform_fill_at, uniform_fill,
    uniform_fill_at,
};

/// What the state grows by at each step: 2^64 over the golden ratio, made odd.
const INCREMENT: u64 = 0x9E37_79B9_7F4A_7C15;

/// 2^-64, the worth of 1 in a [`draw`].
const UNIT: f64 = 1.0 / (4096.0 * TWO_52);
/// The spacing of draws: 2^-53, the spacing of [`unit`], by [`UNIT`].
const STEP: f64 = 2048.0;

const TWO_52: f64 = 4_503_599_627_370_496.0;
const TWO_84: f64 = TWO_52 * 4_294_967_296.0;

/// Advances `state` by one step and returns the next output of its stream.
///
/// The n-th call from the initial state `seed`, counted from 0, returns [`at`]`(seed, n)`.
///
/// # Examples
/// ```
/// use fucina_core::rng;
///
/// let mut state = 42;
/// assert_eq!(rng::splitmix64(&mut state), 0xbdd7_3226_2feb_6e95);
/// assert_eq!(rng::splitmix64(&mut state), rng::at(42, 1));
/// ```
#[inline]
pub const fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(INCREMENT);
    mix(*state)
}

/// Output `i` of the stream of `seed`: 64 uniform bits in constant time.
///
/// - Numerics: integers only, wrapping. For one seed the outputs at different `i` all differ.
///
/// # Examples
/// ```
/// assert_eq!(fucina_core::rng::at(0, 0), 0xe220_a839_7b1d_cdaf);
/// ```
#[inline]
pub const fn at(seed: u64, i: u64) -> u64 {
    mix(seed.wrapping_add(i.wrapping_add(1).wrapping_mul(INCREMENT)))
}

/// Output `i` of the stream of `seed` as a uniform f64 in `[0, 1)`: the upper 53 bits times 2^-53.
///
/// - Numerics: exact; each of the 2^53 multiples of 2^-53 is equally likely.
///
/// # Examples
/// ```
/// let u = fucina_core::rng::unit(42, 0);
/// assert!((0.0..1.0).contains(&u));
/// ```
#[inline]
pub const fn unit(seed: u64, i: u64) -> f64 {
    draw(at(seed, i)) * UNIT
}

/// Outputs `first..` of the stream of `seed`, one after the other: an addition a step where [`at`] multiplies.
#[derive(Clone, Copy)]
struct Stream {
    state: u64,
}

impl Stream {
    #[inline]
    const fn new(seed: u64, first: u64) -> Self {
        Self { state: seed.wrapping_add(first.wrapping_mul(INCREMENT)) }
    }

    #[inline]
    const fn next(&mut self) -> u64 {
        splitmix64(&mut self.state)
    }
}

/// The splitmix64 finaliser, a bijection.
#[inline]
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The upper 53 bits of an output.
#[inline(always)] // part of one loop body, so that the compiler may vectorise it
const fn upper53(output: u64) -> u64 {
    output >> 11
}

/// The upper 53 bits of an output where they stand, as an f64, exactly: a multiple of [`STEP`] below 2^64.
///
/// Few CPUs convert vectors of 64-bit integers, so the two halves are put below the leading bit of 2^84 and 2^52,
/// where they count in units of 2^32 and 1, and the leading bits are taken away again. Both steps are exact. Left where they
/// stand, the bits need one shift; many CPUs shift no more than one vector a cycle, and the generator shifts enough.
#[inline(always)] // as above
const fn draw(output: u64) -> f64 {
    let high = f64::from_bits((output >> 32) | 0x4530_0000_0000_0000);
    let low = f64::from_bits((output & 0xFFFF_F800) | 0x4330_0000_0000_0000);
    (high - (TWO_84 + TWO_52)) + low
}

/// The upper 64 bits of `output * span`: uniform below `span`, up to a bias below `span / 2^64`.
#[inline]
const fn below(output: u64, span: u64) -> u64 {
    ((output as u128 * span as u128) >> 64) as u64
}
