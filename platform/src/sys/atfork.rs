//! Counting forks: the C library calls a handler in each child, which adds one.
//!
//! Asking for the process number instead would cost a system call a question, and a child of a
//! child can have its grandparent's number again.

use core::sync::atomic::{AtomicU32, AtomicU8, Ordering};

/// No handler yet; a handler counts; registering failed, the process number has to do.
const UNSET: u8 = 0;
const COUNTING: u8 = 1;
const BY_NUMBER: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(UNSET);
static FORKS: AtomicU32 = AtomicU32::new(0);

extern "C" fn in_child() {
    // ORDERING: Relaxed; the child has one thread, and later ones are created after this.
    FORKS.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn fork_generation() -> u32 {
    // ORDERING: Relaxed here and below; each value stands alone and publishes nothing. A fork
    // copies both words, and a thread's own fork is ordered with its own loads.
    let state = match STATE.load(Ordering::Relaxed) {
        UNSET => register(),
        state => state,
    };
    if state == COUNTING { FORKS.load(Ordering::Relaxed) } else { super::process_id() }
}

/// Registers before it says so; threads that race here register twice, and a child then adds two.
#[cold]
fn register() -> u8 {
    // SAFETY: `in_child` is a function of this program, and only changes an atomic.
    let error = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    let state = if error == 0 { COUNTING } else { BY_NUMBER };
    // The first to finish decides for all, so that the answers compare.
    match STATE.compare_exchange(UNSET, state, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => state,
        Err(decided) => decided,
    }
}
