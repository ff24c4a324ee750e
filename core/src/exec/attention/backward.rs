//! The backward pass of attention.
//!
//! Probabilities are made again from the scores and the forward pass's logarithms. A piece is a head of keys with all heads of
//! queries that share it, so that the sums over queries stay with one participant, in order.

use core::ops::Range;

use super::block::{Parts, Scores, dense, key_blocks, pack};
use super::{AttentionOptions, Sizes};
use crate::backend::{Real, Table};
use crate::error::Result;
use crate::exec::ExecContext;
use crate::kernels::attention::{Probabilities, RowDots, ScaleRows, ScoreGradient};
use crate::kernels::elementwise::Operand;
use crate::kernels::gemm::{Product, Source};
use crate::parallel::{Block, for_chunks_each};
use crate::pool::ScratchLease;
use crate::raw::RawTensor;

/// What the forward pass took and gave.
#[derive(Clone, Debug)]
pub struct AttentionPass<T: Real> {
    /// Queries, keys and values.
    pub inputs: [RawTensor<T>; 3],
    /// The result.
    pub out: RawTensor<T>,
    /// The logarithms of the sums of exponentials.
    pub logs: RawTensor<T>,
    /// Who saw whom.
    pub options: AttentionOptions,
}

impl ExecContext {
    /// The gradients of queries, keys and values from the result's gradient `g`.
    ///
    /// # Errors
    /// As [`scaled_dot_product_attention`](Self::scaled_dot_product_attention);
    /// [`Error::ShapeMismatch`](crate::Error::ShapeMismatch) unless result, logarithms
    /// and `g` have the shapes of the forward pass.
    #[track_caller]
    pub fn scaled_dot_product_attention_backward<T: Real>(
        &self,
        pass: &AttentionPass<T>,
        g: &RawTensor<T>,
    ) -> Result<[RawTensor<T>; 3]> {
        const OP: &str = "scaled_dot_product_attention_backward";
        let AttentionPass { inputs: [q, k, v], out, logs, options } = pass;
        let sizes = Sizes::new(OP, [q.shape(), k.shape(), v.shape()], *options)?;
        let result = q.shape().with_dim(3, sizes.value_dim);
        for (x, shape) in [(out, result), (g, result), (logs, q.shape().without(3))] {
            x.shape().check_same(OP, &shape)?;
        }
        let mut dq = self.fresh(OP, *q.shape())?;
        let (mut dk, mut dv) = (self.fresh(OP, *k.shape())?, self.fresh(OP, *v.shape())?);
        let (q, k, v) = (self.prepare(OP, q)?, self.prepare(OP, k)?, self.prepare(OP, v)?);
        let (out, logs, g) =
            (self.prepare(OP, out)?, self.prepare(OP, logs)?, self.prepare(OP, g)?);
        let kernels = self.kernels::<T>();
        let room = sizes.room::<T>(kernels.tile_shape().nr, 2);
        // Elements of a head; a piece is some heads.
        let (queries, keys) = (sizes.group * sizes.queries * sizes.dim, sizes.keys * sizes.dim);
        let values = sizes.keys * sizes.value_dim;
        let work = (queries.saturating_mul(sizes.keys)).max(1);
        let each = (super::WORK / work).clamp(1, sizes.heads);
        let len = room.len().saturating_mul(sizes.heads.div_ceil(each));
        let mut scratch = ScratchLease::acquire(OP, self.site(OP)?, len)?;
        let data = [
            (dq.data(), each * queries),
            (dk.data(), each * keys),
            (dv.data(), each * values),
            (&mut scratch[..], room.len()),
        ];
        let (q, k, v) = (q.data(), k.data(), v.data());
        let pass =
            Backward { sizes, kernels, q, k, v, out: out.data(), logs: logs.data(), g: g.data() };
        for_chunks_each(self.team(), OP, data, |piece, [dq, dk, dv, scratch]| {
            let parts = &mut room.cut(scratch);
            let heads = dq.chunks_exact_mut(queries).zip(dk.chunks_exact_mut(keys));
            for (i, ((dq, dk), dv)) in heads.zip(dv.chunks_exact_mut(values)).enumerate() {
                pass.head(piece * each + i, [dq, dk, dv], parts);
            }
        });
        Ok([dq.done(), dk.done(), dv.done()])
    }
}

