//! Who sees whom.

use core::ops::Range;

/// The keys that each query sees: a range that moves with the query.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mask {
    keys: isize,
    /// The position of query 0.
    first: isize,
    /// Keys seen before the query's own position, and behind it.
    before: isize,
    behind: isize,
}

impl Mask {
    pub(super) fn new(queries: usize, keys: usize, causal: bool, window: Option<usize>) -> Self {
        let (queries, keys) = (queries as isize, keys as isize);
        let all = queries + keys;
        let near =
            window.map_or(all, |window| isize::try_from(window).map_or(all, |w| (w - 1).min(all)));
        Self { keys, first: keys - queries, before: near, behind: if causal { 0 } else { near } }
    }

    /// The keys that some query of `queries` sees.
    pub(super) fn keys_of(&self, queries: &Range<usize>) -> Range<usize> {
        let (first, last) = (queries.start as isize, queries.end as isize - 1);
        let from = (self.first + first - self.before).clamp(0, self.keys);
        let to = (self.first + last + self.behind + 1).clamp(from, self.keys);
        from as usize..to as usize
    }

    /// The queries of `queries` that some key of `keys` is seen by.
    pub(super) fn queries_of(&self, keys: &Range<usize>, queries: &Range<usize>) -> Range<usize> {
        let (first, last) = (keys.start as isize, keys.end as isize - 1);
        let (start, end) = (queries.start as isize, queries.end as isize);
        let from = (first - self.behind - self.first).clamp(start, end);
        let to = (last + self.before - self.first + 1).clamp(from, end);
        from as usize..to as usize
    }
}
