//! Products side by side: large ones one after the other, each on the whole team; small ones in pieces of several.

use super::{BLOCK_WORK, Operands, PACKED, Plan};
use crate::backend::{Real, Table};
use crate::error::{Error, Result};
use crate::exec::context::ExecContext;
use crate::exec::widen::Widen;
use crate::kernels::gemm::{Matrix, Pack, Source};
use crate::layout::MAX_RANK;
use crate::parallel::{Block, for_chunks};
use crate::pool::ScratchLease;

/// Where the operands of the products of a batch begin. Strides are 0 along axes that an operand is broadcast over.
pub(in crate::exec) struct Batch<'a> {
    /// The leading dimensions.
    pub(in crate::exec) dims: &'a [usize],
    pub(in crate::exec) left: [isize; MAX_RANK],
    pub(in crate::exec) right: [isize; MAX_RANK],
}

impl Batch<'_> {
    /// The operands of product `index`, of those of the first.
    fn at<'a, T: Copy, A: Copy, B: Copy>(
        &self,
        mut index: usize,
        first: Operands<'a, T, A, B>,
    ) -> Operands<'a, T, A, B> {
        let Operands { mut left, mut right, .. } = first;
        for (axis, &dim) in self.dims.iter().enumerate().rev() {
            let i = (index % dim) as isize;
            index /= dim;
            left.start = left.start.wrapping_add_signed(i * self.left[axis]);
            right.start = right.start.wrapping_add_signed(i * self.right[axis]);
        }
        Operands { left, right, ..first }
    }
}

impl ExecContext {
    /// Writes the products of a batch to `out`, one after the other, `m * n` each.
    #[track_caller]
    pub(in crate::exec) fn gemm_batch<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        first: Operands<'_, T, A, B>,
        batch: &Batch<'_>,
        out: &mut [T],
    ) -> Result<()> {
        let Operands { m, k, n, .. } = first;
        let small = m.saturating_mul(n).saturating_mul(k) < 2 * BLOCK_WORK;
        // A vector's products may follow the reduction rule, so they take the way of a vector.
        if small && m > 1 && n > 1 && out.len() > m * n {
            return self.small_products(first.plain(), batch, out);
        }
        for (index, out) in out.chunks_exact_mut(m * n).enumerate() {
            self.gemm(batch.at(index, first), out)?;
        }
        Ok(())
    }

    /// Products of one block each. Those that need packed operands go in groups, so that the scratch is bounded: all of a group
    /// are packed, then multiplied.
    #[track_caller]
    fn small_products<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        first: Operands<'_, T, A, B>,
        batch: &Batch<'_>,
        out: &mut [T],
    ) -> Result<()> {
        let Operands { op, m, k, n, .. } = first;
        let kernels = self.kernels::<T>();
        let Plan { tile, pack_left, pack_right, .. } = Plan::of(&first, kernels.tile_shape());
        let refused = Error::OutOfMemory { op, bytes: usize::MAX };
        let packed = |pack: bool, rows: usize, width: usize| {
            let each = if pack { rows.next_multiple_of(width).checked_mul(k) } else { Some(0) };
            each.ok_or(refused)
        };
        let strip = packed(pack_right, n, tile.nr)?;
        let panel = packed(pack_left, m, tile.mr)?;
        let count = out.len() / (m * n);
        let group = (PACKED / strip.saturating_add(panel).max(1)).clamp(1, count);
        let site = self.site(op)?;
        let elements = |each: usize| each.checked_mul(group).ok_or(refused);
        let mut strips = ScratchLease::acquire(op, site, elements(strip)?)?;
        let mut panels = ScratchLease::acquire(op, site, elements(panel)?)?;
        let each = (BLOCK_WORK / (m * k * n)).max(1);
        for (g, out) in out.chunks_mut(group * m * n).enumerate() {
            let at = |i: usize| batch.at(g * group + i, first);
            let products = out.len() / (m * n);
            if pack_right {
                let strips = &mut strips[..products * strip];
                for_chunks(self.team(), op, strips, each * strip, |piece, out| {
                    let x = |i| at(piece * each + i).right.transposed();
                    pack_each(kernels, x, n, (k, tile.nr), strip, out);
                });
            }
            if pack_left {
                let panels = &mut panels[..products * panel];
                for_chunks(self.team(), op, panels, each * panel, |piece, out| {
                    let x = |i| at(piece * each + i).left;
                    pack_each(kernels, x, m, (k, tile.mr), panel, out);
                });
            }
            let (strips, panels) = (&*strips, &*panels);
            for_chunks(self.team(), op, out, each * m * n, |piece, out| {
                for (i, out) in out.chunks_exact_mut(m * n).enumerate() {
                    let i = piece * each + i;
                    let Operands { left, right, .. } = at(i);
                    let left = source(pack_left, panels, i * panel..(i + 1) * panel, left);
                    let right = source(pack_right, strips, i * strip..(i + 1) * strip, right);
                    first.block(kernels, left, right, Block::new(out, n));
                }
            });
        }
        Ok(())
    }
}

/// Packs operands of `count` rows, one after the other, into `own` elements each.
fn pack_each<'a, T: Real, S: Widen<T>>(
    kernels: Table<T>,
    x: impl Fn(usize) -> Matrix<'a, S>,
    count: usize,
    (depth, width): (usize, usize),
    own: usize,
    out: &mut [T],
) {
    for (i, out) in out.chunks_exact_mut(own).enumerate() {
        let (x, first, from) = (x(i), 0, 0);
        S::pack(kernels, Pack { x, first, count, from, depth, width, out });
    }
}

/// A packed operand, or one in place.
fn source<'a, T: Real, S: Widen<T>>(
    packed: bool,
    all: &'a [T],
    own: core::ops::Range<usize>,
    matrix: Matrix<'a, S>,
) -> Source<'a, T> {
    match S::in_place(matrix) {
        Some(matrix) if !packed => Source::InPlace(matrix),
        _ => Source::Packed(&all[own]),
    }
}
