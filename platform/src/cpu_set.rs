//! A set of CPU numbers, and the kernel's text form of one.
//!
//! A bitmap that grows to its highest member. [`MAX_CPUS`] bounds it, so that a corrupt
//! `0-4294967295` is refused and not allocated. The last word is never zero, hence equal sets have
//! equal words and equality is derived.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use crate::text::decimal;

/// CPU numbers stay below this; Linux itself ends at 8,192.
pub const MAX_CPUS: usize = 1 << 16;

const WORD_BITS: usize = u64::BITS as usize;

/// A set of CPU numbers, each below [`MAX_CPUS`].
///
/// # Examples
/// ```
/// use fucina_platform::CpuSet;
///
/// let set = CpuSet::parse_list(b"0-1,8-9\n").unwrap();
/// assert!(set.iter().eq([0, 1, 8, 9]));
/// assert_eq!(CpuSet::parse_list(b"3-1"), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSet {
    words: Vec<u64>,
}

impl CpuSet {
    /// The empty set; allocates nothing.
    pub const fn new() -> CpuSet {
        CpuSet { words: Vec::new() }
    }

    /// Adds `cpu`; false, and no change, if the number is [`MAX_CPUS`] or more.
    pub fn insert(&mut self, cpu: usize) -> bool {
        if cpu >= MAX_CPUS {
            return false;
        }
        let word = cpu / WORD_BITS;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu % WORD_BITS);
        true
    }

    /// Whether `cpu` is a member.
    pub fn contains(&self, cpu: usize) -> bool {
        self.words.get(cpu / WORD_BITS).is_some_and(|word| word >> (cpu % WORD_BITS) & 1 == 1)
    }

    /// How many CPUs the set has.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has no CPU.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * WORD_BITS).filter(|&cpu| self.contains(cpu))
    }

    /// The members that `other` has too.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        let mut words: Vec<u64> =
            self.words.iter().zip(&other.words).map(|(left, right)| left & right).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        CpuSet { words }
    }

    /// Reads the kernel's list form: numbers and closed ranges between commas, as in `0-3,8`.
    ///
    /// Blank text is the empty set; anything else that is not a list is [`None`]: an empty item, a
    /// range without an end or running backwards, a number of [`MAX_CPUS`] or more.
    pub fn parse_list(text: &[u8]) -> Option<CpuSet> {
        let text = text.trim_ascii();
        let mut set = CpuSet::new();
        if text.is_empty() {
            return Some(set);
        }
        for item in text.split(|&byte| byte == b',') {
            let mut ends = item.splitn(2, |&byte| byte == b'-');
            let first = cpu_number(ends.next()?)?;
            let last = ends.next().map_or(Some(first), cpu_number)?;
            if first > last {
                return None;
            }
            for cpu in first..=last {
                set.insert(cpu);
            }
        }
        Some(set)
    }
}

impl FromIterator<usize> for CpuSet {
    /// Collects CPU numbers; those of [`MAX_CPUS`] or more are left out.
    fn from_iter<I: IntoIterator<Item = usize>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }
}

fn cpu_number(text: &[u8]) -> Option<usize> {
    usize::try_from(decimal(text)?).ok().filter(|&cpu| cpu < MAX_CPUS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Option<Vec<usize>> {
        CpuSet::parse_list(text.as_bytes()).map(|set| set.iter().collect())
    }

    #[test]
    fn lists_expand_exactly() {
        for (text, cpus) in [
            ("3\n", &[3][..]),
            ("0,16", &[0, 16]),
            ("0-1,8-9", &[0, 1, 8, 9]),
            ("5-5", &[5]),
            ("", &[]),
            ("\n", &[]),
            ("63-64", &[63, 64]),
            ("4,2,4,1-2", &[1, 2, 4]),
            ("65535", &[65535]),
        ] {
            assert_eq!(listed(text).as_deref(), Some(cpus), "{text:?}");
        }
    }

    #[test]
    fn malformed_lists_are_unknown() {
        for text in [
            "a",
            "1-",
            "-3",
            "1-a",
            "3-1",
            ",",
            "1,",
            ",1",
            "1,,2",
            "1-2-3",
            "1 2",
            "0-31:2/4",
            "65536",
            "0-4294967295",
            "99999999999999999999999",
            "\0",
        ] {
            assert_eq!(listed(text), None, "{text:?}");
        }
    }

    #[test]
    fn sets_count_compare_and_intersect() {
        let low: CpuSet = (0..4).collect();
        let high: CpuSet = [3, 64, 700].into_iter().collect();
        assert_eq!((low.len(), high.len()), (4, 3));
        assert_eq!(low.intersection(&high), [3].into_iter().collect());
        assert_eq!(high.intersection(&low), low.intersection(&high));
        let none = low.intersection(&[9].into_iter().collect());
        assert_eq!((none.is_empty(), none.len()), (true, 0));
        assert_eq!(none, CpuSet::new());
        assert!(!low.contains(usize::MAX) && !CpuSet::new().contains(0));
    }

    #[test]
    fn insert_refuses_a_number_past_the_bound() {
        let mut set = CpuSet::new();
        assert!(!set.insert(MAX_CPUS) && set.is_empty());
        assert!(set.insert(MAX_CPUS - 1) && set.len() == 1);
    }
}
