//! Every line of `docs/edge-values.md`, on every backend this CPU offers and on a team.

#[path = "common/contexts.rs"]
mod contexts;
#[path = "../backends/parity/edge_values.rs"]
mod edge_values;
