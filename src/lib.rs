#![doc = include_str!("../README.md")]

pub use fucina_core::{
    Error, ExecContext, GradcheckError, RawTensor, Result, Tensor, autograd, backend, dtype, error,
    exec, fpenv, gradcheck, kernels, layout, optim, pool, raw, rng, storage, tensor,
};
pub use fucina_runtime::{
    OneShotWorker, SpinPolicy, TaskPool, TeamConfig, WaitGroup, WorkerTeam, backends, context,
    context_with_threads,
};

/// How many threads a host's contexts use, and why; and the [`Team`](parallel::Team) they run on.
pub mod parallel {
    pub use fucina_core::parallel::*;
    pub use fucina_runtime::parallel::*;
}
