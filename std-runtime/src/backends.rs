//! Which backend a host's context runs on.

use crate::knobs;
use fucina_core::backend::{BackendRef, SCALAR, SCALAR_UNFUSED};

/// Every backend of this CPU, the widest first; the scalar ones, which all have, last.
pub fn backends() -> impl Iterator<Item = BackendRef> {
    let scalar: [Option<BackendRef>; 2] = [Some(&SCALAR), Some(&SCALAR_UNFUSED)];
    [avx512(), avx2(), neon(), simd128()].into_iter().chain(scalar).flatten()
}

/// The backend that `FUCINA_BACKEND` names, else the widest of this CPU.
#[must_use]
pub fn best_backend() -> BackendRef {
    knobs::backend().or_else(|| backends().next()).unwrap_or(&SCALAR)
}

/// The backend of a name (`scalar`, `scalar-unfused`, `avx512`, `avx2`, `neon`, `simd128`), if this CPU has it.
#[must_use]
pub fn named_backend(name: &str) -> Option<BackendRef> {
    backends().find(|backend| backend.name() == name)
}

fn avx512() -> Option<BackendRef> {
    fucina_avx512::detect().map(|backend| backend as BackendRef)
}

fn avx2() -> Option<BackendRef> {
    fucina_avx2::detect().map(|backend| backend as BackendRef)
}

fn neon() -> Option<BackendRef> {
    fucina_neon::detect().map(|backend| backend as BackendRef)
}

fn simd128() -> Option<BackendRef> {
    fucina_simd128::detect().map(|backend| backend as BackendRef)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_found_by_its_own_name() {
        for backend in [best_backend(), &SCALAR, &SCALAR_UNFUSED] {
            assert_eq!(named_backend(backend.name()).map(|b| b.name()), Some(backend.name()));
        }
        assert!(named_backend("avx-of-tomorrow").is_none());
    }
}
