//! How many threads this process can use, and how that is known.
//!
//! Four counts bound a team: CPUs in the affinity mask, cores behind them (two hardware threads of
//! a core share its arithmetic units), the performance cores among those (a fork-join barrier waits
//! for the slowest, so one slow core makes all slow), and the run-time quota. Each count carries the
//! source it came from; one that no source gives is [`None`] and bounds nothing.
#![forbid(unsafe_code)]

mod sysctl;
mod tree;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

pub use sysctl::Sysctl;

use crate::cgroup::Quota;
use crate::sys;

/// The counts of a machine, as one process may use it.
///
/// # Examples
/// ```
/// use fucina_platform::{Count, Source, Topology};
///
/// let eight = Topology::of_logical(Count { count: 8, source: Source::Affinity });
/// assert_eq!(eight.default_width(), 8);
/// assert_eq!(eight.schedulable(), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// CPUs the process may run on, every hardware thread counted; at least 1.
    pub logical: Count,
    /// Cores behind those CPUs, their hardware threads counted once.
    pub physical: Option<Count>,
    /// The faster cores among them; [`None`] if unknown or if all are alike.
    pub performance: Option<Count>,
    /// The tightest run-time quota; [`None`] if there is none.
    pub quota: Option<Quota>,
}

/// A number and where it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number; at least 1.
    pub count: usize,
    /// Where it came from.
    pub source: Source,
}

/// Where a [`Count`] came from; its `Display` is the words of [`Topology::report`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The calling thread's affinity mask.
    Affinity,
    /// The machine's list of online CPUs.
    Online,
    /// Linux: the sibling list of each CPU.
    Siblings,
    /// Linux: the core, die and package numbers of each CPU.
    CoreIds,
    /// Linux: the scheduler's capacity of each CPU.
    CpuCapacity,
    /// Linux on hybrid Intel: the CPUs of the performance cores' own event unit.
    CoreCpus,
    /// Apple: the system table's entry of this name.
    Sysctl(&'static str),
    /// Windows: the function of this name.
    Windows(&'static str),
    /// The standard library.
    Std,
    /// Nothing could be asked.
    Assumed,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Affinity => "affinity mask",
            Source::Online => "/sys/devices/system/cpu/online",
            Source::Siblings => "sysfs sibling lists",
            Source::CoreIds => "sysfs core numbers",
            Source::CpuCapacity => "sysfs cpu_capacity",
            Source::CoreCpus => "/sys/devices/cpu_core/cpus",
            Source::Sysctl(name) | Source::Windows(name) => name,
            Source::Std => "std::thread::available_parallelism",
            Source::Assumed => "assumed",
        })
    }
}

impl Topology {
    /// Asks the running machine, anew at each call; the affinity is the calling thread's.
    pub fn host() -> Topology {
        sys::topology()
    }

    /// A machine of which only the number of CPUs is known.
    pub const fn of_logical(logical: Count) -> Topology {
        Topology { logical, physical: None, performance: None, quota: None }
    }

    /// The threads a team should have when nobody said otherwise; at least 1.
    ///
    /// The smaller of the quota and the performance cores; where those are not known, the cores;
    /// where those are not known either, the CPUs.
    pub fn default_width(&self) -> usize {
        let cores = self.performance.or(self.physical).unwrap_or(self.logical);
        let width = cores.count.min(self.logical.count);
        self.quota.as_ref().map_or(width, |quota| width.min(quota.cpus)).max(1)
    }

    /// The threads that can run at a time without sharing a core: the smaller of the cores and the
    /// quota, [`None`] if neither is known.
    ///
    /// A team above it is oversubscribed. Slower cores count, for a thread on one does not take
    /// another's.
    pub fn schedulable(&self) -> Option<usize> {
        let quota = self.quota.as_ref().map(|quota| quota.cpus);
        self.physical.map(|cores| cores.count).into_iter().chain(quota).min()
    }

    /// Says in words how the default width came about, and what else is known.
    ///
    /// # Examples
    /// ```
    /// use fucina_platform::{Count, Source, Topology};
    ///
    /// let one = Topology::of_logical(Count { count: 1, source: Source::Assumed });
    /// assert!(one.report().starts_with("default width 1: a thread for each CPU (assumed)."));
    /// ```
    pub fn report(&self) -> String {
        let seen = |name: &str, count: Option<Count>| match count {
            Some(Count { count, source }) => format!("\n  {name}: {count} ({source})"),
            None => format!("\n  {name}: unknown"),
        };
        let performance = match self.performance {
            None => "\n  performance cores: not told apart".to_string(),
            known => seen("performance cores", known),
        };
        let quota = match &self.quota {
            Some(Quota { cpus, version, file }) => {
                format!("\n  run-time quota in CPUs: {cpus} ({version}, {file})")
            }
            None => "\n  run-time quota in CPUs: none".to_string(),
        };
        [
            format!("default width {}: {}.", self.default_width(), self.reason()),
            seen("CPUs", Some(self.logical)),
            seen("cores, hardware threads once", self.physical),
            performance,
            quota,
        ]
        .concat()
    }

    /// The bound that decides [`Topology::default_width`].
    fn reason(&self) -> String {
        let (name, cores) = match (self.performance, self.physical) {
            (Some(cores), _) => ("performance core", cores),
            (None, Some(cores)) => ("core", cores),
            (None, None) => ("CPU", self.logical),
        };
        match &self.quota {
            Some(quota) if quota.cpus < cores.count.min(self.logical.count) => format!(
                "the run-time quota in {} allows no more of the {} {name}s",
                quota.file, cores.count
            ),
            _ if cores.count > self.logical.count => {
                format!("a thread for each CPU ({})", self.logical.source)
            }
            _ => format!("a thread for each {name} ({})", cores.source),
        }
    }
}

/// [`Topology::default_width`] as a function.
pub fn default_width(topology: &Topology) -> usize {
    topology.default_width()
}

/// [`Topology::schedulable`] as a function.
pub fn schedulable(topology: &Topology) -> Option<usize> {
    topology.schedulable()
}

#[cfg(test)]
mod tests;
