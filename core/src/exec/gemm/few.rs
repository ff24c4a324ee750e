//! Few rows times a matrix that no tile can read where it lies, of halves or transposed: bound by how fast the matrix is read,
//! so it is read once.
//!
//! Each block of the output widens or packs a few KiB of the matrix at a time, in scratch that stays in the first-level cache, and
//! multiplies them at once. Rows of halves that are contiguous are streamed side by side, a few steps of many columns; else a
//! strip of columns runs along `k`.

use super::{DEPTH, Operands, PACKED, Plan};
use crate::backend::{Real, Table};
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::exec::widen::{Widen, widened};
use crate::kernels::gemm::{Matrix, Pack, Product, Source};
use crate::parallel::{Block, BlockShape, for_blocks_with};
use crate::pool::ScratchLease;

/// Elements of the matrix that are widened or packed at a time: 16 KiB of f32. Half as many cost products of eight rows a sixth
/// (bench rows, Zen 4, 2026-12).
const ROOM: usize = 4096;
/// Rows of the matrix that are streamed side by side: swept over 16, 32, 64 with the bench rows, Zen 4, 2026-12.
const STREAMED: usize = 32;

impl ExecContext {
    /// A product of no more rows than two tiles have.
    #[track_caller]
    pub(super) fn few_rows<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        operands: Operands<'_, T, A, B>,
        plan: Plan,
        out: &mut [T],
    ) -> Result<()> {
        let Operands { op, left, right, m, k, n, accumulate, epilogue } = operands;
        let kernels = self.kernels::<T>();
        let own = A::in_place(left).filter(|x| x.column == 1 || x.by_steps());
        let (depth, elements) = match own {
            Some(_) => (k, 0),
            None => {
                let depth = k.min((PACKED / m).max(DEPTH));
                (depth, m * depth)
            }
        };
        let site = self.site(op)?;
        let mut steps = ScratchLease::acquire(op, site, elements)?;
        let rows = m.next_multiple_of(plan.tile.mr);
        let shape = BlockShape { rows, columns: plan.blocks.columns };
        let lots = self.lots(m.saturating_mul(k).saturating_mul(n), n.div_ceil(shape.columns));
        let mut rooms = ScratchLease::acquire(op, site, lots * ROOM)?;
        for from in (0..k).step_by(depth) {
            let depth = depth.min(k - from);
            let left = match own {
                Some(own) => own.later(from),
                None => {
                    let (first, count, width) = (0, m, m);
                    let out = &mut steps[..m * depth];
                    A::pack(kernels, Pack { x: left, first, count, from, depth, width, out });
                    Matrix { data: &steps, start: 0, row: 1, column: m as isize }
                }
            };
            let (fresh, last) = (!accumulate && from == 0, from + depth == k);
            let rooms = (&mut *rooms, ROOM);
            for_blocks_with(self.team(), op, (&mut *out, n), shape, rooms, |mut block, room| {
                Few { kernels, left, right, from, depth, fresh }.block(block.by_ref(), room);
                if last {
                    epilogue.block(kernels, &mut block);
                }
            });
        }
        Ok(())
    }
}

/// Some steps of a product of few rows.
struct Few<'a, T: Real, B> {
    kernels: Table<T>,
    /// The left operand, from the first of the steps on.
    left: Matrix<'a, T>,
    right: Matrix<'a, B>,
    from: usize,
    depth: usize,
    fresh: bool,
}

impl<T: Real, B: Widen<T>> Few<'_, T, B> {
    fn block(&self, mut out: Block<'_, T>, room: &mut [T]) {
        let &Self { kernels, depth, .. } = self;
        let (columns, nr) = (out.columns(), kernels.tile_shape().nr);
        if self.right.column == 1 && B::in_place(self.right).is_none() {
            let across = (ROOM / STREAMED / nr).max(1) * nr;
            for step in (0..depth).step_by(STREAMED) {
                let steps = STREAMED.min(depth - step);
                for j in columns.clone().step_by(across) {
                    let width = across.min(columns.end - j);
                    let at = [self.from + step, j];
                    let right = widened(kernels, self.right, at, [steps, width], room);
                    self.product(step, steps, Source::InPlace(right), j, width, out.by_ref());
                }
            }
            return;
        }
        for j in columns.clone().step_by(nr) {
            let width = nr.min(columns.end - j);
            for step in (0..depth).step_by(ROOM / nr) {
                let steps = (ROOM / nr).min(depth - step);
                let (x, from, strip) = (self.right.transposed(), self.from + step, steps * nr);
                let (count, room) = (width, &mut room[..strip]);
                let pack = Pack { x, first: j, count, from, depth: steps, width: nr, out: room };
                B::pack(kernels, pack);
                self.product(step, steps, Source::Packed(room), j, width, out.by_ref());
            }
        }
    }

    /// Adds the products of `steps` steps, to the columns from `j` on.
    fn product(
        &self,
        step: usize,
        steps: usize,
        right: Source<'_, T>,
        j: usize,
        width: usize,
        out: Block<'_, T>,
    ) {
        let (left, rows) = (Source::InPlace(self.left.later(step)), out.rows());
        let out = out.part(rows, j..j + width).rebased();
        let (fresh, from, depth) = (self.fresh && step == 0, 0, steps);
        let depth_each = steps;
        self.kernels.gemm_block(Product { left, right, from, depth, depth_each, fresh, out });
    }
}
