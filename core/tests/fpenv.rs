//! Spec 6.10: modes round-trip, guards and probes put back what they found, and every exception is seen.
//!
//! Arithmetic in a changed mode is inline assembly: what Rust float code does there is unspecified. Each test runs on
//! a thread of its own, so modes and flags do not leak from one into another.

use core::hint::black_box;
use std::panic;

use fucina_core::fpenv::{
    self, Environment, Exceptions, Guard, Probe, RoundingMode, UnderflowMode,
};
use fucina_core::{Error, ExecContext};

const MODES: [RoundingMode; 4] = [
    RoundingMode::NearestEven,
    RoundingMode::TowardZero,
    RoundingMode::Upward,
    RoundingMode::Downward,
];
const FLUSH: Environment =
    Environment { underflow: UnderflowMode::FlushToZero, ..Environment::DEFAULT };
const SUBNORMAL: f32 = 1e-40;

/// One operation each, done by the CPU when and as it is asked.
mod cpu {
    cfg_select! {
        target_arch = "x86_64" => {
            use core::arch::asm;

            pub(super) fn div(mut a: f32, b: f32) -> f32 {
                // SAFETY: divides two registers.
                unsafe { asm!("divss {}, {}", inout(xmm_reg) a, in(xmm_reg) b, options(nostack)) }
                a
            }

            pub(super) fn mul(mut a: f32, b: f32) -> f32 {
                // SAFETY: multiplies two registers.
                unsafe { asm!("mulss {}, {}", inout(xmm_reg) a, in(xmm_reg) b, options(nostack)) }
                a
            }

            /// MXCSR, behind the module's back.
            pub(super) fn control() -> u64 {
                let mut word = 0_u32;
                // SAFETY: stores four bytes to `word`.
                unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) }
                u64::from(word)
            }

            /// Changes MXCSR behind the module's back.
            pub(super) unsafe fn set_control(word: u64) {
                let word = word as u32;
                // SAFETY: loads four bytes from `word`; what they say is the caller's to answer for.
                unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) }
            }
        }
        target_arch = "aarch64" => {
            use core::arch::asm;

            pub(super) fn div(a: f32, b: f32) -> f32 {
                let out: f32;
                // SAFETY: divides two registers.
                unsafe {
                    asm!("fdiv {:s}, {:s}, {:s}", out(vreg) out, in(vreg) a, in(vreg) b, options(nostack))
                }
                out
            }

            pub(super) fn mul(a: f32, b: f32) -> f32 {
                let out: f32;
                // SAFETY: multiplies two registers.
                unsafe {
                    asm!("fmul {:s}, {:s}, {:s}", out(vreg) out, in(vreg) a, in(vreg) b, options(nostack))
                }
                out
            }

            /// FPCR, behind the module's back.
            pub(super) fn control() -> u64 {
                let word: u64;
                // SAFETY: reads a register.
                unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack)) }
                word
            }

            /// Changes FPCR behind the module's back.
            pub(super) unsafe fn set_control(word: u64) {
                // SAFETY: what the word says is the caller's to answer for.
                unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack)) }
            }
        }
        _ => {
            use core::hint::black_box;

            pub(super) fn div(a: f32, b: f32) -> f32 {
                black_box(a) / black_box(b)
            }

            pub(super) fn mul(a: f32, b: f32) -> f32 {
                black_box(a) * black_box(b)
            }

            pub(super) fn control() -> u64 {
                0
            }

            pub(super) unsafe fn set_control(_word: u64) {}
        }
    }
}

/// What `work` gives in `env`; the environment is back afterwards.
#[inline(never)]
fn within<R>(env: Environment, work: impl FnOnce() -> R) -> R {
    let guard = Guard::begin();
    // SAFETY: every `work` here computes by `cpu` alone, and the guard ends the change.
    unsafe { fpenv::set(env) };
    let out = work();
    drop(guard);
    out
}

fn rounding(rounding: RoundingMode) -> Environment {
    Environment { rounding, ..Environment::DEFAULT }
}

fn raised_by(work: impl FnOnce() -> f32) -> Exceptions {
    let probe = Probe::begin();
    black_box(work());
    probe.end()
}

