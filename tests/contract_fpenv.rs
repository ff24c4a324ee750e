//! Spec 6.10: a mode that C code leaves behind is seen by the context, undone by a guard, and never ours.
#![cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]

use core::hint::black_box;

use fucina::backend::SCALAR_UNFUSED;
use fucina::{Error, ExecContext, Result, Tensor};
use fucina_core::fpenv::{self, Environment, Guard, Probe, RoundingMode, UnderflowMode};

const FLUSH: Environment =
    Environment { underflow: UnderflowMode::FlushToZero, ..Environment::DEFAULT };
const UPWARD: Environment = Environment { rounding: RoundingMode::Upward, ..Environment::DEFAULT };
const SUBNORMAL: f32 = 1e-40;

fn contexts() -> [ExecContext; 4] {
    [
        ExecContext::new(),
        ExecContext::builder().backend(&SCALAR_UNFUSED).build(),
        fucina::context_with_threads(1),
        fucina::context_with_threads(3),
    ]
}

fn refusal(found: Environment) -> Result<()> {
    Err(Error::NonDefaultFloatEnvironment { found })
}

/// What `then` sees after C left flush mode on. Nothing here computes, and nothing that does is inlined.
#[inline(never)]
fn after_flush<R>(then: impl FnOnce() -> R) -> R {
    let _guard = Guard::begin();
    // SAFETY: until the guard goes, Rust code only reads the mode or computes under a guard that enforces the default.
    unsafe { foreign_mode::leave_flush_to_zero() };
    then()
}

/// The same, with upward rounding.
#[inline(never)]
fn after_upward<R>(then: impl FnOnce() -> R) -> R {
    let _guard = Guard::begin();
    // SAFETY: as in `after_flush`.
    let left = unsafe { foreign_mode::leave_rounding_upward() };
    assert!(left);
    then()
}

/// Sums and products of subnormal numbers: all zero in flush mode.
#[inline(never)]
fn subnormal_results(ctx: &ExecContext) -> Vec<u32> {
    let x = ctx.full(&[3, 70], black_box(SUBNORMAL)).unwrap();
    let ones = ctx.ones::<f32>(&[70, 5]).unwrap();
    let results = [
        ctx.add(&x, &x).unwrap(),
        ctx.scale(&x, 2.0).unwrap(),
        ctx.matmul(&x, &ones).unwrap(),
        ctx.sum_all(&x).unwrap(),
    ];
    results.iter().flat_map(|r| r.data().unwrap()).map(|x| x.to_bits()).collect()
}

#[test]
fn the_context_sees_what_c_left_behind() {
    assert!(fpenv::supported());
    for ctx in contexts() {
        assert_eq!(ctx.check_float_environment(), Ok(()));
        assert_eq!(after_flush(|| ctx.check_float_environment()), refusal(FLUSH));
        assert_eq!(ctx.check_float_environment(), Ok(()), "the guard undid it");
        assert_eq!(after_upward(|| ctx.check_float_environment()), refusal(UPWARD));
        assert_eq!(ctx.check_float_environment(), Ok(()), "the guard undid it");
        let both = after_upward(|| after_flush(|| ctx.check_float_environment()));
        assert_eq!(both, refusal(Environment { rounding: RoundingMode::Upward, ..FLUSH }));
        assert_eq!(ctx.check_float_environment(), Ok(()));
    }
    let told = after_flush(|| fpenv::assert_default().map_err(|error| error.to_string()));
    let text = "float environment: round to nearest even, flush to zero; the default, \
                round to nearest even, gradual underflow, fits";
    assert_eq!(told, Err(text.to_string()));
}

/// The mode is really the one that was read: C computes in it.
#[test]
fn c_computes_in_the_mode_that_was_read() {
    let small = [1e-22_f32, 3e-23];
    let third = [1.0_f32 / 3.0];
    let (kept, nearest) =
        (foreign_mode::sum_of_squares(&small), foreign_mode::sum_of_squares(&third));
    assert!(kept > 0.0 && kept < f32::MIN_POSITIVE);
    assert_eq!(after_flush(|| foreign_mode::sum_of_squares(&small)).to_bits(), 0);
    let upward = after_upward(|| foreign_mode::sum_of_squares(&third));
    let exact = f64::from(third[0]) * f64::from(third[0]);
    assert!(f64::from(upward) > exact && nearest <= upward && upward.next_down() <= nearest);
    assert_eq!(foreign_mode::sum_of_squares(&small), kept);
}

