//! The broadcasting rule: shapes meet from the last axis; equal dimensions stay, a 1 stretches.

use super::shape::{MAX_RANK, Shape};
use super::view::Layout;
use crate::error::{Error, Fits, Result};

/// The shape two operands have together.
///
/// # Errors
/// [`Error::ShapeMismatch`] if two dimensions differ and neither is 1; [`Error::Overflow`] if the joint shape is
/// too large.
pub fn broadcast_shape(op: &'static str, left: &Shape, right: &Shape) -> Result<Shape> {
    if left == right {
        return Ok(*left);
    }
    let rank = left.rank().max(right.rank());
    let mut dims = [1; MAX_RANK];
    for back in 1..=rank {
        let (a, b) = (dim_from_last(left, back), dim_from_last(right, back));
        if a != b && a != 1 && b != 1 {
            let (left, right) = (*left, *right);
            return Err(Error::ShapeMismatch { op, left, right, fits: Fits::Broadcast });
        }
        dims[rank - back] = a.max(b);
    }
    Shape::new(op, &dims[..rank])
}

/// The dimension `back` places from the end, 1 where the shape has ended.
fn dim_from_last(shape: &Shape, back: usize) -> usize {
    if back <= shape.rank() { shape[shape.rank() - back] } else { 1 }
}

impl Layout {
    /// This layout stretched to `target`: new and stretched axes get stride 0.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] if `target` has a lower rank or changes a dimension that is not 1.
    pub fn broadcast_to(&self, op: &'static str, target: &Shape) -> Result<Self> {
        if self.shape() == target {
            return Ok(*self);
        }
        let (left, right, fits) = (*self.shape(), *target, Fits::BroadcastTarget);
        let refusal = Err(Error::ShapeMismatch { op, left, right, fits });
        if target.rank() < left.rank() {
            return refusal;
        }
        let lead = target.rank() - left.rank();
        let mut strides = [0; MAX_RANK];
        for axis in 0..left.rank() {
            if left[axis] == target[lead + axis] {
                strides[lead + axis] = self.strides()[axis];
            } else if left[axis] != 1 {
                return refusal;
            }
        }
        Ok(Self::from_parts(*target, strides, self.offset()))
    }
}
