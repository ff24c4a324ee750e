//! CPU quotas of Linux control groups, version 1 and 2.
//!
//! A quota is run time in a period, so quota / period is a number of CPUs; rounded down, because a
//! thread beyond it makes every barrier wait until the next period. A group is bound by its
//! ancestors' quotas as well, hence every directory from the group up to the mount point is read
//! and the tightest wins. Where both versions are mounted, both are read.
//!
//! The path in `/proc/self/cgroup` starts at the root of the hierarchy (or of the namespace), while
//! a mount may show only a part of it: `mountinfo` says which part, and that prefix is taken off.
#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::Fs;
use crate::text::signed;

/// The tightest CPU quota of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Whole CPUs the quota allows; at least 1.
    pub cpus: usize,
    /// Which kind of control group sets it.
    pub version: Version,
    /// The file it was read from, such as `/sys/fs/cgroup/job/cpu.max`.
    pub file: String,
}

/// The two kinds of control group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The `cpu` controller's own hierarchy.
    V1,
    /// The unified hierarchy.
    V2,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::V1 => "cgroup v1",
            Version::V2 => "cgroup v2",
        })
    }
}

/// The tightest quota that binds the process under `fs`; [`None`] if it is unlimited or unknown.
pub fn quota(fs: &Fs) -> Option<Quota> {
    let groups = fs.read("/proc/self/cgroup")?;
    let mounts = fs.read("/proc/self/mountinfo").unwrap_or_default();
    [Version::V2, Version::V1]
        .into_iter()
        .filter_map(|version| {
            let path = version.path(&groups)?;
            let dirs = version.dirs(&mounts, path);
            dirs.into_iter().filter_map(|dir| version.quota_in(fs, dir)).min_by_key(|q| q.cpus)
        })
        .min_by_key(|quota| quota.cpus)
}

/// Whole CPUs in `quota_us` of run time every `period_us`; [`None`] if that is no limit.
///
/// A quota of -1 or 0 and a period of 0 mean unlimited; less than one CPU counts as one.
pub fn cpus_of_quota(quota_us: i64, period_us: i64) -> Option<usize> {
    if quota_us <= 0 || period_us <= 0 {
        return None;
    }
    usize::try_from(quota_us / period_us).ok().map(|cpus| cpus.max(1))
}

/// Reads `cpu.max`: a quota and a period in microseconds, or `max` and a period.
///
/// [`None`] if there is no limit or the text is not of that form.
///
/// # Examples
/// ```
/// use fucina_platform::cgroup::parse_cpu_max;
///
/// assert_eq!(parse_cpu_max(b"150000 100000\n"), Some(1));
/// assert_eq!(parse_cpu_max(b"max 100000\n"), None);
/// ```
pub fn parse_cpu_max(text: &[u8]) -> Option<usize> {
    let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let (quota, period) = (fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    cpus_of_quota(signed(quota)?, signed(period)?)
}

/// The path of the version 2 group in the text of `/proc/self/cgroup`.
///
/// [`None`] if it has no `0::` line or that line's path is not absolute.
pub fn v2_path(text: &[u8]) -> Option<&str> {
    Version::V2.path(text)
}

/// The path of the version 1 `cpu` group in the text of `/proc/self/cgroup`.
///
/// [`None`] if no line has the `cpu` controller or its path is not absolute.
pub fn v1_cpu_path(text: &[u8]) -> Option<&str> {
    Version::V1.path(text)
}

impl Version {
    /// The group's path; lines are `number:controllers:path`, and a path may have colons.
    fn path(self, text: &[u8]) -> Option<&str> {
        let line = lines(text).find_map(|line| {
            let mut fields = line.splitn(3, |&byte| byte == b':');
            let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            let own = match self {
                Version::V1 => has_cpu(controllers),
                Version::V2 => number == b"0" && controllers.is_empty(),
            };
            own.then_some(path)
        })?;
        str::from_utf8(line).ok().filter(|path| path.starts_with('/'))
    }

    /// The directories whose quotas bind the group at `path`, from its own upwards.
    fn dirs(self, mounts: &[u8], path: &str) -> Vec<String> {
        let mut mounts: Vec<Mount> = lines(mounts).filter_map(|line| self.mount(line)).collect();
        if mounts.is_empty() {
            mounts.push(Mount { root: String::from("/"), point: String::from(self.usual_point()) });
        }
        // `..` leads out of the namespace, to a place that no path here names.
        let inside = !path.split('/').any(|name| name == "..");
        let shown = |mount: &Mount| below(path, &mount.root).filter(|_| inside);
        let found = mounts.iter().find_map(|mount| Some((&mount.point, shown(mount)?)));
        // If no mount shows the group, a mount point is the nearest that may bind it.
        let (point, below) = found.unwrap_or((&mounts[0].point, ""));
        let mut below = below.trim_matches('/');
        let mut dirs = Vec::new();
        while !below.is_empty() {
            dirs.push(join(point, below));
            below = below.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        dirs.push(point.clone());
        dirs
    }

    fn usual_point(self) -> &'static str {
        match self {
            Version::V1 => "/sys/fs/cgroup/cpu",
            Version::V2 => "/sys/fs/cgroup",
        }
    }

    /// Reads a line of `mountinfo` if it mounts this hierarchy: number, parent, device, root, mount
    /// point, options, optional fields up to a dash, type, source, options of the hierarchy.
    fn mount(self, line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|&byte| byte == b' ');
        let root = fields.nth(3)?;
        let point = fields.next()?;
        fields.find(|field| *field == b"-")?;
        let kind = fields.next()?;
        let options = fields.nth(1)?;
        let own = match self {
            Version::V1 => kind == b"cgroup" && has_cpu(options),
            Version::V2 => kind == b"cgroup2",
        };
        if !own {
            return None;
        }
        Some(Mount { root: unescape(root)?, point: unescape(point)? })
    }

    fn quota_in(self, fs: &Fs, dir: String) -> Option<Quota> {
        let (file, cpus) = match self {
            Version::V1 => {
                let file = join(&dir, "cpu.cfs_quota_us");
                let quota_us = signed(&fs.read(&file)?)?;
                let period_us = signed(&fs.read(&join(&dir, "cpu.cfs_period_us"))?)?;
                (file, cpus_of_quota(quota_us, period_us)?)
            }
            Version::V2 => {
                let file = join(&dir, "cpu.max");
                let cpus = parse_cpu_max(&fs.read(&file)?)?;
                (file, cpus)
            }
        };
        Some(Quota { cpus, version: self, file })
    }
}

struct Mount {
    root: String,
    point: String,
}

/// What `path` has below `root`; [`None`] if it is not below it.
fn below<'path>(path: &'path str, root: &str) -> Option<&'path str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn join(dir: &str, name: &str) -> String {
    [dir.trim_end_matches('/'), name].join("/")
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
}

fn has_cpu(list: &[u8]) -> bool {
    list.split(|&byte| byte == b',').any(|name| name == b"cpu")
}

/// Undoes `mountinfo`'s escapes: a backslash and three octal digits.
fn unescape(field: &[u8]) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = field;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'\\' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_first_chunk::<3>()?;
        let code = u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok()?;
        bytes.push(code);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
