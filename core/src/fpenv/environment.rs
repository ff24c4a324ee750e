//! The modes: rounding, underflow, and whatever else makes an environment not the default one.

use core::fmt;

use super::Layout;
use super::imp::{self, LAYOUT};
use crate::error::Error;

/// How a result that does not fit its format is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// To the nearest value; of two equally near, to the one whose last bit is 0. The default.
    NearestEven,
    /// To the nearest value that is not larger in magnitude.
    TowardZero,
    /// To the nearest value that is not less.
    Upward,
    /// To the nearest value that is not greater.
    Downward,
}

/// What becomes of results (and operands) too small for a normal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnderflowMode {
    /// They are subnormal numbers. The default.
    Gradual,
    /// They are zero: results, and operands as well. Set, it is both; either alone reads back as this.
    FlushToZero,
}

/// The modes of one thread.
///
/// # Examples
/// ```
/// use fucina_core::fpenv::{Environment, RoundingMode};
///
/// let upward = Environment { rounding: RoundingMode::Upward, ..Environment::DEFAULT };
/// assert!(!upward.is_default());
/// assert_eq!(upward.to_string(), "round upward, gradual underflow");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Environment {
    /// How results are rounded.
    pub rounding: RoundingMode,
    /// What becomes of subnormal numbers.
    pub underflow: UnderflowMode,
    /// Some exception traps: it ends the program, or calls a signal handler, where it should set a flag. To set this leaves
    /// the traps as they are; it cannot say which are on.
    pub traps: bool,
    /// Another mode that changes values is on: on aarch64 default NaNs, alternate half precision, alternate handling,
    /// extended bfloat16 or kept upper elements; never on x86-64. To set this leaves those modes as they are.
    pub alternate: bool,
}

impl Environment {
    /// What Rust assumes and every process starts in: round to nearest even, gradual underflow, nothing else.
    pub const DEFAULT: Self = Self {
        rounding: RoundingMode::NearestEven,
        underflow: UnderflowMode::Gradual,
        traps: false,
        alternate: false,
    };

    /// Whether this is [`Environment::DEFAULT`].
    #[must_use]
    pub const fn is_default(self) -> bool {
        matches!(self, Self::DEFAULT)
    }

    /// What a control word says.
    pub(super) const fn decode(layout: &Layout, word: u64) -> Self {
        Self {
            rounding: layout.rounding[(word >> layout.rounding_shift & 0b11) as usize],
            underflow: match word & layout.flush_any {
                0 => UnderflowMode::Gradual,
                _ => UnderflowMode::FlushToZero,
            },
            traps: word & layout.traps != layout.no_traps,
            alternate: word & layout.alternate != 0,
        }
    }

    /// `word`, changed to say this.
    pub(super) fn encode(self, layout: &Layout, word: u64) -> u64 {
        let mut word = self.underflow.encode(layout, self.rounding.encode(layout, word));
        if !self.traps {
            word = word & !layout.traps | layout.no_traps;
        }
        if !self.alternate {
            word &= !layout.alternate;
        }
        word
    }
}

impl RoundingMode {
    fn encode(self, layout: &Layout, word: u64) -> u64 {
        let mode = layout.rounding.iter().position(|m| *m == self).unwrap_or(0) as u64;
        word & !(0b11 << layout.rounding_shift) | mode << layout.rounding_shift
    }
}

impl UnderflowMode {
    fn encode(self, layout: &Layout, word: u64) -> u64 {
        let flush = if self == Self::FlushToZero { layout.flush } else { 0 };
        word & !layout.flush_any | flush
    }
}

impl Default for Environment {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.rounding {
            RoundingMode::NearestEven => "round to nearest even",
            RoundingMode::TowardZero => "round toward zero",
            RoundingMode::Upward => "round upward",
            RoundingMode::Downward => "round downward",
        })?;
        f.write_str(match self.underflow {
            UnderflowMode::Gradual => ", gradual underflow",
            UnderflowMode::FlushToZero => ", flush to zero",
        })?;
        f.write_str(if self.traps { ", traps" } else { "" })?;
        f.write_str(if self.alternate { ", alternate modes" } else { "" })
    }
}

/// The environment of this thread; `None` where it cannot be [read](super::supported).
///
/// # Examples
/// ```
/// use fucina_core::fpenv::{self, Environment};
///
/// assert!(fpenv::get().is_none_or(Environment::is_default));
/// ```
#[must_use]
pub fn get() -> Option<Environment> {
    LAYOUT.supported.then(|| Environment::decode(&LAYOUT, imp::control()))
}

/// The rounding mode of this thread; `None` where it cannot be [read](super::supported).
#[must_use]
pub fn rounding_mode() -> Option<RoundingMode> {
    get().map(|found| found.rounding)
}

/// The underflow mode of this thread; `None` where it cannot be [read](super::supported).
#[must_use]
pub fn underflow_mode() -> Option<UnderflowMode> {
    get().map(|found| found.underflow)
}

/// `Ok` if this thread's environment is the default one, or cannot be observed.
///
/// # Errors
/// [`Error::NonDefaultFloatEnvironment`] with what was found.
///
/// # Examples
/// ```
/// fucina_core::fpenv::assert_default()?;
/// # Ok::<(), fucina_core::Error>(())
/// ```
pub fn assert_default() -> Result<(), Error> {
    match get() {
        Some(found) if !found.is_default() => Err(Error::NonDefaultFloatEnvironment { found }),
        _ => Ok(()),
    }
}

