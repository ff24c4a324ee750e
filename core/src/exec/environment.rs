//! A context and the floating-point environment: what it was made in, and whether its promises hold now.
#![forbid(unsafe_code)]

use super::ExecContext;
use crate::error::Result;
use crate::fpenv::{self, Environment};

impl ExecContext {
    /// `Ok` if the calling thread's floating-point environment is the default one, under which every result of this crate is
    /// promised, or cannot be [observed](fpenv::supported).
    ///
    /// For after a call of foreign code, and around runs whose output is compared bit by bit. It judges by the default
    /// and not by [`float_environment_at_init`](Self::float_environment_at_init): a context made in another
    /// environment does not pass in it.
    ///
    /// # Errors
    /// [`Error::NonDefaultFloatEnvironment`](crate::Error::NonDefaultFloatEnvironment) with what was found.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::ExecContext;
    ///
    /// let ctx = ExecContext::new();
    /// ctx.check_float_environment()?;
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    pub fn check_float_environment(&self) -> Result<()> {
        fpenv::assert_default()
    }

    /// The floating-point environment in which the context began: that of the thread that called
    /// [`build`](super::ExecContextBuilder::build). [`new`](Self::new) can run at compile time, so its context begins when
    /// it first needs memory, or is first asked this. `None` where it cannot be [observed](fpenv::supported).
    #[must_use]
    pub fn float_environment_at_init(&self) -> Option<Environment> {
        *self.float_environment.get_or_init(fpenv::get)
    }
}
