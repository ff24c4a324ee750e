//! Consuming ops: the result takes the operand's buffer over, if it is the operand's alone.
//!
//! The buffer is overwritten tile by tile: a tile is copied to the stack, and the op's ordinary kernel writes the result
//! back. An operand that shares its storage, is a view with gaps, or is smaller than the result gives an ordinary result.
#![forbid(unsafe_code)]

use core::fmt;

use super::context::ExecContext;
use crate::backend::{Real, Table};
use crate::error::{Error, Result};
use crate::kernels::elementwise::Operand;
use crate::layout::broadcast_shape;
use crate::parallel::for_chunks;
use crate::raw::RawTensor;

/// Elements of a piece: below it an op stays on the caller.
const PIECE: usize = 1 << 15;
/// Elements of a tile.
const TILE: usize = 256;

/// A consuming op that failed gives its operand back, unchanged. `?` turns it into the [`Error`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refused<V> {
    /// Why.
    pub error: Error,
    /// The operand.
    pub value: V,
}

impl<V> From<Refused<V>> for Error {
    fn from(refused: Refused<V>) -> Self {
        refused.error
    }
}

impl<V> fmt::Display for Refused<V> {
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V: fmt::Debug> core::error::Error for Refused<V> {}

/// What a consuming op returns.
type Taken<T> = Result<RawTensor<T>, Refused<RawTensor<T>>>;

macro_rules! take_binary_ops {
    // take_binary_ops! { "docs" take_add add } => pub fn take_add<T: Real>(&self, a: RawTensor<T>, b: &RawTensor<T>) -> Taken<T>
    ($($doc:literal $name:ident $op:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// As the op that leaves its operand; the operand comes back in the [`Refused`].
        #[track_caller]
        pub fn $name<T: Real>(&self, a: RawTensor<T>, b: &RawTensor<T>) -> Taken<T> {
            let op = stringify!($name);
            self.take_binary(op, a, b, |k, a, b, out| k.$op(a, b, out), |a| self.$op(a, b))
        }
    )*};
}

macro_rules! take_unary_ops {
    // take_unary_ops! { "docs" take_exp exp } => pub fn take_exp<T: Real>(&self, x: RawTensor<T>) -> Taken<T>
    ($($doc:literal $name:ident $op:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::OutOfMemory`], if a buffer of its own is needed; the operand comes back in the [`Refused`].
        #[track_caller]
        pub fn $name<T: Real>(&self, x: RawTensor<T>) -> Taken<T> {
            let op = stringify!($name);
            self.take_unary(op, x, |k, x, out| k.$op(x, out), |x| self.$op(x))
        }
    )*};
}

impl ExecContext {
    take_binary_ops! {
        "`a + b` in the buffer of `a`." take_add add;
        "`a - b` in the buffer of `a`." take_sub sub;
        "`a * b` in the buffer of `a`." take_mul mul;
        "`a / b` in the buffer of `a`." take_div div;
    }

    take_unary_ops! {
        "`-x` in the buffer of `x`." take_neg neg;
        "`e^x` in the buffer of `x`." take_exp exp;
        "The natural logarithm in the buffer of `x`." take_log log;
        "The square root in the buffer of `x`." take_sqrt sqrt;
        "The hyperbolic tangent in the buffer of `x`." take_tanh tanh;
        "The logistic function in the buffer of `x`." take_sigmoid sigmoid;
        "Relu in the buffer of `x`." take_relu relu;
        "Gelu in the buffer of `x`." take_gelu gelu;
    }

    /// `x * factor` in the buffer of `x`.
    ///
    /// # Errors
    /// As [`take_neg`](Self::take_neg).
    #[track_caller]
    pub fn take_scale<T: Real>(&self, x: RawTensor<T>, factor: T) -> Taken<T> {
        let scale = |k: Table<T>, x: &[T], out: &mut [T]| {
            k.mul(Operand::Slice(x), Operand::Splat(factor), out);
        };
        self.take_unary("take_scale", x, scale, |x| self.scale(x, factor))
    }

    #[track_caller]
    fn take_unary<T: Real>(
        &self,
        op: &'static str,
        mut x: RawTensor<T>,
        f: impl Fn(Table<T>, &[T], &mut [T]) + Sync,
        leaving: impl FnOnce(&RawTensor<T>) -> Result<RawTensor<T>>,
    ) -> Taken<T> {
        let Some(data) = x.unique_mut() else {
            return leaving(&x).map_err(|error| Refused { error, value: x });
        };
        let k = self.kernels::<T>();
        for_chunks(self.team(), op, data, PIECE, |_, data| {
            let mut tile = [T::ZERO; TILE];
            for out in data.chunks_mut(TILE) {
                let old = &mut tile[..out.len()];
                old.copy_from_slice(out);
                f(k, old, out);
            }
        });
        Ok(x)
    }

    #[track_caller]
    fn take_binary<T: Real>(
        &self,
        op: &'static str,
        mut a: RawTensor<T>,
        b: &RawTensor<T>,
        f: impl Fn(Table<T>, Operand<'_, T>, Operand<'_, T>, &mut [T]) + Sync,
        leaving: impl FnOnce(&RawTensor<T>) -> Result<RawTensor<T>>,
    ) -> Taken<T> {
        let shape = match broadcast_shape(op, a.shape(), b.shape()) {
            Ok(shape) => shape,
            Err(error) => return Err(Refused { error, value: a }),
        };
        let fits = *a.shape() == shape && a.unique_mut().is_some();
        let layout = b.layout().broadcast_to(op, &shape);
        let (Ok(layout), true) = (layout, fits) else {
            return leaving(&a).map_err(|error| Refused { error, value: a });
        };
        let (k, b) = (self.kernels::<T>(), (b, &layout));
        if let Some(data) = a.unique_mut() {
            self.for_rows(op, &shape, [b], data, &|[b], out| {
                let mut tile = [T::ZERO; TILE];
                for (t, out) in out.chunks_mut(TILE).enumerate() {
                    let old = &mut tile[..out.len()];
                    old.copy_from_slice(out);
                    f(k, Operand::Slice(old), b.part(t * TILE, out.len()), out);
                }
            });
        }
        Ok(a)
    }
}
