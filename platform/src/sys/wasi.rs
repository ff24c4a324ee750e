//! WASI without threads: `std` has a clock, an environment and files, but one thread.
#![forbid(unsafe_code)]

use crate::{Count, Source, Topology};

pub(crate) use super::hosted::{env_value, monotonic_ns, read_file};
pub(crate) use super::lone::{futex_wait, futex_wake};

pub(crate) fn process_id() -> u32 {
    0
}

pub(crate) fn fork_generation() -> u32 {
    0
}

pub(crate) fn prefer_performance_cores() -> bool {
    false
}

pub(crate) fn topology() -> Topology {
    Topology::of_logical(Count { count: 1, source: Source::Assumed })
}
