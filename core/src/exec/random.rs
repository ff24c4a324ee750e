//! Random tensors, and dropout: the fills of `rng` through the backend, shared out to the team.
//!
//! Element `i` in row-major order is element `i` of the seed's sequence, so pieces, threads and instruction sets cannot
//! show. One explicit seed a call: the context holds no generator.
#![forbid(unsafe_code)]

use super::context::ExecContext;
use crate::backend::Real;
use crate::error::{Error, Fits, Result};
use crate::layout::Shape;
use crate::parallel::for_chunks;
use crate::pool::ScratchLease;
use crate::raw::RawTensor;
use crate::rng::{self, Distribution, RngError};

/// Elements of a piece: below it a fill stays on the caller.
const PIECE: usize = 1 << 14;

impl ExecContext {
    /// Uniform values in `[0, 1)`. f64 gets the f32 values, here and in every random constructor.
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let x = ctx.rand::<f32>(&[2, 3], 42)?;
    /// assert_eq!(x.data()?, ctx.uniform::<f32>(&[6], 42, 0.0, 1.0)?.data()?);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn rand<T: Real>(&self, dims: &[usize], seed: u64) -> Result<RawTensor<T>> {
        self.random("rand", dims, Distribution::Uniform { lo: 0.0, hi: 1.0 }, seed)
    }

    /// Uniform values in `[lo, hi)`: [`rng::uniform_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless both ends are finite and `lo < hi`; [`Error::InvalidShape`],
    /// [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn uniform<T: Real>(
        &self,
        dims: &[usize],
        seed: u64,
        lo: f32,
        hi: f32,
    ) -> Result<RawTensor<T>> {
        self.random("uniform", dims, Distribution::Uniform { lo, hi }, seed)
    }

    /// Gaussian values of mean 0 and standard deviation 1: [`rng::gaussian_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn randn<T: Real>(&self, dims: &[usize], seed: u64) -> Result<RawTensor<T>> {
        self.random("randn", dims, Distribution::Gaussian { scale: 1.0 }, seed)
    }

    /// Gaussian values: [`rng::normal_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless both moments are finite and `std_dev >= 0`; [`Error::InvalidShape`],
    /// [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn normal<T: Real>(
        &self,
        dims: &[usize],
        seed: u64,
        mean: f32,
        std_dev: f32,
    ) -> Result<RawTensor<T>> {
        self.random("normal", dims, Distribution::Normal { mean, std_dev }, seed)
    }

    /// 1 with probability `p`, else 0: [`rng::bernoulli_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless `0 <= p <= 1`; [`Error::InvalidShape`], [`Error::Overflow`],
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn bernoulli<T: Real>(&self, dims: &[usize], seed: u64, p: f32) -> Result<RawTensor<T>> {
        self.random("bernoulli", dims, Distribution::Bernoulli { p }, seed)
    }

    /// Standard Gumbel values, finite for every draw: [`rng::gumbel_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidShape`], [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn gumbel<T: Real>(&self, dims: &[usize], seed: u64) -> Result<RawTensor<T>> {
        self.random("gumbel", dims, Distribution::Gumbel, seed)
    }

    /// Integers in `low..high`: [`rng::randint_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless `low < high`; [`Error::InvalidShape`], [`Error::Overflow`],
    /// [`Error::OutOfMemory`].
    #[track_caller]
    pub fn randint(
        &self,
        dims: &[usize],
        seed: u64,
        low: i64,
        high: i64,
    ) -> Result<RawTensor<i64>> {
        const OP: &str = "randint";
        if low >= high {
            return Err(refused(OP, RngError::EmptyRange { op: OP, low, high }));
        }
        let mut out = self.fresh(OP, Shape::new(OP, dims)?)?;
        let k = self.kernels::<f32>();
        for_chunks(self.team(), OP, out.data(), PIECE, |piece, out| {
            k.randint_fill(seed, (piece * PIECE) as u64, low, high, out);
        });
        Ok(out.done())
    }

    /// A permutation of `0..n`: [`rng::randperm_fill`].
    ///
    /// # Errors
    /// [`Error::InvalidShape`] for `n == 0`; [`Error::Overflow`], [`Error::OutOfMemory`].
    #[track_caller]
    pub fn randperm(&self, n: usize, seed: u64) -> Result<RawTensor<i64>> {
        const OP: &str = "randperm";
        let mut out = self.fresh(OP, Shape::new(OP, &[n])?)?;
        rng::randperm_fill(seed, out.data());
        Ok(out.done())
    }

    /// Draws classes in proportion to weights, row by row.
    ///
    /// - Shapes: `weights [classes]` or `[rows, classes]`, not normalised; result `[samples]` or `[rows, samples]`.
    /// - Numerics: draw `s` of row `r` takes `u` = [`rng::unit`]`(seed, r * samples + s)` and gives the first class
    ///   whose cumulative weight, summed in f64 in class order, exceeds `u` times the total. Without replacement a
    ///   class that was drawn counts as weight 0 from then on. The mapping is a checkpoint contract.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for weights of another rank; [`Error::InvalidArgument`] for a weight that is negative,
    /// infinite or NaN, a row without a positive weight, no samples, or more samples without replacement than a row
    /// has positive weights; [`Error::Overflow`], [`Error::OutOfMemory`].
    ///
    /// # Examples
    /// ```
    /// let ctx = fucina_core::ExecContext::new();
    /// let weights = ctx.from_slice(&[3], &[1.0_f32, 0.0, 3.0])?;
    /// let both = ctx.multinomial(&weights, 2, false, 42)?;
    /// assert!(both.data()? == [0, 2] || both.data()? == [2, 0]);
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn multinomial<T: Real>(
        &self,
        weights: &RawTensor<T>,
        samples: usize,
        replacement: bool,
        seed: u64,
    ) -> Result<RawTensor<i64>> {
        const OP: &str = "multinomial";
        let shape = *weights.shape();
        if shape.rank() > 2 {
            let fits = Fits::Rank(2);
            return Err(Error::ShapeMismatch { op: OP, left: shape, right: shape, fits });
        }
        if samples == 0 {
            let fits = "at least one";
            return Err(Error::InvalidArgument { op: OP, argument: "number of samples", fits });
        }
        let last = shape.rank() - 1;
        let classes = shape[last];
        let dims = [shape[0], samples];
        let mut out = self.fresh(OP, Shape::new(OP, &dims[1 - last..])?)?;
        let weights = self.prepare(OP, weights)?;
        let rows = weights.data().chunks_exact(classes);
        let mut left = ScratchLease::<f64>::acquire(OP, self.site(OP)?, classes)?;
        let mut sums = ScratchLease::<f64>::acquire(OP, self.site(OP)?, classes)?;
        // Every row is checked before any is drawn from.
        for row in rows.clone() {
            check_weights(OP, row, if replacement { 1 } else { samples })?;
        }
        for (r, (row, out)) in rows.zip(out.data().chunks_exact_mut(samples)).enumerate() {
            left.iter_mut().zip(row).for_each(|(to, x)| *to = x.to_f64());
            for (s, out) in out.iter_mut().enumerate() {
                if s == 0 || !replacement {
                    accumulate(&left, &mut sums);
                }
                let index = (r as u64).wrapping_mul(samples as u64).wrapping_add(s as u64);
                let target = rng::unit(seed, index) * sums[classes - 1];
                let class = sums.partition_point(|&sum| sum <= target).min(classes - 1);
                *out = class as i64;
                if !replacement {
                    left[class] = 0.0;
                }
            }
        }
        Ok(out.done())
    }

    /// Fills `out` with elements `first..first + out.len()` of the sequence of `seed`, on this context's backend and
    /// team: the bits of [`Distribution::fill_at`], sooner.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for parameters that the distribution refuses; nothing is written then.
    pub fn random_fill(
        &self,
        distribution: Distribution,
        seed: u64,
        first: u64,
        out: &mut [f32],
    ) -> Result<()> {
        const OP: &str = "random_fill";
        distribution.check(OP).map_err(|error| refused(OP, error))?;
        let k = self.kernels::<f32>();
        for_chunks(self.team(), OP, out, PIECE, |piece, out| {
            k.random_fill(distribution, seed, first.wrapping_add((piece * PIECE) as u64), out);
        });
        Ok(())
    }

    /// Inverted dropout: each element is 0 with probability `p`, else divided by `1 - p`. The mask is a function of `seed`
    /// and the element's row-major position: any layout of the same values gives the same, and the gradient is
    /// the same function of the output's gradient.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless `0 <= p < 1`; [`Error::OutOfMemory`].
    #[track_caller]
    pub fn dropout<T: Real>(&self, x: &RawTensor<T>, p: f32, seed: u64) -> Result<RawTensor<T>> {
        const OP: &str = "dropout";
        check_dropout(OP, p)?;
        let mut out = self.fresh(OP, *x.shape())?;
        let x = self.prepare(OP, x)?;
        let (x, k) = (x.data(), self.kernels::<T>());
        for_chunks(self.team(), OP, out.data(), PIECE, |piece, out| {
            let start = piece * PIECE;
            k.dropout(p, seed, start as u64, &x[start..start + out.len()], out);
        });
        Ok(out.done())
    }

    #[track_caller]
    fn random<T: Real>(
        &self,
        op: &'static str,
        dims: &[usize],
        distribution: Distribution,
        seed: u64,
    ) -> Result<RawTensor<T>> {
        distribution.check(op).map_err(|error| refused(op, error))?;
        let mut out = self.fresh(op, Shape::new(op, dims)?)?;
        let k = self.kernels::<T>();
        for_chunks(self.team(), op, out.data(), PIECE, |piece, out| {
            k.random_fill(distribution, seed, (piece * PIECE) as u64, out);
        });
        Ok(out.done())
    }
}

