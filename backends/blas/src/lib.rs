//! The place of the CBLAS backend of fucina: whole matrix products above a size gate through a vendor's library.
//!
//! Nothing stands here yet. It needs a kernel for whole products in `fucina_core::backend::Kernels`, which overrides
//! the register tile above the gate; its results are outside the promise of equal bits, and its tolerance will be
//! documented with it.
#![no_std]
