//! The floating-point environment of the calling thread: read, kept, asserted, and asked what it has seen.
//!
//! Every bit this crate promises is promised under the default environment: round to nearest, ties to even; gradual
//! underflow; no traps. Rounding mode and flush-to-zero live in a control register of each thread, which all code
//! on that thread shares, a BLAS or a driver too. Code that leaves a changed mode behind changes every result after it,
//! and says nothing. So, for callers who cross into such code:
//!
//! - [`get`], [`assert_default`]: what holds now. [`Guard`]: puts back what it found. [`reset`]: the default, to stay.
//! - [`Probe`]: which exceptions a region raised. [`test_exceptions`], [`clear_exceptions`], [`raise_exceptions`]: the
//!   sticky flags themselves. Touching these never changes a mode and never traps.
//! - [`set`] and its two parts change a mode. They are `unsafe`, because the compiler assumes the default.
//!
//! Where the registers cannot be reached, [`supported`] is false, getters give `None`, setters do nothing and
//! [`assert_default`] is `Ok`: "cannot observe" is never reported as a wrong answer. On x86-64 the register is MXCSR
//! (the x87 control word, which Rust's `f32` and `f64` do not use, is left alone), on aarch64 FPCR and FPSR.
//!
//! A register is read and written by inline assembly that the compiler may not remove, nor reorder with other such
//! assembly, with foreign calls or with memory. It may still move *pure* float arithmetic across, which touches no memory:
//! operands and results of arithmetic whose flags matter go through [`core::hint::black_box`].

mod environment;
mod exceptions;
mod guard;
mod probe;

// One arm a register set, all with the same names: `LAYOUT`, `control`, `set_control`, `status`, `set_status`.
cfg_select! {
    // Miri runs no assembly; a soft-float target has no such register.
    all(target_arch = "x86_64", target_feature = "sse2", not(miri)) => {
        mod x86_64;
        use x86_64 as imp;
    }
    all(target_arch = "aarch64", target_feature = "neon", not(miri)) => {
        mod aarch64;
        use aarch64 as imp;
    }
    _ => {
        mod absent;
        use absent as imp;
    }
}

pub use environment::{
    Environment, RoundingMode, UnderflowMode, assert_default, get, reset, rounding_mode, set,
    set_rounding_mode, set_underflow_mode, underflow_mode,
};
pub use exceptions::{Exceptions, clear_exceptions, raise_exceptions, test_exceptions};
pub use guard::Guard;
pub use probe::Probe;

/// Whether this target lets the environment be read and set.
///
/// # Examples
/// ```
/// use fucina_core::fpenv;
///
/// assert_eq!(fpenv::get().is_some(), fpenv::supported());
/// ```
#[must_use]
pub const fn supported() -> bool {
    imp::LAYOUT.supported
}

/// Where a register set keeps what. A field is 0 where there is no such thing.
struct Layout {
    supported: bool,
    /// The two bits of the rounding mode start here.
    rounding_shift: u32,
    /// What the two bits mean.
    rounding: [RoundingMode; 4],
    /// Set to flush.
    flush: u64,
    /// Any of these reads back as flush.
    flush_any: u64,
    /// The trap bits, and their value when nothing traps.
    traps: u64,
    no_traps: u64,
    /// Other modes that change values; none by default.
    alternate: u64,
    /// Invalid, division by zero, overflow, underflow, inexact, denormal: the sticky flags.
    flags: [u64; 6],
}
