//! [`Column`]: how wide the elements of a tensor print, and how.
//!
//! NumPy's rules. Floats show the digits that tell them from their neighbours, at most 8 after the point, aligned at
//! it; all of them turn scientific, with equally many digits, if the magnitudes lie too far apart or outside what a
//! column can show. Digits come from `core::fmt`, which is exact; the
//! shortest ones are searched for, as those of `core` break ties upwards and a half has none.

use core::fmt::{self, Write};

use half::{bf16, f16};

use super::Page;
use crate::dtype::{DType, Element};

/// Digits after the point, unless the format string asks for fewer or more.
const PRECISION: usize = 8;
/// More digits after the point than this are never shown: none would be anything but noise.
const MAX_PRECISION: usize = 24;

/// The format all elements of a tensor share.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column {
    /// Integers and truth values, flush right.
    Integer { width: usize },
    /// `left` characters before the point, `right` behind it.
    Fixed { left: usize, right: usize, precision: usize },
    /// `left` characters before the point, `precision` digits behind it, at least `exponent` in the exponent.
    Scientific { left: usize, precision: usize, exponent: usize },
}

impl Column {
    /// The format for the elements that `visit` passes to its argument; it is called twice.
    pub(super) fn fit<T: Element>(
        precision: Option<usize>,
        visit: impl Fn(&mut dyn FnMut(T) -> fmt::Result) -> fmt::Result,
    ) -> Result<Self, fmt::Error> {
        let Some(limits) = Limits::of(T::DTYPE) else {
            let mut width = 0;
            visit(&mut |x| {
                width = width.max(text_of(x)?.len);
                Ok(())
            })?;
            return Ok(Self::Integer { width });
        };
        let precision = precision.unwrap_or(PRECISION).min(MAX_PRECISION);
        let mut range = Range::default();
        visit(&mut |x| range.meet(x))?;
        let scientific = limits.ask_for_exponents(&range);
        let mut size = Widths::default();
        visit(&mut |x| match Number::of(x).filter(|x| x.exact.is_finite()) {
            Some(x) if scientific => size.meet(x.shortest_scientific(precision)?.as_str()),
            Some(x) => size.meet(x.fixed(precision)?.as_str()),
            None => Ok(()),
        })?;
        let (left, right) = (size.left, size.right);
        let mut fitted = if scientific {
            Self::Scientific { left, precision: right, exponent: size.exponent.max(2) }
        } else {
            Self::Fixed { left, right, precision }
        };
        // `nan`, `inf` and `-inf` are aligned at the end of the column.
        let words = if range.non_finite { 3 + usize::from(range.negative_infinity) } else { 0 };
        let missing = words.saturating_sub(fitted.width());
        if let Self::Fixed { left, .. } | Self::Scientific { left, .. } = &mut fitted {
            *left += missing;
        }
        Ok(fitted)
    }

    /// The width of every element.
    pub(super) fn width(&self) -> usize {
        match *self {
            Self::Integer { width } => width,
            Self::Fixed { left, right, .. } => left + 1 + right,
            // The point, `e` and the sign of the exponent.
            Self::Scientific { left, precision, exponent } => left + 3 + precision + exponent,
        }
    }

    /// Prints one element, `width` wide.
    pub(super) fn print<T: Element>(&self, x: T, page: &mut Page<'_, '_>) -> fmt::Result {
        let (text, behind) = match (*self, Number::of(x)) {
            (Self::Fixed { right, precision, .. }, Some(x)) if x.exact.is_finite() => {
                let text = x.fixed(precision)?;
                let behind = right.saturating_sub(text.after_point());
                (text, behind)
            }
            (Self::Scientific { precision, exponent, .. }, Some(x)) if x.exact.is_finite() => {
                (x.scientific(precision, exponent)?, 0)
            }
            (_, Some(x)) if x.exact.is_nan() => (Text::of(format_args!("nan"))?, 0),
            _ => (text_of(x)?, 0),
        };
        page.blanks(self.width().saturating_sub(text.len + behind));
        page.text(text.as_str())?;
        page.blanks(behind);
        Ok(())
    }
}

/// An integer, or a truth value as NumPy (and Python) spell it.
fn text_of<T: Element>(x: T) -> Result<Text, fmt::Error> {
    match T::DTYPE {
        DType::Bool if x == T::ONE => Text::of(format_args!("True")),
        DType::Bool => Text::of(format_args!("False")),
        _ => Text::of(format_args!("{x}")),
    }
}

/// What an element type can show without an exponent.
struct Limits {
    dtype: DType,
    large: f64,
    small: f64,
}

impl Limits {
    /// `None` for integers. `large` is ten to the decimal digits the type holds, or to 8; `small` is 0.0001 in it.
    fn of(dtype: DType) -> Option<Self> {
        let large = match dtype {
            DType::F64 => 1e8,
            DType::F32 => 1e6,
            DType::F16 => 1e3,
            DType::Bf16 => 1e2,
            _ => return None,
        };
        Some(Self { dtype, large, small: round_to(dtype, 0.0001) })
    }

    /// Whether the magnitudes lie too far apart, or too far out.
    fn ask_for_exponents(&self, range: &Range) -> bool {
        let Some((min, max)) = range.magnitudes else { return false };
        max >= self.large || min < self.small || round_to(self.dtype, max / min) > 1000.0
    }
}

/// `x`, rounded to the precision of `dtype`.
fn round_to(dtype: DType, x: f64) -> f64 {
    match dtype {
        DType::F32 => f64::from(x as f32),
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::Bf16 => bf16::from_f64(x).to_f64(),
        _ => x,
    }
}

