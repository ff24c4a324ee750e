//! Windows of an image as strips of a product's right operand: what im2col makes, a few columns at a time.
//!
//! Elements are moved, not computed with, so these loops need no lanes and no backend.

use crate::dtype::Float;

/// One axis of a convolution: where tap `t` of output position `o` reads.
///
/// That is `(o * step + offset + t * dilation) / spread`; zeros stand where it is no integer or outside of the source. A forward
/// pass has `spread` 1; the gradient by the input runs backwards, with `step` 1 and the stride for `spread`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    /// Source positions.
    pub source: usize,
    /// Output positions.
    pub positions: usize,
    /// Taps of the window.
    pub taps: usize,
    /// See above.
    pub step: isize,
    /// See above.
    pub offset: isize,
    /// See above.
    pub dilation: isize,
    /// See above.
    pub spread: isize,
}

impl Axis {
    /// Where tap `t` of position `o` reads.
    #[inline(always)]
    fn at(&self, o: usize, t: usize) -> Option<usize> {
        let place = o as isize * self.step + self.offset + t as isize * self.dilation;
        let within =
            place >= 0 && place % self.spread == 0 && place / self.spread < self.source as isize;
        within.then(|| (place / self.spread) as usize)
    }

    /// The positions `from..to` that tap `t` reads side by side inside of the source, and the source position of the first;
    /// for `step` and `spread` 1.
    #[inline(always)]
    fn inside(&self, from: usize, to: usize, t: usize) -> (usize, usize, usize) {
        let shift = self.offset + t as isize * self.dilation;
        let clamp = |o: isize| o.clamp(from as isize, to as isize) as usize;
        let (low, high) = (clamp(-shift), clamp(self.source as isize - shift));
        let high = high.max(low);
        (low, high, if low < high { (low as isize + shift) as usize } else { 0 })
    }
}

/// The image and its windows: rows of taps (channel, then row and column of the window), columns of output positions.
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a, T> {
    /// Planes of `axes[0].source * axes[1].source`, one a channel.
    pub image: &'a [T],
    /// Rows and columns.
    pub axes: [Axis; 2],
}

impl<T: Float> Windows<'_, T> {
    /// Taps of all channels: the depth of the product.
    #[must_use]
    pub fn depth(&self) -> usize {
        let [rows, columns] = &self.axes;
        self.image.len() / (rows.source * columns.source) * rows.taps * columns.taps
    }

    /// Strips of `width` output positions from `first` on, tap by tap: the product runs along the taps. Positions beyond the
    /// last are 0.
    pub fn strips(&self, first: usize, width: usize, out: &mut [T]) {
        let each = self.depth() * width;
        for (i, strip) in out.chunks_exact_mut(each).enumerate() {
            let first = first + i * width;
            match width {
                32 => self.strip(first, 32, strip),
                16 => self.strip(first, 16, strip),
                8 => self.strip(first, 8, strip),
                4 => self.strip(first, 4, strip),
                _ => self.strip(first, width, strip),
            }
        }
    }

    #[inline(always)]
    fn strip(&self, first: usize, width: usize, strip: &mut [T]) {
        let [rows, columns] = &self.axes;
        let plain = columns.step == 1 && columns.spread == 1;
        let count = rows.positions * columns.positions;
        let mut steps = strip.chunks_exact_mut(width);
        for plane in self.image.chunks_exact(rows.source * columns.source) {
            for i in 0..rows.taps {
                for j in 0..columns.taps {
                    let Some(step) = steps.next() else { return };
                    let (mut oy, mut ox) = (first / columns.positions, first % columns.positions);
                    let (mut done, filled) = (0, width.min(count.saturating_sub(first)));
                    while done < filled {
                        let len = (columns.positions - ox).min(filled - done);
                        let step = &mut step[done..done + len];
                        match rows.at(oy, i) {
                            None => step.fill(T::ZERO),
                            Some(y) => {
                                let row = &plane[y * columns.source..][..columns.source];
                                if plain {
                                    side_by_side(columns, row, ox, j, step);
                                } else {
                                    for (o, to) in step.iter_mut().enumerate() {
                                        *to = columns.at(ox + o, j).map_or(T::ZERO, |x| row[x]);
                                    }
                                }
                            }
                        }
                        (done, oy, ox) = (done + len, oy + 1, 0);
                    }
                    step[filled..].fill(T::ZERO);
                }
            }
        }
    }

    /// The same turned: strips of `width` taps from tap `first` on, output position by position, `positions` of them: the
    /// product runs along the positions. Taps beyond the last are 0.
    pub fn turned(
        &self,
        first: usize,
        width: usize,
        positions: core::ops::Range<usize>,
        out: &mut [T],
    ) {
        let [rows, columns] = &self.axes;
        let (each, depth) = (positions.len() * width, self.depth());
        for (i, strip) in out.chunks_exact_mut(each).enumerate() {
            for lane in 0..width {
                let tap = first + i * width + lane;
                let mut to = strip[lane..].iter_mut().step_by(width);
                if tap >= depth {
                    to.for_each(|to| *to = T::ZERO);
                    continue;
                }
                let (tap, j) = (tap / columns.taps, tap % columns.taps);
                let (channel, i) = (tap / rows.taps, tap % rows.taps);
                let plane = &self.image[channel * rows.source * columns.source..];
                let mut o = positions.start;
                while o < positions.end {
                    let (oy, ox) = (o / columns.positions, o % columns.positions);
                    let len = (columns.positions - ox).min(positions.end - o);
                    let row =
                        rows.at(oy, i).map(|y| &plane[y * columns.source..][..columns.source]);
                    for (x, to) in (ox..ox + len).zip(to.by_ref()) {
                        let x = columns.at(x, j);
                        *to = row.zip(x).map_or(T::ZERO, |(row, x)| row[x]);
                    }
                    o += len;
                }
            }
        }
    }
}

/// A tap of neighbouring positions from `ox` on: a run of the source, and zeros beside it.
#[inline(always)]
fn side_by_side<T: Float>(axis: &Axis, row: &[T], ox: usize, tap: usize, out: &mut [T]) {
    let (low, high, source) = axis.inside(ox, ox + out.len(), tap);
    if high - low == out.len() {
        return out.copy_from_slice(&row[source..][..out.len()]);
    }
    let (before, rest) = out.split_at_mut(low - ox);
    let (inside, after) = rest.split_at_mut(high - low);
    before.fill(T::ZERO);
    inside.copy_from_slice(&row[source..][..inside.len()]);
    after.fill(T::ZERO);
}