#[test]
fn an_environment_that_cannot_be_reached_claims_nothing() {
    let known = cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)));
    assert_eq!(fpenv::supported(), known);
    if known {
        return;
    }
    // SAFETY: does nothing on this target.
    unsafe { fpenv::set(FLUSH) };
    fpenv::raise_exceptions(Exceptions::ALL);
    assert_eq!((fpenv::get(), fpenv::rounding_mode(), fpenv::underflow_mode()), (None, None, None));
    assert_eq!(fpenv::test_exceptions(), Exceptions::NONE);
    assert_eq!(Probe::begin().end(), Exceptions::NONE);
    let mut guard = Guard::enforce_default();
    guard.restore();
    let ctx = ExecContext::new();
    assert_eq!(ctx.check_float_environment(), Ok(()));
    assert_eq!(ctx.float_environment_at_init(), None);
}

#[test]
fn a_thread_starts_in_the_default_environment() {
    if !fpenv::supported() {
        return;
    }
    assert_eq!(fpenv::get(), Some(Environment::DEFAULT));
    assert_eq!(fpenv::rounding_mode(), Some(RoundingMode::NearestEven));
    assert_eq!(fpenv::underflow_mode(), Some(UnderflowMode::Gradual));
    assert_eq!(fpenv::assert_default(), Ok(()));
    assert!(Environment::default().is_default());
}

#[test]
fn every_mode_round_trips() {
    if !fpenv::supported() {
        return;
    }
    for mode in MODES {
        for underflow in [UnderflowMode::Gradual, UnderflowMode::FlushToZero] {
            let env = Environment { underflow, ..rounding(mode) };
            let (got, verdict) = within(env, || (fpenv::get(), fpenv::assert_default()));
            assert_eq!(got, Some(env));
            assert_eq!(verdict.is_ok(), env == Environment::DEFAULT);
            if verdict.is_err() {
                assert_eq!(verdict, Err(Error::NonDefaultFloatEnvironment { found: env }));
            }
            assert_eq!(fpenv::get(), Some(Environment::DEFAULT), "after {env}");
        }
    }
}

#[test]
fn each_mode_is_set_alone() {
    if !fpenv::supported() {
        return;
    }
    for underflow in [UnderflowMode::Gradual, UnderflowMode::FlushToZero] {
        let seen = within(Environment { underflow, ..Environment::DEFAULT }, || {
            MODES.map(|mode| {
                // SAFETY: nothing is computed before `within` ends the change.
                unsafe { fpenv::set_rounding_mode(mode) };
                fpenv::get()
            })
        });
        let wanted = MODES.map(|mode| Some(Environment { underflow, ..rounding(mode) }));
        assert_eq!(seen, wanted);
    }
    for mode in MODES {
        let seen = within(rounding(mode), || {
            // SAFETY: nothing is computed before `within` ends the change.
            unsafe { fpenv::set_underflow_mode(UnderflowMode::FlushToZero) };
            let flush = (fpenv::rounding_mode(), fpenv::underflow_mode());
            // SAFETY: as above.
            unsafe { fpenv::set_underflow_mode(UnderflowMode::Gradual) };
            (flush, fpenv::rounding_mode(), fpenv::underflow_mode())
        });
        let (flush, gradual) = (UnderflowMode::FlushToZero, UnderflowMode::Gradual);
        assert_eq!(seen, ((Some(mode), Some(flush)), Some(mode), Some(gradual)));
    }
}

#[test]
fn a_third_is_rounded_as_the_mode_says() {
    if !fpenv::supported() {
        return;
    }
    let [nearest, zero, up, down] = MODES.map(|mode| within(rounding(mode), || cpu::div(1.0, 3.0)));
    assert_eq!((nearest, zero, up, down), (1.0 / 3.0, down, down.next_up(), up.next_down()));
    assert!(nearest == up || nearest == down);
    let [nearest, zero, up, down] =
        MODES.map(|mode| within(rounding(mode), || cpu::div(-1.0, 3.0)));
    assert_eq!((nearest, zero, up, down), (-1.0 / 3.0, up, down.next_up(), up.next_down()));
}

#[test]
fn flush_mode_flushes_operands_and_results() {
    if !fpenv::supported() {
        return;
    }
    assert_eq!(cpu::mul(SUBNORMAL, 1.0).to_bits(), SUBNORMAL.to_bits());
    assert_eq!(within(FLUSH, || cpu::mul(SUBNORMAL, 1.0)).to_bits(), 0);
    assert_eq!(within(FLUSH, || cpu::mul(-SUBNORMAL, 1.0)).to_bits(), (-0.0_f32).to_bits());
    // The operand alone: kept, it gives a normal number.
    assert_eq!(cpu::mul(SUBNORMAL, 1e20), SUBNORMAL * 1e20);
    assert_eq!(within(FLUSH, || cpu::mul(SUBNORMAL, 1e20)).to_bits(), 0);
    // The result alone.
    assert_ne!(cpu::mul(1e-20, 1e-20), 0.0);
    assert_eq!(within(FLUSH, || cpu::mul(1e-20, 1e-20)).to_bits(), 0);
    assert_eq!(cpu::mul(SUBNORMAL, 1.0).to_bits(), SUBNORMAL.to_bits());
}