struct Backward<'a, T: Real> {
    sizes: Sizes,
    kernels: Table<T>,
    q: &'a [T],
    k: &'a [T],
    v: &'a [T],
    out: &'a [T],
    logs: &'a [T],
    g: &'a [T],
}

impl<T: Real> Backward<'_, T> {
    /// One head of keys, and the queries that share it.
    fn head(&self, head: usize, [dq, dk, dv]: [&mut [T]; 3], parts: &mut Parts<'_, T>) {
        let Sizes { group, queries, dim, .. } = self.sizes;
        for d in [&mut *dq, &mut *dk, &mut *dv] {
            d.fill(T::ZERO);
        }
        for (i, dq) in dq.chunks_exact_mut(queries * dim).enumerate() {
            for start in (0..queries).step_by(super::QUERIES) {
                let block = start..queries.min(start + super::QUERIES);
                let dq = &mut dq[block.start * dim..block.end * dim];
                self.block([head, head * group + i], block, [dq, dk, dv], parts);
            }
        }
    }

    /// Some queries of one head of queries, with the keys they see.
    fn block(
        &self,
        [key_head, head]: [usize; 2],
        queries: Range<usize>,
        [dq, dk, dv]: [&mut [T]; 3],
        parts: &mut Parts<'_, T>,
    ) {
        let &Self { ref sizes, kernels, .. } = self;
        let (dim, value_dim, count) = (sizes.dim, sizes.value_dim, queries.len());
        let first = head * sizes.queries + queries.start;
        let q = &self.q[first * dim..][..count * dim];
        let scaled = &mut parts.q[..q.len()];
        kernels.mul(Operand::Slice(q), Operand::Splat(T::from_f64(sizes.scale)), scaled);
        let scaled = &*scaled;
        pack(kernels, scaled, dim, parts.packed);
        let values = first * value_dim..(first + count) * value_dim;
        let (g, out) = (&self.g[values.clone()], &self.out[values]);
        pack(kernels, g, value_dim, parts.packed_g);
        let log = &self.logs[first..][..count];
        let mean = &mut parts.state[0][..count];
        kernels.row_dots(RowDots { a: g, b: out, out: mean });
        let mean = &*mean;
        for keys in key_blocks(sizes, &queries) {
            let at = key_head * sizes.keys + keys.start;
            let k = &self.k[at * dim..][..keys.len() * dim];
            let v = &self.v[at * value_dim..][..keys.len() * value_dim];
            let (of_keys, of_values) = (
                &mut dk[keys.start * dim..keys.end * dim],
                &mut dv[keys.start * value_dim..keys.end * value_dim],
            );
            let (p, d) =
                (&mut parts.scores[..keys.len() * count], &mut parts.score_g[..keys.len() * count]);
            let hidden = T::NEG_INFINITY;
            let block = Scores { sizes, kernels, keys, queries: queries.clone(), hidden };
            block.product(k, parts.packed, dim, p);
            kernels.probabilities(Probabilities { scores: p, log });
            Scores { hidden: T::ZERO, ..block.clone() }.product(v, parts.packed_g, value_dim, d);
            kernels.score_gradient(ScoreGradient { p, g: d, mean });
            add_product(kernels, (p, count), (g, value_dim), of_values);
            add_product(kernels, (d, count), (scaled, dim), of_keys);
            block.gather(d, k, dim, dq);
        }
        let factors = &mut parts.state[1][..count];
        factors.fill(T::from_f64(sizes.scale));
        kernels.scale_rows(ScaleRows { x: dq, factors });
    }
}

/// `out += left * right`; operands with the lengths of their rows.
fn add_product<T: Real>(
    kernels: Table<T>,
    left: (&[T], usize),
    right: (&[T], usize),
    out: &mut [T],
) {
    let (depth, columns) = (left.1, right.1);
    let left = Source::InPlace(dense(left.0, depth));
    let right = Source::InPlace(dense(right.0, columns));
    let (from, depth_each, fresh) = (0, depth, false);
    let out = Block::new(out, columns);
    kernels.gemm_block(Product { left, right, from, depth, depth_each, fresh, out });
}