/// What there is among the elements of a column of floats.
#[derive(Default)]
struct Range {
    /// The smallest and the largest, of those that are finite and not zero.
    magnitudes: Option<(f64, f64)>,
    non_finite: bool,
    negative_infinity: bool,
}

impl Range {
    fn meet<T: Element>(&mut self, x: T) -> fmt::Result {
        let Some(Number { exact, .. }) = Number::of(x) else { return Ok(()) };
        if !exact.is_finite() {
            self.non_finite = true;
            self.negative_infinity |= exact == f64::NEG_INFINITY;
        } else if exact != 0.0 {
            let size = exact.abs();
            let (min, max) = self.magnitudes.unwrap_or((size, size));
            self.magnitudes = Some((min.min(size), max.max(size)));
        }
        Ok(())
    }
}

/// The widest of each part of a number.
#[derive(Default)]
struct Widths {
    left: usize,
    right: usize,
    exponent: usize,
}

impl Widths {
    fn meet(&mut self, text: &str) -> fmt::Result {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, ""));
        let (left, right) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        self.left = self.left.max(left.len());
        self.right = self.right.max(right.len());
        self.exponent = self.exponent.max(exponent.trim_start_matches('-').len());
        Ok(())
    }
}

/// A float: its value, and the `f64` whose shortest digits are those that tell it from its neighbours.
#[derive(Clone, Copy)]
struct Number {
    exact: f64,
    short: f64,
}

impl Number {
    /// `None` for integers.
    fn of<T: Element>(x: T) -> Option<Self> {
        Some(match T::DTYPE {
            DType::F32 => {
                let x: f32 = bytemuck::cast(x);
                // The standard library knows how many digits tell an `f32` apart.
                let digits = Text::of(format_args!("{x:e}")).map_or(8, |text| text.after_point());
                Self::search(x.into(), digits..9, |y| y as f32 == x)
            }
            DType::F64 => {
                let x: f64 = bytemuck::cast(x);
                Self { exact: x, short: x }
            }
            DType::F16 => {
                let x: f16 = bytemuck::cast(x);
                Self::search(x.to_f64(), 0..5, |y| f16::from_f64(y) == x)
            }
            DType::Bf16 => {
                let x: bf16 = bytemuck::cast(x);
                Self::search(x.to_f64(), 0..5, |y| bf16::from_f64(y) == x)
            }
            _ => return None,
        })
    }

    /// Finds the first decimal with as few of `digits` after the point as `is_it` accepts.
    ///
    /// A value halfway between two decimals goes to the even one, if that is accepted, else to the other.
    fn search(exact: f64, digits: core::ops::Range<usize>, is_it: impl Fn(f64) -> bool) -> Self {
        let decimal = |digits: usize| {
            [exact, exact * (1.0 + f64::EPSILON)].into_iter().find_map(|x| {
                let text = Text::of(format_args!("{x:.digits$e}")).ok()?;
                text.as_str().parse().ok().filter(|&x| is_it(x))
            })
        };
        let short = if exact.is_finite() { digits.into_iter().find_map(decimal) } else { None };
        Self { exact, short: short.unwrap_or(exact) }
    }

    /// Its shortest digits, or as many as `precision` allows; always with a point.
    fn fixed(&self, precision: usize) -> Result<Text, fmt::Error> {
        let mut text = Text::of(format_args!("{}", self.short))?;
        if text.after_point() > precision {
            text = Text::of(format_args!("{:.precision$}", self.exact))?;
            text.len = trim_zeros(text.as_str()).len();
        }
        if !text.as_str().contains('.') {
            text.write_char('.')?;
        }
        Ok(text)
    }

    /// Its shortest digits with an exponent, or as many as `precision` allows.
    fn shortest_scientific(&self, precision: usize) -> Result<Text, fmt::Error> {
        let text = Text::of(format_args!("{:e}", self.short))?;
        if text.after_point() <= precision {
            return Ok(text);
        }
        let text = Text::of(format_args!("{:.precision$e}", self.exact))?;
        let (mantissa, exponent) = text.as_str().split_once('e').ok_or(fmt::Error)?;
        Text::of(format_args!("{}e{exponent}", trim_zeros(mantissa)))
    }

    /// Exactly `precision` digits after the point and at least `width` in the exponent.
    fn scientific(&self, precision: usize, width: usize) -> Result<Text, fmt::Error> {
        let digits = Text::of(format_args!("{:.precision$e}", self.exact))?;
        let (mantissa, exponent) = digits.as_str().split_once('e').ok_or(fmt::Error)?;
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        let point = if precision == 0 { "." } else { "" };
        Text::of(format_args!("{mantissa}{point}e{sign}{exponent:0>width$}"))
    }
}

/// The number without the zeros that end its fraction.
fn trim_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0') } else { number }
}

/// Room for the text of one number.
///
/// The longest is a fixed `f64`: a sign, 8 digits, a point and 24 digits; the longest scientific one is shorter.
struct Text {
    bytes: [u8; 48],
    len: usize,
}

impl Text {
    fn of(arguments: fmt::Arguments<'_>) -> Result<Self, fmt::Error> {
        let mut text = Self { bytes: [0; 48], len: 0 };
        text.write_fmt(arguments)?;
        Ok(text)
    }

    fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    /// The number of digits after the point.
    fn after_point(&self) -> usize {
        let (_, fraction) = self.as_str().split_once('.').unwrap_or_default();
        fraction.bytes().take_while(u8::is_ascii_digit).count()
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.len..self.len + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}
