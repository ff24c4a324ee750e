//! Environment values, their parsers, and a scanner of raw environment blocks.
//!
//! A knob that cannot be read counts as unset: a misspelt number must not stop a program, and the
//! first record of a key decides even when its value is unusable, as it does for `getenv`.
//!
//! [`env_value`] asks the C library or `std`, and so sees what the program itself has set.
//! [`initial_env`] reads the block the process was started with; nobody can change that one, so
//! it is the way to read while another thread may be writing the environment.
#![forbid(unsafe_code)]

use alloc::ffi::CString;
use alloc::vec::Vec;

use crate::text::decimal;
use crate::{Fs, sys};

/// Longest value [`initial_env`] keeps; a longer one counts as unset.
const MAX_VALUE_BYTES: usize = 4096;

/// The value of the environment variable `name`, as the program now sees it.
///
/// [`None`] if it is unset or `name` is not one (empty, or with `=` or NUL).
pub fn env_value(name: &str) -> Option<Vec<u8>> {
    if !is_key(name.as_bytes()) {
        return None;
    }
    sys::env_value(&CString::new(name).ok()?)
}

/// A positive number from the environment; [`None`] if `name` is unset or not one.
///
/// # Examples
/// ```
/// assert_eq!(fucina_platform::env_positive_usize("FUCINA_UNHEARD_OF"), None);
/// ```
pub fn env_positive_usize(name: &str) -> Option<usize> {
    parse_positive_usize(&env_value(name)?)
}

/// A spin budget in iterations from the environment, where 0 is a value: park at once.
pub fn env_spin_budget(name: &str) -> Option<u32> {
    parse_spin_budget(&env_value(name)?)
}

/// Reads a positive number: decimal digits alone, at most 20, not all zero.
///
/// # Examples
/// ```
/// use fucina_platform::env::parse_positive_usize;
///
/// assert_eq!(parse_positive_usize(b"0008"), Some(8));
/// assert_eq!(parse_positive_usize(b"6abc"), None);
/// ```
pub fn parse_positive_usize(text: &[u8]) -> Option<usize> {
    usize::try_from(decimal(text)?).ok().filter(|&value| value > 0)
}

/// Reads a spin budget: decimal digits alone that fit 32 bits; 0 is one.
pub fn parse_spin_budget(text: &[u8]) -> Option<u32> {
    u32::try_from(decimal(text)?).ok()
}

/// The value of `name` in the block that the process under `fs` was started with.
///
/// Read from `/proc/self/environ`; [`None`] where there is no such file, if `name` is not in it, or
/// if its value is longer than 4,096 bytes.
pub fn initial_env(fs: &Fs, name: &str) -> Option<Vec<u8>> {
    let mut scan = EnvScan::new(name.as_bytes(), MAX_VALUE_BYTES);
    let readable = fs.read_in_pieces("/proc/self/environ", &mut |piece| !scan.feed(piece));
    match scan.finish() {
        EnvRecord::Value(value) if readable => Some(value),
        _ => None,
    }
}

/// What a block says of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvRecord {
    /// No record has the key.
    Absent,
    /// The first record with the key has this value.
    Value(Vec<u8>),
    /// The first record with the key has a value longer than the scan was allowed to keep.
    Overlong,
}

/// Looks for a key in an environment block that arrives in pieces.
///
/// A block is `KEY=value` records, each ended by NUL; the last may lack its own. The scan keeps no
/// more than the bytes of the value asked for, so a record of any length passes through.
///
/// # Examples
/// ```
/// use fucina_platform::env::{EnvRecord, EnvScan};
///
/// let mut scan = EnvScan::new(b"WIDTH", 16);
/// assert!(!scan.feed(b"HOME=/\0WID"));
/// assert!(scan.feed(b"TH=6\0WIDTH=7\0"));
/// assert_eq!(scan.finish(), EnvRecord::Value(b"6".to_vec()));
/// ```
#[derive(Clone, Debug)]
pub struct EnvScan<'key> {
    key: &'key [u8],
    max_value_bytes: usize,
    state: State,
    value: Vec<u8>,
    overlong: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// So many bytes of the record's key are those of the key.
    Key(usize),
    /// In a record with another key.
    Other,
    /// In the value asked for.
    Value,
    /// The value has ended, or the key can be none.
    Decided,
}

impl<'key> EnvScan<'key> {
    /// A scan for `key` that keeps a value of up to `max_value_bytes`.
    ///
    /// A key that is empty or has `=` or NUL in it is in no block.
    pub fn new(key: &'key [u8], max_value_bytes: usize) -> EnvScan<'key> {
        let state = if is_key(key) { State::Key(0) } else { State::Decided };
        let absent = EnvScan { key, max_value_bytes, state, value: Vec::new(), overlong: false };
        if state == State::Decided { EnvScan { key: &[], ..absent } } else { absent }
    }

    /// Takes the next bytes; true once the answer is known, whatever follows.
    pub fn feed(&mut self, piece: &[u8]) -> bool {
        for &byte in piece {
            self.state = match (self.state, byte) {
                (State::Decided, _) => return true,
                (State::Value, 0) => State::Decided,
                (State::Value, _) => {
                    self.keep(byte);
                    State::Value
                }
                (State::Key(_) | State::Other, 0) => State::Key(0),
                (State::Other, _) => State::Other,
                (State::Key(matched), _) => match self.key.get(matched) {
                    Some(&next) if next == byte => State::Key(matched + 1),
                    None if byte == b'=' => State::Value,
                    _ => State::Other,
                },
            };
        }
        self.state == State::Decided
    }

    /// The answer, the block having ended here.
    pub fn finish(self) -> EnvRecord {
        match self.state {
            State::Key(_) | State::Other => EnvRecord::Absent,
            State::Decided if self.key.is_empty() => EnvRecord::Absent,
            State::Value | State::Decided if self.overlong => EnvRecord::Overlong,
            State::Value | State::Decided => EnvRecord::Value(self.value),
        }
    }

    fn keep(&mut self, byte: u8) {
        let fits = self.value.len() < self.max_value_bytes;
        if fits && !self.overlong && self.value.try_reserve(1).is_ok() {
            self.value.push(byte);
        } else {
            self.overlong = true;
        }
    }
}

fn is_key(key: &[u8]) -> bool {
    !key.is_empty() && !key.contains(&b'=') && !key.contains(&0)
}

#[cfg(test)]
mod tests;
