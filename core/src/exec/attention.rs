//! Scaled dot-product attention, forward and backward, without a matrix of scores.
//!
//! Scores are made a block at a time, transposed: [`KEYS`] keys down, up to [`QUERIES`] queries across, in the first-level cache.
//! The products around them are those of `kernels::gemm`; what happens between them stands in `kernels::attention`. Each query
//! meets its keys in ascending order, in blocks that start at multiples of [`KEYS`] or where its own range does: which queries
//! share a block, and who computes it, cannot show.
#![forbid(unsafe_code)]

mod backward;
mod block;
mod mask;

use super::context::ExecContext;
use super::widen::Widen;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::layout::Shape;
use crate::parallel::for_chunks_each;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;
pub use backward::AttentionPass;
use block::{Forward, Room};
use mask::Mask;

/// Keys of a block.
const KEYS: usize = 64;
/// Queries of a block at most.
const QUERIES: usize = 64;
/// Pieces at most: each has scratch of its own.
const PIECES: usize = 32;
/// Multiply-adds below which a piece is not cut any more.
const WORK: usize = 1 << 20;

/// Who sees whom, and by which factor scores are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AttentionOptions {
    /// A query sees the keys up to its own position only. The last query stands at the last key.
    pub causal: bool,
    /// A query sees the keys at a distance below this only.
    pub window: Option<usize>,
    /// The factor; `1 / sqrt(head_dim)` if none is given.
    pub scale: Option<f64>,
}

/// Lengths of one attention.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    /// Heads of keys and values, of all batches.
    heads: usize,
    /// Heads of queries that share one of keys.
    group: usize,
    queries: usize,
    keys: usize,
    dim: usize,
    /// Elements of a value.
    value_dim: usize,
    mask: Mask,
    scale: f64,
}

impl Sizes {
    fn new(op: &'static str, [q, k, v]: [&Shape; 3], options: AttentionOptions) -> Result<Self> {
        for (left, right) in [(q, q), (q, k), (k, v)] {
            if right.rank() != 4 {
                let (left, right, fits) = (*left, *right, Fits::Rank(4));
                return Err(Error::ShapeMismatch { op, left, right, fits });
            }
        }
        let fits = q[0] == k[0] && q[3] == k[3] && q[1].is_multiple_of(k[1]);
        if !fits {
            return Err(Error::ShapeMismatch { op, left: *q, right: *k, fits: Fits::Keys });
        }
        if v.dims()[..3] != k.dims()[..3] {
            return Err(Error::ShapeMismatch {
                op,
                left: *k,
                right: *v,
                fits: Fits::SameExcept(3),
            });
        }
        if options.window == Some(0) {
            return Err(Error::InvalidArgument { op, argument: "window", fits: "at least 1" });
        }
        let scale = options.scale.unwrap_or_else(|| 1.0 / libm::sqrt(q[3] as f64));
        if !scale.is_finite() {
            return Err(Error::InvalidArgument { op, argument: "scale", fits: "a finite number" });
        }
        Ok(Self {
            heads: k[0] * k[1],
            group: q[1] / k[1],
            queries: q[2],
            keys: k[2],
            dim: q[3],
            value_dim: v[3],
            mask: Mask::new(q[2], k[2], options.causal, options.window),
            scale,
        })
    }

    fn room<T: Real>(&self, nr: usize, parts: usize) -> Room<T> {
        Room::new(self.dim, self.value_dim, nr, parts)
    }
}

impl ExecContext {
    /// `softmax(q * k^T * scale) * v`, head by head.
    ///
    /// - Shapes: `q [batch, heads, queries, dim]`, `k [batch, kv_heads, keys, dim]`, `v [batch, kv_heads, keys, value_dim]`,
    ///   `heads` a multiple of `kv_heads`; results: `[batch, heads, queries, value_dim]` and the logarithms of the sums of
    ///   exponentials, `[batch, heads, queries]`, which the backward form takes.
    /// - Types: keys and values of f16 and bf16 are widened block by block, for queries of f32.
    /// - Numerics: the same bits for every number of threads. A query that sees no key, or scores of nothing but `-inf`, gives
    ///   zeros. NaN in a score makes its query's result NaN.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]; [`Error::InvalidArgument`] for a window of 0 or a scale that is not finite;
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn scaled_dot_product_attention<T: Real, S: Widen<T>>(
        &self,
        q: &RawTensor<T>,
        k: &RawTensor<S>,
        v: &RawTensor<S>,
        options: AttentionOptions,
    ) -> Result<(RawTensor<T>, RawTensor<T>)> {
        const OP: &str = "scaled_dot_product_attention";
        let sizes = Sizes::new(OP, [q.shape(), k.shape(), v.shape()], options)?;
        let dims = q.shape();
        let mut out = self.fresh(OP, dims.with_dim(3, sizes.value_dim))?;
        let mut logs = self.fresh(OP, dims.without(3))?;
        let (q, k, v) = (self.prepare(OP, q)?, self.prepare(OP, k)?, self.prepare(OP, v)?);
        let kernels = self.kernels::<T>();
        let rows = sizes.heads * sizes.group * sizes.queries;
        let work = sizes.keys.saturating_mul(sizes.dim + sizes.value_dim);
        let each = rows.div_ceil(PIECES).max(WORK / work).next_multiple_of(QUERIES).min(rows);
        let room = sizes.room::<T>(kernels.tile_shape().nr, 1);
        let len = room.len().saturating_mul(rows.div_ceil(each));
        let mut scratch = ScratchLease::acquire(OP, self.site(OP)?, len)?;
        let data = [
            (out.data(), each * sizes.value_dim),
            (logs.data(), each),
            (&mut scratch[..], room.len()),
        ];
        let forward = Forward { sizes, kernels, q: q.data(), k: k.data(), v: v.data() };
        for_chunks_each(self.team(), OP, data, |piece, [out, logs, scratch]| {
            forward.rows(piece * each, out, logs, scratch);
        });
        Ok((out.done(), logs.done()))
    }
}
