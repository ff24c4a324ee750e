//! A file of Chrome trace events (JSON): what `chrome://tracing` and Perfetto open.
//!
//! One file a path and process, shared by all teams that name it. After every dispatch it is a whole JSON array: the closing
//! bracket is overwritten by the next events and written again, so a program that is killed leaves a readable file.
#![forbid(unsafe_code)]

use core::fmt::Write;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fucina_platform::process_id;

use crate::sync::lock;

/// One stretch of time on a participant's track.
pub(super) struct Span {
    pub(super) name: &'static str,
    pub(super) participant: usize,
    /// Nanoseconds of the monotonic clock.
    pub(super) start: u64,
    /// The same.
    pub(super) end: u64,
    /// Tasks that the participant ran, of those of the dispatch.
    pub(super) tasks: usize,
    pub(super) of: usize,
}

/// An open trace file.
pub(super) struct TraceFile {
    open: Mutex<Open>,
}

struct Open {
    file: File,
    teams: usize,
    events: usize,
}

/// What the file ends with.
const END: &[u8] = b"\n]\n";
/// Tracks of a team in the numbering of threads.
const TRACKS: usize = 10_000;

impl TraceFile {
    /// The process's file of this path; made anew the first time.
    pub(super) fn of(path: &Path) -> io::Result<Arc<Self>> {
        static FILES: Mutex<Vec<(PathBuf, Arc<TraceFile>)>> = Mutex::new(Vec::new());
        let mut files = lock(&FILES);
        if let Some((_, file)) = files.iter().find(|(known, _)| known == path) {
            return Ok(file.clone());
        }
        let mut file = File::create(path)?;
        file.write_all(b"[")?;
        file.write_all(END)?;
        let file = Arc::new(Self { open: Mutex::new(Open { file, teams: 0, events: 0 }) });
        files.push((path.to_path_buf(), file.clone()));
        Ok(file)
    }

    /// Gives a team its number, and its tracks their names.
    pub(super) fn name_team(&self, width: usize) -> io::Result<usize> {
        let mut open = lock(&self.open);
        let team = open.teams;
        open.teams += 1;
        let names = (0..width).map(|participant| {
            let role = if participant == 0 { "dispatcher" } else { "worker" };
            format!(
                r#"{{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"team {team}, {role} {participant}"}}}}"#,
                process_id(),
                track(team, participant),
            )
        });
        open.append(names)?;
        Ok(team)
    }

    /// Adds spans. A full disk ends the trace, not the program.
    pub(super) fn write(&self, team: usize, spans: impl Iterator<Item = Span>) {
        let pid = process_id();
        let events = spans.map(|Span { name, participant, start, end, tasks, of }| {
            let (tid, duration) = (track(team, participant), end.saturating_sub(start));
            let mut event = String::new();
            let _ = write!(
                event,
                r#"{{"name":{},"ph":"X","ts":{},"dur":{},"pid":{pid},"tid":{tid},"args":{{"tasks":{tasks},"of":{of}}}}}"#,
                quoted(name),
                micros(start),
                micros(duration),
            );
            event
        });
        let _ = lock(&self.open).append(events);
    }
}

impl Open {
    fn append(&mut self, events: impl Iterator<Item = String>) -> io::Result<()> {
        let mut text = String::new();
        for event in events {
            text += if self.events == 0 { "\n" } else { ",\n" };
            text += &event;
            self.events += 1;
        }
        self.file.seek(SeekFrom::End(-(END.len() as i64)))?;
        text.push_str("\n]\n");
        self.file.write_all(text.as_bytes())
    }
}

fn track(team: usize, participant: usize) -> usize {
    team * TRACKS + participant
}

/// Nanoseconds as microseconds, exactly.
fn micros(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted("add"), r#""add""#);
        assert_eq!(quoted("a\"\\\n"), r#""a\"\\\u000a""#);
        assert_eq!(micros(12_034), "12.034");
    }
}
