#![doc = include_str!("../README.md")]

pub use fucina_core::{
    Error, ExecContext, GradcheckError, RawTensor, Result, Tensor, autograd, backend, dtype, error,
    exec, gradcheck, kernels, layout, optim, parallel, pool, raw, rng, storage, tensor,
};
pub use fucina_runtime::{WorkerTeam, context, context_with_threads};
