//! Chained dispatches on a team: order, the contract, and what happens when the team cannot.

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::panic::catch_unwind;

use fucina_core::Error;
use fucina_core::error::ChainFault;
use fucina_core::parallel::{SerialTeam, Team};
use fucina_runtime::WorkerTeam;

#[test]
fn two_seeds_and_their_successors_run_once() {
    let team = WorkerTeam::new(4);
    let hits: [AtomicU32; 4] = [const { AtomicU32::new(0) }; 4];
    let ran = team.for_each_chained(4, 2, &|i, chain| {
        hits[i].fetch_add(1, Ordering::Relaxed);
        if i < 2 {
            chain.enqueue(i + 2).unwrap();
        }
    });
    assert_eq!(ran, Ok(true));
    assert_eq!(hits.map(AtomicU32::into_inner), [1; 4]);
}

#[test]
fn two_interleaved_chains_reset_between_dispatches() {
    let team = WorkerTeam::new(3);
    let hits: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];
    for dispatch in 1..=50 {
        let ran = team.for_each_chained(16, 2, &|i, chain| {
            hits[i].fetch_add(1, Ordering::Relaxed);
            if i + 2 < 16 {
                chain.enqueue(i + 2).unwrap();
            }
        });
        assert_eq!(ran, Ok(true));
        assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == dispatch));
    }
}

#[test]
fn no_tasks_are_done_and_bad_seeds_run_nothing() {
    let team = WorkerTeam::new(2);
    let never =
        |_: usize, _: &fucina_core::parallel::Chain<'_>| unreachable!("nothing is runnable");
    assert_eq!(team.for_each_chained(0, 0, &never), Ok(true));
    assert_eq!(team.for_each_chained(3, 0, &never), Ok(false));
    assert_eq!(team.for_each_chained(3, 4, &never), Ok(false));
    assert_eq!(team.started_workers(), 0);
    // Nobody to share the work with: the caller runs the graph itself.
    assert_eq!(SerialTeam.for_each_chained(3, 1, &never), Ok(false));
    assert_eq!(WorkerTeam::new(1).for_each_chained(3, 1, &never), Ok(false));
}

#[test]
fn a_busy_team_says_no() {
    let team = WorkerTeam::new(2);
    let refused = AtomicUsize::new(0);
    team.for_each(4, &|_| {
        let inner = team.for_each_chained(2, 2, &|_, _| unreachable!("the team is busy"));
        refused.fetch_add(usize::from(inner == Ok(false)), Ordering::Relaxed);
    });
    assert_eq!(refused.into_inner(), 4);
}

#[test]
fn a_broken_contract_is_an_error_and_the_team_survives() {
    let team = WorkerTeam::new(3);
    let broken = |index, tasks, fault| {
        Err(Error::BrokenChain { op: "for_each_chained", index, tasks, fault })
    };
    for _ in 0..200 {
        let twice = team.for_each_chained(8, 2, &|_, chain| {
            let _ = chain.enqueue(7);
        });
        assert_eq!(twice, broken(7, 8, ChainFault::EnqueuedTwice));
        let never = team.for_each_chained(8, 2, &|i, chain| {
            let _ = (i == 0).then(|| chain.enqueue(2));
        });
        assert_eq!(never, broken(3, 8, ChainFault::NeverEnqueued));
        let beyond = team.for_each_chained(8, 2, &|_, chain| {
            let _ = chain.enqueue(8);
        });
        assert_eq!(beyond, broken(8, 8, ChainFault::OutOfRange));
    }
    assert_eq!(team.for_each_chained(2, 2, &|_, _| {}), Ok(true));
}

#[test]
fn a_panic_in_a_chain_reaches_the_dispatcher() {
    let team = WorkerTeam::new(3);
    for _ in 0..50 {
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _ = team.for_each_chained(10, 1, &|i, chain| {
                if i == 5 {
                    std::panic::resume_unwind(Box::new("task 5"));
                }
                chain.enqueue(i + 1).unwrap();
            });
        }));
        assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&"task 5"));
    }
    assert_eq!(team.for_each_chained(2, 2, &|_, _| {}), Ok(true));
}
