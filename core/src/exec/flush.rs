//! [`FlushScope`]: flush-to-zero for the caller and the team of one context, and back.
//!
//! Unsafe code here, and why it holds: opening a scope is `unsafe`, and what the mode asks is asked of the opener.

use core::fmt;

use super::ExecContext;
use crate::fpenv::Guard;

/// While it lives, its thread and every task of its context's team run in flush-to-zero mode: subnormal operands and results
/// count as zero. For work that is full of subnormal numbers which nobody needs, on CPUs that are slow at them.
///
/// Scopes nest; each puts back what it found, also when a panic unwinds through it. It stays on its thread.
#[must_use = "the modes are put back when the scope is dropped"]
pub struct FlushScope<'ctx> {
    ctx: &'ctx ExecContext,
    before: bool,
    guard: Guard,
}

impl ExecContext {
    /// Turns flush-to-zero on for this thread and for the tasks of this context's team, until the scope is dropped.
    ///
    /// - Numerics: results inside are outside the promise of the same bits everywhere: which operations flush depends on the
    ///   target and the compiler. [`check_float_environment`](Self::check_float_environment) says so, truly.
    /// - Nothing happens where the environment is not [supported](crate::fpenv::supported). Threads that are not of the team
    ///   (one-shot workers, task pools) are not touched.
    ///
    /// # Safety
    /// Rust assumes the default environment: its documentation calls float arithmetic in another mode undefined, and
    /// compilers fold and move arithmetic as if the default held. Whoever opens a scope
    /// - knows that this build, on this target, gives results in this mode that the program can bear (an operation may flush or
    ///   not), and relies on none of them for memory safety;
    /// - drops scopes and [`Guard`]s newest first and forgets none.
    ///
    /// # Examples
    /// ```
    /// use fucina_core::{ExecContext, fpenv};
    ///
    /// let ctx = ExecContext::new();
    /// {
    ///     // SAFETY: nothing in the scope computes.
    ///     let _scope = unsafe { ctx.open_flush_scope() };
    ///     assert_eq!(ctx.check_float_environment().is_err(), fpenv::supported());
    /// }
    /// ctx.check_float_environment()?;
    /// # Ok::<(), fucina_core::Error>(())
    /// ```
    pub unsafe fn open_flush_scope(&self) -> FlushScope<'_> {
        let before = self.flush.replace(true);
        // SAFETY: the caller answers for the mode; the guard goes with the scope.
        FlushScope { ctx: self, before, guard: unsafe { Guard::flush_to_zero() } }
    }
}

impl Drop for FlushScope<'_> {
    fn drop(&mut self) {
        self.ctx.flush.set(self.before);
        self.guard.restore();
    }
}

impl fmt::Debug for FlushScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlushScope").field("nested", &self.before).finish_non_exhaustive()
    }
}
