//! Faults that users of other libraries met, replayed: numbers at the edge, conversions and the gradients of powers.
//!
//! The rows of the list about views (V) and numbers (N), and their tests, here or in `cases.rs`:
//!
//! | row | test |
//! | --- | --- |
//! | V1 | `cases::v1_a_transposed_left_operand_multiplies_right` |
//! | V4 | `cases::v4_negative_strides_are_checked_from_the_lowest_element` |
//! | V7 | `cases::v7_size_1_axes_and_contiguity`, `v7_a_broadcast_view_converts_to_f64` |
//! | V10 | `cases::v10_products_take_stride_0_operands` |
//! | V13 | `cases::v13_a_reversed_view_is_written_whole` |
//! | V16 | `v16_padded_tensors_are_reshaped_and_indexed` |
//! | V19 | `cases::v19_partly_overlapping_writes_are_refused` |
//! | V22 | `cases::v22_empty_shapes_are_refused_alike` |
//! | N3 | `n3_bounds_and_values_of_nan_come_through` |
//! | N6 | `n6_sums_of_halves_through_f32` |
//! | N9 | `n9_a_mean_is_finite_where_its_sum_is_not` |
//! | N12 | `n12_floats_saturate_towards_zero` |
//! | N15 | `n15_subnormal_bf16_survive_a_copy_and_a_conversion` |
//! | N18 | `cases::n18_products_skip_no_zeros` |

#[path = "common/contexts.rs"]
mod contexts;

use fucina::dtype::{CastFrom, Element, bf16, f16};
use fucina::{ExecContext, Tensor};

use contexts::contexts;

fn gradient_at(x: f32, f: impl Fn(&ExecContext, &Tensor) -> fucina::Result<Tensor>) -> f32 {
    let ctx = fucina::context();
    let x = Tensor::variable_from_slice(&ctx, &[1], &[x]).unwrap();
    f(&ctx, &x).unwrap().backward(&ctx).unwrap();
    x.grad(&ctx).unwrap().unwrap().item().unwrap()
}

#[test]
fn v7_a_broadcast_view_converts_to_f64() {
    for ctx in contexts() {
        let x = ctx.from_slice(&[2, 1], &[1.0_f32, 2.0]).unwrap();
        let x = x.broadcast_to(&[1, 1, 2, 2]).unwrap();
        assert!(!x.layout().is_contiguous());
        assert_eq!(ctx.cast::<_, f64>(&x).unwrap().data().unwrap(), [1.0, 1.0, 2.0, 2.0]);
    }
}

