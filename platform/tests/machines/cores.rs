//! Cores, their hardware threads and their kinds.

use core::ffi::CStr;

use fucina_platform::{Source, Sysctl, Topology};

use crate::counts;
use crate::tree::Tree;

/// Siblings are neighbours: 0-1, 2-3, ...
fn pairs(cpu: usize) -> String {
    format!("{}-{}", cpu & !1, cpu | 1)
}

/// Siblings lie `half` apart: 0 and half, 1 and half + 1, ...
fn halves(half: usize) -> impl Fn(usize) -> String {
    move |cpu| format!("{},{}", cpu % half, cpu % half + half)
}

/// 8 performance cores of two hardware threads (CPUs 0-15), 16 efficiency cores (16-31).
fn i9_13950hx() -> Tree {
    Tree::online("0-31")
        .cores("0-15", pairs)
        .single_cores("16-31")
        .file("/sys/devices/cpu_core/cpus", "0-15")
        .file("/sys/devices/cpu_atom/cpus", "16-31")
}

#[test]
fn hybrid_intel_uses_its_performance_cores() {
    let machine = i9_13950hx();
    let all = machine.seen_from("0-31");
    assert_eq!(counts(&all), (32, Some(24), Some(8), None, 8));
    assert_eq!(all.logical.source, Source::Affinity);
    assert_eq!(all.physical.unwrap().source, Source::Siblings);
    assert_eq!(all.performance.unwrap().source, Source::CoreCpus);
    assert_eq!(all.schedulable(), Some(24));
    assert_eq!(
        all.report().lines().next(),
        Some("default width 8: a thread for each performance core (/sys/devices/cpu_core/cpus).")
    );
}

#[test]
fn the_affinity_mask_narrows_every_count() {
    let machine = i9_13950hx();
    for (affinity, expected) in [
        ("0-7,16-19", (12, Some(8), Some(4), None, 4)),
        // One thread of each performance core.
        ("0,2,4,6,8,10,12,14,16", (9, Some(9), Some(8), None, 8)),
        // The second thread only: its core still counts once.
        ("1,3,16-17", (4, Some(4), Some(2), None, 2)),
        // One kind alone is not hybrid.
        ("0-15", (16, Some(8), None, None, 8)),
        ("16-31", (16, Some(16), None, None, 16)),
        ("5", (1, Some(1), None, None, 1)),
    ] {
        assert_eq!(counts(&machine.seen_from(affinity)), expected, "{affinity}");
    }
}

#[test]
fn capacities_tell_cores_apart_without_the_event_unit() {
    let machine = Tree::online("0-31")
        .cores("0-15", pairs)
        .single_cores("16-31")
        .capacity("0-15", "1024")
        .capacity("16-31", "623");
    let seen = machine.seen_from("0-31");
    assert_eq!(counts(&seen), (32, Some(24), Some(8), None, 8));
    assert_eq!(seen.performance.unwrap().source, Source::CpuCapacity);
}

#[test]
fn hybrid_cores_neither_too_few_nor_too_many() {
    let eight_and_twelve =
        Tree::online("0-19").single_cores("0-19").capacity("0-7", "1024").capacity("8-19", "512");
    let rk3588 = Tree::online("0-7")
        .single_cores("0-7")
        .capacity("0-3", "414")
        .capacity("4-5", "1024")
        .capacity("6-7", "1008");
    let uniform = Tree::online("0-15").cores("0-15", pairs).capacity("0-15", "1024");
    for (machine, affinity, width) in
        [(eight_and_twelve, "0-19", 8), (rk3588, "0-7", 4), (uniform, "0-15", 8)]
    {
        assert_eq!(machine.seen_from(affinity).default_width(), width);
    }
}

#[test]
fn a_phone_counts_its_big_cores_with_the_biggest() {
    let phone = Tree::online("0-7")
        .single_cores("0-7")
        .capacity("0-3", "275")
        .capacity("4-6", "802")
        .capacity("7", "1024");
    assert_eq!(counts(&phone.seen_from("0-7")), (8, Some(8), Some(4), None, 4));
    // A background group: little cores alone, all alike.
    assert_eq!(counts(&phone.seen_from("0-3")), (4, Some(4), None, None, 4));
}

#[test]
fn a_dual_socket_server_counts_cores_over_both() {
    // Two EPYC 7763: 128 cores, the second threads from 128 on.
    let machine = Tree::online("0-255").cores("0-255", halves(128));
    assert_eq!(counts(&machine.seen_from("0-255")), (256, Some(128), None, None, 128));
    assert_eq!(counts(&machine.seen_from("0-63,128-191")), (128, Some(64), None, None, 64));
    assert_eq!(counts(&machine.seen_from("0-63")), (64, Some(64), None, None, 64));
    assert_eq!(counts(&machine.seen_from("100-140")), (41, Some(41), None, None, 41));
    assert_eq!(counts(&machine.seen_from("10,138")), (2, Some(1), None, None, 1));
}

