//! The driver of matrix products: what is packed, how the output is cut, in which order tiles run.
//!
//! Each output runs over `k` in ascending order, one multiply-add a step, whatever is decided here: a tile loads what an
//! earlier one stored and goes on. So all of it follows the caches. The exception is a vector's product with a matrix that is
//! contiguous along `k`: it follows the reduction rule, which vectors can follow too.
//!
//! - The left operand is read in place if it is small and its rows or columns are contiguous, or if it is passed over by few
//!   strips; else it is packed.
//! - The right operand is packed into strips of a tile's columns if its rows are not contiguous, or if it is large and passed
//!   over by more than two rows of tiles; else it is read in place.
//! - Within a block of the output, `k` goes in steps that leave a strip in the first-level cache while the block's rows of
//!   tiles pass over it. A large right operand read in place goes in few steps, so that its rows are read side by side.
//! - Blocks are cut by the shape alone and go to the team.
//! - Operands of halves are never read in place: they are widened where they are packed.
//! - For few rows (up to two tiles) a right operand that cannot be read in place is packed piece by piece (`few`).
//! - After the last step a block gets its bias and activation (`epilogue`) while it is in the cache.
#![forbid(unsafe_code)]

mod batch;
mod epilogue;
mod few;

pub(super) use batch::Batch;
pub use epilogue::Activation;
pub(super) use epilogue::Epilogue;

use super::context::ExecContext;
use super::widen::Widen;
use crate::backend::{Real, Table, TileShape};
use crate::error::{Error, Result};
use crate::kernels::gemm::{Matrix, MatrixTimesVector, Pack, Product, Source, VectorTimesMatrix};
use crate::parallel::{Block, BlockShape, for_blocks, for_chunks};
use crate::pool::ScratchLease;

/// Elements that the first-level cache holds (32 KiB of f32).
const L1: usize = 1 << 13;
/// Elements of which the second-level cache holds some.
const L2: usize = 1 << 16;
/// Strips for which it pays to pack a left operand whose rows are contiguous, so that they do not fall on one another in
/// the first-level cache.
const MANY_STRIPS: usize = 12;
/// Steps of `k` a packed strip is read in: 16 columns of f32 are then 16 KiB.
pub(super) const DEPTH: usize = 256;
/// Steps of `k` that a large right operand is read in, in place: as many rows are streamed side by side.
const SHALLOW: usize = 16;
/// Rows of tiles up to which it does not pay to pack a right operand.
const FEW_TILES: usize = 2;
/// Packed elements at most, both operands together; `k` is cut to stay below.
const PACKED: usize = 1 << 22;
/// Panels that are packed together at least.
const PACK_TOGETHER: usize = 8;
/// Packed elements that go to one participant at a time.
const PACK_PIECE: usize = 1 << 14;
/// Tiles down and across of the largest block: its left rows stay in the second-level cache.
const BLOCK_TILES: usize = 16;
/// Multiply-adds of a vector and a matrix that go to one participant at a time.
const VECTOR_WORK: usize = 1 << 16;
/// Multiply-adds below which a block is not cut any more; below twice that a product stays on the caller. What two cores gain on
/// less they lose on moving the operands between their caches: swept with the `team_doctor` and `digits` examples, two cores of
/// a Zen 2, 2026-12.
pub(super) const BLOCK_WORK: usize = 1 << 22;

/// `[m, k] * [k, n]`, computed in `T`.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a, T, A = T, B = T> {
    pub(super) op: &'static str,
    pub(super) left: Matrix<'a, A>,
    pub(super) right: Matrix<'a, B>,
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    /// Add to what the output holds.
    pub(super) accumulate: bool,
    pub(super) epilogue: Epilogue<'a, T>,
}

impl<'a, T: Real, A: Widen<T>, B: Widen<T>> Operands<'a, T, A, B> {
    /// Where there is one of something the distance to the next does not matter.
    fn plain(mut self) -> Self {
        if self.m == 1 {
            self.left.row = 1;
        }
        if self.k == 1 {
            (self.left.column, self.right.row) = (1, 1);
        }
        if self.n == 1 {
            self.right.column = 1;
        }
        self
    }

    /// The product of one column as that of one row: of the transposed operands.
    fn transposed(self) -> Operands<'a, T, B, A> {
        let Self { op, left, right, m, k, n, accumulate, epilogue } = self;
        let (left, right) = (right.transposed(), left.transposed());
        let epilogue = epilogue.transposed_column();
        Operands { op, left, right, m: n, k, n: m, accumulate, epilogue }
    }

    /// A block of the product, whole and finished.
    fn block(
        &self,
        kernels: Table<T>,
        left: Source<'_, T>,
        right: Source<'_, T>,
        mut out: Block<'_, T>,
    ) {
        let (from, depth, fresh) = (0, self.k, !self.accumulate);
        let depth_each = depth_each(&right, depth, self.n);
        let product = Product { left, right, from, depth, depth_each, fresh, out: out.by_ref() };
        kernels.gemm_block(product);
        self.epilogue.block(kernels, &mut out);
    }
}

