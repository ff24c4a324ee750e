//! [`Layout`]: a shape, its strides and an offset; the views that only rearrange those.

use core::ops::Range;

use super::shape::{MAX_RANK, Shape};
use crate::error::{Error, Fits, Result};

/// Where a tensor's elements lie in its storage. Strides and offset count elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    strides: [isize; MAX_RANK],
    offset: usize,
}

impl Layout {
    /// The row-major layout of `shape` from element 0 on.
    #[must_use]
    #[inline]
    pub fn contiguous(shape: Shape) -> Self {
        Self { shape, strides: shape.strides(), offset: 0 }
    }

    #[inline]
    pub(crate) fn from_parts(shape: Shape, strides: [isize; MAX_RANK], offset: usize) -> Self {
        Self { shape, strides, offset }
    }

    /// A layout of any strides that stays inside a storage of `len` elements.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`]-free: a wrong number of strides is [`Error::InvalidAxes`];
    /// [`Error::InvalidDataLength`] if the lowest or highest element touched is outside the storage.
    pub fn strided(
        op: &'static str,
        shape: Shape,
        strides: &[isize],
        offset: usize,
        len: usize,
    ) -> Result<Self> {
        if strides.len() != shape.rank() {
            return Err(Error::InvalidAxes { op, rank: shape.rank() });
        }
        let (mut low, mut high) = (offset as i128, offset as i128);
        let mut full = [0; MAX_RANK];
        for (axis, &stride) in strides.iter().enumerate() {
            full[axis] = stride;
            let reach = stride as i128 * (shape[axis] as i128 - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        if low < 0 || high >= len as i128 {
            let expected = usize::try_from(high.saturating_add(1)).unwrap_or(usize::MAX);
            return Err(Error::InvalidDataLength { op, expected, found: len });
        }
        Ok(Self { shape, strides: full, offset })
    }

    /// The shape.
    #[must_use]
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The strides, in elements, outermost first.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.rank()]
    }

    /// Index of the first element in the storage.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether the elements stand one behind the other in row-major order. An axis that is only there by stride 0
    /// (a broadcast one, even of size 1) says no.
    #[must_use]
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut step = 1_isize;
        for axis in (0..self.shape.rank()).rev() {
            if self.strides[axis] != step {
                return false;
            }
            step = step.wrapping_mul(self.shape[axis] as isize);
        }
        true
    }

    /// The storage indices this layout touches, from the lowest to one past the highest.
    #[must_use]
    #[inline]
    pub fn span(&self) -> Range<usize> {
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for axis in 0..self.shape.rank() {
            let reach = self.strides[axis] * (self.shape[axis] as isize - 1);
            low += reach.min(0);
            high += reach.max(0);
        }
        low as usize..high as usize + 1
    }

    /// The same elements under another shape, if strides can say it; `None` if only a copy could.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if the number of elements differs.
    pub fn reshape(&self, op: &'static str, shape: &Shape) -> Result<Option<Self>> {
        let count = self.shape.count();
        if shape.count() != count {
            let (left, right, fits) = (self.shape, *shape, Fits::SameCount(count));
            return Err(Error::ShapeMismatch { op, left, right, fits });
        }
        if self.is_contiguous() {
            return Ok(Some(Self { shape: *shape, strides: shape.strides(), offset: self.offset }));
        }
        Ok(self.regroup(shape))
    }

    /// Splits and merges axes group by group, outermost first: the fewest old axes and the fewest new ones whose products
    /// are equal. The old ones of a group must be walked in one step. Axes of size 1 are in nobody's way.
    fn regroup(&self, shape: &Shape) -> Option<Self> {
        let (mut old, mut rank) = ([(1_usize, 0_isize); MAX_RANK], 0);
        for axis in (0..self.shape.rank()).filter(|&axis| self.shape[axis] != 1) {
            old[rank] = (self.shape[axis], self.strides[axis]);
            rank += 1;
        }
        let old = &old[..rank];
        let mut strides = [0; MAX_RANK];
        let (mut from, mut to) = (0, 0);
        while from < rank {
            let (first_from, first_to) = (from, to);
            let (mut old_count, mut new_count) = (old[from].0, shape[to]);
            while old_count != new_count {
                if new_count < old_count {
                    to += 1;
                    new_count *= shape[to];
                } else {
                    from += 1;
                    old_count *= old[from].0;
                }
            }
            (from, to) = (from + 1, to + 1);
            let group = &old[first_from..from];
            let in_one_step = |pair: &[(usize, isize)]| pair[0].1 == pair[1].1 * pair[1].0 as isize;
            if !group.windows(2).all(in_one_step) {
                return None;
            }
            let mut step = group[group.len() - 1].1;
            for axis in (first_to..to).rev() {
                strides[axis] = step;
                step = step.wrapping_mul(shape[axis] as isize);
            }
        }
        Some(Self { shape: *shape, strides, offset: self.offset })
    }

    /// Axes in another order.
    ///
    /// # Errors
    /// [`Error::InvalidAxes`] unless `order` names each axis once.
    pub fn permute(&self, op: &'static str, order: &[usize]) -> Result<Self> {
        let order = Permutation::new(op, self.shape.rank(), order)?;
        Ok(self.permuted(&order))
    }

    pub(crate) fn permuted(&self, order: &Permutation) -> Self {
        let (mut shape, mut strides) = (Shape::ones(self.shape.rank()), [0; MAX_RANK]);
        for (to, &from) in order.axes().iter().enumerate() {
            shape = shape.with_dim(to, self.shape[from]);
            strides[to] = self.strides[from];
        }
        Self { shape, strides, offset: self.offset }
    }

    /// Two axes swapped.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn transpose(&self, op: &'static str, a: usize, b: usize) -> Result<Self> {
        self.shape.check_axis(op, a)?;
        self.shape.check_axis(op, b)?;
        let mut out = *self;
        out.shape = self.shape.with_dim(a, self.shape[b]).with_dim(b, self.shape[a]);
        out.strides.swap(a, b);
        Ok(out)
    }

    /// `len` indices of `axis` from `start` on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::RangeOutOfBounds`] if the range is empty or leaves the axis.
    pub fn narrow(&self, op: &'static str, axis: usize, start: usize, len: usize) -> Result<Self> {
        let bound = self.shape[self.shape.check_axis(op, axis)?];
        if len == 0 || start.checked_add(len).is_none_or(|end| end > bound) {
            return Err(Error::RangeOutOfBounds { op, start, len, bound });
        }
        let mut out = *self;
        out.shape = self.shape.with_dim(axis, len);
        out.offset = self.offset.wrapping_add_signed(self.strides[axis] * start as isize);
        Ok(out)
    }
}

