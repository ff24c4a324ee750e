//! A fixed program has its golden digest on every backend of the host and with any number of threads.

#[path = "../backends/parity/golden.rs"]
mod golden;

use fucina::ExecContext;
use fucina::backend::{SCALAR, SCALAR_UNFUSED};

#[test]
fn fifty_training_steps_have_the_golden_digest() -> fucina::Result<()> {
    let best = fucina::context();
    let want = golden::digest(best.backend().fused());
    for threads in [1, 2, 5] {
        let digest = golden::training(&fucina::context_with_threads(threads))?;
        assert_eq!(digest, want, "{digest:#018x}, {threads} threads");
    }
    let one_lane = golden::training(&ExecContext::builder().backend(&SCALAR).build())?;
    assert_eq!(one_lane, golden::digest(true), "{one_lane:#018x}");
    let unfused = golden::training(&ExecContext::builder().backend(&SCALAR_UNFUSED).build())?;
    assert_eq!(unfused, golden::digest(false), "{unfused:#018x}");
    Ok(())
}

#[test]
fn the_page_names_the_digests() {
    let page = include_str!("../docs/determinism.md");
    for digest in [true, false].map(golden::digest) {
        assert!(page.contains(&format!("`{digest:#018x}`")), "{digest:#018x}");
    }
}
