//! The one place that names a provider of atomics, threads and futexes: the team imports from here.
//!
//! Under `cfg(loom)` the model checker's types stand in, so that the team's protocol is checked as it is written.

cfg_select! {
    loom => {
        pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
        pub(crate) use loom::thread::{Builder, JoinHandle};
        pub(crate) use loom::hint::spin_loop;
        pub(crate) use loom::cell::UnsafeCell;
        pub(crate) use model::Futex;
    }
    _ => {
        pub(crate) use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
        pub(crate) use std::thread::{Builder, JoinHandle};
        pub(crate) use core::hint::spin_loop;
        pub(crate) use host::{Futex, UnsafeCell};
    }
}

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a panic elsewhere has not left our values half-made.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(not(loom))]
mod host {
    use core::ops::Deref;
    use core::sync::atomic::AtomicU32;
    use core::time::Duration;

    use fucina_platform::{futex_wait, futex_wait_timeout, futex_wake_all, futex_wake_one};

    /// A word that threads can sleep on.
    pub(crate) struct Futex(AtomicU32);

    impl Futex {
        pub(crate) fn new(value: u32) -> Self {
            Self(AtomicU32::new(value))
        }

        pub(crate) fn wait(&self, expected: u32) {
            futex_wait(&self.0, expected);
        }

        pub(crate) fn nap(&self, expected: u32, longest: Duration) {
            let _ = futex_wait_timeout(&self.0, expected, longest);
        }

        pub(crate) fn wake_one(&self) {
            futex_wake_one(&self.0);
        }

        pub(crate) fn wake_all(&self) {
            futex_wake_all(&self.0);
        }
    }

    impl Deref for Futex {
        type Target = AtomicU32;
        fn deref(&self) -> &AtomicU32 {
            &self.0
        }
    }

    /// A cell with loom's interface.
    pub(crate) struct UnsafeCell<T>(core::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) fn new(value: T) -> Self {
            Self(core::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}

#[cfg(loom)]
mod model {
    use core::ops::Deref;
    use core::time::Duration;

    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Condvar, Mutex};

    /// What a futex promises, and no more: comparing and falling asleep are one step to whoever wakes.
    pub(crate) struct Futex {
        word: AtomicU32,
        queue: Mutex<()>,
        sleepers: Condvar,
    }

    impl Futex {
        pub(crate) fn new(value: u32) -> Self {
            Self { word: AtomicU32::new(value), queue: Mutex::new(()), sleepers: Condvar::new() }
        }

        pub(crate) fn wait(&self, expected: u32) {
            let queue = self.queue.lock().unwrap();
            if self.word.load(Ordering::Relaxed) == expected {
                drop(self.sleepers.wait(queue).unwrap());
            }
        }

        /// A nap ends by itself.
        pub(crate) fn nap(&self, _: u32, _: Duration) {
            loom::thread::yield_now();
        }

        pub(crate) fn wake_one(&self) {
            drop(self.queue.lock().unwrap());
            self.sleepers.notify_one();
        }

        pub(crate) fn wake_all(&self) {
            drop(self.queue.lock().unwrap());
            self.sleepers.notify_all();
        }
    }

    impl Deref for Futex {
        type Target = AtomicU32;
        fn deref(&self) -> &AtomicU32 {
            &self.word
        }
    }
}
