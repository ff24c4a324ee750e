//! Counts from Apple's system table.
//!
//! Systems with cores of two kinds number them as performance levels, 0 the fastest; the level's
//! core count is absent on older Intel systems and equals all cores on those of one kind.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::{Count, Source, Topology};

/// A table of named numbers: the running system's, or a stand-in.
pub trait Sysctl {
    /// The number under `name`; [`None`] if there is none.
    fn read(&self, name: &CStr) -> Option<u64>;
}

impl Topology {
    /// Reads the counts of an Apple system from its table.
    ///
    /// # Examples
    /// ```
    /// use core::ffi::CStr;
    /// use fucina_platform::{Sysctl, Topology};
    ///
    /// struct M1;
    /// impl Sysctl for M1 {
    ///     fn read(&self, name: &CStr) -> Option<u64> {
    ///         match name.to_str().ok()? {
    ///             "hw.logicalcpu" | "hw.physicalcpu" => Some(8),
    ///             "hw.perflevel0.physicalcpu" => Some(4),
    ///             _ => None,
    ///         }
    ///     }
    /// }
    /// assert_eq!(Topology::from_sysctl(&M1).default_width(), 4);
    /// ```
    pub fn from_sysctl(table: &dyn Sysctl) -> Topology {
        let read = |name: &'static CStr| {
            let count = usize::try_from(table.read(name)?).ok().filter(|&count| count > 0)?;
            Some(Count { count, source: Source::Sysctl(name.to_str().ok()?) })
        };
        let physical = read(c"hw.physicalcpu");
        let logical = read(c"hw.logicalcpu")
            .or(physical)
            .unwrap_or(Count { count: 1, source: Source::Assumed });
        let physical = physical.filter(|cores| cores.count <= logical.count);
        let performance = read(c"hw.perflevel0.physicalcpu")
            .filter(|fast| fast.count < physical.unwrap_or(logical).count);
        Topology { logical, physical, performance, quota: None }
    }
}