impl ExecContext {
    /// Writes the product to `out`, of `m * n`.
    #[track_caller]
    pub(super) fn gemm<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        operands: Operands<'_, T, A, B>,
        out: &mut [T],
    ) -> Result<()> {
        if operands.n == 1 && operands.m > 1 {
            // One column is one row of the transposed product, which vectors can follow.
            return self.gemm(operands.transposed(), out);
        }
        let operands = operands.plain();
        let Operands { op, left, right, m, n, .. } = operands;
        let kernels = self.kernels::<T>();
        if m == 1 && left.column == 1 && (right.column == 1 || (right.row == 1 && right.column > 0))
        {
            return self.vector(operands, out);
        }
        let plan = Plan::of(&operands, kernels.tile_shape());
        if plan.few_rows {
            return self.few_rows(operands, plan, out);
        }
        let (left, right) = match (A::in_place(left), B::in_place(right)) {
            (Some(left), Some(right)) if !plan.pack_left && !plan.pack_right => (left, right),
            _ => return self.packed(operands, plan, out),
        };
        let (left, right) = (Source::InPlace(left), Source::InPlace(right));
        for_blocks(self.team(), op, out, n, plan.blocks, |out| {
            operands.block(kernels, left, right, out);
        });
        Ok(())
    }

    /// A product of which an operand is packed first, or both are; in steps of `k` if they are large.
    #[track_caller]
    fn packed<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        operands: Operands<'_, T, A, B>,
        plan: Plan,
        out: &mut [T],
    ) -> Result<()> {
        let Operands { op, left, right, m, k, n, accumulate, epilogue } = operands;
        let Plan { tile, pack_left, pack_right, blocks, .. } = plan;
        let kernels = self.kernels::<T>();
        // Elements to pack for one step of `k`.
        let strips_each = if pack_right { n.next_multiple_of(tile.nr) } else { 0 };
        let panels_each = if pack_left { m.next_multiple_of(tile.mr) } else { 0 };
        let most = PACKED / (strips_each + panels_each);
        let depth = k.min(most.max(DEPTH) / DEPTH * DEPTH);
        let site = self.site(op)?;
        let refused = Error::OutOfMemory { op, bytes: usize::MAX };
        let elements = |each: usize| each.checked_mul(depth).ok_or(refused);
        let mut strips = ScratchLease::acquire(op, site, elements(strips_each)?)?;
        let mut panels = ScratchLease::acquire(op, site, elements(panels_each)?)?;
        for from in (0..k).step_by(depth) {
            let depth = depth.min(k - from);
            let right = match B::in_place(right) {
                Some(right) if !pack_right => Source::InPlace(right),
                _ => {
                    let strips = &mut strips[..strips_each * depth];
                    self.pack(op, kernels, (right.transposed(), n), from, tile.nr, strips);
                    Source::Packed(&*strips)
                }
            };
            let left = match A::in_place(left) {
                Some(left) if !pack_left => Source::InPlace(left),
                _ => {
                    let panels = &mut panels[..panels_each * depth];
                    self.pack(op, kernels, (left, m), from, tile.mr, panels);
                    Source::Packed(&*panels)
                }
            };
            let depth_each = depth_each(&right, depth, n);
            let (fresh, last) = (!accumulate && from == 0, from + depth == k);
            for_blocks(self.team(), op, out, n, blocks, |mut block| {
                let out = block.by_ref();
                kernels.gemm_block(Product { left, right, from, depth, depth_each, fresh, out });
                if last {
                    epilogue.block(kernels, &mut block);
                }
            });
        }
        Ok(())
    }

    /// A row times a matrix, which is read in place, once.
    #[track_caller]
    fn vector<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        operands: Operands<'_, T, A, B>,
        out: &mut [T],
    ) -> Result<()> {
        let Operands { op, left, right, k, n, accumulate, epilogue, .. } = operands;
        let kernels = self.kernels::<T>();
        let mut room = match A::in_place(left) {
            Some(_) => None,
            None => Some(ScratchLease::acquire(op, self.site(op)?, k)?),
        };
        let x = A::widen(kernels, left.run(0, 0, k), room.as_deref_mut().unwrap_or_default());
        // A single dot product runs along `k` too, if it can.
        let along_k = right.row == 1 && (n == 1 || right.column != 1);
        // Whole cache lines.
        let each = (VECTOR_WORK / k).max(1).next_multiple_of(16);
        for_chunks(self.team(), op, out, each, |piece, out| {
            let first = piece * each;
            if !accumulate {
                out.fill(T::ZERO);
            }
            if along_k {
                let (matrix, out) = (right.transposed(), &mut *out);
                B::times_vector(kernels, MatrixTimesVector { matrix, x, first, out });
            } else {
                let (matrix, out) = (right, &mut *out);
                B::vector_times(kernels, VectorTimesMatrix { x, matrix, first, out });
            }
            epilogue.row(kernels, first, out);
        });
        Ok(())
    }

    /// How many participants get scratch of their own.
    pub(super) fn lots(&self, work: usize, blocks: usize) -> usize {
        if work < 2 * BLOCK_WORK { 1 } else { self.team().width().clamp(1, blocks) }
    }

    /// Packs the `rows` rows of a matrix, elements from `from` on, into panels of `width` rows each; as deep as `out` is.
    pub(super) fn pack<T: Real, S: Widen<T>>(
        &self,
        op: &'static str,
        kernels: Table<T>,
        (x, rows): (Matrix<'_, S>, usize),
        from: usize,
        width: usize,
        out: &mut [T],
    ) {
        let depth = out.len() / rows.next_multiple_of(width);
        // Enough work, and of a strip's rows enough neighbours to be read in order.
        let panels_each = (PACK_PIECE / (depth * width)).max(PACK_TOGETHER);
        let each = panels_each * width;
        for_chunks(self.team(), op, out, each * depth, |piece, out| {
            let first = piece * each;
            let count = each.min(rows - first);
            S::pack(kernels, Pack { x, first, count, from, depth, width, out });
        });
    }
}