/// Whether `p` is a probability that dropout takes.
pub(crate) fn check_dropout(op: &'static str, p: f32) -> Result<()> {
    rng::dropout_scale(p).map(drop).map_err(|error| refused(op, error))
}

fn check_weights<T: Real>(op: &'static str, row: &[T], samples: usize) -> Result<()> {
    let refuse = |fits| Err(Error::InvalidArgument { op, argument: "weights", fits });
    let (mut total, mut positive) = (0.0, 0);
    for weight in row.iter().map(|x| x.to_f64()) {
        if !(weight >= 0.0 && weight.is_finite()) {
            return refuse("finite values of at least 0");
        }
        total += weight;
        positive += usize::from(weight > 0.0);
    }
    if positive == 0 || !f64::is_finite(total) {
        return refuse("rows with a positive, finite total");
    }
    if positive < samples {
        return refuse("as many positive weights a row as samples without replacement");
    }
    Ok(())
}

/// Running sums, in order.
fn accumulate(weights: &[f64], sums: &mut [f64]) {
    let mut sum = 0.0;
    for (to, x) in sums.iter_mut().zip(weights) {
        sum += x;
        *to = sum;
    }
}

/// What `rng` refuses, on behalf of an op.
fn refused(op: &'static str, error: RngError) -> Error {
    let (argument, fits) = match error {
        RngError::EmptyRange { .. } => ("range", "low below high"),
        RngError::BadInterval { .. } => ("interval", "a finite lo below a finite hi"),
        RngError::BadProbability { one_fits: true, .. } => ("probability", "0 to 1"),
        RngError::BadProbability { .. } => ("probability", "0 up to, not including, 1"),
        RngError::BadMoments { .. } => {
            ("moments", "a finite mean and a finite std_dev of at least 0")
        }
        RngError::ZeroFanIn { .. } => ("fan_in", "1 or more"),
        RngError::LengthMismatch { .. } => ("length", "output and input of one length"),
    };
    Error::InvalidArgument { op, argument, fits }
}
