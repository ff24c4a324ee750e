//! The backends of this CPU, and a team, for tests of values.

use fucina::ExecContext;
use fucina::backend::{SCALAR, SCALAR_UNFUSED};

/// The best backend, alone and with a team, and both scalar ones.
pub(crate) fn contexts() -> Vec<ExecContext> {
    vec![
        fucina::context(),
        fucina::context_with_threads(3),
        ExecContext::builder().backend(&SCALAR).build(),
        ExecContext::builder().backend(&SCALAR_UNFUSED).build(),
    ]
}
