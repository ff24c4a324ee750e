//! [`Probe`]: which exceptions a region raised, without losing those from before it.
#![forbid(unsafe_code)]

use core::marker::PhantomData;

use super::{Exceptions, clear_exceptions, raise_exceptions, test_exceptions};

/// From its beginning to its end the flags of this thread are those of the region alone; then the earlier ones are back beside
/// them, also when a panic unwinds through the probe.
///
/// Probes nest: the inner one sees its own region, the outer one both. Flags belong to a thread: a probe around an op that
/// runs on a team sees what the calling thread did. It cannot leave its thread:
/// ```compile_fail,E0277
/// let probe = fucina_core::fpenv::Probe::begin();
/// std::thread::spawn(move || probe.end());
/// ```
///
/// # Examples
/// ```
/// use core::hint::black_box;
/// use fucina_core::fpenv::{self, Probe};
///
/// let probe = Probe::begin();
/// black_box(black_box(3e38_f32) * black_box(3e38_f32));
/// let raised = probe.end();
/// assert_eq!(raised.overflow, fpenv::supported());
/// ```
#[derive(Debug)]
#[must_use = "the region ends when the probe is dropped"]
pub struct Probe {
    before: Exceptions,
    here: PhantomData<*mut ()>,
}

impl Probe {
    /// Takes over the flags of this thread, and clears them.
    pub fn begin() -> Self {
        let before = test_exceptions();
        clear_exceptions();
        Self { before, here: PhantomData }
    }

    /// What the region has raised so far.
    #[must_use]
    pub fn sample(&self) -> Exceptions {
        test_exceptions()
    }

    /// What the region has raised. The flags from before it are back beside those.
    pub fn end(self) -> Exceptions {
        self.sample()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        raise_exceptions(self.before);
    }
}
