//! Sums of products along a row: the reduction rule, with one multiply-add a step instead of an addition.

use super::{Sum, Terms, fold_row};
use crate::dtype::Float;
use crate::kernels::Lanes;

/// `sum over p of a[p] * b[p]`.
#[inline(always)]
pub(crate) fn dot<T: Float, L: Lanes<T>>(l: L, a: &[T], b: &[T]) -> T {
    fold_row(l, &Products, [a, b])[0]
}

/// `a * b`.
struct Products;

impl<T: Float> Terms<T, 2, 1> for Products {
    type Fold = Sum;
    #[inline(always)]
    fn step<L: Lanes<T>>(&self, l: L, [acc]: [L::V; 1], [a, b]: [L::V; 2]) -> [L::V; 1] {
        [l.mul_add(a, b, acc)]
    }
}
