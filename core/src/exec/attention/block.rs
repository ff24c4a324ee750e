//! Blocks of queries against blocks of keys: where scores are made, and the forward pass over them.

use core::marker::PhantomData;
use core::ops::Range;

use super::{KEYS, QUERIES, Sizes};
use crate::backend::{Real, Table};
use crate::exec::widen::Widen;
use crate::kernels::attention::{ScaleRows, StreamingEnd, StreamingSoftmax};
use crate::kernels::elementwise::Operand;
use crate::kernels::gemm::{Matrix, Pack, Product, Source};
use crate::parallel::Block;

/// Keys or queries that are masked together: products leave out what lies beyond.
const FINE: usize = 16;
/// More steps than a product here has.
const ALL: usize = usize::MAX >> 1;

/// How a piece's scratch is cut up.
#[derive(Clone, Copy)]
pub(super) struct Room<T> {
    dim: usize,
    value_dim: usize,
    /// Queries, up to whole strips.
    across: usize,
    /// Blocks of scores.
    blocks: usize,
    element: PhantomData<T>,
}

/// A piece's scratch.
pub(super) struct Parts<'a, T> {
    /// The queries, scaled.
    pub(super) q: &'a mut [T],
    /// The same, packed.
    pub(super) packed: &'a mut [T],
    /// Room to pack the results' gradient.
    pub(super) packed_g: &'a mut [T],
    /// Scores.
    pub(super) scores: &'a mut [T],
    /// Their gradient.
    pub(super) score_g: &'a mut [T],
    /// Keys and values, widened.
    pub(super) k: &'a mut [T],
    pub(super) v: &'a mut [T],
    /// Three numbers a query.
    pub(super) state: [&'a mut [T]; 3],
}

impl<T: Real> Room<T> {
    pub(super) fn new(dim: usize, value_dim: usize, nr: usize, blocks: usize) -> Self {
        let across = QUERIES.next_multiple_of(nr);
        Self { dim, value_dim, across, blocks, element: PhantomData }
    }

    fn lens(&self) -> [usize; 10] {
        let &Self { dim, value_dim, across, blocks, .. } = self;
        let gradients = blocks - 1;
        [
            QUERIES * dim,
            across * dim,
            across * value_dim * gradients,
            KEYS * QUERIES,
            KEYS * QUERIES * gradients,
            KEYS * dim,
            KEYS * value_dim,
            QUERIES,
            QUERIES,
            QUERIES,
        ]
    }

    /// Elements.
    pub(super) fn len(&self) -> usize {
        self.lens().iter().sum()
    }

    pub(super) fn cut<'a>(&self, scratch: &'a mut [T]) -> Parts<'a, T> {
        let mut parts: [&mut [T]; 10] = Default::default();
        let mut rest = scratch;
        for (part, len) in parts.iter_mut().zip(self.lens()) {
            let (head, tail) = rest.split_at_mut(len);
            *part = head;
            rest = tail;
        }
        let [q, packed, packed_g, scores, score_g, k, v, a, b, c] = parts;
        Parts { q, packed, packed_g, scores, score_g, k, v, state: [a, b, c] }
    }
}

/// A dense matrix of rows of `len`.
pub(super) fn dense<T>(data: &[T], len: usize) -> Matrix<'_, T> {
    Matrix { data, start: 0, row: len as isize, column: 1 }
}

/// Packs rows of `x` as the columns of a right operand.
pub(super) fn pack<T: Real>(kernels: Table<T>, x: &[T], dim: usize, out: &mut [T]) {
    let (count, width) = (x.len() / dim, kernels.tile_shape().nr);
    let out = &mut out[..count.next_multiple_of(width) * dim];
    kernels.gemm_pack(Pack { x: dense(x, dim), first: 0, count, from: 0, depth: dim, width, out });
}

/// Scores of `keys` by the packed queries `queries`: rows of keys. Products leave out what the mask hides, `hidden` is put there.
#[derive(Clone)]
pub(super) struct Scores<'a, T: Real> {
    pub(super) sizes: &'a Sizes,
    pub(super) kernels: Table<T>,
    pub(super) keys: Range<usize>,
    pub(super) queries: Range<usize>,
    pub(super) hidden: T,
}

