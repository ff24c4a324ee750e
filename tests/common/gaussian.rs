//! Tensors of random values, for tests that need just any.

use fucina::{ExecContext, RawTensor};

/// Gaussian values of a seed.
pub(crate) fn gaussian(ctx: &ExecContext, dims: &[usize], seed: u64) -> RawTensor<f32> {
    let mut values = vec![0.0; dims.iter().product()];
    fucina::rng::gaussian_fill(seed, &mut values, 1.0);
    ctx.from_vec(dims, values).unwrap()
}
