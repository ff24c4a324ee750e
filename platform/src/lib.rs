//! What the operating system knows: futex, CPU topology, quotas, environment, clock.
//!
//! The layer holds facts and system calls, no policy: the worker team above it decides what to do
//! with them. Three rules keep it testable:
//!
//! - One file, `sys`, names operating systems. Each of its arms offers the same few functions, and
//!   the arm that needs only `std` also runs in the tests of every other host.
//! - Readers of `/sys` and `/proc` take a root ([`Fs`]) and a CPU set, so that a directory stands
//!   in for a machine; the Apple reader takes a table ([`Sysctl`]).
//! - A file that is missing or malformed means "unknown" ([`None`]), never a panic and never a
//!   guess; [`Topology::default_width`] says what follows from the facts that are left.
//!
//! Nothing is cached: each probe looks again. The host arm for Linux needs `libc` and `alloc`
//! alone; targets without an operating system get one CPU, no environment and a clock at zero.
//!
//! # Examples
//! ```
//! let topology = fucina_platform::Topology::host();
//! assert!(topology.default_width() >= 1);
//! assert!(topology.default_width() <= topology.logical.count);
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod cgroup;
mod cpu_set;
pub mod env;
mod fs;
mod futex;
mod process;
mod sys;
mod text;
mod topology;

pub use cpu_set::{CpuSet, MAX_CPUS};
pub use env::{env_positive_usize, env_spin_budget, env_value};
pub use fs::{Fs, MAX_FILE_BYTES};
pub use futex::{Waited, futex_wait, futex_wait_timeout, futex_wake_all, futex_wake_one};
pub use process::{fork_generation, monotonic_ns, prefer_performance_cores, process_id};
pub use topology::{Count, Source, Sysctl, Topology, default_width, schedulable};
