//! The core of fucina: storage, pool, tensors, kernels, scopes and autograd, no_std + alloc.
#![no_std]

pub mod rng;
