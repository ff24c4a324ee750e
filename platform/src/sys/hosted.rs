//! What `std` answers as well as a system call would: clock, environment, files.
#![forbid(unsafe_code)]

extern crate std;

use alloc::vec::Vec;
use core::ffi::CStr;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::OnceLock;
use std::time::Instant;

pub(crate) fn monotonic_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

pub(crate) fn env_value(name: &CStr) -> Option<Vec<u8>> {
    std::env::var_os(name.to_str().ok()?).map(std::ffi::OsString::into_encoded_bytes)
}

pub(crate) fn read_file(path: &CStr, take: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let Some(mut file) = path.to_str().ok().and_then(|path| File::open(path).ok()) else {
        return false;
    };
    let mut piece = [0u8; 4096];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return true,
            Ok(len) => {
                if !take(&piece[..len]) {
                    return true;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}
