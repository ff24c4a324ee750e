//! Counts from Linux's `/sys`.
//!
//! A core is named by the lowest CPU among its siblings, so that any two of its hardware threads
//! agree on it and those outside of the affinity mask do not count. Which cores are the fast ones
//! is asked of the performance cores' event unit (hybrid Intel), then of the scheduler's capacities
//! (ARM and newer Intel). Capacities differ a little between cores of one design, by their clock,
//! and a phone has a single fastest one beside near equals: a core counts as fast from three
//! quarters of the best capacity, where enlisting it slows a barrier by a third at most.
#![forbid(unsafe_code)]

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use super::{Count, Source, Topology};
use crate::text::signed;
use crate::{CpuSet, Fs, cgroup};

/// Package, die and core number, or the lowest sibling alone.
type CoreName = [i64; 3];

impl Topology {
    /// Reads the counts of the Linux machine under `fs`, for a thread that may run on `affinity`.
    ///
    /// Without an affinity all online CPUs count; CPUs that are offline never do.
    pub fn from_tree(fs: &Fs, affinity: Option<&CpuSet>) -> Topology {
        let quota = cgroup::quota(fs);
        let Some((usable, source)) = usable_cpus(fs, affinity) else {
            let logical = Count { count: 1, source: Source::Assumed };
            return Topology { quota, ..Topology::of_logical(logical) };
        };
        let cores = cores(fs, &usable);
        let performance = performance(fs, &usable, cores.as_ref().map(|(names, _)| names));
        let distinct = |names: &[CoreName]| names.iter().collect::<BTreeSet<_>>().len();
        Topology {
            logical: Count { count: usable.len(), source },
            physical: cores.map(|(names, source)| Count { count: distinct(&names), source }),
            performance,
            quota,
        }
    }
}

fn usable_cpus(fs: &Fs, affinity: Option<&CpuSet>) -> Option<(CpuSet, Source)> {
    let online = list(fs, "/sys/devices/system/cpu/online").filter(|set| !set.is_empty());
    let affinity = affinity.filter(|set| !set.is_empty());
    match (affinity, online) {
        (Some(affinity), Some(online)) => {
            let both = affinity.intersection(&online);
            // A mask of offline CPUs alone contradicts itself; the kernel's word for it is the mask.
            let usable = if both.is_empty() { affinity.clone() } else { both };
            Some((usable, Source::Affinity))
        }
        (Some(affinity), None) => Some((affinity.clone(), Source::Affinity)),
        (None, Some(online)) => Some((online, Source::Online)),
        (None, None) => None,
    }
}

/// The core of each usable CPU, in the set's order; [`None`] unless each has one.
fn cores(fs: &Fs, usable: &CpuSet) -> Option<(Vec<CoreName>, Source)> {
    let all = |name_of: fn(&Fs, usize) -> Option<CoreName>| {
        usable.iter().map(|cpu| name_of(fs, cpu)).collect::<Option<Vec<_>>>()
    };
    let by_siblings = all(core_by_siblings).map(|names| (names, Source::Siblings));
    by_siblings.or_else(|| all(core_by_ids).map(|names| (names, Source::CoreIds)))
}

fn core_by_siblings(fs: &Fs, cpu: usize) -> Option<CoreName> {
    // The newer name first; the older one has been deprecated since Linux 5.3.
    let siblings = ["core_cpus_list", "thread_siblings_list"].iter().find_map(|name| {
        let siblings = list(fs, &format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}"))?;
        siblings.contains(cpu).then_some(siblings)
    })?;
    let lowest = siblings.iter().next()?;
    Some([0, 0, i64::try_from(lowest).ok()?])
}

fn core_by_ids(fs: &Fs, cpu: usize) -> Option<CoreName> {
    let id = |name| signed(&fs.read(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/{name}"))?);
    Some([id("physical_package_id")?, id("die_id").unwrap_or(0), id("core_id")?])
}

/// The faster of the usable cores; [`None`] if unknown or if all usable cores are alike.
fn performance(fs: &Fs, usable: &CpuSet, cores: Option<&Vec<CoreName>>) -> Option<Count> {
    let (fast, source) = by_core_cpus(fs, usable)
        .map(|fast| (fast, Source::CoreCpus))
        .or_else(|| Some((by_capacity(fs, usable)?, Source::CpuCapacity)))?;
    if fast.is_empty() || fast.len() == usable.len() {
        return None;
    }
    let count = match cores {
        Some(names) => {
            let of_fast = usable.iter().zip(names).filter(|(cpu, _)| fast.contains(*cpu));
            of_fast.map(|(_, name)| name).collect::<BTreeSet<_>>().len()
        }
        None => fast.len(),
    };
    Some(Count { count, source })
}

fn by_core_cpus(fs: &Fs, usable: &CpuSet) -> Option<CpuSet> {
    Some(usable.intersection(&list(fs, "/sys/devices/cpu_core/cpus")?))
}

fn by_capacity(fs: &Fs, usable: &CpuSet) -> Option<CpuSet> {
    let capacity = |cpu| {
        let text = fs.read(&format!("/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"))?;
        signed(&text).filter(|&capacity| capacity > 0)
    };
    let capacities: Vec<i64> = usable.iter().map(capacity).collect::<Option<_>>()?;
    let best = *capacities.iter().max()?;
    let is_fast = |capacity: i64| capacity >= best - best / 4;
    let fast = usable.iter().zip(&capacities).filter(|&(_, &capacity)| is_fast(capacity));
    Some(fast.map(|(cpu, _)| cpu).collect())
}

fn list(fs: &Fs, path: &str) -> Option<CpuSet> {
    CpuSet::parse_list(&fs.read(path)?)
}
