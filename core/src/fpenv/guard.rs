//! [`Guard`]: whoever changes the modes, or calls what might, puts them back.

use core::marker::PhantomData;

use super::{UnderflowMode, imp};

/// Puts back the modes it found, traps included, when it goes; also when a panic unwinds through it. Sticky flags stay.
///
/// Guards nest: drop the newest first. A guard stays on its thread, whose modes it holds:
/// ```compile_fail,E0277
/// let guard = fucina_core::fpenv::Guard::begin();
/// std::thread::spawn(move || drop(guard));
/// ```
///
/// # Examples
/// ```
/// use fucina_core::fpenv::{Guard, assert_default};
///
/// # fn foreign() {}
/// {
///     let _guard = Guard::begin();
///     foreign(); // whatever mode it leaves behind
/// }
/// assert_default()?;
/// # Ok::<(), fucina_core::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "the modes are put back when the guard is dropped"]
pub struct Guard {
    control: u64,
    here: PhantomData<*mut ()>,
}

impl Guard {
    /// Notes the modes of this thread.
    pub fn begin() -> Self {
        Self { control: imp::control(), here: PhantomData }
    }

    /// Notes the modes of this thread, and sets the default environment until the guard goes.
    ///
    /// For ops on a thread whose modes belong to somebody else, such as a callback from foreign code. After a call that left
    /// a mode behind, [`reset`](super::reset) is what stays.
    pub fn enforce_default() -> Self {
        let guard = Self::begin();
        super::reset();
        guard
    }

    /// Notes the modes of this thread, and turns flush-to-zero on until the guard goes.
    ///
    /// # Safety
    /// - As for [`set`](super::set), or as for [`ExecContext::open_flush_scope`](crate::ExecContext::open_flush_scope).
    pub(crate) unsafe fn flush_to_zero() -> Self {
        let guard = Self::begin();
        // SAFETY: asked of the caller.
        unsafe { super::set_underflow_mode(UnderflowMode::FlushToZero) }
        guard
    }

    /// Puts back the modes that were noted, now; once more changes nothing. The guard still does so when it goes.
    pub fn restore(&mut self) {
        if imp::control() != self.control {
            // SAFETY: the word was this thread's (a guard is not `Send`). If it is not the default environment, it was not
            // when the guard began, and who brought that about owes what `set` asks.
            unsafe { imp::set_control(self.control) }
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.restore();
    }
}
