//! Cases of the ops on rows. Normalisations: both kinds, with and without weights, a weight an element or a channel; rotations of both
//! kinds of pairs.

use fucina_core::backend::Table;
use fucina_core::kernels::norm::{GROUP, Norm, Normalize, NormalizeBackward};
use fucina_core::kernels::rope::Rotate;

use super::Sample;
use super::kernels::Inputs;

/// Rows of each case, from an odd one on.
const FIRST: usize = 3;

/// Every kind, over rows of `len` elements, or of three channels of as many.
fn each<T: Sample>(i: &Inputs<'_, T>, mut case: impl FnMut(Norm<'_, T>, usize)) {
    for (centered, inner) in [(true, 1), (false, 1), (true, i.len), (false, i.len)] {
        let channels = if inner == 1 { i.len } else { 3 };
        let row_len = channels * inner;
        let weight = &i.long(6 * channels)[channels..];
        let eps = T::from_f64(1e-5);
        // Channels of two rows, gone through in turn.
        let (w, b) = (&weight[..2 * channels], &weight[2 * channels..4 * channels]);
        for (weight, bias) in [(w, b), (w, &[][..]), (&[], b), (&[], &[])] {
            case(Norm { centered, eps, row_len, inner, weight, bias }, 2 * channels);
        }
    }
}

pub(super) fn forward<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let mut all = Vec::new();
    each(i, |norm, _| {
        let x = i.long(2 * norm.row_len);
        all.extend(i.write(&vec![T::NAN; x.len()], |out| {
            k.normalize(Normalize { norm, first: FIRST, x, out });
        }));
    });
    all
}

pub(super) fn backward<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let mut all = Vec::new();
    // One row of each channel, or more than a group of rows.
    let rows = if i.len < 10 { GROUP + 2 } else { 2 };
    each(i, |norm, channels| {
        let x = i.long(rows * norm.row_len);
        let g = &i.long((rows + 1) * norm.row_len)[norm.row_len..];
        for groups in [0, rows.div_ceil(GROUP)] {
            let mut dx = vec![T::NAN; x.len()];
            let start = vec![T::NAN; groups * 2 * channels];
            all.extend(i.write(&start, |sums| {
                let dx = &mut dx[..];
                let (first, channels) = (FIRST, channels);
                k.normalize_backward(NormalizeBackward { norm, first, x, g, dx, sums, channels });
            }));
            all.extend(dx);
        }
    });
    all
}

/// Two rows of `len` pairs.
pub(super) fn rotate<T: Sample>(k: Table<T>, i: &Inputs<'_, T>) -> Vec<T> {
    let (x, row_len) = (i.long(4 * i.len), 2 * i.len);
    let (cos, sin) = i.long(8 * i.len)[4 * i.len..].split_at(2 * i.len);
    let mut all = Vec::new();
    for interleaved in [true, false] {
        all.extend(i.write(&vec![T::NAN; x.len()], |out| {
            k.rotate(Rotate { x, out, row_len, cos, sin: &sin[..2 * i.len], interleaved });
        }));
    }
    all
}
