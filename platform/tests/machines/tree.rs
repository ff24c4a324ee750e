//! A directory that stands for a machine.

use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::path::PathBuf;
use std::process;

use fucina_platform::{CpuSet, Fs, Topology};

/// A fake root, removed when dropped.
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("fucina-tree-{}-{number}", process::id()));
        fs::create_dir_all(&root).unwrap();
        Tree { root }
    }

    /// A machine whose online CPUs are `online`.
    pub(crate) fn online(online: &str) -> Tree {
        Tree::new().file("/sys/devices/system/cpu/online", online)
    }

    /// Writes `text` and a newline, as the kernel does.
    pub(crate) fn file(self, path: &str, text: &str) -> Tree {
        let path = self.root.join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
        self
    }

    /// The sibling list of each CPU in `list`; each is what `siblings` says.
    pub(crate) fn cores(self, list: &str, siblings: impl Fn(usize) -> String) -> Tree {
        cpus(list).iter().fold(self, |tree, cpu| {
            let dir = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            let siblings = siblings(cpu);
            tree.file(&format!("{dir}/thread_siblings_list"), &siblings)
                .file(&format!("{dir}/core_cpus_list"), &siblings)
        })
    }

    /// CPUs that have their core to themselves.
    pub(crate) fn single_cores(self, list: &str) -> Tree {
        self.cores(list, |cpu| cpu.to_string())
    }

    /// The same capacity for each CPU in `list`.
    pub(crate) fn capacity(self, list: &str, capacity: &str) -> Tree {
        cpus(list).iter().fold(self, |tree, cpu| {
            tree.file(&format!("/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"), capacity)
        })
    }

    /// What a thread that may run on the CPUs in `affinity` sees.
    pub(crate) fn seen_from(&self, affinity: &str) -> Topology {
        Topology::from_tree(&self.fs(), Some(&cpus(affinity)))
    }

    pub(crate) fn fs(&self) -> Fs {
        Fs::at(self.root.to_str().unwrap())
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn cpus(list: &str) -> CpuSet {
    CpuSet::parse_list(list.as_bytes()).unwrap()
}
