//! Control groups on a 64-core server without hardware threads.

use fucina_platform::cgroup::{Quota, Version, quota};

use crate::counts;
use crate::tree::Tree;

const V2_MOUNT: &str = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw";

fn server() -> Tree {
    Tree::online("0-63").single_cores("0-63")
}

/// The server under version 2, the process in `group`.
fn v2(group: &str) -> Tree {
    server()
        .file("/proc/self/cgroup", &format!("0::{group}"))
        .file("/proc/self/mountinfo", V2_MOUNT)
}

/// The server under version 1: the `cpu` hierarchy mounted from `root`, the process in `group`.
fn v1(root: &str, group: &str) -> Tree {
    server()
        .file(
            "/proc/self/cgroup",
            &format!("5:memory:{group}\n4:cpu,cpuacct:{group}\n1:name=systemd:{group}"),
        )
        .file(
            "/proc/self/mountinfo",
            &format!(
                "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                 32 31 0:29 {root} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                 33 31 0:30 {root} /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct"
            ),
        )
}

fn v1_limit(tree: Tree, group: &str, quota_us: &str, period_us: &str) -> Tree {
    let dir = format!("/sys/fs/cgroup/cpu,cpuacct{group}");
    tree.file(&format!("{dir}/cpu.cfs_quota_us"), quota_us)
        .file(&format!("{dir}/cpu.cfs_period_us"), period_us)
}

#[test]
fn a_v2_container_of_two_cpus_has_width_two() {
    // The namespace shows the container's own group as the root.
    let container = v2("/").file("/sys/fs/cgroup/cpu.max", "200000 100000");
    let seen = container.seen_from("0-63");
    assert_eq!(counts(&seen), (64, Some(64), None, Some(2), 2));
    assert_eq!(seen.schedulable(), Some(2));
    assert_eq!(
        seen.report(),
        "default width 2: the run-time quota in /sys/fs/cgroup/cpu.max allows no more of the 64 \
         cores.\n  CPUs: 64 (affinity mask)\n  cores, hardware threads once: 64 (sysfs sibling \
         lists)\n  performance cores: not told apart\n  run-time quota in CPUs: 2 (cgroup v2, \
         /sys/fs/cgroup/cpu.max)"
    );
}

#[test]
fn a_v1_container_of_two_cpus_has_width_two() {
    // Without a namespace the path is the host's and the mount shows its last part.
    for (root, group) in [("/docker/4f1", "/docker/4f1"), ("/", "/")] {
        let container = v1_limit(v1(root, group), "", "200000", "100000");
        assert_eq!(counts(&container.seen_from("0-63")), (64, Some(64), None, Some(2), 2));
        assert_eq!(
            quota(&container.fs()),
            Some(Quota {
                cpus: 2,
                version: Version::V1,
                file: "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us".into(),
            })
        );
    }
}

#[test]
fn the_tightest_ancestor_binds() {
    let nested = v2("/kubepods/pod1/main")
        .file("/sys/fs/cgroup/kubepods/cpu.max", "6000000 100000")
        .file("/sys/fs/cgroup/kubepods/pod1/cpu.max", "350000 100000")
        .file("/sys/fs/cgroup/kubepods/pod1/main/cpu.max", "max 100000");
    let found = quota(&nested.fs()).unwrap();
    assert_eq!((found.cpus, found.file.as_str()), (3, "/sys/fs/cgroup/kubepods/pod1/cpu.max"));

    let leaf = v2("/a/b")
        .file("/sys/fs/cgroup/a/cpu.max", "400000 100000")
        .file("/sys/fs/cgroup/a/b/cpu.max", "50000 100000");
    let found = quota(&leaf.fs()).unwrap();
    assert_eq!((found.cpus, found.file.as_str()), (1, "/sys/fs/cgroup/a/b/cpu.max"));

    let root = v2("/a/b")
        .file("/sys/fs/cgroup/cpu.max", "200000 100000")
        .file("/sys/fs/cgroup/a/cpu.max", "600000 100000")
        .file("/sys/fs/cgroup/a/b/cpu.max", "800000 100000");
    let found = quota(&root.fs()).unwrap();
    assert_eq!((found.cpus, found.file.as_str()), (2, "/sys/fs/cgroup/cpu.max"));

    for (leaf_us, expected) in [("-1", 5), ("800000", 5), ("300000", 3)] {
        let old = v1_limit(v1("/", "/a/b"), "/a", "500000", "100000");
        let old = v1_limit(old, "/a/b", leaf_us, "100000");
        assert_eq!(quota(&old.fs()).unwrap().cpus, expected, "{leaf_us}");
    }
}

#[test]
fn a_group_that_is_not_shown_is_bound_by_what_is() {
    // The leaf's directory is hidden from this mount; its parent's is there.
    let hidden = v2("/a/gone").file("/sys/fs/cgroup/a/cpu.max", "300000 100000");
    assert_eq!(quota(&hidden.fs()).unwrap().cpus, 3);
    // A sibling's quota does not bind.
    let sibling = v2("/a").file("/sys/fs/cgroup/ab/cpu.max", "100000 100000");
    assert_eq!(quota(&sibling.fs()), None);
}

#[test]
fn with_both_versions_the_tighter_binds() {
    let both = |v2_limit: &str| {
        let tree = server()
            .file("/proc/self/cgroup", "4:cpu,cpuacct:/job\n0::/job")
            .file(
                "/proc/self/mountinfo",
                "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                 41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
            )
            .file("/sys/fs/cgroup/unified/job/cpu.max", v2_limit);
        quota(&v1_limit(tree, "/job", "400000", "100000").fs()).unwrap()
    };
    assert_eq!((both("300000 100000").cpus, both("300000 100000").version), (3, Version::V2));
    assert_eq!((both("800000 100000").cpus, both("800000 100000").version), (4, Version::V1));
    assert_eq!(both("max 100000").cpus, 4);
}

#[test]
fn without_mountinfo_the_usual_places_are_read() {
    let new = server()
        .file("/proc/self/cgroup", "0::/job")
        .file("/sys/fs/cgroup/job/cpu.max", "700000 100000");
    assert_eq!(quota(&new.fs()).unwrap().cpus, 7);
    let old = server()
        .file("/proc/self/cgroup", "3:cpu:/job")
        .file("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "900000")
        .file("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000");
    assert_eq!(quota(&old.fs()).unwrap().cpus, 9);
}

#[test]
fn no_limit_leaves_the_cores() {
    for tree in [
        v2("/").file("/sys/fs/cgroup/cpu.max", "max 100000"),
        v2("/"),
        v1_limit(v1("/", "/"), "", "-1", "100000"),
        v1_limit(v1("/", "/"), "", "200000", "0"),
        v2("relative").file("/sys/fs/cgroup/cpu.max", "200000 100000"),
        server(),
    ] {
        assert_eq!(counts(&tree.seen_from("0-63")), (64, Some(64), None, None, 64));
    }
    let wide = v2("/").file("/sys/fs/cgroup/cpu.max", "9600000 100000");
    assert_eq!(counts(&wide.seen_from("0-63")), (64, Some(64), None, Some(96), 64));
    assert_eq!(wide.seen_from("0-7").schedulable(), Some(8));
}
