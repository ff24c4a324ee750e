//! [`ExecContext`]: the one object through which everything runs.
//!
//! It owns the allocator and pool, the backend, the team and the scope stack. The raw op surface (`ctx.add(&a, &b)`,
//! on [`RawTensor`]s, without gradients) stands in one file a domain. A context is driven by
//! one thread at a time (`Send`, not `Sync`); tensors may go and be dropped anywhere.

mod any;
mod attention;
mod borrow;
mod builder;
mod context;
mod conv;
mod copy;
mod create;
mod elementwise;
mod environment;
mod flush;
mod gemm;
mod index;
mod loss;
mod matmul;
mod mean;
mod memory;
mod norm;
mod pooling;
mod random;
mod reduce;
mod rope;
mod scan;
mod scope;
mod softmax;
mod step;
mod take;
mod timeline;
mod widen;

pub use attention::{AttentionOptions, AttentionPass};
pub use builder::{ExecContextBuilder, TeamRef};
pub use context::{ExecContext, NoGrad};
pub use conv::{Conv1dConfig, Conv2dConfig};
pub use copy::PreparedTensor;
pub use flush::FlushScope;
pub use gemm::Activation;
pub use loss::{CrossEntropyOptions, Reduction};
pub use memory::{LeakSite, Leaks, Pool};
pub use norm::NormGradients;
pub(crate) use norm::Norms;
pub use pooling::Pool2dConfig;
pub(crate) use random::check_dropout;
pub use rope::RopeOptions;
pub(crate) use scope::ScopeNode;
pub use scope::{ExecScope, ScopePolicy, ScopeSlot};
pub use take::Refused;
pub use timeline::{MemoryRecorder, MemorySample};
pub use widen::Widen;

use crate::error::Result;
use crate::raw::RawTensor;

/// A raw op of two operands.
pub(crate) type BinaryOp<T> =
    fn(&ExecContext, &RawTensor<T>, &RawTensor<T>) -> Result<RawTensor<T>>;

/// A raw op of three operands.
pub(crate) type TernaryOp<T> =
    fn(&ExecContext, &RawTensor<T>, &RawTensor<T>, &RawTensor<T>) -> Result<RawTensor<T>>;

/// A raw op of two operands and two scalars.
pub(crate) type ScalarsOp<T> =
    fn(&ExecContext, &RawTensor<T>, &RawTensor<T>, [T; 2]) -> Result<RawTensor<T>>;
