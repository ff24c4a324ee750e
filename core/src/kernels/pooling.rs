//! Pooling: the largest or the mean of the elements that each window of an image sees.
//!
//! Windows are small and elements few, so these loops need no lanes and no backend: a fixed order of exact comparisons, or of
//! plain additions.

use super::unfold::Axis;
use crate::dtype::Float;

/// What becomes of a window's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// The largest; NaN is passed over, nothing but NaN gives `-inf`.
    Max,
    /// The sum, by rows, divided by the number of elements that lie in the image.
    Mean,
}

/// The windows of one plane.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// What to do.
    pub pooling: Pooling,
    /// Rows and columns, of `dilation` and `spread` 1.
    pub axes: [Axis; 2],
}

impl Pool {
    /// The elements of window `o` along an axis.
    #[inline(always)]
    fn seen(axis: &Axis, o: usize) -> core::ops::Range<usize> {
        let start = o as isize * axis.step + axis.offset;
        let end = start + axis.taps as isize;
        start.max(0) as usize..(end.max(0) as usize).min(axis.source)
    }

    /// Calls `f` with each output, its window's rows and its columns.
    #[inline(always)]
    fn each(&self, mut f: impl FnMut(usize, core::ops::Range<usize>, core::ops::Range<usize>)) {
        let [rows, columns] = &self.axes;
        for y in 0..rows.positions {
            let down = Self::seen(rows, y);
            for x in 0..columns.positions {
                f(y * columns.positions + x, down.clone(), Self::seen(columns, x));
            }
        }
    }

    /// The outputs of a plane.
    pub fn forward<T: Float>(&self, plane: &[T], out: &mut [T]) {
        let row_len = self.axes[1].source;
        self.each(|o, down, across| {
            let count = down.len() * across.len();
            let rows = down.map(|y| &plane[y * row_len..][across.clone()]);
            out[o] = match self.pooling {
                Pooling::Max => largest(rows),
                Pooling::Mean => rows.flatten().fold(T::ZERO, |sum, &x| sum + x) / of(count),
            };
        });
    }

    /// Adds the gradient of a plane to `dx`, from that of its outputs: to the first element that is the largest, or to all of a
    /// window alike.
    pub fn backward<T: Float>(&self, plane: &[T], g: &[T], dx: &mut [T]) {
        let row_len = self.axes[1].source;
        self.each(|o, down, across| match self.pooling {
            Pooling::Max => {
                let best = largest(down.clone().map(|y| &plane[y * row_len..][across.clone()]));
                let mut places = down.flat_map(|y| across.clone().map(move |x| y * row_len + x));
                if let Some(place) = places.find(|&place| plane[place] == best) {
                    dx[place] = dx[place] + g[o];
                }
            }
            Pooling::Mean => {
                let each = g[o] / of(down.len() * across.len());
                for y in down {
                    dx[y * row_len..][across.clone()].iter_mut().for_each(|x| *x = *x + each);
                }
            }
        });
    }
}

/// A number of elements as a value.
fn of<T: Float>(count: usize) -> T {
    T::from_f64(count as f64)
}

#[inline(always)]
fn largest<'a, T: Float>(rows: impl Iterator<Item = &'a [T]>) -> T {
    rows.flatten().fold(T::NEG_INFINITY, |best, &x| if best < x { x } else { best })
}
