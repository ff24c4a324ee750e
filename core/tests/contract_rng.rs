//! The promises of the random number contract that the specification states as a program.

use fucina_core::rng;

#[test]
fn counter_based_rng_reproduces_the_sequential_stream_chunk_by_chunk() {
    let mut state = 42;
    for i in 0..8 {
        let sequential = rng::splitmix64(&mut state);
        assert_eq!(sequential, rng::at(42, i)); // random access in constant time
    }

    let mut whole = [0.0; 6];
    rng::gaussian_fill_at(7, 0, &mut whole, 1.0);
    let mut parts = [0.0; 6];
    rng::gaussian_fill_at(7, 0, &mut parts[0..2], 1.0);
    rng::gaussian_fill_at(7, 2, &mut parts[2..], 1.0); // any cut, the same bits
    assert_eq!(whole.map(f32::to_bits), parts.map(f32::to_bits));
}

#[test]
fn equal_seeds_agree_on_two_threads_and_different_seeds_differ() {
    let fill = |seed| {
        let mut out = vec![0.0; 1000];
        rng::uniform_fill(seed, &mut out[..500], 0.0, 1.0).unwrap();
        rng::normal_fill(seed, &mut out[500..], 0.0, 1.0).unwrap();
        out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
    };
    let (a, b) = std::thread::scope(|s| {
        let (a, b) = (s.spawn(|| fill(42)), s.spawn(|| fill(42)));
        (a.join().unwrap(), b.join().unwrap())
    });
    assert_eq!(a, b);
    assert_ne!(a, fill(43));
}

#[test]
fn fast_gaussians_have_the_moments_and_follow_the_exact_ones() {
    const N: usize = 65_536;
    let (mut fast, mut exact) = (vec![0.0; N], vec![0.0; N]);
    rng::gaussian_fill_at_fast(11, 0, &mut fast, 1.0);
    rng::gaussian_fill_at(11, 0, &mut exact, 1.0);
    let mean = fast.iter().copied().map(f64::from).sum::<f64>() / N as f64;
    let variance = fast.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / N as f64;
    assert!(mean.abs() < 0.02, "mean {mean}");
    assert!((variance - 1.0).abs() < 0.02, "variance {variance}");
    for (i, (&f, &x)) in fast.iter().zip(&exact).enumerate() {
        assert!((f - x).abs() <= 1e-5 * x.abs().max(1.0), "element {i}: fast {f}, exact {x}");
    }
    assert_ne!(fast, exact);
}

#[test]
fn the_permutation_of_257_is_valid_and_deterministic() {
    let (mut a, mut b) = ([0; 257], [-1; 257]);
    rng::randperm_fill(3, &mut a);
    rng::randperm_fill(3, &mut b);
    assert_eq!(a, b);
    assert_ne!(a.map(|x| x as usize), core::array::from_fn::<usize, 257, _>(|i| i));
    a.sort_unstable();
    assert!(a.iter().enumerate().all(|(i, &x)| x == i as i64));
}
