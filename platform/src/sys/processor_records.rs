//! Windows' `SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX` records of processor cores, read as bytes.
//!
//! A record is a relationship and its own size (two `u32`), flags and efficiency class (a byte
//! each), 20 bytes unused, a `u16` count and so many group affinities: a pointer-sized mask, the
//! group's `u16` number, 6 bytes unused. The highest efficiency class are the fastest cores.
#![forbid(unsafe_code)]

use crate::{Count, Source, Topology};

const SOURCE: Source = Source::Windows("GetLogicalProcessorInformationEx");
const MASK_BYTES: usize = size_of::<usize>();
const GROUP_BYTES: usize = MASK_BYTES + 8;

struct Core {
    efficiency_class: u8,
    threads: usize,
    group: u16,
}

/// Counts the cores in `records` that `affinity` has a thread of.
///
/// The mask is one group's, so it binds only where group 0 is the only one, and not if it is 0.
/// [`None`] if the records are malformed or no core is left.
pub(crate) fn topology(records: &[u8], affinity: usize) -> Option<Topology> {
    let one_group = cores(records, usize::MAX).all(|core| core.is_some_and(|core| core.group == 0));
    let mask = if one_group && affinity != 0 { affinity } else { usize::MAX };
    let (mut logical, mut physical) = (0, 0);
    let (mut fastest, mut top_class) = (0, 0);
    for core in cores(records, mask) {
        let core = core?;
        if core.threads == 0 {
            continue;
        }
        logical += core.threads;
        physical += 1;
        if core.efficiency_class > top_class {
            (fastest, top_class) = (0, core.efficiency_class);
        }
        if core.efficiency_class == top_class {
            fastest += 1;
        }
    }
    if physical == 0 {
        return None;
    }
    let count = |count| Count { count, source: SOURCE };
    Some(Topology {
        logical: count(logical),
        physical: Some(count(physical)),
        performance: (fastest < physical).then(|| count(fastest)),
        quota: None,
    })
}

/// Each record as a core, its threads counted under `mask`; a malformed one is the last.
fn cores(records: &[u8], mask: usize) -> impl Iterator<Item = Option<Core>> + '_ {
    let mut rest = records;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let record = u32_at(rest, 4)
            .and_then(|size| usize::try_from(size).ok())
            .filter(|&size| size > 0)
            .and_then(|size| rest.split_at_checked(size));
        let Some((record, tail)) = record else {
            rest = &[];
            return Some(None);
        };
        rest = tail;
        Some(read_core(record, mask))
    })
}

fn read_core(record: &[u8], mask: usize) -> Option<Core> {
    const PROCESSOR_CORE: u32 = 0;
    if u32_at(record, 0)? != PROCESSOR_CORE {
        return None;
    }
    let group_count = usize::from(u16_at(record, 30)?);
    let groups = record.get(32..)?.chunks_exact(GROUP_BYTES).take(group_count);
    let mut core = Core { efficiency_class: *record.get(9)?, threads: 0, group: 0 };
    if groups.len() < group_count {
        return None;
    }
    for affinity in groups {
        let threads = usize::from_ne_bytes(*affinity.first_chunk::<MASK_BYTES>()?);
        core.threads += (threads & mask).count_ones() as usize;
        core.group = core.group.max(u16_at(affinity, MASK_BYTES)?);
    }
    Some(core)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|chunk| u32::from_ne_bytes(*chunk))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|chunk| u16::from_ne_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn record(class: u8, mask: usize, group: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend(0u32.to_ne_bytes());
        bytes.extend(u32::try_from(32 + GROUP_BYTES).unwrap().to_ne_bytes());
        bytes.extend([0, class]);
        bytes.extend([0; 20]);
        bytes.extend(1u16.to_ne_bytes());
        bytes.extend(mask.to_ne_bytes());
        bytes.extend(group.to_ne_bytes());
        bytes.extend([0; 6]);
        bytes
    }

    /// Two cores of class 1 with two threads, four of class 0 with one: an i3-1215U.
    fn hybrid() -> Vec<u8> {
        let fast = [0b11, 0b1100].map(|mask| record(1, mask, 0));
        let slow = [0x10, 0x20, 0x40, 0x80].map(|mask| record(0, mask, 0));
        fast.into_iter().chain(slow).flatten().collect()
    }

    fn counts(records: &[u8], affinity: usize) -> Option<(usize, usize, Option<usize>)> {
        let found = topology(records, affinity)?;
        Some((
            found.logical.count,
            found.physical.unwrap().count,
            found.performance.map(|performance| performance.count),
        ))
    }

    #[test]
    fn hybrid_cores_are_counted_by_class_and_mask() {
        assert_eq!(counts(&hybrid(), 0xff), Some((8, 6, Some(2))));
        assert_eq!(counts(&hybrid(), 0), Some((8, 6, Some(2))));
        assert_eq!(counts(&hybrid(), 0b1_0001), Some((2, 2, Some(1))));
        assert_eq!(counts(&hybrid(), 0b1111), Some((4, 2, None)));
        assert_eq!(counts(&hybrid(), 0xf0), Some((4, 4, None)));
        assert_eq!(counts(&hybrid(), 0x100), None);
    }

    #[test]
    fn a_second_group_unbinds_the_mask() {
        let records = [record(0, 0b11, 0), record(0, 0b11, 1)].concat();
        assert_eq!(counts(&records, 0b1), Some((4, 2, None)));
    }

    #[test]
    fn malformed_records_are_unknown() {
        let whole = hybrid();
        for len in 0..whole.len() {
            if len % (32 + GROUP_BYTES) != 0 || len == 0 {
                assert_eq!(counts(&whole[..len], 0), None, "cut at {len}");
            }
        }
        let mut endless = whole.clone();
        endless[4..8].fill(0);
        assert_eq!(counts(&endless, 0), None);
        let mut other = whole;
        other[0] = 3;
        assert_eq!(counts(&other, 0), None);
    }
}