#[test]
fn v16_padded_tensors_are_reshaped_and_indexed() {
    for ctx in contexts() {
        let pad = ctx.full(&[1], 2.0_f32).unwrap();
        let x = ctx.concat(&[&ctx.from_slice(&[2], &[5.0, 6.0]).unwrap(), &pad], 0).unwrap();
        assert_eq!(x.narrow(0, 2, 1).unwrap().iter().collect::<Vec<_>>(), [2.0]);
        let x = ctx.from_slice(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let x = ctx.concat(&[&ctx.zeros(&[2, 2]).unwrap(), &x], 0).unwrap();
        let x = ctx.reshape(&ctx.reshape(&x, &[2, 2, 2]).unwrap(), &[4, 2]).unwrap();
        assert_eq!(x.iter().nth(4), Some(1.0));
        assert_eq!(ctx.sum_all(&x).unwrap().data().unwrap(), [10.0]);
    }
}

#[test]
fn g10_the_gradient_of_silu_at_zero_is_a_half() {
    assert_eq!(gradient_at(0.0, |ctx, x| x.silu(ctx)), 0.5);
}

#[test]
fn g19_gradients_of_powers() {
    assert_eq!(gradient_at(0.0, |ctx, x| x.powf(ctx, 2.0)), 0.0);
    assert_eq!(gradient_at(-2.0, |ctx, x| x.powf(ctx, 2.0)), -4.0);
    assert_eq!(gradient_at(-2.0, |ctx, x| x.pow(ctx, &Tensor::scalar(ctx, 3.0)?)), 12.0);
    assert_eq!(gradient_at(2.0, |ctx, y| Tensor::scalar(ctx, 0.0)?.pow(ctx, y)), 0.0);
}

#[test]
fn n3_bounds_and_values_of_nan_come_through() {
    for ctx in contexts() {
        for len in [1, 33] {
            let nan = ctx.full(&[len], f32::NAN).unwrap();
            assert!(ctx.clamp(&nan, 0.0, 1.0).unwrap().iter().all(f32::is_nan));
            let low: Vec<f32> = (0..len).map(|i| if i % 2 == 0 { f32::NAN } else { 1.0 }).collect();
            let low = ctx.from_vec(&[len], low).unwrap();
            let clamped = ctx.maximum(&ctx.zeros(&[len]).unwrap(), &low).unwrap();
            for (i, x) in clamped.iter().enumerate() {
                assert!(if i % 2 == 0 { x.is_nan() } else { x == 1.0 }, "element {i}: {x}");
            }
        }
    }
}

#[test]
fn n6_sums_of_halves_through_f32() {
    for ctx in contexts() {
        let ones = ctx.full(&[4096], f16::ONE).unwrap();
        let wide = ctx.cast::<_, f32>(&ones).unwrap();
        assert_eq!(ctx.sum_all(&wide).unwrap().data().unwrap(), [4096.0]);
        assert_eq!(ctx.mean_all(&wide).unwrap().data().unwrap(), [1.0]);
        let wide = ctx.cast::<_, f32>(&ctx.full(&[600], bf16::ONE).unwrap()).unwrap();
        assert_eq!(ctx.sum_all(&wide).unwrap().data().unwrap(), [600.0]);
    }
}

/// Line e27 of `docs/edge-values.md`.
#[test]
fn n9_a_mean_is_finite_where_its_sum_is_not() {
    for ctx in contexts() {
        let means = |x: &[f32]| {
            let row = ctx.from_slice(&[x.len(), 1], x).unwrap();
            let all = ctx.mean_all(&row).unwrap();
            let axis = ctx.mean_axis(&row, 0).unwrap();
            assert!(all.iter().map(f32::to_bits).eq(axis.iter().map(f32::to_bits)));
            all.data().unwrap()[0]
        };
        assert_eq!(means(&[3e38; 2]), 3e38);
        assert_eq!(means(&[f32::MAX; 3]), f32::MAX);
        assert_eq!(means(&[-f32::MAX; 4096]), -f32::MAX);
        // Element 32 meets the first, so the two overflow before the others cancel them.
        let mut cancel = [0.0; 128];
        (cancel[0], cancel[32], cancel[64], cancel[96]) = (3e38, 3e38, -3e38, -3e38);
        assert_eq!(means(&cancel), 0.0);
        assert_eq!(means(&[f32::INFINITY, 1.0]), f32::INFINITY);
        assert!(means(&[f32::INFINITY, f32::NEG_INFINITY]).is_nan());
        assert!(means(&[3e38, f32::NAN, 3e38]).is_nan());
        // A row that does not overflow keeps its bits beside one that does.
        let rows =
            ctx.from_slice(&[2, 2], &[3e38, 3e38, f32::from_bits(1), f32::from_bits(5)]).unwrap();
        let means = ctx.mean_axis(&rows, 1).unwrap();
        assert_eq!(means.data().unwrap()[0], 3e38);
        assert_eq!(means.data().unwrap()[1].to_bits(), 3);
        let x = ctx.full(&[2], 3e38_f32).unwrap();
        let wide = ctx.mean_all(&ctx.cast::<_, f64>(&x).unwrap()).unwrap();
        assert_eq!(ctx.cast::<_, f32>(&wide).unwrap().data().unwrap(), [3e38]);
        let x = ctx.full(&[2], 1e308_f64).unwrap();
        assert_eq!(ctx.mean_all(&x).unwrap().data().unwrap(), [1e308]);
    }
}

fn saturates<U: CastFrom<f32> + Element>(want: [U; 5]) {
    let values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e9, -25.5];
    for ctx in contexts() {
        for len in [1, 33] {
            for from in 0..5 {
                let x: Vec<f32> = (0..len).map(|i| values[(from + i) % 5]).collect();
                let got = ctx.cast::<_, U>(&ctx.from_vec(&[len], x).unwrap()).unwrap();
                let want = (0..len).map(|i| want[(from + i) % 5]);
                assert!(got.iter().eq(want), "{}, length {len}, from {from}", U::DTYPE);
            }
        }
    }
}

#[test]
fn n12_floats_saturate_towards_zero() {
    saturates::<i32>([0, i32::MAX, i32::MIN, i32::MAX, -25]);
    saturates::<u16>([0, u16::MAX, 0, u16::MAX, 0]);
}

#[test]
fn n15_subnormal_bf16_survive_a_copy_and_a_conversion() {
    for ctx in contexts() {
        let x = ctx.full(&[9], bf16::from_bits(1)).unwrap();
        let wide = ctx.cast::<_, f32>(&ctx.materialize(&x.flip(0).unwrap()).unwrap()).unwrap();
        assert!(wide.iter().all(|x| x == 9.183_55e-41));
        let back = ctx.cast::<_, bf16>(&wide).unwrap();
        assert!(back.iter().all(|x| x.to_bits() == 1));
    }
}
