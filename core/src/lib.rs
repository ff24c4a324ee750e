//! The core of fucina: storage, pool, tensors, kernels, scopes and autograd, `no_std` + `alloc`.
#![no_std]

extern crate alloc as std_alloc;

mod alloc;
pub mod autograd;
pub mod backend;
pub mod dtype;
pub mod error;
pub mod exec;
pub mod fpenv;
pub mod kernels;
pub mod layout;
pub mod optim;
pub mod parallel;
pub mod pool;
pub mod raw;
pub mod rng;
pub mod storage;
mod sync;
pub mod tensor;

pub use error::{Error, Result};
pub use exec::ExecContext;
pub use raw::RawTensor;
pub use tensor::{GradcheckError, Tensor, gradcheck};
