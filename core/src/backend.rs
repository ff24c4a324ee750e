//! [`Backend`]: the table of leaf kernels that an instruction set can make faster.
//!
//! Kernels are single-threaded, allocate nothing and check nothing: `exec` has done it. Every method of [`Kernels`]
//! has a default, the scalar one, so a backend overrides only what it makes faster, and with the same bits. A
//! context holds a [`BackendRef`]: with the feature `pluggable` a `&'static dyn Backend`; without it the zero-sized
//! [`Scalar`], so that a linker drops every kernel a firmware never calls.
#![forbid(unsafe_code)]

mod number;
mod scalar;
mod table;

pub use number::{Integer, Number};
pub use scalar::{SCALAR, SCALAR_UNFUSED, Scalar, ScalarUnfused};
pub use table::{Kernels, TileShape};

use crate::dtype::{HalfRuns, bf16, f16};
use crate::for_each_kernel;
#[cfg(feature = "pluggable")]
use crate::kernels::math::Math;

/// The kernels of one instruction set, for both computing types. A value is the proof that the CPU has it.
pub trait Backend: Kernels<f32> + Kernels<f64> + core::fmt::Debug + Send + Sync {
    /// Its name, as `FUCINA_BACKEND` spells it.
    fn name(&self) -> &'static str;
    /// Whether products are fused multiply-adds: the class of bits that results belong to.
    fn fused(&self) -> bool {
        true
    }
}

cfg_select! {
    feature = "pluggable" => {
        /// The backend of a context.
        pub type BackendRef = &'static dyn Backend;
        type KernelsOf<T> = dyn Kernels<T>;
    }
    _ => {
        /// The backend of a context: always the scalar one in this build.
        pub type BackendRef = &'static Scalar;
        type KernelsOf<T> = <T as sealed::Static>::Kernels;

        mod sealed {
            /// Says that `Scalar` has the kernels of a type that is only known as `T: Real`.
            pub trait Static: crate::kernels::math::Math {
                type Kernels: super::Kernels<Self> + 'static;
            }
            impl Static for f32 {
                type Kernels = super::Scalar;
            }
            impl Static for f64 {
                type Kernels = super::Scalar;
            }
        }
        use sealed::Static as Math;
    }
}

/// An element type with kernels: `f32` and `f64`.
pub trait Real: Math + Number {
    /// The kernels of this type in `backend`.
    #[doc(hidden)]
    fn table(backend: BackendRef) -> Table<Self>;
}

impl Real for f32 {
    #[inline(always)]
    fn table(backend: BackendRef) -> Table<Self> {
        Table(backend)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn table(backend: BackendRef) -> Table<Self> {
        Table(backend)
    }
}

macro_rules! runs_of_table {
    // runs_of_table! { widen_f16: f16 => T; } => fn widen_f16(&self, x: &[f16], out: &mut [T]) { T::table(*self).widen_f16(x, out) }
    ($($name:ident: $from:ty => $to:ty;)*) => {$(
        #[inline]
        fn $name(&self, x: &[$from], out: &mut [$to]) {
            T::table(*self).$name(x, out);
        }
    )*};
}

impl<T: Real> HalfRuns<T> for BackendRef {
    runs_of_table! {
        widen_f16: f16 => T;
        widen_bf16: bf16 => T;
        narrow_f16: T => f16;
        narrow_bf16: T => bf16;
    }
}

/// The kernels of one element type in a context's backend: [`Kernels`] as plain methods, whichever way the backend
/// is held.
#[derive(Clone, Copy)]
pub struct Table<T: Real>(&'static KernelsOf<T>);

macro_rules! forward {
    // forward! { T; #[doc = ".."] name(x: &[T]) -> (T) = op; } => pub fn name(self, x: &[T]) -> T { self.0.name(x) }
    ($t:ty; $(#[$doc:meta] $name:ident($($arg:ident: $ty:ty),*) -> ($out:ty) = $op:expr;)*) => {$(
        #[$doc]
        #[inline(always)]
        pub fn $name(self, $($arg: $ty),*) -> $out {
            self.0.$name($($arg),*)
        }
    )*};
}

impl<T: Real> Table<T> {
    /// The register tile that [`gemm_block`](Self::gemm_block) expects.
    #[must_use]
    pub fn tile_shape(self) -> TileShape {
        self.0.tile_shape()
    }

    for_each_kernel!(forward, T);
}

/// The name of a context's backend.
pub(crate) fn name(backend: BackendRef) -> &'static str {
    backend.name()
}
