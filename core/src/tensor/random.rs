//! Random constants, and dropout. Each call takes its seed; see [`Key`](crate::rng::Key) for many of them.

use super::Tensor;
use super::record::Recording;
use crate::autograd::Differentiable;
use crate::autograd::random::DropoutVjp;
use crate::error::Result;
use crate::exec::{ExecContext, check_dropout};

macro_rules! random_ops {
    // random_ops! { "docs" rand(); } => pub fn rand(ctx: &ExecContext, dims: &[usize], seed: u64) -> Result<Self>
    ($($doc:literal $name:ident($($arg:ident: $ty:ty),*);)*) => {$(
        #[doc = $doc]
        ///
        /// # Errors
        #[doc = concat!("As [`ExecContext::", stringify!($name), "`].")]
        #[track_caller]
        pub fn $name(ctx: &ExecContext, dims: &[usize], seed: u64, $($arg: $ty),*) -> Result<Self> {
            Ok(Self::constant(ctx.$name(dims, seed, $($arg),*)?))
        }
    )*};
}

impl<T: Differentiable> Tensor<T> {
    random_ops! {
        "A constant of uniform values in `[0, 1)`." rand();
        "A constant of uniform values in `[lo, hi)`." uniform(lo: f32, hi: f32);
        "A constant of Gaussian values of mean 0 and standard deviation 1." randn();
        "A constant of Gaussian values." normal(mean: f32, std_dev: f32);
        "A constant of ones, with probability `p`, and zeros." bernoulli(p: f32);
        "A constant of standard Gumbel values." gumbel();
    }

    /// Inverted dropout: each element is 0 with probability `p`, else divided by `1 - p`.
    ///
    /// - Numerics: the mask is a function of `seed` and row-major position; take a fresh seed each step
    ///   ([`Key::fold_in`](crate::rng::Key::fold_in)). With `p` 0 the result is the operand itself.
    /// - Gradient: the same mask and scale. Memory: no mask is kept.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) unless `0 <= p < 1`;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, Tensor};
    ///
    /// let ctx = ExecContext::new();
    /// let x = Tensor::<f32>::ones(&ctx, &[1000])?.dropout(&ctx, 0.5, 42)?;
    /// let kept = x.to_vec()?.iter().filter(|&&x| x == 2.0).count();
    /// assert!((400..600).contains(&kept));
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    #[track_caller]
    pub fn dropout(&self, ctx: &ExecContext, p: f32, seed: u64) -> Result<Self> {
        const OP: &str = "dropout";
        check_dropout(OP, p)?;
        if p == 0.0 {
            return Ok(self.clone());
        }
        Recording::new(ctx, OP, [self])
            .run(|ctx, [x]| ctx.dropout(x, p, seed), |_, _| DropoutVjp { p, seed })
    }

    /// Draws classes in proportion to the weights of each row.
    ///
    /// # Errors
    /// As [`ExecContext::multinomial`].
    #[track_caller]
    pub fn multinomial(
        &self,
        ctx: &ExecContext,
        samples: usize,
        replacement: bool,
        seed: u64,
    ) -> Result<Tensor<i64>> {
        Ok(Tensor::constant(ctx.multinomial(&self.raw, samples, replacement, seed)?))
    }
}

impl Tensor<i64> {
    /// A constant of integers in `low..high`.
    ///
    /// # Errors
    /// As [`ExecContext::randint`].
    #[track_caller]
    pub fn randint(
        ctx: &ExecContext,
        dims: &[usize],
        seed: u64,
        low: i64,
        high: i64,
    ) -> Result<Self> {
        Ok(Self::constant(ctx.randint(dims, seed, low, high)?))
    }

    /// A permutation of `0..n`, of shape `[n]`.
    ///
    /// # Errors
    /// As [`ExecContext::randperm`].
    #[track_caller]
    pub fn randperm(ctx: &ExecContext, n: usize, seed: u64) -> Result<Self> {
        Ok(Self::constant(ctx.randperm(n, seed)?))
    }
}
