//! [`Widen`]: operands of another type than an op computes in, widened a piece at a time on their way into a kernel.
//!
//! Keys and values of attention are widened by blocks; operands of products where they are packed, from a few KiB of the stack.
#![forbid(unsafe_code)]

use half::{bf16, f16};

use super::copy::copy_row;
use crate::backend::{Real, Table};
use crate::kernels::gemm::{Matrix, MatrixTimesVector, Pack, VectorTimesMatrix};
use crate::kernels::half::Stored;

/// Elements that are widened at a time, on the stack: 4 KiB of f32.
const ROOM: usize = 1024;
/// Rows that are widened together where they stand side by side.
const SIDE_BY_SIDE: usize = 256;
/// Elements gathered at a time where nothing stands side by side.
const GATHERED: usize = 64;

/// An element type of operands of ops that compute in `T`: `T` itself; of `f32` also `f16` and `bf16`.
pub trait Widen<T: Real>: Stored<T> {
    /// `x` as `T`: itself, or in `room`, which is as long.
    #[doc(hidden)]
    fn widen<'a>(kernels: Table<T>, x: &'a [Self], room: &'a mut [T]) -> &'a [T];
    /// A matrix that kernels can read where it lies.
    #[doc(hidden)]
    fn in_place(x: Matrix<'_, Self>) -> Option<Matrix<'_, T>>;
    /// [`Pack`].
    #[doc(hidden)]
    fn pack(kernels: Table<T>, pack: Pack<'_, T, Self>);
    /// [`VectorTimesMatrix`].
    #[doc(hidden)]
    fn vector_times(kernels: Table<T>, product: VectorTimesMatrix<'_, T, Self>);
    /// [`MatrixTimesVector`].
    #[doc(hidden)]
    fn times_vector(kernels: Table<T>, product: MatrixTimesVector<'_, T, Self>);
}

impl<T: Real> Widen<T> for T {
    fn widen<'a>(_: Table<T>, x: &'a [T], _: &'a mut [T]) -> &'a [T] {
        x
    }
    fn in_place(x: Matrix<'_, T>) -> Option<Matrix<'_, T>> {
        Some(x)
    }
    fn pack(kernels: Table<T>, pack: Pack<'_, T>) {
        kernels.gemm_pack(pack);
    }
    fn vector_times(kernels: Table<T>, product: VectorTimesMatrix<'_, T>) {
        kernels.vector_times_matrix(product);
    }
    fn times_vector(kernels: Table<T>, product: MatrixTimesVector<'_, T>) {
        kernels.matrix_times_vector(product);
    }
}

macro_rules! widen_half {
    // widen_half!(f16: widen_f16, vector_times_f16, f16_times_vector;) => impl Widen<f32> for f16 { .. }
    ($($t:ty: $widen:ident, $vector_times:ident, $times_vector:ident;)*) => {$(
        impl Widen<f32> for $t {
            fn widen<'a>(
                kernels: Table<f32>,
                x: &'a [Self],
                room: &'a mut [f32],
            ) -> &'a [f32] {
                kernels.$widen(x, room);
                room
            }
            fn in_place(_: Matrix<'_, Self>) -> Option<Matrix<'_, f32>> {
                None
            }
            fn pack(kernels: Table<f32>, pack: Pack<'_, f32, Self>) {
                pack_widened(kernels, pack);
            }
            fn vector_times(kernels: Table<f32>, product: VectorTimesMatrix<'_, f32, Self>) {
                kernels.$vector_times(product);
            }
            fn times_vector(kernels: Table<f32>, product: MatrixTimesVector<'_, f32, Self>) {
                kernels.$times_vector(product);
            }
        }
    )*};
}

widen_half! {
    f16: widen_f16, vector_times_f16, f16_times_vector;
    bf16: widen_bf16, vector_times_bf16, bf16_times_vector;
}

/// Packs some rows and steps after others, from where they were widened.
fn pack_widened<T: Real, S: Widen<T>>(kernels: Table<T>, pack: Pack<'_, T, S>) {
    let Pack { x, first, count, from, depth, width, out } = pack;
    let together = if x.row == 1 { (SIDE_BY_SIDE / width).max(1) * width } else { width };
    let mut room = [T::ZERO; ROOM];
    for row in (0..count).step_by(together) {
        let rows = together.min(count - row);
        for step in (0..depth).step_by(ROOM / rows) {
            let steps = (ROOM / rows).min(depth - step);
            let x = widened(kernels, x, [first + row, from + step], [rows, steps], &mut room);
            for panel in (0..rows).step_by(width) {
                let out = &mut out[(row + panel) * depth + step * width..][..steps * width];
                let (count, from, depth) = (width.min(rows - panel), 0, steps);
                kernels.gemm_pack(Pack { x, first: panel, count, from, depth, width, out });
            }
        }
    }
}

/// `rows` rows and `steps` columns of `x` from row `i` and column `p` on, in `room`: as they stand side by side in `x`.
pub(super) fn widened<'a, T: Real, S: Widen<T>>(
    kernels: Table<T>,
    x: Matrix<'_, S>,
    [i, p]: [usize; 2],
    [rows, steps]: [usize; 2],
    room: &'a mut [T],
) -> Matrix<'a, T> {
    let room = &mut room[..rows * steps];
    if x.row == 1 && x.column != 1 && rows > 1 {
        for (step, room) in room.chunks_exact_mut(rows).enumerate() {
            S::widen(kernels, x.run(i, p + step, rows), room);
        }
        return Matrix { data: room, start: 0, row: 1, column: rows as isize };
    }
    for (row, room) in room.chunks_exact_mut(steps).enumerate() {
        if x.column == 1 {
            S::widen(kernels, x.run(i + row, p, steps), room);
            continue;
        }
        let mut gathered = [S::default(); GATHERED];
        for (part, room) in room.chunks_mut(GATHERED).enumerate() {
            let gathered = &mut gathered[..room.len()];
            copy_row(x.data, x.at(i + row, p + part * GATHERED), x.column, gathered);
            S::widen(kernels, gathered, room);
        }
    }
    Matrix { data: room, start: 0, row: steps as isize, column: 1 }
}