/// Steps of `k` that a block goes in: few where a large right operand is read in place.
fn depth_each<T>(right: &Source<'_, T>, depth: usize, n: usize) -> usize {
    if matches!(right, Source::InPlace(_)) && depth * n > L1 { SHALLOW } else { DEPTH }
}

/// What is packed, and how the output is cut.
#[derive(Clone, Copy)]
struct Plan {
    tile: TileShape,
    /// The right operand is packed piece by piece (`few`).
    few_rows: bool,
    pack_left: bool,
    pack_right: bool,
    blocks: BlockShape,
}

impl Plan {
    fn of<T: Real, A: Widen<T>, B: Widen<T>>(
        operands: &Operands<'_, T, A, B>,
        tile: TileShape,
    ) -> Self {
        let &Operands { ref left, ref right, m, k, n, .. } = operands;
        let (few, large) = (m <= FEW_TILES * tile.mr, k * n > L1);
        let stored_wide = B::in_place(*right).is_some();
        let readable = stored_wide && right.transposed().by_steps();
        let few_rows = few && !readable && (large || !stored_wide);
        let pack_right = !readable || (large && !few);
        let pack_left = match left.column {
            1 => m * k > L2 && n > MANY_STRIPS * tile.nr,
            _ => !left.by_steps() || (m * k > L1 && n > tile.nr),
        };
        let pack_left = pack_left || A::in_place(*left).is_none();
        Self { tile, few_rows, pack_left, pack_right, blocks: block_shape(m, k, n, tile) }
    }
}

/// The output's blocks: at most [`BLOCK_TILES`] tiles each way, cut further until there are eight or they are small.
fn block_shape(m: usize, k: usize, n: usize, tile: TileShape) -> BlockShape {
    let (down, across) = (m.div_ceil(tile.mr), n.div_ceil(tile.nr));
    let work = |rows: usize, columns: usize| {
        (rows * tile.mr).saturating_mul(columns * tile.nr).saturating_mul(k)
    };
    if work(down, across) < 2 * BLOCK_WORK {
        return BlockShape { rows: down * tile.mr, columns: across * tile.nr };
    }
    let (mut rows, mut columns) = (down.min(BLOCK_TILES), across.min(BLOCK_TILES));
    let few = |rows: usize, columns: usize| down.div_ceil(rows) * across.div_ceil(columns) < 8;
    while few(rows, columns) && work(rows, columns) >= 2 * BLOCK_WORK {
        if rows * tile.mr >= columns * tile.nr {
            rows = rows.div_ceil(2);
        } else {
            columns = columns.div_ceil(2);
        }
        if rows == 1 && columns == 1 {
            break;
        }
    }
    // The same number of blocks, evenly.
    let even = |all: usize, each: usize| all.div_ceil(all.div_ceil(each));
    BlockShape { rows: even(down, rows) * tile.mr, columns: even(across, columns) * tile.nr }
}