#[test]
fn sockets_with_the_same_core_numbers_stay_apart() {
    // No sibling lists: package and core numbers, die numbers where the kernel has them.
    let by_ids = |with_die: bool| {
        (0..16).fold(Tree::online("0-15"), |tree, cpu| {
            let dir = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            let tree = tree
                .file(&format!("{dir}/physical_package_id"), &(cpu / 8).to_string())
                .file(&format!("{dir}/core_id"), &(cpu % 2).to_string());
            if with_die {
                tree.file(&format!("{dir}/die_id"), &(cpu / 4 % 2).to_string())
            } else {
                tree
            }
        })
    };
    let seen = by_ids(false).seen_from("0-15");
    assert_eq!(counts(&seen), (16, Some(4), None, None, 4));
    assert_eq!(seen.physical.unwrap().source, Source::CoreIds);
    assert_eq!(counts(&by_ids(true).seen_from("0-15")), (16, Some(8), None, None, 8));
}

#[test]
fn older_kernels_have_the_older_list_alone() {
    let machine = (0..4).fold(Tree::online("0-3"), |tree, cpu: usize| {
        tree.file(
            &format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"),
            &pairs(cpu),
        )
    });
    assert_eq!(counts(&machine.seen_from("0-3")), (4, Some(2), None, None, 2));
}

#[test]
fn cores_offline_do_not_count() {
    // CPUs 2, 3 and 7 are offline and have no topology; the mask still has them.
    let machine = Tree::online("0-1,4-6").cores("0-1,4-5", pairs).single_cores("6");
    assert_eq!(counts(&machine.seen_from("0-7")), (5, Some(3), None, None, 3));
    assert_eq!(counts(&machine.seen_from("2-4")), (1, Some(1), None, None, 1));
}

#[test]
fn without_a_mask_the_online_cpus_count() {
    let machine = Tree::online("0-3").cores("0-3", pairs);
    let seen = Topology::from_tree(&machine.fs(), None);
    assert_eq!(counts(&seen), (4, Some(2), None, None, 2));
    assert_eq!(seen.logical.source, Source::Online);
}

struct Table(&'static [(&'static str, u64)]);

impl Sysctl for Table {
    fn read(&self, name: &CStr) -> Option<u64> {
        self.0.iter().find(|(key, _)| Ok(*key) == name.to_str()).map(|&(_, value)| value)
    }
}

#[test]
fn apple_systems_use_their_performance_cores() {
    for (name, table, expected) in [
        (
            "M1",
            &[
                ("hw.logicalcpu", 8),
                ("hw.physicalcpu", 8),
                ("hw.perflevel0.physicalcpu", 4),
                ("hw.perflevel1.physicalcpu", 4),
            ][..],
            (8, Some(8), Some(4), None, 4),
        ),
        (
            "M1 Max",
            &[("hw.logicalcpu", 10), ("hw.physicalcpu", 10), ("hw.perflevel0.physicalcpu", 8)],
            (10, Some(10), Some(8), None, 8),
        ),
        (
            "Intel, one level",
            &[("hw.logicalcpu", 16), ("hw.physicalcpu", 8), ("hw.perflevel0.physicalcpu", 8)],
            (16, Some(8), None, None, 8),
        ),
        (
            "Intel, no levels",
            &[("hw.logicalcpu", 4), ("hw.physicalcpu", 2)],
            (4, Some(2), None, None, 2),
        ),
        ("cores alone", &[("hw.physicalcpu", 6)], (6, Some(6), None, None, 6)),
        ("nothing", &[], (1, None, None, None, 1)),
        ("zeros", &[("hw.logicalcpu", 0), ("hw.physicalcpu", 0)], (1, None, None, None, 1)),
        (
            "more cores than CPUs",
            &[("hw.logicalcpu", 2), ("hw.physicalcpu", 9)],
            (2, None, None, None, 2),
        ),
    ] {
        assert_eq!(counts(&Topology::from_sysctl(&Table(table))), expected, "{name}");
    }
    let m1 = Table(&[("hw.logicalcpu", 8), ("hw.perflevel0.physicalcpu", 4)]);
    let m1 = Topology::from_sysctl(&m1);
    assert_eq!(m1.performance.unwrap().source, Source::Sysctl("hw.perflevel0.physicalcpu"));
    assert_eq!(
        m1.report().lines().next(),
        Some("default width 4: a thread for each performance core (hw.perflevel0.physicalcpu).")
    );
}
