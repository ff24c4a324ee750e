//! Products of f16 and bf16, with one another and with `f32`.

use super::{Epilogue, Transposed};
use crate::backend::Real;
use crate::error::Result;
use crate::exec::context::ExecContext;
use crate::exec::widen::Widen;
use crate::raw::RawTensor;

impl ExecContext {
    /// [`matmul`](Self::matmul) of operands that are widened on the way: f16, bf16 and `f32` in any combination, in `f32`.
    ///
    /// - Shapes: `a [.., m, k]`, `b [.., k, n]`, result `[.., m, n]`: leading axes are broadcast. Any strides.
    /// - Numerics: the bits of `matmul` of the operands widened where they lie, with the same strides. To have halves again,
    ///   [`cast`](Self::cast) the result: rounded once.
    /// - Memory: halves are widened where they are packed, or a few KiB at a time; no operand is copied whole but a vector.
    ///
    /// # Errors
    /// As [`matmul`](Self::matmul).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, RawTensor, dtype::f16};
    ///
    /// let ctx = ExecContext::new();
    /// let a = ctx.from_slice(&[1, 2], &[1.0_f32, 2.0])?;
    /// let b = ctx.from_slice(&[2, 2], &[3.0, 4.0, 5.0, 6.0].map(f16::from_f32))?;
    /// let out: RawTensor<f32> = ctx.matmul_widened(&a, &b)?;
    /// assert_eq!(out.data()?, [13.0, 16.0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn matmul_widened<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        a: &RawTensor<A>,
        b: &RawTensor<B>,
    ) -> Result<RawTensor<T>> {
        self.widened_product("matmul_widened", a, b, [false, false])
    }

    /// `a * b^T` of operands that are widened on the way: [`matmul_nt`](Self::matmul_nt) as
    /// [`matmul_widened`](Self::matmul_widened).
    ///
    /// # Errors
    /// As [`matmul_nt`](Self::matmul_nt).
    #[track_caller]
    pub fn matmul_nt_widened<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        a: &RawTensor<A>,
        b: &RawTensor<B>,
    ) -> Result<RawTensor<T>> {
        self.widened_product("matmul_nt_widened", a, b, [false, true])
    }

    /// `a^T * b` of operands that are widened on the way: [`matmul_tn`](Self::matmul_tn) as
    /// [`matmul_widened`](Self::matmul_widened).
    ///
    /// # Errors
    /// As [`matmul_tn`](Self::matmul_tn).
    #[track_caller]
    pub fn matmul_tn_widened<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        a: &RawTensor<A>,
        b: &RawTensor<B>,
    ) -> Result<RawTensor<T>> {
        self.widened_product("matmul_tn_widened", a, b, [true, false])
    }

    #[track_caller]
    fn widened_product<T: Real, A: Widen<T>, B: Widen<T>>(
        &self,
        op: &'static str,
        a: &RawTensor<A>,
        b: &RawTensor<B>,
        transposed: Transposed,
    ) -> Result<RawTensor<T>> {
        self.product(op, (a, b), transposed, Epilogue::default())
    }
}
