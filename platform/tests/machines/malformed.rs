//! Files that are missing, cut or not what they should be: unknown, never a panic.

use fucina_platform::env::initial_env;
use fucina_platform::{CpuSet, Source, Topology, cgroup};

use crate::counts;
use crate::tree::Tree;

const JUNK: [&str; 9] =
    ["", "\u{0}", "-1", "junk", "3-1", "1,", "99999999999999999999", "0-4294967295", "é"];

#[test]
fn an_empty_root_gives_one_assumed_cpu() {
    let nothing = Tree::new();
    let seen = Topology::from_tree(&nothing.fs(), None);
    assert_eq!(counts(&seen), (1, None, None, None, 1));
    assert_eq!(seen.logical.source, Source::Assumed);
    assert_eq!(seen, Topology::from_tree(&nothing.fs(), Some(&CpuSet::new())));
}

#[test]
fn a_mask_alone_is_enough_for_a_width() {
    assert_eq!(counts(&Tree::new().seen_from("0-2,9")), (4, None, None, None, 4));
}

#[test]
fn one_core_unknown_makes_the_count_unknown() {
    let whole = || Tree::online("0-3").single_cores("0-2");
    assert_eq!(counts(&whole().seen_from("0-3")), (4, None, None, None, 4));
    assert_eq!(counts(&whole().seen_from("0-2")), (3, Some(3), None, None, 3));
    for junk in JUNK {
        let broken = whole().cores("3", |_| junk.to_string());
        assert_eq!(counts(&broken.seen_from("0-3")), (4, None, None, None, 4), "{junk:?}");
    }
    let stranger = whole().cores("3", |_| "0-1".to_string());
    assert_eq!(stranger.seen_from("0-3").physical, None, "a CPU missing from its own list");
}

#[test]
fn junk_online_lists_leave_the_mask() {
    for junk in JUNK {
        let broken = Tree::online(junk).single_cores("0-3");
        assert_eq!(counts(&broken.seen_from("0-3")), (4, Some(4), None, None, 4), "{junk:?}");
    }
}

#[test]
fn a_mask_of_offline_cpus_alone_is_believed() {
    assert_eq!(counts(&Tree::online("0-3").seen_from("8-9")), (2, None, None, None, 2));
}

#[test]
fn junk_kinds_of_core_make_all_cores_alike() {
    for junk in JUNK {
        let broken = Tree::online("0-3")
            .single_cores("0-3")
            .capacity("0-2", "1024")
            .capacity("3", junk)
            .file("/sys/devices/cpu_core/cpus", junk);
        assert_eq!(counts(&broken.seen_from("0-3")), (4, Some(4), None, None, 4), "{junk:?}");
    }
    let zero = Tree::online("0-1").single_cores("0-1").capacity("0", "1024").capacity("1", "0");
    assert_eq!(zero.seen_from("0-1").performance, None);
    // A junk list of performance cores does not hide good capacities.
    let half = Tree::online("0-3")
        .single_cores("0-3")
        .capacity("0-1", "1024")
        .capacity("2-3", "400")
        .file("/sys/devices/cpu_core/cpus", "junk");
    assert_eq!(half.seen_from("0-3").performance.unwrap().count, 2);
}

#[test]
fn capacities_without_cores_count_cpus() {
    let bare = Tree::online("0-3").capacity("0-1", "1024").capacity("2-3", "400");
    assert_eq!(counts(&bare.seen_from("0-3")), (4, None, Some(2), None, 2));
}

#[test]
fn junk_quotas_do_not_bind() {
    let mount = "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
    for junk in JUNK {
        let tree = Tree::online("0-3")
            .file("/proc/self/cgroup", "0::/a\n3:cpu:/a")
            .file("/proc/self/mountinfo", mount)
            .file("/sys/fs/cgroup/a/cpu.max", junk)
            .file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", junk)
            .file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000");
        assert_eq!(cgroup::quota(&tree.fs()).map(|quota| quota.file), None, "{junk:?}");
        let tree = tree.file("/proc/self/cgroup", junk);
        assert_eq!(cgroup::quota(&tree.fs()), None, "{junk:?}");
        // A mountinfo that cannot be read falls back on the usual place.
        let tree = tree
            .file("/proc/self/cgroup", "0::/a")
            .file("/proc/self/mountinfo", junk)
            .file("/sys/fs/cgroup/cpu.max", "200000 100000");
        assert_eq!(cgroup::quota(&tree.fs()).unwrap().cpus, 2, "{junk:?}");
    }
}

/// Every file of a good machine, cut at every length, and with every byte replaced.
#[test]
fn no_cut_or_flipped_file_panics_or_widens() {
    let files = [
        ("/sys/devices/system/cpu/online", "0-3"),
        ("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "0-1"),
        ("/sys/devices/cpu_core/cpus", "0-1"),
        ("/proc/self/cgroup", "1:cpu:/b\n0::/a"),
        ("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/\\143group rw - cgroup2 cgroup2 rw"),
        ("/sys/fs/cgroup/a/cpu.max", "300000 100000"),
    ];
    let good = || {
        let tree = Tree::online("0-3").cores("0-1", |_| "0-1".into()).single_cores("2-3");
        files.iter().fold(tree, |tree, (path, text)| tree.file(path, text))
    };
    assert_eq!(counts(&good().seen_from("0-3")), (4, Some(3), Some(1), Some(3), 1));
    for (path, text) in files {
        let mut tree = good();
        let cuts = (0..text.len()).map(|len| text[..len].to_string());
        let flips = (0..text.len()).flat_map(|at| {
            ["\u{0}", ",", "-", "/", "9", ":", " ", "\\", "\n"]
                .map(|byte| [&text[..at], byte, &text[at + 1..]].concat())
        });
        for broken in cuts.chain(flips) {
            tree = tree.file(path, &broken);
            let seen = tree.seen_from("0-3");
            let width = seen.default_width();
            assert!((1..=4).contains(&width), "{path} {broken:?}: {width}");
            assert!((1..=4).contains(&seen.logical.count), "{path} {broken:?}");
            assert!(seen.physical.is_none_or(|cores| cores.count <= 4), "{path} {broken:?}");
            assert!(seen.report().starts_with("default width "), "{path} {broken:?}");
        }
    }
}

#[test]
fn the_initial_environment_is_read_in_pieces() {
    let long = "x".repeat(5000);
    let block = format!("HOME=/\0LONG={long}\0FUCINA_MAX_THREADS=6\0FUCINA_MAX_THREADS=7\0LAST=1");
    let tree = Tree::new().file("/proc/self/environ", &block);
    let value = |name| initial_env(&tree.fs(), name);
    assert_eq!(value("FUCINA_MAX_THREADS").as_deref(), Some(&b"6"[..]));
    assert_eq!(value("HOME").as_deref(), Some(&b"/"[..]));
    assert_eq!(value("LAST").as_deref(), Some(&b"1\n"[..]), "no NUL at the end");
    assert_eq!(value("LONG"), None, "longer than is kept");
    assert_eq!(value("FUCINA_MAX"), None);
    assert_eq!(value(""), None);
    assert_eq!(initial_env(&Tree::new().fs(), "HOME"), None);
}
