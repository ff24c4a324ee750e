//! The sticky flags: what the arithmetic of this thread has met since they were last cleared.

use core::fmt;

use super::imp::{self, LAYOUT};

/// A set of floating-point exceptions.
///
/// # Examples
/// ```
/// use fucina_core::fpenv::Exceptions;
///
/// let seen = Exceptions { overflow: true, inexact: true, ..Exceptions::NONE };
/// assert!(seen.any_significant());
/// assert_eq!(seen.to_string(), "overflow|inexact");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exceptions {
    /// No value makes sense: `0 / 0`, `inf - inf`, the root of a negative number. The result is NaN.
    pub invalid: bool,
    /// A finite number was divided by zero. The result is infinite.
    pub division_by_zero: bool,
    /// A result was too large for its format.
    pub overflow: bool,
    /// A result was too small for a normal number, and inexact.
    pub underflow: bool,
    /// A result was rounded. Ordinary arithmetic raises this all the time.
    pub inexact: bool,
    /// An operand was subnormal; not an IEEE exception. x86-64 raises it when such an operand is used as it is, aarch64
    /// when it is flushed to zero: neither in the other underflow mode.
    pub denormal: bool,
}

impl Exceptions {
    /// The empty set.
    pub const NONE: Self = Self {
        invalid: false,
        division_by_zero: false,
        overflow: false,
        underflow: false,
        inexact: false,
        denormal: false,
    };

    /// Every exception.
    pub const ALL: Self = Self {
        invalid: true,
        division_by_zero: true,
        overflow: true,
        underflow: true,
        inexact: true,
        denormal: true,
    };

    /// Whether there is one.
    #[must_use]
    pub const fn any(self) -> bool {
        self.any_significant() || self.inexact
    }

    /// Whether there is one worth a look: any but inexact.
    #[must_use]
    pub const fn any_significant(self) -> bool {
        self.invalid || self.division_by_zero || self.overflow || self.underflow || self.denormal
    }

    /// Those of either.
    #[must_use]
    pub const fn union_with(self, other: Self) -> Self {
        Self {
            invalid: self.invalid || other.invalid,
            division_by_zero: self.division_by_zero || other.division_by_zero,
            overflow: self.overflow || other.overflow,
            underflow: self.underflow || other.underflow,
            inexact: self.inexact || other.inexact,
            denormal: self.denormal || other.denormal,
        }
    }

    /// In the order of `Layout::flags`, with their names.
    const fn list(self) -> [(bool, &'static str); 6] {
        [
            (self.invalid, "invalid"),
            (self.division_by_zero, "division_by_zero"),
            (self.overflow, "overflow"),
            (self.underflow, "underflow"),
            (self.inexact, "inexact"),
            (self.denormal, "denormal"),
        ]
    }

    fn bits(self) -> u64 {
        let both = self.list().into_iter().zip(LAYOUT.flags);
        both.filter(|((raised, _), _)| *raised).fold(0, |word, (_, bit)| word | bit)
    }
}

impl fmt::Display for Exceptions {
    /// Names joined by `|`, or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.any() {
            return f.write_str("none");
        }
        let raised = self.list().into_iter().filter(|(raised, _)| *raised);
        for (at, (_, name)) in raised.enumerate() {
            f.write_str(if at == 0 { "" } else { "|" })?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// The exceptions this thread has met since its flags were cleared; none where that cannot be
/// [observed](super::supported).
#[must_use]
pub fn test_exceptions() -> Exceptions {
    let word = imp::status();
    let [invalid, division_by_zero, overflow, underflow, inexact, denormal] =
        LAYOUT.flags.map(|bit| word & bit != 0);
    Exceptions { invalid, division_by_zero, overflow, underflow, inexact, denormal }
}

/// Clears the flags of this thread. Modes stay.
///
/// # Examples
/// ```
/// use fucina_core::fpenv::{self, Exceptions};
///
/// fpenv::raise_exceptions(Exceptions { invalid: true, ..Exceptions::NONE });
/// assert_eq!(fpenv::test_exceptions().invalid, fpenv::supported());
/// fpenv::clear_exceptions();
/// assert!(!fpenv::test_exceptions().any());
/// ```
pub fn clear_exceptions() {
    imp::set_status(imp::status() & !Exceptions::ALL.bits());
}

/// Sets flags of this thread, beside those that are set. Modes stay, nothing is computed, and nothing traps.
pub fn raise_exceptions(flags: Exceptions) {
    imp::set_status(imp::status() | flags.bits());
}