impl<T: Real> Scores<'_, T> {
    /// `out = x * packed`, with rows of `x` of `dim`.
    pub(super) fn product(&self, x: &[T], packed: &[T], dim: usize, out: &mut [T]) {
        let (width, nr) = (self.queries.len(), self.kernels.tile_shape().nr);
        for start in (0..self.keys.len()).step_by(FINE) {
            let rows = start..self.keys.len().min(start + FINE);
            let out = &mut out[rows.start * width..rows.end * width];
            let keys = self.keys.start + rows.start..self.keys.start + rows.end;
            let seen = self.sizes.mask.queries_of(&keys, &self.queries);
            let columns =
                (seen.start - self.queries.start) / nr * nr..seen.end - self.queries.start;
            if !columns.is_empty() {
                let left = Source::InPlace(dense(&x[rows.start * dim..], dim));
                let right = Source::Packed(packed);
                let all = Block::new(&mut *out, width);
                let (rows, columns) = (0..keys.len(), columns);
                let out = all.part(rows, columns);
                let (from, depth, depth_each, fresh) = (0, dim, ALL, true);
                self.kernels.gemm_block(Product {
                    left,
                    right,
                    from,
                    depth,
                    depth_each,
                    fresh,
                    out,
                });
            }
            for (key, row) in keys.zip(out.chunks_exact_mut(width)) {
                let seen = self.sizes.mask.queries_of(&(key..key + 1), &self.queries);
                row[..seen.start - self.queries.start].fill(self.hidden);
                row[seen.end - self.queries.start..].fill(self.hidden);
            }
        }
    }

    /// `out += scores^T * x`, a row a query, with rows of `x` of `dim`, one a key.
    pub(super) fn gather(&self, scores: &[T], x: &[T], dim: usize, out: &mut [T]) {
        let width = self.queries.len();
        let (left, right) = (dense(scores, width).transposed(), Source::InPlace(dense(x, dim)));
        for start in (0..width).step_by(FINE) {
            let rows = start..width.min(start + FINE);
            let queries = self.queries.start + rows.start..self.queries.start + rows.end;
            let seen = self.sizes.mask.keys_of(&queries);
            let (from, to) = (seen.start.max(self.keys.start), seen.end.min(self.keys.end));
            if from >= to {
                continue;
            }
            let (from, depth) = (from - self.keys.start, to - from);
            let out = &mut out[rows.start * dim..rows.end * dim];
            let left = Source::InPlace(Matrix { start: rows.start, ..left });
            let out = Block::new(out, dim);
            let (depth_each, fresh) = (ALL, false);
            self.kernels.gemm_block(Product { left, right, from, depth, depth_each, fresh, out });
        }
    }
}

/// The blocks of keys that `queries` see.
pub(super) fn key_blocks(
    sizes: &Sizes,
    queries: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let seen = sizes.mask.keys_of(queries);
    let first = seen.start / KEYS * KEYS;
    (first..seen.end)
        .step_by(KEYS)
        .map(move |start| start.max(seen.start)..seen.end.min(start + KEYS))
}

/// The forward pass.
pub(super) struct Forward<'a, T: Real, S> {
    pub(super) sizes: Sizes,
    pub(super) kernels: Table<T>,
    pub(super) q: &'a [T],
    pub(super) k: &'a [S],
    pub(super) v: &'a [S],
}

impl<T: Real, S: Widen<T>> Forward<'_, T, S> {
    /// The queries from `first` on, of all heads: as many as `logs` has places.
    pub(super) fn rows(&self, first: usize, out: &mut [T], logs: &mut [T], scratch: &mut [T]) {
        let sizes = &self.sizes;
        let mut parts = sizes.room::<T>(self.kernels.tile_shape().nr, 1).cut(scratch);
        let (mut at, end) = (first, first + logs.len());
        while at < end {
            let (head, query) = (at / sizes.queries, at % sizes.queries);
            let count = QUERIES.min(sizes.queries - query).min(end - at);
            let done = at - first;
            let out = &mut out[done * sizes.value_dim..(done + count) * sizes.value_dim];
            let logs = &mut logs[done..done + count];
            self.block(head, query..query + count, &mut parts, out, logs);
            at += count;
        }
    }

    /// Some queries of one head.
    fn block(
        &self,
        head: usize,
        queries: Range<usize>,
        parts: &mut Parts<'_, T>,
        out: &mut [T],
        max: &mut [T],
    ) {
        let &Self { ref sizes, kernels, .. } = self;
        let (dim, value_dim, count) = (sizes.dim, sizes.value_dim, queries.len());
        let q = &self.q[(head * sizes.queries + queries.start) * dim..][..count * dim];
        let scaled = &mut parts.q[..q.len()];
        kernels.mul(Operand::Slice(q), Operand::Splat(T::from_f64(sizes.scale)), scaled);
        pack(kernels, scaled, dim, parts.packed);
        let [sum, factor, _] = &mut parts.state;
        let (sum, factor) = (&mut sum[..count], &mut factor[..count]);
        max.fill(T::NEG_INFINITY);
        sum.fill(T::ZERO);
        out.fill(T::ZERO);
        let first_key = head / sizes.group * sizes.keys;
        for keys in key_blocks(sizes, &queries) {
            let at = first_key + keys.start;
            let k = &self.k[at * dim..][..keys.len() * dim];
            let k = S::widen(kernels, k, &mut parts.k[..k.len()]);
            let v = &self.v[at * value_dim..][..keys.len() * value_dim];
            let v = S::widen(kernels, v, &mut parts.v[..v.len()]);
            let scores = &mut parts.scores[..keys.len() * count];
            let hidden = T::NEG_INFINITY;
            let block = Scores { sizes, kernels, keys, queries: queries.clone(), hidden };
            block.product(k, parts.packed, dim, scores);
            kernels.streaming_softmax(StreamingSoftmax { scores, max, sum, factor });
            kernels.scale_rows(ScaleRows { x: out, factors: factor });
            block.gather(scores, v, value_dim, out);
        }
        kernels.streaming_end(StreamingEnd { max, sum, factor });
        kernels.scale_rows(ScaleRows { x: out, factors: factor });
    }
}
