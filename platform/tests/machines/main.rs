//! Machines that are not here: trees of `/sys` and `/proc` as real ones have them, and what must
//! be read from each.

mod containers;
mod cores;
mod malformed;
mod tree;

use fucina_platform::Topology;

/// Logical, physical, performance cores, quota and default width.
type Counts = (usize, Option<usize>, Option<usize>, Option<usize>, usize);

fn counts(topology: &Topology) -> Counts {
    (
        topology.logical.count,
        topology.physical.map(|cores| cores.count),
        topology.performance.map(|cores| cores.count),
        topology.quota.as_ref().map(|quota| quota.cpus),
        topology.default_width(),
    )
}
