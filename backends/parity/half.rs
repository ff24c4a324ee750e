//! Conversions of 16-bit floats: cases for the table, and every value against the crate that defines them.

use fucina_core::backend::{BackendRef, Real};
use fucina_core::dtype::{Half, bf16, f16};
use fucina_core::kernels::gemm::{Matrix, MatrixTimesVector, VectorTimesMatrix};

use super::Sample;
use super::kernels::{Case, Inputs};

pub(super) fn cases<T: Sample>() -> Vec<(&'static str, Case<T>)> {
    vec![
        ("widen_f16", |k, i| i.fill(|out| k.widen_f16(&halves(i), out))),
        ("widen_bf16", |k, i| i.fill(|out| k.widen_bf16(&halves(i), out))),
        ("narrow_f16", |k, i| narrowed(i, |x, out| k.narrow_f16(x, out))),
        ("vector_times_f16", |k, i| vector_times(i, |x| k.vector_times_f16(x))),
        ("vector_times_bf16", |k, i| vector_times(i, |x| k.vector_times_bf16(x))),
        ("f16_times_vector", |k, i| times_vector(i, |x| k.f16_times_vector(x))),
        ("bf16_times_vector", |k, i| times_vector(i, |x| k.bf16_times_vector(x))),
        ("narrow_bf16", |k, i| narrowed(i, |x, out| k.narrow_bf16(x, out))),
    ]
}

fn halves<T: Sample, H: Half>(i: &Inputs<'_, T>) -> Vec<H> {
    i.x(0).iter().map(|x| x.to_half()).collect()
}

/// The whole buffer around the outputs of `f`, as `T`.
fn narrowed<T: Sample, H: Half>(i: &Inputs<'_, T>, f: impl FnOnce(&[T], &mut [H])) -> Vec<T> {
    let mut buffer = vec![H::from_single(77.0); i.offset + i.len + 16];
    f(i.x(0), &mut buffer[i.offset..][..i.len]);
    buffer.iter().map(|&x| T::from_half(x)).collect()
}

/// A vector times a matrix of halves, of as many columns as the inputs are long.
fn vector_times<T: Sample, H: Half>(
    i: &Inputs<'_, T>,
    f: impl FnOnce(VectorTimesMatrix<'_, T, H>),
) -> Vec<T> {
    let depth = if i.len > 100 { 3 } else { 21 };
    let data: Vec<H> = i.long(depth * i.len).iter().map(|x| x.to_half()).collect();
    let matrix = Matrix { data: &data, start: 0, row: i.len as isize, column: 1 };
    let x = &i.x(1).repeat(depth)[..depth];
    i.write(i.x(2), |out| f(VectorTimesMatrix { x, matrix, first: 0, out }))
}

/// A matrix of three rows of halves, as long as the inputs, times a vector.
fn times_vector<T: Sample, H: Half>(
    i: &Inputs<'_, T>,
    f: impl FnOnce(MatrixTimesVector<'_, T, H>),
) -> Vec<T> {
    let data: Vec<H> = i.long(3 * i.len).iter().map(|x| x.to_half()).collect();
    let matrix = Matrix { data: &data, start: 0, row: i.len as isize, column: 1 };
    i.write(i.long(3), |out| f(MatrixTimesVector { matrix, x: i.x(1), first: 0, out }))
}

/// Every bit of every half, widened, and of f32 on both sides of every number and every tie of either type, narrowed, against the
/// crate that defines them.
pub(crate) fn conversions(backend: BackendRef) {
    let table = f32::table(backend);
    // The upper 20 bits of an f32: all that either type keeps, and more.
    let step = if cfg!(miri) { 1021 } else { 1 };
    let all: Vec<u32> = (0..1 << 20).step_by(step).map(|upper| upper << 12).collect();
    macro_rules! check {
        // check!(f16, widen_f16, narrow_f16) => table.widen_f16 of all f16; table.narrow_f16 of f32
        ($t:ident, $widen:ident, $narrow:ident) => {
            let halves: Vec<$t> = (0..=u16::MAX).map($t::from_bits).collect();
            for x in [&halves[..], &halves[1..], &halves[..30_003]] {
                let mut wide = vec![0.0; x.len()];
                table.$widen(x, &mut wide);
                for (x, wide) in x.iter().zip(wide) {
                    let (ours, theirs) = (wide.to_bits(), x.to_f32().to_bits());
                    assert_eq!(ours, theirs, "{} of {:#x}", stringify!($widen), x.to_bits());
                }
            }
            for lower in [0, 1, 0x7ff, 0x800, 0xfff] {
                let x: Vec<f32> = all.iter().map(|upper| f32::from_bits(upper | lower)).collect();
                let mut narrow = vec![$t::ZERO; x.len()];
                table.$narrow(&x, &mut narrow);
                for (x, narrow) in x.iter().zip(narrow) {
                    let (ours, theirs) = (narrow.to_bits(), $t::from_f32(*x).to_bits());
                    assert_eq!(ours, theirs, "{} of {:#x}", stringify!($narrow), x.to_bits());
                }
            }
        };
    }
    check!(f16, widen_f16, narrow_f16);
    check!(bf16, widen_bf16, narrow_bf16);
}