/// Every bit of the register that the module knows, set by itself behind its back.
#[test]
fn each_bit_reads_back_and_is_put_back() {
    if !fpenv::supported() {
        return;
    }
    let traps = Environment { traps: true, ..Environment::DEFAULT };
    let alternate = Environment { alternate: true, ..Environment::DEFAULT };
    let lists: [(Environment, &[u32]); 3] = if cfg!(target_arch = "x86_64") {
        [(FLUSH, &[6, 15]), (traps, &[7, 8, 9, 10, 11, 12]), (alternate, &[])]
    } else {
        let trap_bits = &[8, 9, 10, 11, 12, 15];
        [(FLUSH, &[0, 19, 24]), (traps, trap_bits), (alternate, &[1, 2, 13, 25, 26])]
    };
    let bits = lists.iter().flat_map(|(env, bits)| bits.iter().map(|bit| (*bit, *env)));
    let start = cpu::control();
    for (bit, wanted) in bits {
        let mut guard = Guard::begin();
        // SAFETY: nothing is computed before the guard puts the word back.
        unsafe { cpu::set_control(start ^ 1 << bit) };
        let stuck = cpu::control() != start;
        let (got, verdict) = (fpenv::get(), fpenv::assert_default());
        let inner = Guard::enforce_default();
        let enforced = (fpenv::get(), cpu::control());
        drop(inner);
        let put_back = cpu::control();
        fpenv::reset();
        let after_reset = cpu::control();
        guard.restore();
        // A CPU without a mode reads its bit as 0; the modes that every one has are these.
        let everywhere = if cfg!(target_arch = "x86_64") { 6..16 } else { 24..27 };
        assert!(stuck || !everywhere.contains(&bit), "bit {bit}");
        let wanted = if stuck { wanted } else { Environment::DEFAULT };
        assert_eq!(got, Some(wanted), "bit {bit}");
        assert_eq!(verdict.is_err(), stuck, "bit {bit}");
        assert_eq!(enforced, (Some(Environment::DEFAULT), start), "bit {bit}");
        assert_eq!(put_back, if stuck { start ^ 1 << bit } else { start }, "bit {bit}");
        assert_eq!(after_reset, start, "bit {bit}");
        assert_eq!(cpu::control(), start, "bit {bit}");
    }
}

#[test]
fn setting_a_mode_leaves_traps_alone_unless_told() {
    if !fpenv::supported() || !cfg!(target_arch = "x86_64") {
        return; // the traps of aarch64 are optional
    }
    let start = cpu::control();
    let guard = Guard::begin();
    let unmasked = start & !(1 << 7); // invalid traps
    // SAFETY: nothing is computed before the guard goes.
    unsafe { cpu::set_control(unmasked) };
    // SAFETY: as above.
    unsafe { fpenv::set_rounding_mode(RoundingMode::Upward) };
    let upward = (fpenv::get(), cpu::control() & 0x1f80);
    let found = fpenv::get().unwrap_or_default();
    // SAFETY: as above; the environment is the one just read.
    unsafe { fpenv::set(found) };
    let same = cpu::control() & 0x1f80;
    // SAFETY: as above.
    unsafe { fpenv::set(rounding(RoundingMode::Upward)) };
    let masked = (fpenv::get(), cpu::control() & 0x1f80);
    drop(guard);
    let traps = Environment { traps: true, ..rounding(RoundingMode::Upward) };
    assert_eq!(upward, (Some(traps), unmasked & 0x1f80));
    assert_eq!(same, unmasked & 0x1f80);
    assert_eq!(masked, (Some(rounding(RoundingMode::Upward)), start & 0x1f80));
    assert_eq!(traps.to_string(), "round upward, gradual underflow, traps");
}

#[test]
fn a_guard_puts_back_what_it_found() {
    if !fpenv::supported() {
        return;
    }
    let mut guard = Guard::begin();
    // SAFETY: nothing is computed before the guard puts the default back; so for the later ones.
    unsafe { fpenv::set(FLUSH) };
    let changed = fpenv::get();
    guard.restore();
    let once = fpenv::get();
    guard.restore();
    let twice = fpenv::get();
    // SAFETY: as above.
    unsafe { fpenv::set(FLUSH) };
    drop(guard);
    let dropped = fpenv::get();
    assert_eq!(changed, Some(FLUSH));
    assert_eq!((once, twice, dropped), (dropped, dropped, Some(Environment::DEFAULT)));
}

