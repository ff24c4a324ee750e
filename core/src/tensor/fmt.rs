//! Printing tensors as NumPy does: a bracket per axis, aligned columns, lines of at most 75 characters.
//!
//! Two passes over the elements that will be seen find the column they share ([`Column`]), a third prints. Every
//! element of a column has the same width, so where a line breaks is known before anything is written; nothing is
//! kept but a count of blanks, which a line break swallows. Past 1,000 elements each axis shows its first and last 3.
#![forbid(unsafe_code)]

mod column;
#[cfg(test)]
mod tests;

use core::fmt::{self, Write};

use self::column::Column;
use super::Tensor;
use crate::dtype::Element;
use crate::raw::RawTensor;

/// A line is wrapped before it gets longer.
const LINE_WIDTH: usize = 75;
/// Tensors of more elements are summarised.
const SUMMARY_ABOVE: usize = 1000;
/// Items a summarised axis shows at each end.
const EDGE_ITEMS: usize = 3;

/// The values, as NumPy's `str` shows an array. A precision (`{:.3}`) bounds the digits after the point; it is 8.
///
/// # Examples
/// ```
/// use fucina_core::{ExecContext, Tensor};
///
/// let ctx = ExecContext::new();
/// let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, -0.5, 0.25, 10.0])?;
/// assert_eq!(x.to_string(), "[[ 1.   -0.5 ]\n [ 0.25 10.  ]]");
/// # Ok::<(), fucina_core::Error>(())
/// ```
impl<T: Element> fmt::Display for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(&self.raw, f)
    }
}

/// Element type, shape, `requires grad` if it does, and the values on the lines below.
impl<T: Element> fmt::Debug for Tensor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gradient = if self.requires_grad() { " requires grad" } else { "" };
        writeln!(f, "Tensor<{}>{}{gradient}", T::DTYPE, self.shape())?;
        print(&self.raw, f)
    }
}

fn print<T: Element>(raw: &RawTensor<T>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let layout = raw.layout();
    let seen = Seen {
        all: raw.storage_elements(),
        dims: layout.shape().dims(),
        strides: layout.strides(),
        summarised: raw.len() > SUMMARY_ABOVE,
    };
    let start = layout.offset();
    let column = Column::fit(f.precision(), |measure| seen.visit(0, start, measure))?;
    let mut page = Page { out: f, blanks: 0, used: 0 };
    seen.print(0, start, &column, &mut page)?;
    page.flush()
}

/// The elements that are shown.
struct Seen<'a, T> {
    all: &'a [T],
    dims: &'a [usize],
    strides: &'a [isize],
    summarised: bool,
}

impl<T: Element> Seen<'_, T> {
    /// How many indices of `axis` are left out in the middle.
    fn left_out(&self, axis: usize) -> usize {
        if self.summarised { self.dims[axis].saturating_sub(2 * EDGE_ITEMS) } else { 0 }
    }

    /// Whether the indices left out come right before `i`.
    fn gap_before(&self, axis: usize, i: usize) -> bool {
        self.left_out(axis) > 0 && i == self.dims[axis] - EDGE_ITEMS
    }

    /// The indices of `axis` that are shown, each with where its elements start.
    fn indices(&self, axis: usize, at: usize) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let (dim, stride, out) = (self.dims[axis], self.strides[axis], self.left_out(axis));
        let head = if out > 0 { EDGE_ITEMS } else { dim };
        let shown = (0..head).chain(head + out..dim);
        shown.map(move |i| (i, at.wrapping_add_signed(stride.wrapping_mul(i as isize))))
    }

    /// Calls `measure` for every element shown.
    fn visit(
        &self,
        axis: usize,
        at: usize,
        measure: &mut dyn FnMut(T) -> fmt::Result,
    ) -> fmt::Result {
        if axis == self.dims.len() {
            return measure(self.all[at]);
        }
        self.indices(axis, at).try_for_each(|(_, at)| self.visit(axis + 1, at, measure))
    }

    /// Prints what lies along `axis` and inside it. The recursion is as deep as the rank: at most 8.
    fn print(
        &self,
        axis: usize,
        at: usize,
        column: &Column,
        page: &mut Page<'_, '_>,
    ) -> fmt::Result {
        let inner = self.dims.len() - 1 - axis;
        page.text("[")?;
        for (i, at) in self.indices(axis, at) {
            if inner == 0 {
                if self.gap_before(axis, i) {
                    page.room_for(3, self.dims.len())?;
                    page.text("...")?;
                    page.blanks(1);
                }
                page.room_for(column.width(), self.dims.len())?;
                column.print(self.all[at], page)?;
                if i + 1 < self.dims[axis] {
                    page.blanks(1);
                }
                continue;
            }
            if i > 0 {
                page.line_breaks(inner, axis + 1)?;
            }
            if self.gap_before(axis, i) {
                page.text("...")?;
                page.line_breaks(inner, axis + 1)?;
            }
            self.print(axis + 1, at, column, page)?;
        }
        page.text("]")
    }
}

/// A formatter that knows how far the line has come and holds blanks back until something follows them.
struct Page<'a, 'f> {
    out: &'a mut fmt::Formatter<'f>,
    blanks: usize,
    used: usize,
}

impl Page<'_, '_> {
    fn text(&mut self, text: &str) -> fmt::Result {
        self.flush()?;
        self.used += text.len();
        self.out.write_str(text)
    }

    fn blanks(&mut self, count: usize) {
        self.blanks += count;
        self.used += count;
    }

    fn flush(&mut self) -> fmt::Result {
        (0..core::mem::take(&mut self.blanks)).try_for_each(|_| self.out.write_char(' '))
    }

    /// Ends the line, leaves `count - 1` lines empty and indents the next one.
    fn line_breaks(&mut self, count: usize, indent: usize) -> fmt::Result {
        self.flush()?;
        (0..count).try_for_each(|_| self.out.write_char('\n'))?;
        (self.blanks, self.used) = (indent, indent);
        Ok(())
    }

    /// Starts a new line if a word of `width` no longer fits beside the closing brackets of `rank` axes; a line that
    /// holds nothing yet takes it anyway.
    fn room_for(&mut self, width: usize, rank: usize) -> fmt::Result {
        if self.used + width > LINE_WIDTH - rank && self.used > rank {
            self.blanks = 0;
            return self.line_breaks(1, rank);
        }
        Ok(())
    }
}