#[test]
fn results_are_the_promised_ones_once_the_guard_is_gone() {
    for ctx in contexts() {
        let before = subnormal_results(&ctx);
        assert!(before.iter().all(|bits| *bits != 0));
        after_flush(|| ());
        assert_eq!(subnormal_results(&ctx), before);
        after_upward(|| ());
        assert_eq!(subnormal_results(&ctx), before);
    }
}

/// Foreign code that computes in flush mode calls back: ops under `enforce_default` give their bits, and its mode is back.
#[test]
fn a_callback_enforces_the_default() {
    for ctx in contexts() {
        let wanted = subnormal_results(&ctx);
        let mut seen = None;
        let _guard = Guard::begin();
        let work = || {
            let outside = ctx.check_float_environment();
            let guard = Guard::enforce_default();
            let inside = ctx.check_float_environment();
            let results = subnormal_results(&ctx);
            drop(guard);
            seen = Some((outside, inside, results, fpenv::get()));
        };
        // SAFETY: `work` computes under a guard that enforces the default; then nothing computes before `reset`.
        unsafe { foreign_mode::call_back_in_flush_mode(work) };
        let left = fpenv::get();
        fpenv::reset();
        assert_eq!(left, Some(FLUSH));
        assert_eq!(seen, Some((refusal(FLUSH), Ok(()), wanted, Some(FLUSH))));
        assert_eq!(ctx.check_float_environment(), Ok(()), "reset stays");
    }
}

#[test]
fn ops_on_subnormal_numbers_leave_the_mode_alone() {
    for ctx in contexts() {
        let at_first = fpenv::get();
        for size in [1, 5, 33, 130] {
            let x = ctx.full(&[size, size], SUBNORMAL).unwrap();
            let y = ctx.full(&[size, size], 0.5_f32).unwrap();
            for product in [ctx.matmul(&x, &y), ctx.matmul_nt(&x, &x), ctx.matmul_tn(&y, &x)] {
                drop(product.unwrap());
                assert_eq!(ctx.check_float_environment(), Ok(()));
            }
        }
        let x = Tensor::variable_from_slice(&ctx, &[2, 2], &[SUBNORMAL, 1.0, 2.0, 3e38]).unwrap();
        let y = x.mul(&ctx, &x).unwrap().matmul(&ctx, &x).unwrap().sum_all(&ctx).unwrap();
        y.backward(&ctx).unwrap();
        assert_eq!(fpenv::get(), at_first);
    }
}

/// Flush mode would make zeros of subnormal operands and results; conversions of 16-bit floats move bits.
#[test]
fn halves_convert_in_flush_mode_too() {
    use fucina_core::dtype::{bf16, f16};

    // Every half, and every f32 whose lower bits round up from a tie: the subnormal ones too.
    let halves: Vec<u16> = (0..=u16::MAX).collect();
    let singles: Vec<u32> = (0..=u16::MAX).map(|upper| u32::from(upper) << 16 | 0x8001).collect();
    for ctx in contexts() {
        let all = |ctx: &ExecContext| -> Vec<u32> {
            let a: Vec<f16> = halves.iter().copied().map(f16::from_bits).collect();
            let b: Vec<bf16> = halves.iter().copied().map(bf16::from_bits).collect();
            let x: Vec<f32> = singles.iter().copied().map(f32::from_bits).collect();
            let len = [halves.len()];
            let a = ctx.cast::<_, f32>(&ctx.from_vec(&len, a).unwrap()).unwrap();
            let b = ctx.cast::<_, f32>(&ctx.from_vec(&len, b).unwrap()).unwrap();
            let x = ctx.from_vec(&len, x).unwrap();
            let (c, d) = (ctx.cast::<_, f16>(&x).unwrap(), ctx.cast::<_, bf16>(&x).unwrap());
            let wide = a.data().unwrap().iter().chain(b.data().unwrap()).map(|x| x.to_bits());
            let narrow = c.data().unwrap().iter().map(|x| x.to_bits());
            let narrow = narrow.chain(d.data().unwrap().iter().map(|x| x.to_bits()));
            wide.chain(narrow.map(u32::from)).collect()
        };
        let wanted = all(&ctx);
        // SAFETY: what is computed inside is compared bit by bit, and no memory depends on it.
        let scope = unsafe { ctx.open_flush_scope() };
        let flushed = black_box(all)(&ctx);
        drop(scope);
        assert!(flushed == wanted, "{}", ctx.backend().name());
    }
}

