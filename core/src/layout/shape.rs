//! [`Shape`]: up to eight dimensions, inline, never empty and never zero once checked.

use core::fmt;
use core::ops::Index;

use crate::error::{Error, Fits, Result, ShapeFault};

/// The highest rank a tensor can have.
pub const MAX_RANK: usize = 8;

/// The dimensions of a tensor, outermost first. Always of rank 1 to 8 without zero dimensions.
#[derive(Clone, Copy, Eq)]
pub struct Shape {
    dims: [usize; MAX_RANK],
    rank: usize,
}

impl Shape {
    /// Checks `dims` on behalf of `op`.
    ///
    /// # Errors
    /// [`Error::InvalidShape`] for rank 0, rank above 8 or a zero dimension; [`Error::Overflow`] if the number of
    /// elements (times 8 bytes, the largest element) leaves `isize`.
    #[inline]
    pub fn new(op: &'static str, dims: &[usize]) -> Result<Self> {
        let rank = dims.len();
        if rank == 0 || rank > MAX_RANK {
            let why = if rank == 0 { ShapeFault::RankZero } else { ShapeFault::RankTooHigh };
            return Err(Error::InvalidShape { op, rank, why });
        }
        let mut shape = Self { dims: [1; MAX_RANK], rank };
        let mut count = 1_usize;
        let mut fits = true;
        for (axis, &dim) in dims.iter().enumerate() {
            if dim == 0 {
                let why = ShapeFault::ZeroDim { axis };
                return Err(Error::InvalidShape { op, rank, why });
            }
            shape.dims[axis] = dim;
            match count.checked_mul(dim) {
                Some(product) => count = product,
                None => fits = false,
            }
        }
        if !fits || count > isize::MAX as usize / 16 {
            return Err(Error::Overflow { op, shape });
        }
        Ok(shape)
    }

    /// The shape of a scalar: `[1]`.
    #[must_use]
    pub const fn scalar() -> Self {
        Self { dims: [1; MAX_RANK], rank: 1 }
    }

    /// A shape of `rank` ones.
    pub(crate) const fn ones(rank: usize) -> Self {
        debug_assert!(rank >= 1 && rank <= MAX_RANK);
        Self { dims: [1; MAX_RANK], rank }
    }

    /// The dimensions, outermost first.
    #[must_use]
    #[inline]
    pub fn dims(&self) -> &[usize] {
        &self.dims[..self.rank]
    }

    /// The number of dimensions, 1 to 8.
    #[must_use]
    #[inline]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// The number of elements.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.dims().iter().product()
    }

    /// The same shape with `axis` set to `dim`.
    #[must_use]
    pub(crate) fn with_dim(mut self, axis: usize, dim: usize) -> Self {
        debug_assert!(axis < self.rank && dim > 0);
        self.dims[axis] = dim;
        self
    }

    /// The shape without `axis`; `[1]` if that was the only one.
    #[must_use]
    pub(crate) fn without(&self, axis: usize) -> Self {
        if self.rank == 1 {
            return Self::scalar();
        }
        let mut out = Self::ones(self.rank - 1);
        let kept = self.dims().iter().enumerate().filter(|&(i, _)| i != axis);
        for (to, (_, &dim)) in out.dims.iter_mut().zip(kept) {
            *to = dim;
        }
        out
    }

    /// `Ok(axis)` if it is below the rank.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`].
    pub(crate) fn check_axis(&self, op: &'static str, axis: usize) -> Result<usize> {
        if axis < self.rank {
            Ok(axis)
        } else {
            Err(Error::AxisOutOfRange { op, axis, rank: self.rank })
        }
    }

    /// `Ok` if `other` is the same.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`], with `self` on the left.
    #[inline]
    pub(crate) fn check_same(&self, op: &'static str, other: &Self) -> Result<()> {
        if self == other {
            return Ok(());
        }
        Err(Error::ShapeMismatch { op, left: *self, right: *other, fits: Fits::Same })
    }

    /// Row-major strides, in elements.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> [isize; MAX_RANK] {
        let mut strides = [0; MAX_RANK];
        let mut step = 1_isize;
        for axis in (0..self.rank).rev() {
            strides[axis] = step;
            step = step.wrapping_mul(self.dims[axis] as isize);
        }
        strides
    }
}

impl PartialEq for Shape {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank && self.dims().iter().eq(other.dims())
    }
}

impl Index<usize> for Shape {
    type Output = usize;
    #[inline]
    fn index(&self, axis: usize) -> &usize {
        &self.dims()[axis]
    }
}

impl AsRef<[usize]> for Shape {
    fn as_ref(&self) -> &[usize] {
        self.dims()
    }
}

impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        self.dims() == other
    }
}

impl<const N: usize> PartialEq<[usize; N]> for Shape {
    fn eq(&self, other: &[usize; N]) -> bool {
        self.dims() == other
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, dim) in self.dims().iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{dim}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
