//! [`RngError`]: why a fill was refused.
#![forbid(unsafe_code)]

use core::fmt;

/// An argument no fill can serve. Nothing was written when one is returned.
///
/// A variant with a float compares as floats do: one that carries a NaN is not equal to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RngError {
    /// A range of integers with nothing in it: `low >= high`.
    EmptyRange {
        /// The fill that refused.
        op: &'static str,
        /// The first value of the range.
        low: i64,
        /// The value behind the last.
        high: i64,
    },
    /// An interval that is empty (`lo >= hi`) or has an end that is infinite or NaN.
    BadInterval {
        /// The fill that refused.
        op: &'static str,
        /// The lower end, included.
        lo: f32,
        /// The upper end, excluded.
        hi: f32,
    },
    /// A probability outside `[0, 1]`, or NaN; dropout refuses 1 as well.
    BadProbability {
        /// The fill that refused.
        op: &'static str,
        /// The probability given.
        p: f32,
        /// Whether 1 would have fit.
        one_fits: bool,
    },
    /// A mean or standard deviation that is infinite or NaN, or a standard deviation below 0.
    BadMoments {
        /// The fill that refused.
        op: &'static str,
        /// The mean given.
        mean: f32,
        /// The standard deviation given.
        std_dev: f32,
    },
    /// A layer that no input feeds has no initial scale: `fan_in == 0`.
    ZeroFanIn {
        /// The fill that refused.
        op: &'static str,
    },
    /// Input and output differ in length.
    LengthMismatch {
        /// The kernel that refused.
        op: &'static str,
        /// Elements of the input.
        expected: usize,
        /// Elements of the output.
        found: usize,
    },
}

impl fmt::Display for RngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::EmptyRange { op, low, high } => {
                write!(f, "{op}: low is {low}, high is {high}; low must be below high")
            }
            Self::BadInterval { op, lo, hi } => {
                write!(f, "{op}: lo is {lo}, hi is {hi}; both must be finite and lo below hi")
            }
            Self::BadProbability { op, p, one_fits } => {
                let fits = if one_fits { "0 to 1 fit" } else { "0 up to, not including, 1 fit" };
                write!(f, "{op}: p is {p}; {fits}")
            }
            Self::BadMoments { op, mean, std_dev } => write!(
                f,
                "{op}: mean is {mean}, std_dev is {std_dev}; both must be finite and std_dev at least 0"
            ),
            Self::ZeroFanIn { op } => write!(f, "{op}: fan_in is 0; 1 or more fits"),
            Self::LengthMismatch { op, expected, found } => {
                write!(f, "{op}: the output has {found} elements; {expected} fit")
            }
        }
    }
}

impl core::error::Error for RngError {}
