//! Printing a tensor asks the allocator for nothing: it works when memory is gone.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::fmt::Write;
use std::alloc::System;

use fucina_core::dtype::Element;
use fucina_core::{ExecContext, Tensor};

struct Counting;

std::thread_local! {
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: forwards to the system's allocator; the count touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTS.with(|n| n.set(n.get() + 1));
        // SAFETY: the caller's promise about `layout`, passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise: `ptr` came from `alloc` with this layout, so from the system's.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts characters.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

fn requests_of_printing<T: Element>(ctx: &ExecContext, dims: &[usize], values: &[T]) -> usize {
    let x = Tensor::from_slice(ctx, dims, values).unwrap();
    let (before, mut length) = (REQUESTS.with(Cell::get), Length(0));
    write!(length, "{x} {x:?} {x:.3}").unwrap();
    let requests = REQUESTS.with(Cell::get) - before;
    assert!(length.0 > 3 * values.len().min(100));
    requests
}

#[test]
fn printing_allocates_nothing() {
    let ctx = ExecContext::new();
    let before = REQUESTS.with(Cell::get);
    let ramp: Vec<f32> = (0..2000).map(|i| i as f32 / 7.0).collect();
    assert!(REQUESTS.with(Cell::get) > before, "requests are counted");
    assert_eq!(requests_of_printing(&ctx, &[40, 50], &ramp), 0);
    assert_eq!(requests_of_printing(&ctx, &[10, 10], &ramp[..100]), 0);
    assert_eq!(requests_of_printing(&ctx, &[3], &[1e-300, f64::NAN, 1e300]), 0);
    assert_eq!(requests_of_printing(&ctx, &[2], &[i64::MIN, 7]), 0);
    assert_eq!(requests_of_printing(&ctx, &[2], &[half::f16::ONE, half::f16::MAX]), 0);
}
