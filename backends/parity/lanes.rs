//! Every operation of [`Lanes`], and every function made from them, against the one-lane form.

use fucina_core::kernels::Lanes;

use super::{Report, Sample, pools};

/// Checks every operation of `l` against the one-lane `oracle`; the error lists what differs.
pub(crate) fn lanes<T: Sample>(
    l: impl Lanes<T>,
    oracle: impl Lanes<T, V = T, M = bool>,
) -> Result<(), String> {
    let lanes = lane_count(l);
    let mut report = Report::new("lanes");
    for (kind, pool) in pools::<T>() {
        let Operands { a, b, c, exponents, pow2s, normals } = Operands::new(&pool, lanes);

        macro_rules! check {
            // check!("add", a, b, c => |l, x, y, z| l.add(x, y))
            ($name:expr, $a:expr, $b:expr, $c:expr => |$l:ident, $x:ident, $y:ident, $z:ident| $body:expr) => {{
                let (a, b, c): (&[T], &[T], &[T]) = ($a, $b, $c);
                let mut ours = vec![T::NAN; a.len()];
                for (at, out) in ours.chunks_exact_mut(lanes).enumerate() {
                    let at = at * lanes;
                    let $l = l;
                    let ($x, $y, $z) = ($l.load(&a[at..]), $l.load(&b[at..]), $l.load(&c[at..]));
                    let _ = ($y, $z);
                    $l.store($body, out);
                }
                let $l = oracle;
                let one = |((&$x, &$y), &$z)| {
                    let _ = ($y, $z);
                    $body
                };
                let theirs: Vec<T> = a.iter().zip(b).zip(c).map(one).collect();
                report.compare(
                    format_args!("{}, {} values of {}", $name, kind, T::DTYPE),
                    &ours,
                    &theirs,
                );
            }};
        }
        check!("add", &a, &b, &c => |l, x, y, z| l.add(x, y));
        check!("sub", &a, &b, &c => |l, x, y, z| l.sub(x, y));
        check!("mul", &a, &b, &c => |l, x, y, z| l.mul(x, y));
        check!("div", &a, &b, &c => |l, x, y, z| l.div(x, y));
        check!("mul_add", &a, &b, &c => |l, x, y, z| l.mul_add(x, y, z));
        check!("sqrt", &a, &b, &c => |l, x, y, z| l.sqrt(x));
        check!("neg", &a, &b, &c => |l, x, y, z| l.neg(x));
        check!("abs", &a, &b, &c => |l, x, y, z| l.abs(x));
        check!("copysign", &a, &b, &c => |l, x, y, z| l.copysign(x, y));
        check!("round", &a, &b, &c => |l, x, y, z| l.round(x));
        check!("scale_pow2", &a, &exponents, &c => |l, x, y, z| l.scale_pow2(x, y));
        check!("pow2", &pow2s, &b, &c => |l, x, y, z| l.pow2(x));
        check!("split_exponent, m", &normals, &b, &c => |l, x, y, z| l.split_exponent(x).0);
        check!("split_exponent, e", &normals, &b, &c => |l, x, y, z| l.split_exponent(x).1);
        check!("lt", &a, &b, &c => |l, x, y, z| l.select(l.lt(x, y), x, z));
        check!("le", &a, &b, &c => |l, x, y, z| l.select(l.le(x, y), x, z));
        check!("eq", &a, &b, &c => |l, x, y, z| l.select(l.eq(x, y), z, y));
        check!("and", &a, &b, &c => |l, x, y, z| l.select(both::<T, _>(l, l.le(x, y), l.lt(y, z)), x, z));
        check!("min", &a, &b, &c => |l, x, y, z| l.min(x, y));
        check!("max", &a, &b, &c => |l, x, y, z| l.max(x, y));
        check!("splat", &a, &b, &c => |l, x, y, z| l.add(x, l.splat(T::from_f64(0.1))));
        check!("map", &a, &b, &c => |l, x, y, z| l.map(x, |x| x - T::ONE));
        check!("map2", &a, &b, &c => |l, x, y, z| l.map2(x, y, |x, y| x - y));
        check!("pow", &a, &b, &c => |l, x, y, z| T::pow(l, x, y));
        macro_rules! functions {
            // functions!(exp, log) => check!("exp", &a, .. => |l, x, y, z| T::exp(l, x)); check!("log", ..);
            ($($name:ident),*) => {$(
                check!(stringify!($name), &a, &b, &c => |l, x, y, z| T::$name(l, x));
            )*};
        }
        functions!(exp, log, tanh, sigmoid, gelu, gelu_derivative, expm1, log1p, rsqrt, erf, sin);
        functions!(cos, softplus, silu, gelu_tanh, gelu_tanh_derivative);
    }
    signs_of_nan_are_kept(l);
    parts_stay_in_bounds(l, &mut report);
    report.finish()
}

