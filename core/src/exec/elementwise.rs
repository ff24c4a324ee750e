//! Elementwise ops: arithmetic here, functions, gated units and the rest in files of their own; `rows` drives them all.
#![forbid(unsafe_code)]

mod cast;
mod compare;
mod functions;
mod gated;
mod integer;
mod logic;
mod pairs;
mod rows;
mod select;

use super::context::ExecContext;
use crate::backend::{Number, Real};
use crate::error::{Error, Result};
use crate::kernels::elementwise::Operand;
use crate::raw::RawTensor;

macro_rules! binary_ops {
    // binary_ops! { "docs" add } => pub fn add<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast; [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name<T: Real>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
            self.binary(stringify!($name), a, b, |k, a, b, out| k.$name(a, b, out))
        }
    )*};
}

macro_rules! unary_ops {
    // unary_ops! { "docs" exp } => pub fn exp<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name<T: Real>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
            self.unary(stringify!($name), x, |k, x, out| k.$name(x, out))
        }
    )*};
}

macro_rules! arithmetic_ops {
    // arithmetic_ops! { "docs" add } => pub fn add<T: Number>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::Overflow`]; [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Number>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
            let backend = self.backend();
            self.pair(stringify!($name), a, b, |a, b, out| T::$name(backend, a, b, out))
        }
    )*};
}

macro_rules! number_ops {
    // number_ops! { "docs" neg; } => pub fn neg<T: Number>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident;)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        /// [`Error::OutOfMemory`].
        #[track_caller]
        pub fn $name<T: Number>(&self, x: &RawTensor<T>) -> Result<RawTensor<T>> {
            let backend = self.backend();
            self.single(stringify!($name), x, |x, out| T::$name(backend, x, out))
        }
    )*};
}

macro_rules! ternary_ops {
    // ternary_ops! { "docs" glu_backward(gate, up, g); } =>
    // pub fn glu_backward<T: Real>(&self, gate: &RawTensor<T>, up: &RawTensor<T>, g: &RawTensor<T>) -> Result<RawTensor<T>>
    ($($doc:literal $name:ident($a:ident, $b:ident, $c:ident);)*) => {$(
        #[doc = $doc]
        ///
        /// Shapes broadcast; the result is contiguous.
        ///
        /// # Errors
        /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) if the shapes do not broadcast;
        /// [`Error::Overflow`](crate::Error::Overflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory).
        #[track_caller]
        pub fn $name<T: Real>(
            &self,
            $a: &RawTensor<T>,
            $b: &RawTensor<T>,
            $c: &RawTensor<T>,
        ) -> Result<RawTensor<T>> {
            self.ternary(stringify!($name), [$a, $b, $c], |k, [a, b, c], out| k.$name(a, b, c, out))
        }
    )*};
}

use {binary_ops, ternary_ops, unary_ops};

impl ExecContext {
    arithmetic_ops! {
        "`a + b`: floats rounded once, integers wrapping around." add;
        "`a - b`: floats rounded once, integers wrapping around." sub;
        "`a * b`: floats rounded once, integers wrapping around." mul;
        "The larger of `a` and `b`; of floats +0 above -0, NaN if either is (IEEE 754's `maximum`)." maximum;
        "The smaller of `a` and `b`; of floats -0 below +0, NaN if either is (IEEE 754's `minimum`)." minimum;
    }

    number_ops! {
        "`-x`: the sign flipped, of NaN too; integers wrapping around, `-MIN` to `MIN`." neg;
        "`|x|`: the sign cleared, of NaN too; integers wrapping around, `|MIN|` to `MIN`." abs;
        "1 with the sign of `x`; a zero or NaN as it is." sign;
    }

    /// `x` moved into `low..=high`: the smaller of `high` and the larger of `x` and `low`, so `high` where `low` is above
    /// it. NaN if any of the three is.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn clamp<T: Number>(&self, x: &RawTensor<T>, low: T, high: T) -> Result<RawTensor<T>> {
        let backend = self.backend();
        self.single("clamp", x, |x, out| T::clamp(backend, [low, high], x, out))
    }

    /// `a / b`: floats rounded once; integers towards zero, `MIN / -1` wrapping around to `MIN`.
    ///
    /// Shapes broadcast; the result is contiguous.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the shapes do not broadcast; [`Error::InvalidArgument`] for an integer divisor of 0;
    /// [`Error::Overflow`]; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn div<T: Number>(&self, a: &RawTensor<T>, b: &RawTensor<T>) -> Result<RawTensor<T>> {
        let backend = self.backend();
        if !T::DIVIDES_BY_ZERO {
            integer::check_divisor("div", a, b)?;
        }
        self.pair("div", a, b, |a, b, out| T::div(backend, a, b, out))
    }

    /// `x * factor`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn scale<T: Real>(&self, x: &RawTensor<T>, factor: T) -> Result<RawTensor<T>> {
        self.map("scale", *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.mul(x, Operand::Splat(factor), out);
        })
    }

    /// `x + value`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn add_scalar<T: Real>(&self, x: &RawTensor<T>, value: T) -> Result<RawTensor<T>> {
        self.map("add_scalar", *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.add(x, Operand::Splat(value), out);
        })
    }

    /// `x / divisor`.
    #[track_caller]
    pub(crate) fn divide_by<T: Real>(
        &self,
        op: &'static str,
        x: &RawTensor<T>,
        divisor: T,
    ) -> Result<RawTensor<T>> {
        self.map(op, *x.shape(), [(x, x.layout())], |k, [x], out| {
            k.div(x, Operand::Splat(divisor), out);
        })
    }

    /// `acc += x`, for contiguous unshared `acc` of the same shape.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the shapes differ; [`Error::UnsupportedView`] if `acc` is shared or not contiguous.
    #[track_caller]
    pub fn add_in_place<T: Real>(&self, acc: &mut RawTensor<T>, x: &RawTensor<T>) -> Result<()> {
        const OP: &str = "add_in_place";
        acc.shape().check_same(OP, x.shape())?;
        let k = self.kernels::<T>();
        let shape = *x.shape();
        let fits = "a contiguous tensor that is the only owner of its storage";
        let out = acc.unique_mut().ok_or(Error::UnsupportedView { op: OP, fits })?;
        self.for_rows(OP, &shape, [(x, x.layout())], out, &|[x], out| k.accumulate(x, out));
        Ok(())
    }
}
