//! What NumPy 2.4 prints, literally.

use std_alloc::format;
use std_alloc::string::{String, ToString};
use std_alloc::vec::Vec;

use half::{bf16, f16};

use crate::dtype::Element;
use crate::{ExecContext, Result, Tensor};

fn shown<T: Element>(dims: &[usize], values: &[T]) -> String {
    let ctx = ExecContext::new();
    Tensor::from_slice(&ctx, dims, values).unwrap().to_string()
}

/// `0, 1, 2, ...` in a shape.
fn counted(dims: &[usize]) -> String {
    let values: Vec<i32> = (0..dims.iter().product::<usize>() as i32).collect();
    shown(dims, &values)
}

#[test]
fn floats_show_the_digits_they_need() {
    assert_eq!(shown(&[3], &[1.0_f32, 2.0, 3.0]), "[1. 2. 3.]");
    assert_eq!(shown(&[3], &[1.0_f32, 2.5, -0.125]), "[ 1.     2.5   -0.125]");
    let thirds = [1.0_f32 / 3.0, 2.0 / 3.0, -1.0];
    assert_eq!(shown(&[3], &thirds), "[ 0.33333334  0.6666667  -1.        ]");
    assert_eq!(shown(&[2], &[core::f64::consts::PI, 2.0]), "[3.14159265 2.        ]");
    assert_eq!(shown(&[2], &[0.0_f32, -0.0]), "[ 0. -0.]");
    // Halfway between two decimals that both tell it apart: the even one.
    assert_eq!(shown(&[1], &[171_325.03_f32]), "[171325.03]");
    assert_eq!(shown(&[1], &[185_384.62_f32]), "[185384.62]");
}

#[test]
fn each_axis_has_its_bracket() {
    assert_eq!(shown(&[2, 2], &[1.0_f32, -0.5, 0.25, 10.0]), "[[ 1.   -0.5 ]\n [ 0.25 10.  ]]");
    assert_eq!(
        counted(&[2, 3, 2]),
        "[[[ 0  1]\n  [ 2  3]\n  [ 4  5]]\n\n [[ 6  7]\n  [ 8  9]\n  [10 11]]]"
    );
    assert_eq!(counted(&[2, 1, 2, 1]), "[[[[0]\n   [1]]]\n\n\n [[[2]\n   [3]]]]");
    assert_eq!(counted(&[1; 8]), "[[[[[[[[0]]]]]]]]");
}

#[test]
fn nan_and_infinities_end_with_the_column() {
    let odd = [f32::NAN, 1.0, f32::NEG_INFINITY, f32::INFINITY, -0.0];
    assert_eq!(shown(&[5], &odd), "[ nan   1. -inf  inf  -0.]");
    assert_eq!(shown(&[2], &[f32::NAN, f32::NAN]), "[nan nan]");
    assert_eq!(shown(&[1], &[f64::NEG_INFINITY]), "[-inf]");
    assert_eq!(shown(&[2], &[f64::NAN, 1e300]), "[    nan 1.e+300]");
}

#[test]
fn magnitudes_far_apart_turn_scientific() {
    assert_eq!(shown(&[3], &[1e-300_f64, 1.0, 1e300]), "[1.e-300 1.e+000 1.e+300]");
    let extremes = [f32::from_bits(1), 16_777_216.0];
    assert_eq!(shown(&[2], &extremes), "[1.4012985e-45 1.6777216e+07]");
    assert_eq!(shown(&[3], &[0.001_f32, 1.0, 1.001]), "[1.000e-03 1.000e+00 1.001e+00]");
}

#[test]
fn the_limits_of_fixed_point_depend_on_the_type() {
    assert_eq!(shown(&[2], &[0.0001_f32, 0.05]), "[0.0001 0.05  ]");
    assert_eq!(shown(&[1], &[0.000_099_99_f32]), "[9.999e-05]");
    assert_eq!(shown(&[2], &[999_999.0_f32, 5000.0]), "[999999.   5000.]");
    assert_eq!(shown(&[1], &[1e6_f32]), "[1.e+06]");
    assert_eq!(shown(&[2], &[99_999_999.0_f64, 1e6]), "[99999999.  1000000.]");
    assert_eq!(shown(&[1], &[1e8_f64]), "[1.e+08]");
}

#[test]
fn halves_show_no_more_digits_than_they_have() {
    let few = [0.1, 0.015_625, 2.0].map(f16::from_f64);
    assert_eq!(shown(&[3], &few), "[0.1     0.01563 2.     ]");
    assert_eq!(shown(&[2], &[0.1, 65504.0].map(f16::from_f64)), "[1.00e-01 6.55e+04]");
    assert_eq!(shown(&[2], &[0.1, 2.0].map(bf16::from_f64)), "[0.1 2. ]");
}

#[test]
fn integers_are_flush_right() {
    assert_eq!(shown(&[2, 2], &[1_i32, -20, 300, 4]), "[[  1 -20]\n [300   4]]");
    assert_eq!(shown(&[2], &[0_u8, 255]), "[  0 255]");
    assert_eq!(shown(&[1], &[i64::MIN]), "[-9223372036854775808]");
    assert_eq!(shown(&[2], &[u64::MAX, 0]), "[18446744073709551615                    0]");
}

