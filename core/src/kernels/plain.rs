//! Loops over elements of any type: comparisons, integer and logical arithmetic, conversions, choices.
//!
//! Each result is an exact function of its element, whatever the target: these need no lanes, and no backend.

use super::elementwise::Operand;

/// `out[i] = f(a[i], b[i])`.
#[inline]
pub fn zip<A: Copy, B: Copy, O: Copy>(
    a: Operand<'_, A>,
    b: Operand<'_, B>,
    out: &mut [O],
    f: impl Fn(A, B) -> O,
) {
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => {
            for ((&a, &b), out) in a.iter().zip(b).zip(out) {
                *out = f(a, b);
            }
        }
        (Operand::Slice(a), Operand::Splat(b)) => each(Operand::Slice(a), out, |a| f(a, b)),
        (Operand::Splat(a), b) => each(b, out, |b| f(a, b)),
    }
}

/// `out[i] = f(x[i])`.
#[inline]
pub fn each<A: Copy, O: Copy>(x: Operand<'_, A>, out: &mut [O], f: impl Fn(A) -> O) {
    match x {
        Operand::Slice(x) => {
            for (&x, out) in x.iter().zip(out) {
                *out = f(x);
            }
        }
        Operand::Splat(x) => out.fill(f(x)),
    }
}

/// `out[i]`: `a[i]` where the mask is set, else `b[i]`. No arithmetic: the bits of NaN survive.
#[inline]
pub fn select<T: Copy>(
    mask: Operand<'_, bool>,
    a: Operand<'_, T>,
    b: Operand<'_, T>,
    out: &mut [T],
) {
    let mask = match mask {
        Operand::Slice(mask) => mask,
        Operand::Splat(mask) => return each(if mask { a } else { b }, out, |x| x),
    };
    match (a, b) {
        (Operand::Slice(a), Operand::Slice(b)) => {
            for (((&mask, &a), &b), out) in mask.iter().zip(a).zip(b).zip(out) {
                *out = if mask { a } else { b };
            }
        }
        (Operand::Slice(a), Operand::Splat(b)) => {
            zip(Operand::Slice(mask), Operand::Slice(a), out, |mask, a| if mask { a } else { b });
        }
        (Operand::Splat(a), b) => {
            zip(Operand::Slice(mask), b, out, |mask, b| if mask { a } else { b });
        }
    }
}
