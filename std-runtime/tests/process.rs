//! What only a whole process shows: knobs from its environment, a quota from its cgroup, a limit on its memory, a fork.
//!
//! Each case runs this program again as [`child`], with a different environment.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use fucina_core::parallel::Team;
use fucina_runtime::{TeamConfig, WorkerTeam, parallel};

/// Tells [`child`] what to do.
const ROLE: &str = "FUCINA_TEST_ROLE";

/// Does nothing in the process that runs the tests.
#[test]
fn child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    match role.as_str() {
        "threads" => println!("={}", parallel::cpu_thread_count(usize::MAX)),
        "explicit" => {
            parallel::set_max_threads(5);
            println!("={}", parallel::cpu_thread_count(usize::MAX));
        }
        "spin" => println!("={}", TeamConfig::of(2).spin.worker),
        "backend" => println!("={}", fucina_runtime::best_backend().name()),
        "report" => println!("={}", parallel::topology_report().replace('\n', " | ")),
        "dispatch" => {
            let team = WorkerTeam::new(2);
            for _ in 0..3 {
                team.for_each_named("add", 8, &|_| thread::sleep(Duration::from_micros(200)));
            }
        }
        "few" => {
            let team = WorkerTeam::new(64);
            let sum = AtomicUsize::new(0);
            team.for_each(1000, &|i| {
                sum.fetch_add(i, Ordering::Relaxed);
            });
            println!("={} {}", sum.into_inner(), team.started_workers());
        }
        "join" => {
            // SAFETY: `getpid` has no conditions.
            let pid = unsafe { libc::getpid() };
            let procs = std::env::var("FUCINA_TEST_CGROUP").unwrap();
            fs::write(procs, pid.to_string()).unwrap();
            println!("={}", parallel::cpu_thread_count(usize::MAX));
        }
        "fork" => forked(),
        role => panic!("no such role: {role}"),
    }
}

/// This program again, as `role`.
fn command(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--nocapture"]).env(ROLE, role);
    for (name, _) in
        std::env::vars().filter(|(name, _)| name.starts_with("FUCINA_") && name != ROLE)
    {
        command.env_remove(name);
    }
    command
}

/// What the child says after `=`, and its standard error.
fn answer(mut command: Command) -> (String, String) {
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{out}{err}");
    let said = out.lines().find_map(|line| line.split_once('=').map(|(_, said)| said.to_string()));
    (said.unwrap_or_default(), err)
}

fn with(role: &str, name: &str, value: &str) -> String {
    let mut command = command(role);
    command.env(name, value);
    answer(command).0
}

#[test]
fn the_thread_limit_only_lowers_and_bad_text_counts_as_unset() {
    let detected = answer(command("threads")).0;
    let most: usize = detected.parse().unwrap();
    for text in ["", "0", "abc", "1abc", "-1", "111111111111111111111", " 1", "1000"] {
        assert_eq!(with("threads", "FUCINA_MAX_THREADS", text), detected, "{text:?}");
    }
    assert_eq!(with("threads", "FUCINA_MAX_THREADS", "1"), "1");
    assert_eq!(with("threads", "FUCINA_MAX_THREADS", "0001"), "1");
    assert_eq!(with("threads", "FUCINA_MAX_THREADS", "2"), most.min(2).to_string());
    // An explicit call wins.
    assert_eq!(with("explicit", "FUCINA_MAX_THREADS", "1"), "5");
}

#[test]
fn the_spin_budget_may_be_zero_and_bad_text_counts_as_unset() {
    let default = answer(command("spin")).0;
    for text in ["", "-4", "-0", "abc", "99999999999"] {
        assert_eq!(with("spin", "FUCINA_SPIN_BUDGET", text), default, "{text:?}");
    }
    assert_eq!(with("spin", "FUCINA_SPIN_BUDGET", "0"), "0");
    assert_eq!(with("spin", "FUCINA_SPIN_BUDGET", "512"), "512");
}

#[test]
fn a_backend_is_chosen_by_its_name() {
    let widest = answer(command("backend")).0;
    assert_eq!(with("backend", "FUCINA_BACKEND", "scalar"), "scalar");
    assert_eq!(with("backend", "FUCINA_BACKEND", "scalar-unfused"), "scalar-unfused");
    assert_eq!(with("backend", "FUCINA_BACKEND", &widest), widest);
    assert_eq!(with("backend", "FUCINA_BACKEND", "avx1024"), widest);
}

#[test]
fn the_report_names_the_number_of_threads() {
    let report = answer(command("report")).0;
    assert!(report.contains(&answer(command("threads")).0), "{report}");
}

#[test]
fn a_profile_names_op_and_participants() {
    let mut quiet = command("dispatch");
    quiet.env("FUCINA_POOL_PROFILE", "0");
    assert!(!answer(quiet).1.contains("fucina pool"));
    let mut loud = command("dispatch");
    loud.env("FUCINA_POOL_PROFILE", "1");
    let err = answer(loud).1;
    assert_eq!(err.matches("fucina pool: add: 8 tasks in ").count(), 3, "{err}");
    assert_eq!(err.matches("\n  0: in at ").count(), 3, "{err}");
    assert_eq!(err.matches("\n  1: ").count(), 3, "{err}");
}

