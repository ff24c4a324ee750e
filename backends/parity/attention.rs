//! Cases of what attention does between its products: as many queries as the inputs are long, a few keys.

use fucina_core::backend::Table;
use fucina_core::kernels::attention::{
    Probabilities, RowDots, ScaleRows, ScoreGradient, StreamingEnd, StreamingSoftmax,
};

use super::Sample;
use super::kernels::Inputs;

const KEYS: usize = 3;

/// Scores, and what `f` leaves of them.
fn on_scores<T: Sample>(i: &Inputs<'_, T>, f: impl FnOnce(&mut [T])) -> Vec<T> {
    i.write(i.long(KEYS * i.len), f)
}

pub(super) fn softmax<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let (mut max, mut sum, mut factor) = (i.x(0).to_vec(), i.x(1).to_vec(), i.x(2).to_vec());
    let mut all = on_scores(i, |scores| {
        let (max, sum, factor) = (&mut max[..], &mut sum[..], &mut factor[..]);
        k.streaming_softmax(StreamingSoftmax { scores, max, sum, factor });
    });
    [max, sum, factor].into_iter().for_each(|state| all.extend(state));
    all
}

pub(super) fn end<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let mut max = i.x(0).to_vec();
    let mut all = i.fill(|factor| {
        k.streaming_end(StreamingEnd { max: &mut max, sum: i.x(1), factor });
    });
    all.extend(max);
    all
}

pub(super) fn probabilities<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    on_scores(i, |scores| k.probabilities(Probabilities { scores, log: i.x(1) }))
}

pub(super) fn score_gradient<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let p = &i.long(2 * KEYS * i.len)[KEYS * i.len..];
    on_scores(i, |g| k.score_gradient(ScoreGradient { p, g, mean: i.x(1) }))
}

pub(super) fn scale_rows<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    on_scores(i, |x| k.scale_rows(ScaleRows { x, factors: &i.x(1).repeat(KEYS)[..KEYS] }))
}

pub(super) fn row_dots<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let (a, b) = i.long(2 * KEYS * i.len).split_at(KEYS * i.len);
    let mut out = vec![T::NAN; KEYS];
    k.row_dots(RowDots { a, b, out: &mut out });
    out
}
