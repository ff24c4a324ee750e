//! The backends of this CPU, and a team, for tests of values.

use fucina::ExecContext;

/// Every backend of this CPU, and the best with a team.
pub(crate) fn contexts() -> Vec<ExecContext> {
    let names = ["avx512", "avx2", "neon", "simd128", "scalar", "scalar-unfused"];
    let backends = names.into_iter().filter_map(fucina::named_backend);
    let alone = backends.map(|backend| ExecContext::builder().backend(backend).build());
    alone.chain([fucina::context_with_threads(3)]).collect()
}
