//! Turns at another process's word, so that a bench in another language can alternate with ours: `torch.py` leads.
//!
//! With `TURNS_FOLLOW` set every row prints `row`, its title, unit and work, parted by tabs, then answers each line `turn` of its
//! input with the seconds a call of ours took in that turn. Any other line, or none, ends the row.

use std::io::{BufRead, Write};
use std::sync::LazyLock;

use crate::{Contender, Unit, calls_a_turn, turn};

/// Whether another process leads.
pub(crate) fn followed() -> bool {
    static SET: LazyLock<bool> = LazyLock::new(|| std::env::var_os("TURNS_FOLLOW").is_some());
    *SET
}

/// A row of ours alone, as long as the leader asks for turns.
pub(crate) fn follow(title: &str, unit: Unit, work: f64, ours: &mut Contender<'_>) {
    let say = |line: String| {
        println!("{line}");
        std::io::stdout().flush().unwrap();
    };
    say(format!("row\t{title}\t{}\t{work}", unit.name()));
    let mut reps = None;
    for line in std::io::stdin().lock().lines() {
        if line.unwrap() != "turn" {
            return;
        }
        let reps = *reps.get_or_insert_with(|| calls_a_turn(&mut ours.call));
        say(turn(ours, reps).to_string());
    }
}
