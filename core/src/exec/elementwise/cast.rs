//! Conversions between element types.

use crate::backend::BackendRef;
use crate::dtype::{CastFrom, Element};
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::raw::RawTensor;

impl ExecContext {
    /// Every element as another type, in a contiguous result.
    ///
    /// To an integer: towards zero, saturating, NaN to 0. To a float: to nearest, ties to even, rounded once; subnormal
    /// numbers are kept, overflow is infinite, NaN stays NaN. To `bool`: whether it is not 0; from it: 1 and 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let x = ctx.from_slice(&[4], &[-25.5_f32, 3e9, f32::NAN, f32::NEG_INFINITY])?;
    /// assert_eq!(ctx.cast::<_, i32>(&x)?.data()?, [-25, i32::MAX, 0, i32::MIN]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn cast<T: Element, U: CastFrom<T>>(&self, x: &RawTensor<T>) -> Result<RawTensor<U>> {
        let all = x.storage_elements();
        let (backend, mut out) = (self.backend(), self.fresh("cast", *x.shape())?);
        self.for_runs("cast", x.shape(), [x.layout()], out.data(), &|[start], [stride], out| {
            convert(backend, all, start, stride, out);
        });
        Ok(out.done())
    }
}

/// `out`: every `stride`-th element from `start` on. There is a copy of this for every pair of types, so it is short: it goes
/// past the drivers of rows.
fn convert<T: Element, U: CastFrom<T>>(
    backend: BackendRef,
    all: &[T],
    start: usize,
    stride: isize,
    out: &mut [U],
) {
    if stride == 1 {
        return U::cast_run(&backend, &all[start..start + out.len()], out);
    }
    let mut at = start;
    for out in out {
        *out = U::cast_from(all[at]);
        at = at.wrapping_add_signed(stride);
    }
}