#[test]
fn long_rows_wrap_at_75_characters() {
    let thousands: Vec<i32> = (0..30).map(|i| i * 1000).collect();
    assert_eq!(
        shown(&[30], &thousands),
        "\
[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000
 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000
 24000 25000 26000 27000 28000 29000]"
    );
    // The blanks that align 1.5 are gone where its line ends, and stay where it does not.
    let mut eighths: Vec<f32> = (0..20).map(|i| i as f32 / 8.0).collect();
    eighths[11] = 1.5;
    assert_eq!(
        shown(&[20], &eighths),
        "\
[0.    0.125 0.25  0.375 0.5   0.625 0.75  0.875 1.    1.125 1.25  1.5
 1.5   1.625 1.75  1.875 2.    2.125 2.25  2.375]"
    );
    let whole = shown(&[1000], &[0_u8; 1000]);
    assert_eq!((whole.len(), whole.lines().count()), (2028, 28));
}

#[test]
fn past_a_thousand_elements_the_edges_are_shown() {
    assert_eq!(counted(&[1001]), "[   0    1    2 ...  998  999 1000]");
    assert_eq!(
        counted(&[200, 6]),
        "\
[[   0    1    2    3    4    5]
 [   6    7    8    9   10   11]
 [  12   13   14   15   16   17]
 ...
 [1182 1183 1184 1185 1186 1187]
 [1188 1189 1190 1191 1192 1193]
 [1194 1195 1196 1197 1198 1199]]"
    );
    assert_eq!(
        counted(&[2, 9, 70]),
        "\
[[[   0    1    2 ...   67   68   69]
  [  70   71   72 ...  137  138  139]
  [ 140  141  142 ...  207  208  209]
  ...
  [ 420  421  422 ...  487  488  489]
  [ 490  491  492 ...  557  558  559]
  [ 560  561  562 ...  627  628  629]]

 [[ 630  631  632 ...  697  698  699]
  [ 700  701  702 ...  767  768  769]
  [ 770  771  772 ...  837  838  839]
  ...
  [1050 1051 1052 ... 1117 1118 1119]
  [1120 1121 1122 ... 1187 1188 1189]
  [1190 1191 1192 ... 1257 1258 1259]]]"
    );
    // What is not shown has no say in the format.
    let mut outlier = [1.0_f32; 2000];
    outlier[1000] = 1e30;
    assert_eq!(shown(&[2000], &outlier), "[1. 1. 1. ... 1. 1. 1.]");
}

#[test]
fn views_print_what_they_see() -> Result<()> {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2, 3], &[0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0])?;
    assert_eq!(x.transpose(&ctx, 0, 1)?.to_string(), "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
    assert_eq!(x.flip(&ctx, 1)?.to_string(), "[[2. 1. 0.]\n [5. 4. 3.]]");
    assert_eq!(x.narrow(&ctx, 1, 1, 1)?.to_string(), "[[1.]\n [4.]]");
    let one = Tensor::scalar(&ctx, 7.5_f32)?;
    assert_eq!(one.broadcast_to(&ctx, &[2, 2])?.to_string(), "[[7.5 7.5]\n [7.5 7.5]]");
    let all = one.broadcast_to(&ctx, &[1 << 13, 1 << 13])?.to_string();
    assert_eq!(all.lines().count(), 7);
    Ok(())
}

#[test]
fn precision_bounds_the_digits() -> Result<()> {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2], &[core::f64::consts::PI, 2.0])?;
    assert_eq!(format!("{x:.3}"), "[3.142 2.   ]");
    assert_eq!(format!("{x:.0}"), "[3. 2.]");
    assert_eq!(format!("{x:.999}"), format!("{x:.15}"));
    let x = Tensor::from_slice(&ctx, &[3], &[core::f64::consts::PI, 2.0, -0.00049])?;
    assert_eq!(format!("{x:.3}"), "[ 3.142e+00  2.000e+00 -4.900e-04]");
    Ok(())
}

#[test]
fn debug_says_type_shape_and_gradient() -> Result<()> {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[1, 2], &[1_u8, 2])?;
    assert_eq!(format!("{x:?}"), "Tensor<u8>[1, 2]\n[[1 2]]");
    let w = Tensor::variable_from_slice(&ctx, &[2], &[1.0_f32, 2.0])?;
    assert_eq!(format!("{w:?}"), "Tensor<f32>[2] requires grad\n[1. 2.]");
    assert_eq!(format!("{:?}", w.detach()), "Tensor<f32>[2]\n[1. 2.]");
    Ok(())
}

#[test]
fn a_writer_that_fails_is_an_error() {
    use core::fmt::Write;
    struct Full(usize);
    impl Write for Full {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(core::fmt::Error)?;
            Ok(())
        }
    }
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2, 2], &[1.0_f32, -0.5, 0.25, 10.0]).unwrap();
    let length = x.to_string().len();
    for room in 0..length {
        assert!(write!(Full(room), "{x}").is_err(), "{room}");
    }
    assert!(write!(Full(length), "{x}").is_ok());
}

#[test]
fn truth_values_are_spelt_as_numpy_does() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2, 2], &[true, false, true, true]).unwrap();
    assert_eq!(x.to_string(), "[[ True False]\n [ True  True]]");
}
