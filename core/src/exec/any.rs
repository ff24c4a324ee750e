//! Whether any, or all, of a mask's elements are set: over one axis or over everything.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use super::reduce::Lines;
use crate::error::Result;
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// Elements of a piece: below it a search stays on the caller.
const PIECE: usize = 1 << 16;

impl ExecContext {
    /// Whether any element along `axis` is set.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`](crate::Error::AxisOutOfRange); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn any_axis(&self, x: &RawTensor<bool>, axis: usize) -> Result<RawTensor<bool>> {
        self.decide_axis("any_axis", x, axis, true)
    }

    /// Whether all elements along `axis` are set.
    ///
    /// # Errors
    /// As [`any_axis`](Self::any_axis).
    #[track_caller]
    pub fn all_axis(&self, x: &RawTensor<bool>, axis: usize) -> Result<RawTensor<bool>> {
        self.decide_axis("all_axis", x, axis, false)
    }

    /// Whether any element is set, of shape `[1]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn any(&self, x: &RawTensor<bool>) -> Result<RawTensor<bool>> {
        self.decide("any", x, true)
    }

    /// Whether all elements are set, of shape `[1]`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn all(&self, x: &RawTensor<bool>) -> Result<RawTensor<bool>> {
        self.decide("all", x, false)
    }

    /// `deciding` for each line that has an element like it, else the opposite.
    #[track_caller]
    fn decide_axis(
        &self,
        op: &'static str,
        x: &RawTensor<bool>,
        axis: usize,
        deciding: bool,
    ) -> Result<RawTensor<bool>> {
        let lines = Lines {
            row: |x: &[bool]| x.contains(&deciding) == deciding,
            long: |x: &[bool]| self.decide_row(op, x, deciding),
            columns: |x: &[bool], stride, out: &mut [bool]| {
                out.fill(!deciding);
                for x in x.chunks(stride) {
                    for (out, &x) in out.iter_mut().zip(x) {
                        *out = if x == deciding { deciding } else { *out };
                    }
                }
            },
        };
        self.reduce_axis(op, x, axis, lines)
    }

    #[track_caller]
    fn decide(
        &self,
        op: &'static str,
        x: &RawTensor<bool>,
        deciding: bool,
    ) -> Result<RawTensor<bool>> {
        let decided = self.decide_row(op, self.prepare(op, x)?.data(), deciding)?;
        self.full_shape(op, Shape::scalar(), decided)
    }

    #[track_caller]
    fn decide_row(&self, op: &'static str, x: &[bool], deciding: bool) -> Result<bool> {
        if x.len() <= PIECE {
            return Ok(x.contains(&deciding) == deciding);
        }
        let mut found = ScratchLease::<u8>::acquire(op, self.site(op)?, x.len().div_ceil(PIECE))?;
        for_chunks(self.team(), op, &mut found, 1, |i, found| {
            let piece = &x[i * PIECE..x.len().min((i + 1) * PIECE)];
            found.fill(u8::from(piece.contains(&deciding)));
        });
        Ok(found.contains(&1) == deciding)
    }
}
