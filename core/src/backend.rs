//! [`Backend`]: the table of leaf kernels that an instruction set can make faster.
//!
//! Kernels are single-threaded, allocate nothing and check nothing: `exec` has done it. Every method of [`Kernels`]
//! has a default, the scalar one, so a backend overrides only what it makes faster, and with the same bits. A
//! context holds a [`BackendRef`]: with the feature `pluggable` a `&'static dyn Backend`; without it the zero-sized
//! [`Scalar`], so that a linker drops every kernel a firmware never calls.
#![forbid(unsafe_code)]

mod scalar;
mod table;

pub use scalar::{SCALAR, SCALAR_UNFUSED, Scalar, ScalarUnfused};
pub use table::{Kernels, TileShape};

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
        /// The kernels of one element type in a context's backend.
        pub type Table<T> = dyn Kernels<T>;
    }
    _ => {
        /// The backend of a context: always the scalar one in this build.
        pub type BackendRef = &'static Scalar;
        /// The kernels of one element type in a context's backend.
        pub type Table<T> = <T as Real>::Table;
    }
}

/// An element type with kernels: `f32` and `f64`.
pub trait Real: Math {
    /// The kernels of this type; [`Scalar`] where backends are not pluggable.
    #[cfg(not(feature = "pluggable"))]
    type Table: Kernels<Self> + 'static;
    /// The kernels of this type in `backend`.
    fn kernels(backend: BackendRef) -> &'static Table<Self>;
}

impl Real for f32 {
    #[cfg(not(feature = "pluggable"))]
    type Table = Scalar;
    #[inline(always)]
    fn kernels(backend: BackendRef) -> &'static Table<Self> {
        backend
    }
}

impl Real for f64 {
    #[cfg(not(feature = "pluggable"))]
    type Table = Scalar;
    #[inline(always)]
    fn kernels(backend: BackendRef) -> &'static Table<Self> {
        backend
    }
}