#[test]
fn guards_nest() {
    if !fpenv::supported() {
        return;
    }
    let down = rounding(RoundingMode::Downward);
    let seen = within(FLUSH, || {
        let inner = within(down, fpenv::get);
        let enforced = {
            let _guard = Guard::enforce_default();
            (fpenv::get(), cpu::mul(SUBNORMAL, 1.0))
        };
        (inner, enforced, fpenv::get(), cpu::mul(SUBNORMAL, 1.0))
    });
    let default = Some(Environment::DEFAULT);
    assert_eq!(seen, (Some(down), (default, SUBNORMAL), Some(FLUSH), 0.0));
    assert_eq!(fpenv::get(), default);
}

#[test]
fn a_panic_puts_back_modes_and_flags() {
    if !fpenv::supported() {
        return;
    }
    fpenv::clear_exceptions();
    fpenv::raise_exceptions(Exceptions { invalid: true, ..Exceptions::NONE });
    let caught = panic::catch_unwind(|| {
        let _probe = Probe::begin();
        within(FLUSH, || {
            fpenv::raise_exceptions(Exceptions { overflow: true, ..Exceptions::NONE });
            panic::resume_unwind(Box::new(fpenv::get()));
        })
    });
    let thrown = caught
        .map(|()| None::<Option<Environment>>)
        .unwrap_or_else(|p| p.downcast().ok().map(|b| *b));
    assert_eq!(thrown, Some(Some(FLUSH)));
    assert_eq!(fpenv::get(), Some(Environment::DEFAULT));
    let flags = fpenv::test_exceptions();
    assert!(flags.invalid && flags.overflow, "{flags}");
    fpenv::clear_exceptions();
}

#[test]
fn modes_keep_flags_and_flags_keep_modes() {
    if !fpenv::supported() {
        return;
    }
    fpenv::clear_exceptions();
    let seen = within(rounding(RoundingMode::Downward), || {
        fpenv::raise_exceptions(Exceptions { division_by_zero: true, ..Exceptions::NONE });
        let raised = fpenv::get();
        fpenv::reset();
        (raised, fpenv::test_exceptions())
    });
    let flags = Exceptions { division_by_zero: true, ..Exceptions::NONE };
    assert_eq!(seen, (Some(rounding(RoundingMode::Downward)), flags));
    assert_eq!(fpenv::test_exceptions(), flags, "kept by the guard");
    let cleared = within(FLUSH, || {
        fpenv::clear_exceptions();
        fpenv::get()
    });
    assert_eq!((cleared, fpenv::test_exceptions()), (Some(FLUSH), Exceptions::NONE));
}

#[test]
fn every_exception_is_seen_alone() {
    if !fpenv::supported() {
        return;
    }
    let none = Exceptions::NONE;
    let rounded = Exceptions { inexact: true, ..none };
    assert_eq!(raised_by(|| cpu::div(0.0, 0.0)), Exceptions { invalid: true, ..none });
    assert_eq!(raised_by(|| cpu::div(1.0, 0.0)), Exceptions { division_by_zero: true, ..none });
    assert_eq!(raised_by(|| cpu::mul(3e38, 3e38)), Exceptions { overflow: true, ..rounded });
    assert_eq!(raised_by(|| cpu::mul(1e-30, 1e-15)), Exceptions { underflow: true, ..rounded });
    assert_eq!(raised_by(|| cpu::div(1.0, 3.0)), rounded);
    assert_eq!(raised_by(|| cpu::mul(1.5, 2.0)), none);
    assert!(!raised_by(|| cpu::div(1.0, 3.0)).any_significant());
}

/// x86-64 tells of a subnormal operand when it is used, aarch64 when it is flushed.
#[test]
fn a_subnormal_operand_is_seen() {
    if !fpenv::supported() {
        return;
    }
    let denormal = Exceptions { denormal: true, ..Exceptions::NONE };
    let gradual = raised_by(|| cpu::mul(SUBNORMAL, 1.0));
    let flushed = within(FLUSH, || raised_by(|| cpu::mul(SUBNORMAL, 1.0)));
    let seen = if cfg!(target_arch = "x86_64") { [gradual, flushed] } else { [flushed, gradual] };
    assert_eq!(seen, [denormal, Exceptions::NONE]);
    assert!(seen[0].any_significant());
}

