//! The policy over the counts; the readers are tested in `tests/machines`.

use alloc::string::String;

use super::*;
use crate::cgroup::Version;

fn count(count: usize) -> Count {
    Count { count, source: Source::Siblings }
}

fn machine(
    logical: usize,
    physical: Option<usize>,
    performance: Option<usize>,
    quota: Option<usize>,
) -> Topology {
    Topology {
        logical: Count { count: logical, source: Source::Affinity },
        physical: physical.map(count),
        performance: performance.map(count),
        quota: quota.map(|cpus| Quota {
            cpus,
            version: Version::V2,
            file: String::from("/sys/fs/cgroup/cpu.max"),
        }),
    }
}

#[test]
fn schedulable_is_the_smaller_of_cores_and_quota() {
    for (physical, quota, expected) in [
        (Some(8), Some(2), Some(2)),
        (Some(2), Some(8), Some(2)),
        (Some(8), None, Some(8)),
        (None, Some(3), Some(3)),
        (None, None, None),
    ] {
        let machine = machine(16, physical, None, quota);
        assert_eq!(schedulable(&machine), expected, "{physical:?} {quota:?}");
    }
    assert_eq!(machine(32, Some(24), Some(8), None).schedulable(), Some(24), "slow cores count");
}

#[test]
fn the_default_width_is_the_tightest_bound_known() {
    for (machine, expected) in [
        (machine(32, Some(24), Some(8), None), 8),
        (machine(32, Some(24), Some(8), Some(3)), 3),
        (machine(32, Some(24), Some(8), Some(16)), 8),
        (machine(16, Some(8), None, None), 8),
        (machine(16, None, None, None), 16),
        (machine(16, None, None, Some(5)), 5),
        (machine(4, Some(9), None, None), 4),
    ] {
        assert_eq!(default_width(&machine), expected, "{machine:?}");
    }
    let mut none = machine(0, None, None, None);
    assert_eq!(none.default_width(), 1, "never below 1, even of made-up counts");
    none.performance = Some(count(0));
    assert_eq!(none.default_width(), 1);
}

#[test]
fn the_report_names_the_bound_that_decided() {
    for (machine, opening) in [
        (
            machine(32, Some(24), Some(8), None),
            "default width 8: a thread for each performance core (sysfs sibling lists).",
        ),
        (machine(16, Some(8), None, None), "default width 8: a thread for each core ("),
        (machine(16, None, None, None), "default width 16: a thread for each CPU (affinity mask)."),
        (
            machine(4, Some(9), None, None),
            "default width 4: a thread for each CPU (affinity mask).",
        ),
        (
            machine(64, Some(64), None, Some(2)),
            "default width 2: the run-time quota in /sys/fs/cgroup/cpu.max allows no more of the 64 \
             cores.",
        ),
        (machine(64, Some(64), None, Some(64)), "default width 64: a thread for each core ("),
    ] {
        let report = machine.report();
        assert!(report.starts_with(opening), "{report}");
    }
}

#[test]
fn the_report_lists_all_that_is_known() {
    assert_eq!(
        machine(64, Some(32), None, Some(2)).report(),
        "default width 2: the run-time quota in /sys/fs/cgroup/cpu.max allows no more of the 32 \
         cores.\n  CPUs: 64 (affinity mask)\n  cores, hardware threads once: 32 (sysfs sibling \
         lists)\n  performance cores: not told apart\n  run-time quota in CPUs: 2 (cgroup v2, \
         /sys/fs/cgroup/cpu.max)"
    );
    assert_eq!(
        machine(8, None, Some(4), None).report(),
        "default width 4: a thread for each performance core (sysfs sibling lists).\n  CPUs: 8 \
         (affinity mask)\n  cores, hardware threads once: unknown\n  performance cores: 4 (sysfs \
         sibling lists)\n  run-time quota in CPUs: none"
    );
}

#[test]
fn the_host_is_known_well_enough() {
    let host = Topology::host();
    assert!(host.logical.count >= 1);
    for cores in host.physical.into_iter().chain(host.performance) {
        assert!((1..=host.logical.count).contains(&cores.count), "{host:?}");
    }
    assert!((1..=host.logical.count).contains(&host.default_width()), "{host:?}");
    assert_eq!(host, Topology::host());
}
