//! Reading small kernel files below a root.
//!
//! `/proc` and `/sys` report a size of zero or one page, so a file is read until it ends, in pieces,
//! and bounded by bytes. Every failure is [`None`]: a container may hide any file.
#![forbid(unsafe_code)]

use alloc::ffi::CString;
use alloc::string::String;
use alloc::vec::Vec;

use crate::sys;

/// A file longer than this is not read; the longest read here, `mountinfo`, takes some 120 bytes a
/// mount.
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// A root directory under which `/proc` and `/sys` are looked for.
///
/// # Examples
/// ```
/// use fucina_platform::{Fs, Topology};
///
/// assert_eq!(Fs::at("/no/such/machine").read("/proc/self/cgroup"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fs {
    root: String,
}

impl Fs {
    /// The running machine.
    pub const fn host() -> Fs {
        Fs { root: String::new() }
    }

    /// A directory that stands for a machine: `/sys/x` is read at `<root>/sys/x`.
    pub fn at(root: &str) -> Fs {
        Fs { root: String::from(root) }
    }

    /// The whole file at `path`, which begins with a slash; [`None`] if it cannot be read or is
    /// longer than [`MAX_FILE_BYTES`].
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut fits = true;
        let ended = self.read_in_pieces(path, &mut |piece| {
            fits = bytes.len() + piece.len() <= MAX_FILE_BYTES
                && bytes.try_reserve(piece.len()).is_ok();
            if fits {
                bytes.extend_from_slice(piece);
            }
            fits
        });
        (ended && fits).then_some(bytes)
    }

    /// Hands the file at `path` to `take`, piece by piece, until it ends or `take` returns false.
    ///
    /// True if the file could be read as far as `take` wanted it.
    pub fn read_in_pieces(&self, path: &str, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        let mut full = String::with_capacity(self.root.len() + path.len());
        full.push_str(&self.root);
        full.push_str(path);
        CString::new(full).is_ok_and(|path| sys::read_file(&path, take))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, format, fs, process};

    #[test]
    fn a_file_is_read_whole_under_its_root_and_in_bounds() {
        let root = env::temp_dir().join(format!("fucina-fs-{}", process::id()));
        fs::create_dir_all(root.join("sys")).unwrap();
        let long: Vec<u8> = (0..10_000u32).map(|i| (i % 251) as u8).collect();
        fs::write(root.join("sys/long"), &long).unwrap();
        fs::write(root.join("sys/empty"), b"").unwrap();
        fs::write(root.join("sys/huge"), std::vec![b'x'; MAX_FILE_BYTES + 1]).unwrap();
        let tree = Fs::at(root.to_str().unwrap());

        assert_eq!(tree.read("/sys/long"), Some(long));
        assert_eq!(tree.read("/sys/empty"), Some(Vec::new()));
        for path in ["/sys/huge", "/sys/absent", "/sys", "/sys/lo\0ng"] {
            assert_eq!(tree.read(path), None, "{path:?}");
        }
        let mut pieces = 0;
        assert!(tree.read_in_pieces("/sys/huge", &mut |_| {
            pieces += 1;
            pieces < 3
        }));
        assert_eq!(pieces, 3);
        fs::remove_dir_all(&root).unwrap();
    }
}