/// Puts this thread in the default environment, to stay. Safe: it is what the compiler assumes. Sticky flags stay.
///
/// For after foreign code, when what it left behind is wanted by nobody. A [`Guard`](super::Guard) that is alive still
/// puts back what it found.
///
/// # Examples
/// ```
/// use fucina_core::fpenv;
///
/// fpenv::reset();
/// assert!(fpenv::assert_default().is_ok());
/// ```
pub fn reset() {
    // SAFETY: the default environment asks nothing of anybody.
    unsafe { set(Environment::DEFAULT) }
}

/// Changes the environment of this thread; nothing where it is not [supported](super::supported). Sticky flags stay.
///
/// # Safety
/// The compiler assumes [`Environment::DEFAULT`] everywhere, folds constants by it, and moves float operations across this call
/// as it likes: Rust documents a change that its own code can see as undefined. So, unless `env` is the default:
/// - From here until the default holds again no Rust code of this thread does float arithmetic, whether written out, in a
///   library or in an op of this crate. Inline assembly and foreign functions may. What Rust float code gives meanwhile
///   is unspecified.
/// - Float arithmetic before and after, in the same function once all is inlined, can be moved in between. Keep the
///   change, the foreign work and the restoring in one `#[inline(never)]` function without float arithmetic.
/// - No [`Guard`](super::Guard) begun meanwhile outlives the change: it would put this environment back.
/// - If `env.traps` is false, no handler relies on the traps that are thereby turned off.
///
/// # Examples
/// ```
/// use fucina_core::fpenv::{self, Environment, Guard, UnderflowMode};
///
/// #[inline(never)]
/// fn flushed(foreign_work: impl FnOnce()) {
///     let _guard = Guard::begin();
///     let flush = Environment { underflow: UnderflowMode::FlushToZero, ..Environment::DEFAULT };
///     // SAFETY: until the guard goes, only foreign code computes on this thread; nothing of it is inlined here.
///     unsafe { fpenv::set(flush) };
///     foreign_work();
/// }
/// flushed(|| assert_ne!(fpenv::underflow_mode(), Some(UnderflowMode::Gradual)));
/// assert!(fpenv::assert_default().is_ok());
/// ```
pub unsafe fn set(env: Environment) {
    let word = env.encode(&LAYOUT, imp::control());
    // SAFETY: the word is the register's own but for the layout's bits; the caller answers for its modes.
    unsafe { imp::set_control(word) }
}

/// Changes the rounding mode of this thread and nothing else.
///
/// # Safety
/// - As for [`set`].
pub unsafe fn set_rounding_mode(rounding: RoundingMode) {
    let word = rounding.encode(&LAYOUT, imp::control());
    // SAFETY: the word is the register's own but for the rounding bits; the caller answers for its modes.
    unsafe { imp::set_control(word) }
}

/// Changes the underflow mode of this thread and nothing else: to flush, for results and operands.
///
/// # Safety
/// - As for [`set`].
pub unsafe fn set_underflow_mode(underflow: UnderflowMode) {
    let word = underflow.encode(&LAYOUT, imp::control());
    // SAFETY: the word is the register's own but for the flush bits; the caller answers for its modes.
    unsafe { imp::set_control(word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the layout alone, so also the modes that the CPU at hand lacks.
    #[test]
    fn words_are_encoded_and_decoded_by_the_layout() {
        if !LAYOUT.supported {
            return;
        }
        let lone_bits =
            |mask: u64| (0..64).map(|at| 1_u64 << at).filter(move |bit| mask & bit != 0);
        let default = LAYOUT.no_traps;
        assert_eq!(Environment::decode(&LAYOUT, default), Environment::DEFAULT);
        let flush = Environment { underflow: UnderflowMode::FlushToZero, ..Environment::DEFAULT };
        let traps = Environment { traps: true, ..Environment::DEFAULT };
        let alternate = Environment { alternate: true, ..Environment::DEFAULT };
        let kinds =
            [(LAYOUT.flush_any, flush), (LAYOUT.traps, traps), (LAYOUT.alternate, alternate)];
        for (mask, wanted) in kinds {
            for bit in lone_bits(mask) {
                let word = default ^ bit;
                assert_eq!(Environment::decode(&LAYOUT, word), wanted, "{word:#x}");
                assert_eq!(Environment::DEFAULT.encode(&LAYOUT, word), default, "{word:#x}");
                let again = Environment::decode(&LAYOUT, wanted.encode(&LAYOUT, word));
                assert_eq!(again, wanted, "{word:#x}");
                for mode in LAYOUT.rounding {
                    let word = mode.encode(&LAYOUT, word);
                    let wanted = Environment { rounding: mode, ..wanted };
                    assert_eq!(Environment::decode(&LAYOUT, word), wanted, "{word:#x}");
                }
            }
        }
        // The masks share no bit, and bits that the layout does not name are kept.
        let rounding = 0b11 << LAYOUT.rounding_shift;
        let masks = [rounding, LAYOUT.flush_any, LAYOUT.traps, LAYOUT.alternate];
        let named = masks.iter().fold(0, |all, mask| all | mask);
        assert_eq!(named.count_ones(), masks.iter().map(|mask| mask.count_ones()).sum());
        assert_eq!(Environment::DEFAULT.encode(&LAYOUT, !0), !named | default);
    }
}
