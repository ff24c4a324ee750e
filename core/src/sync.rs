//! The one place that names an atomics or lock provider: the rest of the crate imports from here.
//!
//! `portable-atomic` covers targets without compare-and-swap; under `cfg(loom)` the model checker's types
//! stand in, so that the protocols of `storage` and `pool` are checked as they are written.
#![forbid(unsafe_code)]

cfg_select! {
    loom => {
        pub(crate) use loom::sync::atomic::{AtomicUsize, Ordering, fence};
        pub(crate) use model::Mutex;
    }
    _ => {
        pub(crate) use portable_atomic::{AtomicUsize, Ordering, fence};
        pub(crate) use spin::Mutex;
    }
}

/// loom's mutex behind the few calls of `spin::Mutex` that the crate makes.
#[cfg(loom)]
mod model {
    pub(crate) struct Mutex<T: ?Sized>(loom::sync::Mutex<T>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }
    }

    impl<T: ?Sized> Mutex<T> {
        pub(crate) fn try_lock(&self) -> Option<loom::sync::MutexGuard<'_, T>> {
            self.0.try_lock().ok()
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
        }

        pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
            self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
        }
    }
}
