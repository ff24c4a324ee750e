//! A choice between two operands, element by element.

use super::rows::{TILE, run};
use crate::dtype::Element;
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::kernels::plain;
use crate::layout::broadcast_shape;
use crate::raw::RawTensor;

impl ExecContext {
    /// `a` where the mask is set, else `b`. Bits are moved, nothing is computed.
    ///
    /// The three shapes broadcast; the result is contiguous.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
    /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    #[track_caller]
    pub fn where_select<T: Element>(
        &self,
        mask: &RawTensor<bool>,
        a: &RawTensor<T>,
        b: &RawTensor<T>,
    ) -> Result<RawTensor<T>> {
        const OP: &str = "where_select";
        let shape = broadcast_shape(OP, a.shape(), b.shape())?;
        let shape = broadcast_shape(OP, mask.shape(), &shape)?;
        let lm = mask.layout().broadcast_to(OP, &shape)?;
        let la = a.layout().broadcast_to(OP, &shape)?;
        let lb = b.layout().broadcast_to(OP, &shape)?;
        let (masks, all_a, all_b) =
            (mask.storage_elements(), a.storage_elements(), b.storage_elements());
        let mut out = self.fresh(OP, shape)?;
        self.for_runs(OP, &shape, [&lm, &la, &lb], out.data(), &|starts, strides, out| {
            let (mut tm, mut ta, mut tb) =
                ([false; TILE], [T::default(); TILE], [T::default(); TILE]);
            for (t, out) in out.chunks_mut(TILE).enumerate() {
                let (n, [sm, sa, sb]) = (out.len(), strides);
                let at = |i: usize| starts[i].wrapping_add_signed(strides[i] * (t * TILE) as isize);
                let mask = run(masks, at(0), sm, &mut tm[..n]);
                let a = run(all_a, at(1), sa, &mut ta[..n]);
                let b = run(all_b, at(2), sb, &mut tb[..n]);
                plain::select(mask, a, b, out);
            }
        });
        Ok(out.done())
    }
}
