//! C functions that leave a changed floating-point mode behind, as a BLAS or a driver might.
//!
//! The build script compiles them for x86-64 and aarch64; elsewhere there is nothing to link a call with.
#![no_std]

use core::ffi::c_void;

unsafe extern "C" {
    fn foreign_leave_flush_to_zero();
    fn foreign_leave_rounding_upward() -> i32;
    fn foreign_sum_of_squares(x: *const f32, n: usize) -> f32;
    fn foreign_call_back_in_flush_mode(callback: extern "C" fn(*mut c_void), data: *mut c_void);
}

/// Returns with flush-to-zero on.
///
/// # Safety
/// - No Rust code of this thread does float arithmetic until the default mode is back.
pub unsafe fn leave_flush_to_zero() {
    // SAFETY: writes the control register; the caller answers for what follows.
    unsafe { foreign_leave_flush_to_zero() }
}

/// Returns with upward rounding on, and whether it is.
///
/// # Safety
/// - No Rust code of this thread does float arithmetic until the default mode is back.
pub unsafe fn leave_rounding_upward() -> bool {
    // SAFETY: writes the control registers; the caller answers for what follows.
    unsafe { foreign_leave_rounding_upward() == 0 }
}

/// The sum of the squares, in the mode that holds.
#[must_use]
pub fn sum_of_squares(x: &[f32]) -> f32 {
    // SAFETY: reads `x.len()` elements of `x` and leaves the mode alone.
    unsafe { foreign_sum_of_squares(x.as_ptr(), x.len()) }
}

/// Calls `work` with flush-to-zero on, and leaves it on.
///
/// # Safety
/// - `work` restores the default mode before it does float arithmetic, and does not panic.
/// - No Rust code of this thread does float arithmetic afterwards, until the default mode is back.
pub unsafe fn call_back_in_flush_mode<W: FnMut()>(mut work: W) {
    extern "C" fn call<W: FnMut()>(data: *mut c_void) {
        // SAFETY: `data` is the `work` below, which outlives the call and is lent to it alone.
        let work = unsafe { &mut *data.cast::<W>() };
        work();
    }
    let data = (&raw mut work).cast();
    // SAFETY: calls `call` once, with `data`; the caller answers for what `work` does and what follows.
    unsafe { foreign_call_back_in_flush_mode(call::<W>, data) }
}
