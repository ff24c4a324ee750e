//! Windows, extreme draws and refused arguments.

use core::f32::consts::TAU;

use fucina_core::rng::{self, Key, RngError};

/// Its first output is `u64::MAX`.
const ALL_ONES: u64 = 0x3162_8AF6_7B21_31AB;

const SEEDS: [u64; 5] = [0, 1, 42, ALL_ONES, u64::MAX];

type Fill = (&'static str, fn(u64, u64, &mut [f32]));

const FILLS: [Fill; 7] = [
    ("gaussian", |s, first, out| rng::gaussian_fill_at(s, first, out, 0.7)),
    ("fast gaussian", |s, first, out| rng::gaussian_fill_at_fast(s, first, out, 0.7)),
    ("normal", |s, first, out| rng::normal_fill_at(s, first, out, -2.0, 3.0).unwrap()),
    ("uniform", |s, first, out| rng::uniform_fill_at(s, first, out, -1.0, 3.0).unwrap()),
    ("kaiming", |s, first, out| rng::kaiming_uniform_fill_at(s, first, out, 27).unwrap()),
    ("bernoulli", |s, first, out| rng::bernoulli_fill_at(s, first, out, 0.3).unwrap()),
    ("gumbel", |s, first, out| rng::gumbel_fill_at(s, first, out)),
];

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn the_counter_form_equals_the_sequential_one() {
    for seed in SEEDS {
        let mut state = seed;
        for i in 0..1000 {
            let output = rng::splitmix64(&mut state);
            assert_eq!(output, rng::at(seed, i), "seed {seed:#x}, index {i}");
            assert_eq!((output >> 11) as f64 / 2_f64.powi(53), rng::unit(seed, i));
        }
    }
    // (u64::MAX + 1) * G wraps to 0: the finaliser of the seed, which is 0 for seed 0.
    assert_eq!(rng::at(0, u64::MAX), 0);
    assert_eq!(rng::at(ALL_ONES, 0), u64::MAX);
}

#[test]
fn short_windows_at_every_offset_are_cut_from_one_sequence() {
    for (name, fill) in FILLS {
        for seed in SEEDS {
            let mut whole = [0.0; 48];
            fill(seed, 0, &mut whole);
            for first in 0..12 {
                for len in 0..36 {
                    let mut part = vec![f32::NAN; len];
                    fill(seed, first as u64, &mut part);
                    let expected = bits(&whole[first..first + len]);
                    assert_eq!(bits(&part), expected, "{name}, seed {seed:#x}, {first} + {len}");
                }
            }
        }
    }
}

#[test]
fn random_cuts_of_long_fills_change_no_bit() {
    for (name, fill) in FILLS {
        let mut whole = vec![0.0; 4001];
        fill(5, 0, &mut whole);
        for round in 0..20 {
            let mut parts = vec![f32::NAN; whole.len()];
            let (mut at, mut cuts) = (0, 0);
            while at < parts.len() {
                let most = if round % 2 == 0 { 9 } else { 700 };
                let len = 1 + (rng::at(round, cuts) % most) as usize;
                let end = parts.len().min(at + len);
                fill(5, at as u64, &mut parts[at..end]);
                (at, cuts) = (end, cuts + 1);
            }
            assert_eq!(bits(&parts), bits(&whole), "{name}, round {round}");
        }
    }
}

#[test]
fn windows_run_through_the_end_of_the_indices() {
    for (name, fill) in FILLS {
        for back in [1, 2, 3, 140, 141] {
            let mut whole = vec![0.0; 300];
            fill(9, 0_u64.wrapping_sub(back), &mut whole);
            let mut after = vec![0.0; 300 - back as usize];
            fill(9, 0, &mut after);
            assert_eq!(bits(&whole[back as usize..]), bits(&after), "{name}, {back} before 0");
        }
    }
}

#[test]
fn the_plain_fills_begin_at_index_0() {
    let (mut a, mut b) = ([0.0; 33], [0.0; 33]);
    let same = |a: &[f32], b: &[f32]| assert_eq!(bits(a), bits(b));
    rng::gaussian_fill(6, &mut a, 0.7);
    rng::gaussian_fill_at(6, 0, &mut b, 0.7);
    same(&a, &b);
    rng::normal_fill(6, &mut a, -2.0, 3.0).unwrap();
    rng::normal_fill_at(6, 0, &mut b, -2.0, 3.0).unwrap();
    same(&a, &b);
    rng::bernoulli_fill(6, &mut a, 0.3).unwrap();
    rng::bernoulli_fill_at(6, 0, &mut b, 0.3).unwrap();
    same(&a, &b);
    rng::gumbel_fill(6, &mut a);
    rng::gumbel_fill_at(6, 0, &mut b);
    same(&a, &b);
    let (mut a, mut b) = ([0; 33], [0; 30]);
    rng::randint_fill(6, &mut a, -9, 9).unwrap();
    rng::randint_fill_at(6, 3, &mut b, -9, 9).unwrap();
    assert_eq!(a[3..], b);
}

#[test]
fn the_greatest_draw_stays_below_the_upper_end() {
    for (lo, hi) in [(0.0, 1.0), (-1.0, 3.0), (-2.0, -1.0), (f32::MIN, f32::MAX)] {
        let mut out = [f32::NAN];
        rng::uniform_fill(ALL_ONES, &mut out, lo, hi).unwrap();
        assert_eq!(out[0], hi.next_down(), "[{lo}, {hi})");
    }
    let mut out = [f32::NAN];
    // Near 0 the f32 are so dense that nothing rounds up to the end.
    rng::uniform_fill(ALL_ONES, &mut out, -1.0, 0.0).unwrap();
    assert_eq!(out[0], -(2_f32.powi(-53)));
    rng::kaiming_uniform_fill(ALL_ONES, &mut out, 4).unwrap();
    assert_eq!(out[0], 0.5_f32.next_down());
}

#[test]
fn uniforms_of_a_one_value_interval_are_its_lower_end() {
    let (lo, hi) = (1.0, 1.0_f32.next_up());
    let mut out = [0.0; 200];
    rng::uniform_fill(8, &mut out, lo, hi).unwrap();
    assert_eq!(out, [lo; 200]);
}

#[test]
fn the_greatest_draw_gives_finite_gumbels_and_gaussians() {
    let mut out = [0.0; 2];
    rng::gumbel_fill(ALL_ONES, &mut out);
    // -ln(-ln(1 - 2^-52)), what the draw below gives.
    assert_eq!(out[0], (52.0 * core::f64::consts::LN_2) as f32);
    rng::gaussian_fill(ALL_ONES, &mut out, 1.0);
    assert_eq!(out, [0.0; 2]);
    rng::gaussian_fill_at_fast(ALL_ONES, 0, &mut out, 1.0);
    assert_eq!(out, [0.0; 2]);
}

#[test]
fn the_least_draw_gives_finite_gaussians_and_gumbels() {
    // Output u64::MAX of seed 0 is 0: the longest radius possible comes from an even index, the others follow.
    let mut out = [0.0];
    rng::gumbel_fill_at(0, u64::MAX, &mut out);
    assert_eq!(out[0], (-(54.0 * core::f64::consts::LN_2).ln()) as f32);
    // Seed -G has output 0 at index 0: radius sqrt(106 ln 2).
    let seed = 0_u64.wrapping_sub(0x9E37_79B9_7F4A_7C15);
    assert_eq!(rng::at(seed, 0), 0);
    let radius = (106.0 * core::f32::consts::LN_2).sqrt();
    let mut pair = [0.0; 2];
    for fill in [rng::gaussian_fill_at, rng::gaussian_fill_at_fast] {
        fill(seed, 0, &mut pair, 1.0);
        assert!((pair[0].hypot(pair[1]) - radius).abs() < 1e-5 && radius < 8.6);
        let turn = rng::unit(seed, 1) as f32;
        assert!((pair[0] - radius * (TAU * turn).cos()).abs() < 1e-4);
    }
}

#[test]
fn scales_of_the_fast_gaussian_factor_out() {
    let (mut one, mut many) = ([0.0; 257], [0.0; 257]);
    rng::gaussian_fill_at_fast(4, 3, &mut one, 1.0);
    for scale in [0.02, -3.0, 1e30] {
        rng::gaussian_fill_at_fast(4, 3, &mut many, scale);
        assert_eq!(bits(&many), bits(&one.map(|x| x * scale)));
    }
}

#[test]
fn normals_of_mean_0_are_the_gaussians_and_others_round_twice() {
    let (mut normal, mut gauss) = ([0.0; 99], [0.0; 99]);
    rng::gaussian_fill(4, &mut gauss, 0.3);
    rng::normal_fill(4, &mut normal, -0.0, 0.3).unwrap();
    assert_eq!(bits(&normal), bits(&gauss));
    rng::normal_fill(4, &mut normal, 1e3, 0.3).unwrap();
    assert_eq!(bits(&normal), bits(&gauss.map(|x| x + 1e3)));
}

#[test]
fn integer_ranges_of_every_size_stay_inside() {
    let mut out = [0; 1000];
    for (low, high) in [(7, 8), (i64::MAX - 1, i64::MAX), (i64::MIN, i64::MIN + 1)] {
        rng::randint_fill(1, &mut out, low, high).unwrap();
        assert_eq!(out, [low; 1000]);
    }
    for (low, high) in [(i64::MIN, i64::MAX), (-1, i64::MAX), (i64::MIN, 1), (-3, 3)] {
        rng::randint_fill(1, &mut out, low, high).unwrap();
        assert!(out.iter().all(|x| (low..high).contains(x)), "{low}..{high}");
        let middle = low.midpoint(high);
        let lower = out.iter().filter(|&&x| x < middle).count();
        assert!((400..600).contains(&lower), "{low}..{high}: {lower} of 1000 in the lower half");
    }
    // The greatest output meets the greatest range in its last value.
    rng::randint_fill(ALL_ONES, &mut out, i64::MIN, i64::MAX).unwrap();
    assert_eq!(out[0], i64::MAX - 1);
}

#[test]
fn permutations_of_every_small_length_are_valid() {
    for n in 0..70 {
        for seed in SEEDS {
            let mut out = vec![-1; n];
            rng::randperm_fill(seed, &mut out);
            out.sort_unstable();
            assert!(out.iter().enumerate().all(|(i, &x)| x == i as i64), "n {n}, seed {seed:#x}");
        }
    }
}

#[test]
fn bernoulli_is_certain_at_0_and_1() {
    let mut out = [0.5; 500];
    rng::bernoulli_fill(ALL_ONES, &mut out, 1.0).unwrap();
    assert_eq!(out, [1.0; 500]);
    rng::bernoulli_fill(ALL_ONES, &mut out, 0.0).unwrap();
    assert_eq!(bits(&out), [0; 500]);
}

#[test]
fn dropout_drops_to_positive_zero_and_keeps_the_rest_scaled() {
    let x = [-1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 5.0];
    let p = 0.5;
    let keep = rng::dropout_threshold(p).unwrap();
    let (mut dropped, mut kept) = (0, 0);
    for first in 0..100 {
        let mut out = [7.0; 6];
        rng::dropout(3, first, p, &x, &mut out).unwrap();
        for (i, (&x, &y)) in x.iter().zip(&out).enumerate() {
            if rng::dropout_keep(3, first + i as u64, keep) {
                kept += 1;
                assert!(y == x * 2.0 || x.is_nan() && y.is_nan());
            } else {
                dropped += 1;
                assert_eq!(y.to_bits(), 0);
            }
        }
        let mut in_place = x;
        rng::dropout_in_place(3, first, p, &mut in_place).unwrap();
        assert_eq!(bits(&in_place), bits(&out));
    }
    assert!(dropped > 200 && kept > 200);
    let mut out = [0.0; 6];
    rng::dropout(3, 0, 0.0, &x, &mut out).unwrap();
    assert_eq!(bits(&out), bits(&x));
}

#[test]
fn dropout_windows_share_one_mask() {
    let x: Vec<f32> = (0..501_u16).map(f32::from).collect();
    let mut whole = vec![0.0; x.len()];
    rng::dropout(12, 77, 0.3, &x, &mut whole).unwrap();
    let mut parts = vec![0.0; x.len()];
    for (i, (x, out)) in x.chunks(13).zip(parts.chunks_mut(13)).enumerate() {
        rng::dropout(12, 77 + 13 * i as u64, 0.3, x, out).unwrap();
    }
    assert_eq!(bits(&whole), bits(&parts));
}

#[test]
fn the_threshold_of_dropout_is_the_keep_probability_exactly() {
    let draws = 2_f64.powi(53);
    for p in [0.0, f32::MIN_POSITIVE, 1e-17, 0.1, 0.25, 0.5, 0.9, 1.0_f32.next_down()] {
        let keep = 1.0 - f64::from(p);
        let threshold = rng::dropout_threshold(p).unwrap();
        assert_eq!(threshold as f64 / draws, keep, "p {p}");
        for i in 0..1000 {
            assert_eq!(rng::dropout_keep(1, i, threshold), rng::unit(1, i) < keep);
        }
        assert_eq!(rng::dropout_scale(p).unwrap(), 1.0 / (1.0 - p));
    }
}

#[test]
fn empty_outputs_are_served() {
    for (_, fill) in FILLS {
        fill(1, 1, &mut []);
    }
    rng::randint_fill(1, &mut [], 0, 1).unwrap();
    rng::randperm_fill(1, &mut []);
    rng::dropout(1, 0, 0.5, &[], &mut []).unwrap();
}

#[test]
fn bad_arguments_are_refused_before_anything_is_written() {
    let mut out = [7.0; 3];
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for (lo, hi) in
        [(1.0, 1.0), (2.0, 1.0), (nan, 1.0), (0.0, nan), (-inf, 0.0), (0.0, inf), (0.0, -0.0)]
    {
        let refusal = rng::uniform_fill(1, &mut out, lo, hi).unwrap_err();
        assert!(matches!(refusal, RngError::BadInterval { op: "uniform_fill", .. }));
    }
    for (mean, std_dev) in [(nan, 1.0), (inf, 1.0), (0.0, nan), (0.0, inf), (0.0, -1.0)] {
        let refusal = rng::normal_fill(1, &mut out, mean, std_dev).unwrap_err();
        assert!(matches!(refusal, RngError::BadMoments { .. }));
    }
    for p in [nan, -0.1, 1.0_f32.next_up(), inf] {
        let refusal = rng::bernoulli_fill(1, &mut out, p).unwrap_err();
        assert!(matches!(refusal, RngError::BadProbability { one_fits: true, .. }));
    }
    for p in [nan, -0.1, 1.0, inf] {
        let refusal = rng::dropout(1, 0, p, &[1.0; 3], &mut out).unwrap_err();
        assert!(matches!(refusal, RngError::BadProbability { one_fits: false, .. }));
        assert!(rng::dropout_in_place(1, 0, p, &mut out).is_err());
        assert!(rng::dropout_threshold(p).is_err() && rng::dropout_scale(p).is_err());
    }
    let refusal = rng::dropout(1, 0, 0.5, &[1.0; 4], &mut out).unwrap_err();
    assert_eq!(refusal, RngError::LengthMismatch { op: "dropout", expected: 4, found: 3 });
    let refusal = rng::kaiming_uniform_fill(1, &mut out, 0).unwrap_err();
    assert_eq!(refusal, RngError::ZeroFanIn { op: "kaiming_uniform_fill" });
    assert_eq!(out, [7.0; 3]);
    let mut out = [7; 3];
    for (low, high) in [(0, 0), (1, 0), (i64::MAX, i64::MIN)] {
        let refusal = rng::randint_fill(1, &mut out, low, high);
        assert_eq!(refusal, Err(RngError::EmptyRange { op: "randint_fill", low, high }));
    }
    assert_eq!(out, [7; 3]);
}

#[test]
fn refusals_say_what_would_fit() {
    let text = |e: RngError| e.to_string();
    assert_eq!(
        text(rng::randint_fill(1, &mut [], 4, 2).unwrap_err()),
        "randint_fill: low is 4, high is 2; low must be below high"
    );
    assert_eq!(
        text(rng::dropout_threshold(1.0).unwrap_err()),
        "dropout_threshold: p is 1; 0 up to, not including, 1 fit"
    );
    assert_eq!(
        text(rng::bernoulli_fill(1, &mut [], 2.0).unwrap_err()),
        "bernoulli_fill: p is 2; 0 to 1 fit"
    );
    assert_eq!(
        text(rng::uniform_fill(1, &mut [], 2.0, 1.0).unwrap_err()),
        "uniform_fill: lo is 2, hi is 1; both must be finite and lo below hi"
    );
}

#[test]
fn keys_are_frozen() {
    // From the definitions in plain integer arithmetic, by another program.
    let golden: [(u64, [u64; 4], [u64; 3]); 3] = [
        (
            0,
            [
                0x74d2_8e02_5cea_ac29,
                0x8907_10ce_d7fb_c4af,
                0xfc47_2906_7514_681e,
                0xa887_1e37_18ca_0053,
            ],
            [0x0fec_917d_2ba4_7b1d, 0x0383_a7a3_6117_603a, 0x23df_8f91_9b81_008f],
        ),
        (
            42,
            [
                0xac57_5302_cac2_bc29,
                0xee4c_2199_d21d_d66e,
                0xd79d_fa8d_1673_7da1,
                0x6dcc_7477_0a69_670d,
            ],
            [0x6ef4_82ca_aa1f_9e72, 0x9e43_7fd8_bf8b_97a5, 0xbe1e_70e8_ac17_769c],
        ),
        (
            u64::MAX,
            [
                0x91bc_9a39_8661_1a3f,
                0x4d14_e1bb_fd31_08aa,
                0xab82_04d2_2a5b_6394,
                0x1941_91d6_fdc3_53f3,
            ],
            [0xd63f_4a63_d48c_84eb, 0x77b3_d584_6b4b_f084, 0x2268_3e13_c07e_e6f5],
        ),
    ];
    for (seed, children, folds) in golden {
        let key = Key::new(seed);
        assert_eq!(key.seed(), seed);
        assert_eq!([0, 1, 2, u64::MAX].map(|i| key.split(i).seed()), children);
        assert_eq!([0, 1, u64::MAX].map(|i| key.fold_in(i).seed()), folds);
        assert_eq!(key.split_array::<3>().map(Key::seed), children[..3]);
        assert!(key.split_n(3).map(Key::seed).eq(children[..3].iter().copied()));
    }
}

#[test]
fn the_children_of_a_key_are_distinct_at_every_level() {
    let mut seeds: Vec<u64> = Key::new(0)
        .split_n(300)
        .flat_map(|k| k.split_n(100).chain([k, k.fold_in(0), k.fold_in(1)]))
        .chain([Key::new(0)])
        .map(Key::seed)
        .collect();
    let n = seeds.len();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), n);
}
