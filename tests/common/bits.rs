//! Bits of tensors, for tests of equality to the last one.

use fucina::RawTensor;

/// The bits of all elements.
pub(crate) fn bits(x: &RawTensor<f32>) -> Vec<u32> {
    x.iter().map(f32::to_bits).collect()
}