/// The flags of compiled Rust, with operands and result the optimiser cannot see through.
#[test]
fn a_probe_sees_rust_arithmetic() {
    if !fpenv::supported() {
        return;
    }
    let squared = |x: f32| move || black_box(black_box(x) * black_box(x));
    assert!(raised_by(squared(3e38)).overflow);
    assert!(raised_by(squared(1e-30)).underflow);
    assert!(!raised_by(squared(2.0)).any());
    assert!(raised_by(|| black_box(black_box(-1.0_f64).sqrt()) as f32).invalid);
}

#[test]
fn probes_nest() {
    if !fpenv::supported() {
        return;
    }
    fpenv::clear_exceptions();
    cpu::div(0.0, 0.0);
    let outer = Probe::begin();
    cpu::div(1.0, 0.0);
    let first = outer.sample();
    let inner = Probe::begin();
    let fresh = inner.sample();
    cpu::mul(3e38, 3e38);
    let inner = inner.end();
    let both = outer.end();
    let all = fpenv::test_exceptions();
    fpenv::clear_exceptions();
    let none = Exceptions::NONE;
    let divided = Exceptions { division_by_zero: true, ..none };
    let overflowed = Exceptions { overflow: true, inexact: true, ..none };
    assert_eq!((first, fresh, inner), (divided, none, overflowed));
    assert_eq!(both, divided.union_with(overflowed));
    assert_eq!(all, Exceptions { invalid: true, ..both });
}

#[test]
fn flags_are_raised_and_cleared() {
    if !fpenv::supported() {
        return;
    }
    let lists = (0..64).map(|set| Exceptions {
        invalid: set & 1 != 0,
        division_by_zero: set & 2 != 0,
        overflow: set & 4 != 0,
        underflow: set & 8 != 0,
        inexact: set & 16 != 0,
        denormal: set & 32 != 0,
    });
    for flags in lists {
        fpenv::clear_exceptions();
        fpenv::raise_exceptions(flags);
        let seen = fpenv::test_exceptions();
        fpenv::raise_exceptions(Exceptions { inexact: true, ..Exceptions::NONE });
        let more = fpenv::test_exceptions();
        fpenv::clear_exceptions();
        let cleared = fpenv::test_exceptions();
        assert_eq!(seen, flags);
        assert_eq!(more, Exceptions { inexact: true, ..flags });
        assert_eq!(cleared, Exceptions::NONE);
        assert_eq!(flags.any(), flags != Exceptions::NONE);
        let exact = Exceptions { inexact: false, ..flags };
        assert_eq!(flags.any_significant(), exact != Exceptions::NONE);
    }
}

#[test]
fn raising_never_traps() {
    if !fpenv::supported() {
        return;
    }
    let start = cpu::control();
    let all_on = if cfg!(target_arch = "x86_64") { start & !0x1f80 } else { start | 0x9f00 };
    let guard = Guard::begin();
    // SAFETY: nothing is computed before the guard puts the word back.
    unsafe { cpu::set_control(all_on) };
    fpenv::raise_exceptions(Exceptions::ALL);
    let raised = fpenv::test_exceptions();
    fpenv::clear_exceptions();
    drop(guard);
    assert_eq!(raised, Exceptions::ALL);
}

#[test]
fn exceptions_and_environments_say_what_they_are() {
    let none = Exceptions::NONE;
    assert_eq!(none.to_string(), "none");
    assert_eq!(
        Exceptions { overflow: true, inexact: true, ..none }.to_string(),
        "overflow|inexact"
    );
    let all = "invalid|division_by_zero|overflow|underflow|inexact|denormal";
    assert_eq!(Exceptions::ALL.to_string(), all);
    let one = Exceptions { invalid: true, ..none };
    let other = Exceptions { denormal: true, ..none };
    assert_eq!(one.union_with(other).to_string(), "invalid|denormal");
    assert_eq!(Environment::DEFAULT.to_string(), "round to nearest even, gradual underflow");
    let found = Environment {
        rounding: RoundingMode::TowardZero,
        underflow: UnderflowMode::FlushToZero,
        traps: true,
        alternate: true,
    };
    let error = Error::NonDefaultFloatEnvironment { found };
    assert_eq!(error.op(), None);
    assert_eq!(
        error.to_string(),
        "float environment: round toward zero, flush to zero, traps, alternate modes; \
         the default, round to nearest even, gradual underflow, fits"
    );
}