#[test]
fn a_probe_sees_what_an_op_raised_on_this_thread() {
    for ctx in [ExecContext::new(), fucina::context_with_threads(1)] {
        let x = ctx.from_slice(&[4], &[3e38_f32, 1.0, 2.0, 4.0]).unwrap();
        let zero = ctx.zeros::<f32>(&[4]).unwrap();
        let raised = |op: &dyn Fn() -> Vec<f32>| {
            let probe = Probe::begin();
            black_box(op());
            probe.end()
        };
        assert!(raised(&|| ctx.mul(&x, &x).unwrap().data().unwrap().to_vec()).overflow);
        assert!(raised(&|| ctx.div(&x, &zero).unwrap().data().unwrap().to_vec()).division_by_zero);
        assert!(raised(&|| ctx.div(&zero, &zero).unwrap().data().unwrap().to_vec()).invalid);
        let exact = raised(&|| ctx.add(&zero, &zero).unwrap().data().unwrap().to_vec());
        assert!(!exact.any_significant(), "{exact}");
    }
}

/// A built context notes the mode of the thread that built it; one made by the `const` function, at its first need.
#[test]
fn a_context_notes_where_it_began() {
    let default = Some(Environment::DEFAULT);
    for ctx in contexts().into_iter().skip(1) {
        assert_eq!(after_flush(|| ctx.float_environment_at_init()), default);
    }
    let built = after_flush(|| ExecContext::builder().build());
    assert_eq!(built.float_environment_at_init(), Some(FLUSH));
    assert_eq!(built.check_float_environment(), Ok(()), "it judges by the default");
    let same = after_flush(|| (built.float_environment_at_init(), built.check_float_environment()));
    assert_eq!(same, (Some(FLUSH), refusal(FLUSH)));
    let used = ExecContext::new();
    drop(used.ones::<f32>(&[1]).unwrap());
    assert_eq!(after_flush(|| used.float_environment_at_init()), default);
    let unused = ExecContext::new();
    assert_eq!(after_upward(|| unused.float_environment_at_init()), Some(UPWARD));
    assert_eq!(unused.float_environment_at_init(), Some(UPWARD));
}

#[test]
fn workers_started_in_flush_mode_keep_subnormal_numbers() {
    use core::sync::atomic::{AtomicUsize, Ordering};
    use fucina::WorkerTeam;
    use fucina::parallel::Team;
    use std::sync::Barrier;

    let team = WorkerTeam::new(3);
    // The threads start here, each with one task, and inherit the caller's mode. Nothing computes.
    let meeting = Barrier::new(3);
    after_flush(|| {
        team.for_each(3, &|_| {
            meeting.wait();
        })
    });
    assert_eq!(team.started_workers(), 2);
    // Whichever thread runs a task: all of them at once, so each thread has one.
    let kept = AtomicUsize::new(0);
    team.for_each(3, &|_| {
        meeting.wait();
        let here = fpenv::get().is_none_or(Environment::is_default);
        let product = black_box(SUBNORMAL) * black_box(1.0);
        kept.fetch_add(usize::from(here && product == SUBNORMAL), Ordering::Relaxed);
    });
    assert_eq!(kept.into_inner(), 3);
}
