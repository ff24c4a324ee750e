//! The text forms; whole trees are tested in `tests/machines`.

use super::*;

#[test]
fn a_quota_is_rounded_down_to_at_least_one() {
    assert_eq!(cpus_of_quota(200_000, 100_000), Some(2));
    assert_eq!(cpus_of_quota(150_000, 100_000), Some(1));
    assert_eq!(cpus_of_quota(50_000, 100_000), Some(1));
    for (quota_us, period_us) in [(-1, 100_000), (0, 100_000), (100_000, 0), (100_000, -1)] {
        assert_eq!(cpus_of_quota(quota_us, period_us), None, "{quota_us} / {period_us}");
    }
}

#[test]
fn cpu_max_is_two_fields() {
    assert_eq!(parse_cpu_max(b"200000 100000\n"), Some(2));
    assert_eq!(parse_cpu_max(b"  200000\t100000  \n"), Some(2));
    for text in [
        "max 100000",
        "max 100000\n",
        "max",
        "200000",
        "200000 100000 1",
        "junk",
        "junk 100000",
        "200000 junk",
        "200000 max",
        "2e5 100000",
        "99999999999999999999 100000",
        "0 100000",
        "200000 0",
        "",
        "\n",
    ] {
        assert_eq!(parse_cpu_max(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn the_v2_line_may_stand_anywhere() {
    let mixed = b"12:cpu,cpuacct:/old\n1:name=systemd:/init\n0::/user.slice/a:b\n";
    assert_eq!(v2_path(mixed), Some("/user.slice/a:b"));
    assert_eq!(v1_cpu_path(mixed), Some("/old"));
    assert_eq!(v2_path(b"0::/\n"), Some("/"));
    for text in ["4:cpu:/a\n", "0::\n", "0::relative\n", "10::/a\n", "", "0:", "0::\u{1}"] {
        assert_eq!(v2_path(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(v2_path(b"0::/\xff\n"), None);
    for text in ["0::/a\n", "3:cpuset,cpuacct:/a\n", "1:name=cpu:/a\n", "4:cpu:a\n"] {
        assert_eq!(v1_cpu_path(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn a_group_is_found_below_the_mounted_part() {
    let dirs = |mounts: &str, path: &str| Version::V2.dirs(mounts.as_bytes(), path);
    let whole = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n";
    assert_eq!(dirs(whole, "/a/b"), ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
    assert_eq!(dirs(whole, "/"), ["/sys/fs/cgroup"]);
    assert_eq!(dirs("", "/a"), ["/sys/fs/cgroup/a", "/sys/fs/cgroup"]);

    let part = "30 23 0:26 /docker/7 /my\\040groups rw - cgroup2 none rw\n";
    assert_eq!(dirs(part, "/docker/7/x"), ["/my groups/x", "/my groups"]);
    assert_eq!(dirs(part, "/docker/7"), ["/my groups"]);
    assert_eq!(dirs(part, "/docker/77"), ["/my groups"], "a sibling is not below");
    assert_eq!(dirs(whole, "/../up"), ["/sys/fs/cgroup"], "outside of the namespace");

    // Of two mounts, the one that shows the group.
    assert_eq!(dirs(&[part, whole].concat(), "/a")[0], "/sys/fs/cgroup/a");
}

#[test]
fn malformed_mounts_are_passed_over() {
    for line in [
        "",
        "30",
        "30 23 0:26 / /p rw shared:4 cgroup2 cgroup2 rw",
        "30 23 0:26 / /p rw -",
        "30 23 0:26 / /p rw - cgroup2",
        "30 23 0:26 / /p\\04 rw - cgroup2 cgroup2 rw",
        "30 23 0:26 / /p\\999 rw - cgroup2 cgroup2 rw",
        "30 23 0:26 / /p rw - cgroup cgroup rw,cpuset",
        "30 23 0:26 / /p rw - ext4 /dev/sda rw,cpu",
    ] {
        assert!(Version::V2.mount(line.as_bytes()).is_none(), "{line:?}");
        assert!(Version::V1.mount(line.as_bytes()).is_none(), "{line:?}");
    }
    let line = b"33 32 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";
    assert_eq!(Version::V1.mount(line).unwrap().point, "/sys/fs/cgroup/cpu,cpuacct");
}
