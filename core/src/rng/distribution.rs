//! [`Distribution`]: the float fills as values, for whoever chooses one at run time or cuts a fill into pieces.
#![forbid(unsafe_code)]

use super::{ByNewton, RngError, Roots, fast_gaussian, gaussian, gumbel, uniform};

/// What a fill draws. Each is the mapping of the function of its name, with its checkpoint contract.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Distribution {
    /// Uniform in `[lo, hi)`: [`uniform_fill`](super::uniform_fill).
    Uniform {
        /// The lower end, included.
        lo: f32,
        /// The upper end, excluded.
        hi: f32,
    },
    /// Mean 0 and standard deviation `scale`: [`gaussian_fill`](super::gaussian_fill).
    Gaussian {
        /// The standard deviation.
        scale: f32,
    },
    /// The same in f32, several times faster, with bits of its own:
    /// [`gaussian_fill_at_fast`](super::gaussian_fill_at_fast).
    FastGaussian {
        /// The standard deviation.
        scale: f32,
    },
    /// Any mean and standard deviation: [`normal_fill`](super::normal_fill).
    Normal {
        /// The mean.
        mean: f32,
        /// The standard deviation.
        std_dev: f32,
    },
    /// Standard Gumbel: [`gumbel_fill`](super::gumbel_fill).
    Gumbel,
    /// 1 with probability `p`, else 0: [`bernoulli_fill`](super::bernoulli_fill).
    Bernoulli {
        /// The probability of 1.
        p: f32,
    },
}

impl Distribution {
    /// Whether its parameters can be served, on behalf of `op`.
    ///
    /// # Errors
    /// What the fill of its name refuses.
    pub fn check(self, op: &'static str) -> Result<(), RngError> {
        match self {
            Self::Uniform { lo, hi } => uniform::check_interval(op, lo, hi),
            Self::Normal { mean, std_dev } => gaussian::check_moments(op, mean, std_dev),
            Self::Bernoulli { p } => uniform::check_probability(op, p),
            Self::Gaussian { .. } | Self::FastGaussian { .. } | Self::Gumbel => Ok(()),
        }
    }

    /// Writes elements `first..first + out.len()` of the sequence of `seed`.
    ///
    /// # Errors
    /// What the fill of its name refuses; nothing is written then.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::rng::{self, Distribution};
    ///
    /// let (mut a, mut b) = ([0.0; 5], [0.0; 5]);
    /// Distribution::Gumbel.fill_at(7, 0, &mut a)?;
    /// rng::gumbel_fill(7, &mut b);
    /// assert_eq!(a, b);
    /// # Ok::<(), rng::RngError>(())
    /// ```
    pub fn fill_at(self, seed: u64, first: u64, out: &mut [f32]) -> Result<(), RngError> {
        self.check("fill_at")?;
        self.write(ByNewton, seed, first, out);
        Ok(())
    }

    /// [`fill_at`](Self::fill_at) after [`check`](Self::check), with roots taken this way.
    #[inline(always)] // into a backend's target_feature function, where the loops take its vectors
    pub(crate) fn write(self, roots: impl Roots, seed: u64, first: u64, out: &mut [f32]) {
        match self {
            Self::Uniform { lo, hi } => uniform::write(seed, first, out, lo, hi),
            Self::Gaussian { scale } => gaussian::write(roots, seed, first, out, [0.0, scale]),
            Self::FastGaussian { scale } => {
                fast_gaussian::write_fast(roots, seed, first, out, scale);
            }
            Self::Normal { mean, std_dev } => {
                gaussian::write(roots, seed, first, out, [mean, std_dev]);
            }
            Self::Gumbel => gumbel::gumbel_fill_at(seed, first, out),
            Self::Bernoulli { p } => uniform::write_bernoulli(seed, first, out, p),
        }
    }
}
