//! A target without an operating system: one CPU, no clock, no environment, no files.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ffi::CStr;

use crate::{Count, Source, Topology};

pub(crate) use super::lone::{futex_wait, futex_wake};

pub(crate) fn monotonic_ns() -> u64 {
    0
}

pub(crate) fn process_id() -> u32 {
    0
}

pub(crate) fn fork_generation() -> u32 {
    0
}

pub(crate) fn prefer_performance_cores() -> bool {
    false
}

pub(crate) fn env_value(_name: &CStr) -> Option<Vec<u8>> {
    None
}

pub(crate) fn read_file(_path: &CStr, _take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    false
}

pub(crate) fn topology() -> Topology {
    Topology::of_logical(Count { count: 1, source: Source::Assumed })
}