impl Layout {
    /// `axis` from its last index to its first.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub fn flip(&self, op: &'static str, axis: usize) -> Result<Self> {
        let last = self.shape[self.shape.check_axis(op, axis)?] as isize - 1;
        let mut out = *self;
        out.offset = self.offset.wrapping_add_signed(self.strides[axis] * last);
        // An axis of size 1 may have any stride, the least integer too.
        out.strides[axis] = self.strides[axis].wrapping_neg();
        Ok(out)
    }

    /// Every `step`-th index of `axis`, from the first on.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`]; [`Error::InvalidArgument`] for a step of 0.
    pub fn step(&self, op: &'static str, axis: usize, step: usize) -> Result<Self> {
        let dim = self.shape[self.shape.check_axis(op, axis)?];
        if step == 0 {
            return Err(Error::InvalidArgument { op, argument: "step", fits: "at least 1" });
        }
        let mut out = *self;
        out.shape = self.shape.with_dim(axis, dim.div_ceil(step));
        // A step past the end leaves one index, whose stride is never used.
        out.strides[axis] = self.strides[axis].wrapping_mul(step.min(dim) as isize);
        Ok(out)
    }

    /// Whether two different indices may meet in one element. Says yes to a few exotic layouts in which none do.
    #[must_use]
    pub fn overlaps(&self) -> bool {
        let mut axes = [(0_usize, 1_usize); MAX_RANK];
        let rank = self.shape.rank();
        for (axis, place) in axes[..rank].iter_mut().enumerate() {
            *place = (self.strides[axis].unsigned_abs(), self.shape[axis]);
        }
        let axes = &mut axes[..rank];
        axes.sort_unstable();
        // Each stride must step over everything that the smaller ones reach.
        let mut reach = 0_usize;
        for &(stride, dim) in axes.iter().filter(|&&(_, dim)| dim > 1) {
            if stride <= reach {
                return true;
            }
            reach += stride * (dim - 1);
        }
        false
    }
}

/// A checked order of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    axes: [usize; MAX_RANK],
    rank: usize,
}

impl Permutation {
    /// Checks that `order` names each of `0..rank` once.
    ///
    /// # Errors
    /// [`Error::InvalidAxes`].
    pub fn new(op: &'static str, rank: usize, order: &[usize]) -> Result<Self> {
        let refusal = Err(Error::InvalidAxes { op, rank });
        if order.len() != rank || rank > MAX_RANK {
            return refusal;
        }
        let (mut axes, mut seen) = ([0; MAX_RANK], 0_u32);
        for (to, &from) in order.iter().enumerate() {
            if from >= rank || seen >> from & 1 == 1 {
                return refusal;
            }
            seen |= 1 << from;
            axes[to] = from;
        }
        Ok(Self { axes, rank })
    }

    /// The source axis of each result axis.
    #[must_use]
    pub fn axes(&self) -> &[usize] {
        &self.axes[..self.rank]
    }

    /// The order that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut axes = [0; MAX_RANK];
        for (to, &from) in self.axes().iter().enumerate() {
            axes[from] = to;
        }
        Self { axes, rank: self.rank }
    }
}
