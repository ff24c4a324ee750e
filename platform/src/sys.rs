//! The only file that names an operating system.
//!
//! An arm is a module with the functions re-exported at the end, all of the same signatures:
//!
//! - `futex_wait(&AtomicU32, expected, Option<Duration>) -> Waited`, `futex_wake(&AtomicU32, all)`
//! - `monotonic_ns`, `process_id`, `fork_generation`, `prefer_performance_cores`
//! - `env_value(&CStr) -> Option<Vec<u8>>`, `read_file(&CStr, take) -> bool`, `topology`
//!
//! `hosted` holds what `std` does well enough for several arms, `atfork` what the Unix ones share,
//! `lone` the futex of a target without threads. `portable` and the Windows record parser are also
//! built for the tests of the other arms.

cfg_select! {
    target_os = "linux" => {
        mod atfork;
        mod linux;
        use libc::__errno_location as errno_location;
        use linux as imp;
    }
    target_os = "android" => {
        mod atfork;
        mod linux;
        use libc::__errno as errno_location;
        use linux as imp;
    }
    target_vendor = "apple" => {
        mod apple;
        mod atfork;
        mod hosted;
        use apple as imp;
    }
    target_os = "windows" => {
        mod hosted;
        mod processor_records;
        mod windows;
        use windows as imp;
    }
    all(target_os = "wasi", not(target_feature = "atomics")) => {
        mod hosted;
        mod lone;
        mod wasi;
        use wasi as imp;
    }
    any(target_os = "none", target_os = "unknown") => {
        mod bare;
        mod lone;
        use bare as imp;
    }
    _ => {
        mod hosted;
        pub(crate) mod portable;
        use portable as imp;
    }
}

// What the tests of this host build besides its own arm.
#[cfg(test)]
cfg_select! {
    any(target_os = "linux", target_os = "android") => {
        mod hosted;
        pub(crate) mod portable;
        mod processor_records;
    }
    any(target_vendor = "apple", all(target_os = "wasi", not(target_feature = "atomics"))) => {
        pub(crate) mod portable;
        mod processor_records;
    }
    target_os = "windows" => { pub(crate) mod portable; }
    _ => { mod processor_records; }
}

pub(crate) use imp::{
    env_value, fork_generation, futex_wait, futex_wake, monotonic_ns, prefer_performance_cores,
    process_id, read_file, topology,
};
