//! What every participant of a dispatch did, and when: printed, or written to a trace file.
//!
//! A participant writes its own slot only, inside the gate; the dispatcher clears the slots before it opens the gate and reads
//! them after the join, which makes them visible. So measuring adds reads of the clock and no contention.
#![forbid(unsafe_code)]

use core::fmt::Write;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::io::Write as _;
use std::sync::Arc;

use fucina_platform::monotonic_ns;

use super::config::TeamConfig;
use super::trace_file::{Span, TraceFile};
use super::{Line, NAP};

/// Times of one participant in one dispatch, in nanoseconds of the monotonic clock; 0 for what has not happened.
#[derive(Default)]
pub(super) struct Slot {
    entered: AtomicU64,
    claimed: AtomicU64,
    left: AtomicU64,
    tasks: AtomicUsize,
}

// ORDERING: Relaxed throughout: the gate and the join order these.
impl Slot {
    pub(super) fn entered(&self) {
        self.entered.store(monotonic_ns(), Ordering::Relaxed);
    }

    pub(super) fn claimed(&self, tasks: usize) {
        if self.tasks.fetch_add(tasks, Ordering::Relaxed) == 0 {
            self.claimed.store(monotonic_ns(), Ordering::Relaxed);
        }
    }

    pub(super) fn left(&self) {
        self.left.store(monotonic_ns(), Ordering::Relaxed);
    }

    fn clear(&self) {
        for time in [&self.entered, &self.claimed, &self.left] {
            time.store(0, Ordering::Relaxed);
        }
        self.tasks.store(0, Ordering::Relaxed);
    }

    fn seen(&self) -> Seen {
        let [entered, claimed, left] =
            [&self.entered, &self.claimed, &self.left].map(|time| time.load(Ordering::Relaxed));
        Seen { entered, claimed, left, tasks: self.tasks.load(Ordering::Relaxed) }
    }
}

/// A slot's values.
struct Seen {
    entered: u64,
    claimed: u64,
    left: u64,
    tasks: usize,
}

/// Who wants to know, and the participants' slots.
pub(super) struct Trace {
    slots: Box<[Line<Slot>]>,
    started: AtomicU64,
    profile: bool,
    file: Option<(Arc<TraceFile>, usize)>,
}

impl Trace {
    /// `None` if nobody wants to know.
    pub(super) fn new(config: &TeamConfig) -> Option<Self> {
        let width = config.width.max(1);
        let file = config.trace.as_deref().and_then(|path| {
            let opened = TraceFile::of(path).and_then(|file| {
                let team = file.name_team(width)?;
                Ok((file, team))
            });
            let complain = |error| eprintln!("fucina: no trace in {}: {error}", path.display());
            opened.map_err(complain).ok()
        });
        if !config.profile && file.is_none() {
            return None;
        }
        let slots = (0..width).map(|_| Line(Slot::default())).collect();
        Some(Self { slots, started: AtomicU64::new(0), profile: config.profile, file })
    }

    pub(super) fn slot(&self, index: usize) -> &Slot {
        &self.slots[index].0
    }

    /// A dispatch begins; the gate is closed.
    pub(super) fn start(&self) {
        self.slots.iter().for_each(|slot| slot.0.clear());
        self.started.store(monotonic_ns(), Ordering::Relaxed);
    }

    /// It has ended; everybody is out.
    pub(super) fn finish(&self, op: &'static str, count: usize) {
        let end = monotonic_ns();
        let start = self.started.load(Ordering::Relaxed);
        let seen: Vec<Seen> = self.slots.iter().map(|slot| slot.0.seen()).collect();
        if self.profile {
            // Standard error may be closed; that is no reason to stop.
            let _ = std::io::stderr().write_all(report(op, count, start, end, &seen).as_bytes());
        }
        if let Some((file, team)) = &self.file {
            let took_part = seen.iter().enumerate().filter(|(_, seen)| seen.left > 0);
            let work = took_part.map(|(participant, seen)| Span {
                name: op,
                participant,
                start: seen.entered,
                end: seen.left,
                tasks: seen.tasks,
                of: count,
            });
            let join = Span {
                name: "join",
                participant: 0,
                start: seen[0].left,
                end,
                tasks: 0,
                of: count,
            };
            file.write(*team, work.chain([join]));
        }
    }
}

/// The lines of one dispatch: offsets from its start in microseconds.
fn report(op: &str, count: usize, start: u64, end: u64, seen: &[Seen]) -> String {
    let micros = |time: u64| time.saturating_sub(start) as f64 / 1000.0;
    let mut text = format!("fucina pool: {op}: {count} tasks in {:.1} us", micros(end));
    if end - start > NAP.as_nanos() as u64 {
        text += ", over a nap";
    }
    text.push('\n');
    for (participant, seen) in seen.iter().enumerate() {
        let Seen { entered, claimed, left, tasks } = seen;
        let _ = match (*left, *tasks) {
            (0, _) => writeln!(text, "  {participant}: not in time"),
            (_, 0) => writeln!(
                text,
                "  {participant}: in at {:.1}, nothing left, out at {:.1}",
                micros(*entered),
                micros(*left)
            ),
            _ => writeln!(
                text,
                "  {participant}: in at {:.1}, first claim at {:.1}, {tasks} tasks, out at {:.1}",
                micros(*entered),
                micros(*claimed),
                micros(*left)
            ),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_participant_without_a_task_is_reported_too() {
        let seen = [
            Seen { entered: 1100, claimed: 1200, left: 9000, tasks: 8 },
            Seen { entered: 8000, claimed: 0, left: 8500, tasks: 0 },
            Seen { entered: 0, claimed: 0, left: 0, tasks: 0 },
        ];
        assert_eq!(
            report("add", 8, 1000, 9500, &seen),
            "fucina pool: add: 8 tasks in 8.5 us\n  \
             0: in at 0.1, first claim at 0.2, 8 tasks, out at 8.0\n  \
             1: in at 7.0, nothing left, out at 7.5\n  2: not in time\n"
        );
    }
}
