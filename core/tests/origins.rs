//! With `track-origins`, a leak names the line of the op that made it.
#![cfg(feature = "track-origins")]

use core::panic::Location;

use fucina_core::{ExecContext, Tensor};

#[track_caller]
fn here() -> &'static Location<'static> {
    Location::caller()
}

#[test]
fn leaks_name_the_source_lines_of_their_ops() {
    let ctx = ExecContext::new();
    let (x, made) = (Tensor::from_slice(&ctx, &[4], &[1.0_f32; 4]).unwrap(), here());
    let (kept, raw) = (ctx.exp(x.raw()).unwrap(), here());
    let mut sums = Vec::new();
    let mut line = here();
    for _ in 0..3 {
        let (sum, at) = (x.add(&ctx, &x).unwrap(), here());
        (line, _) = (at, sums.push(sum));
    }
    drop(x.neg(&ctx).unwrap());
    let leaks = ctx.close().unwrap_err();
    let sites: Vec<_> = leaks.sites().map(|s| (s.location.line(), s.blocks, s.bytes)).collect();
    assert_eq!(sites, [(line.line(), 3, 48), (raw.line(), 1, 16), (made.line(), 1, 16)]);
    assert!(leaks.sites().all(|site| site.location.file() == here().file()));
    let text = leaks.to_string();
    assert!(text.starts_with("close: 5 blocks of 80 bytes and 0 cells still alive; none fit\n"));
    let file = line.file();
    assert!(text.contains(&format!("{file}:{}:", line.line())), "{text}");
    assert!(text.contains(": 3 blocks, 48 bytes"), "{text}");
    drop((kept, sums));
}

#[test]
fn nodes_and_foreign_memory_have_origins_too() {
    let ctx = ExecContext::new();
    let (w, variable) = (Tensor::variable_from_slice(&ctx, &[1], &[1.0_f32]).unwrap(), here());
    let (weights, stat) = (ctx.from_static(&[1], &[1.0_f32]).unwrap(), here());
    let leaks = ctx.close().unwrap_err();
    assert_eq!((leaks.blocks, leaks.cells), (1, 2));
    let lines: Vec<_> = leaks.sites().map(|s| s.location.line()).collect();
    assert_eq!(lines, [stat.line(), variable.line()]);
    assert_eq!(leaks.sites().map(|s| s.blocks).collect::<Vec<_>>(), [1, 2]);
    drop((w, weights));
}
