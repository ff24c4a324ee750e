//! The backends of this CPU, and a team, for tests of values.

use fucina::ExecContext;

/// Every backend of this CPU, and the best with a team.
pub(crate) fn contexts() -> Vec<ExecContext> {
    let alone = fucina::backends().map(|backend| ExecContext::builder().backend(backend).build());
    alone.chain([fucina::context_with_threads(3)]).collect()
}
