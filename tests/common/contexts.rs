//! The backends of this CPU, for tests of values.

use fucina::ExecContext;
use fucina::backend::{SCALAR, SCALAR_UNFUSED};

/// The best backend, and both scalar ones.
pub(crate) fn contexts() -> Vec<ExecContext> {
    vec![
        fucina::context(),
        ExecContext::builder().backend(&SCALAR).build(),
        ExecContext::builder().backend(&SCALAR_UNFUSED).build(),
    ]
}
