//! Matrix products: one driver, any strides, three orientations.
//!
//! Both operands are packed, zero-padded, into panels of the backend's register tile. Blocks of [`KC`] steps of `k`
//! run outermost within a piece, so that a right panel stays in the first-level cache while left panels pass over it;
//! a later block loads what an earlier one stored and goes on, which leaves each output's order over `k` ascending
//! and unbroken. A piece is some rows of the output.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::{Real, TileShape};
use crate::error::{Error, Fits, Result};
use crate::kernels::gemm::Tile;
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Steps of `k` in a block: a right panel of 16 columns is then 16 KiB, half of a first-level cache.
const KC: usize = 256;
/// Multiply-adds in a piece: below it a product stays on the caller.
const PIECE: usize = 1 << 17;

/// One operand as a matrix: `at(i, p)` is `data[start + i * row + p * column]`.
#[derive(Clone, Copy)]
struct Matrix<'a, T> {
    data: &'a [T],
    start: usize,
    row: isize,
    column: isize,
}

impl<T: Copy> Matrix<'_, T> {
    fn transposed(self) -> Self {
        Self { row: self.column, column: self.row, ..self }
    }

    fn at(&self, i: usize, p: usize) -> T {
        self.data[self.start.wrapping_add_signed(self.row * i as isize + self.column * p as isize)]
    }
}

impl ExecContext {
    /// Multiplies matrices: `out[i, j] = sum over p of a[i, p] * b[p, j]`.
    ///
    /// - Shapes: `a [m, k]`, `b [k, n]`, result `[m, n]`; any strides, nothing is copied but into packed panels.
    /// - Numerics: `k` ascending, one fused step each: the same bits on every fused backend and team.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if one is not a matrix or `b` has not `k` rows; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn matmul<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul", a, b, [false, false])
    }

    /// `a * b^T`: `a [m, k]`, `b [n, k]`, result `[m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul), for `b` without `k` columns.
    #[track_caller]
    pub fn matmul_nt<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_nt", a, b, [false, true])
    }

    /// `a^T * b`: `a [k, m]`, `b [k, n]`, result `[m, n]`.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    #[track_caller]
    pub fn matmul_tn<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        self.product("matmul_tn", a, b, [true, false])
    }

    #[track_caller]
    fn product<T: Real>(
        &self,
        op: &'static str,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
        transposed: [bool; 2],
    ) -> Result<RawTensor<T>> {
        let (left, right) = (*a.shape(), *b.shape());
        for shape in [left, right] {
            if shape.rank() != 2 {
                return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Rank(2) });
            }
        }
        let [ta, tb] = transposed.map(usize::from);
        let (m, k, n) = (left[ta], left[1 - ta], right[1 - tb]);
        if right[tb] != k {
            let fits = if tb == 1 { Fits::Columns(k) } else { Fits::Rows(k) };
            return Err(Error::ShapeMismatch { op, left, right, fits });
        }
        let mut out = self.fresh(op, Shape::new(op, &[m, n])?)?;
        let [a, b] = [(a, ta), (b, tb)].map(|(x, t)| {
            let l = x.layout();
            let (data, start) = (x.storage_elements(), l.offset());
            let matrix = Matrix { data, start, row: l.strides()[0], column: l.strides()[1] };
            if t == 1 { matrix.transposed() } else { matrix }
        });
        self.gemm(op, a, b, k, n, out.data())?;
        Ok(out.done())
    }

    #[track_caller]
    fn gemm<T: Real>(
        &self,
        op: &'static str,
        a: Matrix<'_, T>,
        b: Matrix<'_, T>,
        k: usize,
        n: usize,
        out: &mut [T],
    ) -> Result<()> {
        let kernels = self.kernels::<T>();
        let TileShape { mr, nr } = kernels.tile_shape();
        let m = out.len() / n;
        let site = self.site(op)?;
        let refused = Error::OutOfMemory { op, bytes: usize::MAX };
        let padded =
            |count: usize, to: usize| count.next_multiple_of(to).checked_mul(k).ok_or(refused);
        let mut packed_a = ScratchLease::acquire(op, site, padded(m, mr)?)?;
        let mut packed_b = ScratchLease::acquire(op, site, padded(n, nr)?)?;
        pack(a, m, k, mr, &mut packed_a);
        pack(b.transposed(), n, k, nr, &mut packed_b);
        let (packed_a, packed_b) = (&*packed_a, &*packed_b);
        let panels_each = (PIECE / (mr * n).saturating_mul(k)).max(1);
        for_chunks(self.team(), op, out, panels_each * mr * n, |piece, out| {
            let a = &packed_a[piece * panels_each * mr * k..];
            for from in (0..k).step_by(KC) {
                let to = (from + KC).min(k);
                for (j, b) in packed_b.chunks_exact(nr * k).enumerate() {
                    for (c, a) in out.chunks_mut(mr * n).zip(a.chunks_exact(mr * k)) {
                        let rows = c.len() / n;
                        kernels.gemm_tile(Tile {
                            a: &a[from * mr..to * mr],
                            b: &b[from * nr..to * nr],
                            c: &mut c[j * nr..],
                            row_stride: n,
                            rows,
                            columns: nr.min(n - j * nr),
                            fresh: from == 0,
                        });
                    }
                }
            }
        });
        Ok(())
    }
}

/// Packs `count` rows of `x` into panels of `width` rows: `k` groups of `width` values, zeros beyond the last row.
fn pack<T: Real>(x: Matrix<'_, T>, count: usize, k: usize, width: usize, out: &mut [T]) {
    for (panel, out) in out.chunks_exact_mut(width * k).enumerate() {
        let first = panel * width;
        let rows = width.min(count - first);
        for (p, group) in out.chunks_exact_mut(width).enumerate() {
            for (i, to) in group.iter_mut().enumerate() {
                *to = if i < rows { x.at(first + i, p) } else { T::ZERO };
            }
        }
    }
}
