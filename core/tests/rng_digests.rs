//! Digests of fills of 1,048,577 elements.
//!
//! The golden digests come from another program: plain integer arithmetic, f64 arithmetic narrowed after each
//! operation, and the logarithm, sine and cosine of glibc. That this crate, with those of `libm`, agrees in every bit
//! shows that narrowing to f32 hides their last places; a release of either that answers otherwise fails here.

use fucina_core::rng;

const N: usize = 1_048_577;
const SEED: u64 = 0x1234_5678_9ABC_DEF0;

/// The digest that the documentation gives for a fill.
fn documented(fill: &str) -> u64 {
    let table = include_str!("../../docs/determinism.md");
    let row = table.lines().find(|line| line.starts_with(&format!("| `{fill}` |")));
    let digest = row.and_then(|row| row.split('`').nth(3)).expect("a row of the table");
    u64::from_str_radix(digest.trim_start_matches("0x"), 16).expect("a number")
}

/// FNV-1a over 64-bit words.
fn digest(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |h: u64, w| (h ^ w).wrapping_mul(0x0000_0100_0000_01b3))
}

fn floats(fill: impl FnOnce(&mut [f32])) -> u64 {
    let mut out = vec![0.0; N];
    fill(&mut out);
    digest(out.into_iter().map(|x| u64::from(x.to_bits())))
}

fn integers(fill: impl FnOnce(&mut [i64])) -> u64 {
    let mut out = vec![0; N];
    fill(&mut out);
    digest(out.into_iter().map(|x| x as u64))
}

#[test]
fn gaussian() {
    assert_eq!(floats(|o| rng::gaussian_fill(SEED, o, 1.0)), 0x0457_9a0d_4f8d_2cda);
    assert_eq!(documented("gaussian_fill(scale 1)"), 0x0457_9a0d_4f8d_2cda);
}

#[test]
fn fast_gaussian() {
    assert_eq!(floats(|o| rng::gaussian_fill_at_fast(SEED, 0, o, 1.0)), 0x7866_98a9_7c1b_b775);
    assert_eq!(documented("gaussian_fill_at_fast(scale 1)"), 0x7866_98a9_7c1b_b775);
}

#[test]
fn uniform() {
    let fill = |o: &mut [f32]| rng::uniform_fill(SEED, o, -1.0, 3.0).unwrap();
    assert_eq!(floats(fill), 0xc888_aa5d_e6fd_4d5d);
    assert_eq!(documented("uniform_fill(-1, 3)"), 0xc888_aa5d_e6fd_4d5d);
}

#[test]
fn gumbel() {
    assert_eq!(floats(|o| rng::gumbel_fill(SEED, o)), 0x74c0_060a_fdba_125b);
    assert_eq!(documented("gumbel_fill"), 0x74c0_060a_fdba_125b);
}

#[test]
fn randint() {
    let fill = |o: &mut [i64]| rng::randint_fill(SEED, o, -5, 17).unwrap();
    assert_eq!(integers(fill), 0xec53_8709_efc0_f26d);
    assert_eq!(documented("randint_fill(-5, 17)"), 0xec53_8709_efc0_f26d);
}

#[test]
fn randperm() {
    assert_eq!(integers(|o| rng::randperm_fill(SEED, o)), 0xadbe_e210_31c4_6945);
    assert_eq!(documented("randperm_fill"), 0xadbe_e210_31c4_6945);
}

#[test]
fn dropout_mask() {
    let threshold = rng::dropout_threshold(0.1).unwrap();
    let mask = (0..N as u64).map(|i| u64::from(rng::dropout_keep(SEED, i, threshold)));
    assert_eq!(digest(mask), 0xb84c_0ee7_1c6e_f6ad);
    assert_eq!(documented("dropout_keep(p 0.1)"), 0xb84c_0ee7_1c6e_f6ad);
}