#[test]
fn a_trace_is_json_with_a_track_a_participant() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace.json");
    let mut command = command("dispatch");
    command.env("FUCINA_POOL_TRACE", &path);
    answer(command);
    let events: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let events = events.as_array().unwrap();
    let named = |name: &str| events.iter().filter(|e| e["name"] == name).collect::<Vec<_>>();
    assert_eq!(named("thread_name").len(), 2);
    assert_eq!(named("join").len(), 3);
    let adds = named("add");
    assert!((3..=6).contains(&adds.len()), "{adds:?}");
    let tasks: u64 = adds.iter().map(|e| e["args"]["tasks"].as_u64().unwrap()).sum();
    assert_eq!(tasks, 24);
    for event in adds {
        assert_eq!(event["ph"], "X");
        assert!(event["ts"].as_f64().unwrap() > 0.0 && event["dur"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_one_line() {
    let mut command = command("dispatch");
    command.env("FUCINA_POOL_TRACE", "/no/such/folder/trace.json");
    let err = answer(command).1;
    assert_eq!(err.matches("fucina: no trace in /no/such/folder/trace.json: ").count(), 1, "{err}");
}

#[test]
fn threads_that_cannot_be_had_make_a_smaller_team() {
    if !cfg!(target_os = "linux") {
        return;
    }
    // Room for some of the stacks, not for 63. Large ones, so that what is left after the last one is room for the C library.
    let mut limited = Command::new("sh");
    let exe = std::env::current_exe().unwrap();
    limited
        .args(["-c", "ulimit -v 100000; exec \"$0\" child --exact --nocapture --test-threads 1"]);
    limited.arg(exe).env(ROLE, "few").env("RUST_MIN_STACK", (20 << 20).to_string());
    let (said, _) = answer(limited);
    let (sum, workers) = said.split_once(' ').unwrap();
    assert_eq!(sum, "499500");
    assert!(workers.parse::<usize>().unwrap() < 63, "{workers} workers");
}

#[test]
fn a_quota_of_a_real_cgroup_bounds_the_team() {
    let Some(group) = Cgroup::make() else {
        return println!("no cgroup may be made here: the fixtures of `platform` stand in");
    };
    let most: usize = answer(command("threads")).0.parse().unwrap();
    for (quota, cpus) in [(100_000, 1), (150_000, 1), (200_000, 2), (50_000, 1), (-1, usize::MAX)] {
        group.set(quota);
        let said =
            with("join", "FUCINA_TEST_CGROUP", group.path.join("cgroup.procs").to_str().unwrap());
        assert_eq!(said, most.min(cpus).to_string(), "quota {quota}");
    }
}

/// A cgroup with a quota, removed when dropped.
struct Cgroup {
    path: PathBuf,
    v2: bool,
}

impl Cgroup {
    fn make() -> Option<Self> {
        let name = format!("fucina-test-{}", std::process::id());
        [("/sys/fs/cgroup/cpu", false), ("/sys/fs/cgroup", true)].into_iter().find_map(
            |(root, v2)| {
                let path = Path::new(root).join(&name);
                fs::create_dir(&path).ok()?;
                let group = Self { path, v2 };
                fs::metadata(group.path.join(if v2 { "cpu.max" } else { "cpu.cfs_quota_us" }))
                    .ok()?;
                Some(group)
            },
        )
    }

    fn set(&self, quota: i64) {
        let (file, text) = match (self.v2, quota) {
            (false, _) => ("cpu.cfs_quota_us", quota.to_string()),
            (true, -1) => ("cpu.max", "max 100000".to_string()),
            (true, _) => ("cpu.max", format!("{quota} 100000")),
        };
        fs::write(self.path.join(file), text).unwrap();
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

#[test]
fn a_forked_child_dispatches_serially_and_ends() {
    if cfg!(unix) {
        assert_eq!(answer(command("fork")).0, "child ok");
    }
}

/// Forks while the team lives; the child uses the team, makes one of its own, and drops both.
fn forked() {
    let team = WorkerTeam::new(4);
    let sum = || {
        let sum = AtomicUsize::new(0);
        team.for_each(100, &|i| {
            sum.fetch_add(i, Ordering::Relaxed);
        });
        sum.into_inner()
    };
    assert_eq!((sum(), team.started_workers()), (4950, 3));
    // SAFETY: the child runs our own code only and leaves by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let right = sum() == 4950;
        drop(team);
        // SAFETY: ends the process at once.
        unsafe { libc::_exit(if right { 0 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: `status` is a valid place for the child's status.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!((waited, status), (child, 0));
    assert_eq!(sum(), 4950);
    println!("=child ok");
}
