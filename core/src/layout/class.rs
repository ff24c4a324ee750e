//! [`LayoutClass`]: the few kinds of layout that elementwise kernels tell apart.

use super::view::Layout;

/// How an operand's elements lie: the dispatch key of the elementwise ops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutClass {
    /// Row-major without gaps: one slice.
    Contiguous,
    /// One element, repeated: every stride is 0 (or the tensor has one element).
    Scalar,
    /// A contiguous tail repeated over leading axes of stride 0: a bias row.
    TailBroadcast,
    /// Anything else.
    Arbitrary,
}

impl Layout {
    /// Which class this layout is of.
    #[must_use]
    pub fn classify(&self) -> LayoutClass {
        if self.is_contiguous() {
            return LayoutClass::Contiguous;
        }
        let (dims, strides) = (self.shape().dims(), self.strides());
        let repeated = |axis: usize| strides[axis] == 0 || dims[axis] == 1;
        let lead = (0..dims.len()).take_while(|&axis| repeated(axis)).count();
        if lead == dims.len() {
            return LayoutClass::Scalar;
        }
        let mut step = 1_isize;
        for axis in (lead..dims.len()).rev() {
            if dims[axis] != 1 && strides[axis] != step {
                return LayoutClass::Arbitrary;
            }
            step *= dims[axis] as isize;
        }
        LayoutClass::TailBroadcast
    }
}
