extern crate std;
use std::vec;
use std::vec::Vec;

use super::*;
use crate::kernels::Op;

/// The reduction rule as the module states it, one value at a time.
fn by_the_rule(values: &[f32], identity: f32, fold: fn(f32, f32) -> f32) -> f32 {
    let block = |values: &[f32]| {
        let mut lanes = [identity; 32];
        for (j, &x) in values.iter().enumerate() {
            lanes[j % 32] = fold(lanes[j % 32], x);
        }
        for width in [16, 8, 4, 2, 1] {
            for i in 0..width {
                lanes[i] = fold(lanes[i], lanes[i + width]);
            }
        }
        lanes[0]
    };
    // The binary counter: whenever two folds cover as many blocks, they meet.
    let mut stack: Vec<(usize, f32)> = Vec::new();
    for values in values.chunks(4096) {
        stack.push((1, block(values)));
        while let [.., (left, a), (right, b)] = stack[..]
            && left == right
        {
            stack.truncate(stack.len() - 2);
            stack.push((left + right, fold(a, b)));
        }
    }
    let (_, mut total) = stack.pop().unwrap();
    for (_, left) in stack.into_iter().rev() {
        total = fold(left, total);
    }
    total
}

fn sum(values: &[f32]) -> f32 {
    by_the_rule(values, 0.0, |a, b| a + b)
}

fn max(values: &[f32]) -> f32 {
    by_the_rule(values, f32::NEG_INFINITY, |a, b| if a < b { b } else { a })
}

/// Values of which no two orders of summation agree, and zeros of both signs.
fn values(len: usize) -> Vec<f32> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        match state >> 29 {
            0 => -0.0,
            1 => 0.0,
            _ => (state >> 8) as f32 / 8192.0 - 1000.0,
        }
    };
    (0..len).map(next).collect()
}

#[test]
fn rows_follow_the_rule() {
    for len in [1, 2, 31, 32, 33, 63, 64, 95, 4095, 4096, 4097, 3 * 4096 + 5, 8 * 4096] {
        let x = values(len);
        let (s, m) = (Row { fold: Sum, x: &x }, Row { fold: Max, x: &x });
        assert_eq!(s.run(One {}).to_bits(), sum(&x).to_bits(), "sum of {len}");
        assert_eq!(m.run(One {}).to_bits(), max(&x).to_bits(), "max of {len}");
    }
}

#[test]
fn columns_follow_the_rule() {
    let shapes = (1..70).flat_map(|rows| [(rows, 1), (rows, 7), (rows, 8), (rows, 29)]);
    let tall = [(4096, 9), (4097, 9), (4 * 4096 + 77, 11), (7 * 4096 + 3, 2)];
    for (rows, columns) in shapes.chain(tall) {
        for row_stride in [columns, columns + 3] {
            // The last row ends with its last column.
            let x = values((rows - 1) * row_stride + columns);
            let (mut s, mut m) = (vec![f32::NAN; columns], vec![f32::NAN; columns]);
            Columns { fold: Sum, x: &x, row_stride, out: &mut s }.run(One {});
            Columns { fold: Max, x: &x, row_stride, out: &mut m }.run(One {});
            for c in 0..columns {
                let column: Vec<f32> = x[c..].iter().step_by(row_stride).copied().collect();
                let place = format_args!("column {c} of {rows} x {columns}, stride {row_stride}");
                assert_eq!(s[c].to_bits(), sum(&column).to_bits(), "sum, {place}");
                assert_eq!(m[c].to_bits(), max(&column).to_bits(), "max, {place}");
            }
        }
    }
}

#[test]
fn sums_of_negative_zeros_are_positive() {
    let x = [-0.0_f32; 5];
    let mut out = [f32::NAN; 5];
    Columns { fold: Sum, x: &x, row_stride: 5, out: &mut out }.run(One {});
    assert_eq!(out.map(f32::to_bits), [0; 5]);
    assert_eq!(Row { fold: Sum, x: &x }.run(One {}).to_bits(), 0);
}