/// Columns of arguments, as long as whole registers.
struct Operands<T> {
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
    /// Integers that `scale_pow2` takes.
    exponents: Vec<T>,
    /// Integers that `pow2` takes.
    pow2s: Vec<T>,
    /// Positive normal numbers.
    normals: Vec<T>,
}

impl<T: Sample> Operands<T> {
    /// Special values, each against each, then those of the pool.
    fn new(pool: &[T], lanes: usize) -> Self {
        let crossed = T::SPECIAL.iter().flat_map(|&a| T::SPECIAL.iter().map(move |&b| [a, b]));
        let rest = pool[..9000].chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        let mut pairs: Vec<[T; 2]> = crossed.chain(rest).collect();
        pairs.truncate(pairs.len() / lanes * lanes);
        let a: Vec<T> = pairs.iter().map(|pair| pair[0]).collect();
        let b: Vec<T> = pairs.iter().map(|pair| pair[1]).collect();
        let c = b.iter().rev().copied().collect();
        let spread = 2.0 * T::MAX_SCALE + 1.0;
        let exponent = |i| T::from_f64(f64::from(i) * 7.0 % spread - T::MAX_SCALE);
        let exponents = (0..a.len() as u32).map(exponent).collect();
        let half = T::MAX_SCALE / 2.0;
        let normal_exponent = |i| T::from_f64(f64::from(i) * 7.0 % (2.0 * half + 1.0) - half);
        let pow2s = (0..a.len() as u32).map(normal_exponent).collect();
        let normal = |x: &T| match x.magnitude() {
            x if x >= T::MIN_NORMAL && x < -T::NEG_INFINITY => x,
            _ => T::ONE,
        };
        let normals = a.iter().map(normal).collect();
        Self { a, b, c, exponents, pow2s, normals }
    }
}

fn lane_count<T: Sample, L: Lanes<T>>(_: L) -> usize {
    L::N
}

/// Masks do not say which type they are of.
fn both<T: Sample, L: Lanes<T>>(l: L, a: L::M, b: L::M) -> L::M {
    l.and(a, b)
}

/// `neg`, `abs`, `copysign` and `select` move bits, of NaN too.
fn signs_of_nan_are_kept<T: Sample, L: Lanes<T>>(l: L) {
    let is_negative = |v| {
        let mut out = vec![T::ZERO; L::N];
        l.store(v, &mut out);
        out.iter().map(|x| T::ONE.with_sign_of(*x) < T::ZERO).collect::<Vec<_>>()
    };
    let (plus, minus) = (T::NAN.magnitude(), -T::NAN.magnitude());
    let (positive, negative) = (l.splat(plus), l.splat(minus));
    for v in [negative, l.neg(positive), l.copysign(positive, negative)] {
        assert_eq!(is_negative(v), vec![true; L::N]);
    }
    for v in [positive, l.neg(negative), l.abs(negative), l.copysign(negative, positive)] {
        assert_eq!(is_negative(v), vec![false; L::N]);
    }
    let yes = l.eq(l.splat(T::ONE), l.splat(T::ONE));
    assert_eq!(is_negative(l.select(yes, negative, positive)), vec![true; L::N]);
    assert_eq!(is_negative(l.select(yes, positive, negative)), vec![false; L::N]);
}

/// Partial loads fill with 0, partial stores write nothing else, and a slice that is too short is never read.
fn parts_stay_in_bounds<T: Sample, L: Lanes<T>>(l: L, report: &mut Report) {
    let number = |i: usize| T::from_f64(i as f64 + 1.0);
    for len in 0..L::N {
        // The heap's own size, so that a sanitizer sees a read or a write beyond.
        let part: Box<[T]> = (0..len).map(number).collect();
        let mut whole = vec![T::NAN; L::N];
        l.store(l.load_part(&part), &mut whole);
        let expected: Vec<T> =
            (0..L::N).map(|i| if i < len { number(i) } else { T::ZERO }).collect();
        report.compare(format_args!("load_part of {len}"), &whole, &expected);

        let mut out: Box<[T]> = vec![T::NAN; len].into();
        let full: Vec<T> = (0..L::N).map(number).collect();
        l.store_part(l.load(&full), &mut out);
        report.compare(format_args!("store_part of {len}"), &out, &expected[..len]);
        let mut guarded = vec![T::ZERO; L::N];
        l.store_part(l.load(&full), &mut guarded[..len]);
        report.compare(format_args!("store_part before others, {len}"), &guarded, &expected);

        #[cfg(panic = "unwind")]
        {
            let one = l.splat(T::ONE);
            let panics = |f: &mut dyn FnMut()| {
                std::panic::catch_unwind(core::panic::AssertUnwindSafe(f)).is_err()
            };
            assert!(panics(&mut || _ = l.load(&part)), "load of {len} lanes");
            assert!(panics(&mut || l.store(one, &mut out)), "store of {len} lanes");
        }
    }
}
