extern crate std;
use std::vec::Vec;

use super::*;
use crate::error::{Error, ShapeFault};

fn shape(dims: &[usize]) -> Shape {
    Shape::new("test", dims).unwrap()
}

/// Storage indices in row-major order, by the definition.
fn indices(layout: &Layout) -> Vec<usize> {
    let dims = layout.shape().dims();
    (0..layout.shape().count())
        .map(|flat| {
            let (mut rest, mut at) = (flat, layout.offset() as isize);
            for axis in (0..dims.len()).rev() {
                at += layout.strides()[axis] * (rest % dims[axis]) as isize;
                rest /= dims[axis];
            }
            at as usize
        })
        .collect()
}

#[test]
fn shapes_refuse_rank_0_rank_9_zero_dims_and_overflow() {
    let why = |dims: &[usize]| match Shape::new("x", dims).unwrap_err() {
        Error::InvalidShape { why, .. } => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(&[]), ShapeFault::RankZero);
    assert_eq!(why(&[1; 9]), ShapeFault::RankTooHigh);
    assert_eq!(why(&[2, 0, 3]), ShapeFault::ZeroDim { axis: 1 });
    for dims in [&[usize::MAX, 2][..], &[usize::MAX], &[1 << 31, 1 << 31, 1 << 10]] {
        assert!(matches!(Shape::new("x", dims), Err(Error::Overflow { op: "x", .. })));
    }
}

#[test]
fn broadcast_strides_are_those_of_the_reference() {
    for (from, to, strides) in [
        (&[3][..], &[2, 3][..], &[0, 1][..]),
        (&[2, 1, 3], &[2, 4, 3], &[3, 0, 1]),
        (&[1], &[2, 3], &[0, 0]),
        (&[1, 3], &[2, 4, 3], &[0, 0, 1]),
    ] {
        let layout = Layout::contiguous(shape(from)).broadcast_to("b", &shape(to)).unwrap();
        assert_eq!(layout.strides(), strides, "{from:?} to {to:?}");
    }
    let l = Layout::contiguous(shape(&[2, 3]));
    for to in [&[3][..], &[2, 4], &[3, 2]] {
        assert!(matches!(l.broadcast_to("b", &shape(to)), Err(Error::ShapeMismatch { .. })));
    }
}

#[test]
fn a_leading_broadcast_axis_of_size_1_is_not_contiguous() {
    let l = Layout::contiguous(shape(&[2, 2])).broadcast_to("b", &shape(&[1, 2, 2])).unwrap();
    assert!(!l.is_contiguous());
    assert_eq!(indices(&l), [0, 1, 2, 3]);
}

#[test]
fn reshape_of_views_keeps_the_row_major_order_or_says_none() {
    let base = Layout::contiguous(shape(&[4, 6]));
    let cases = [
        (base.narrow("n", 1, 0, 4).unwrap(), &[2, 2, 4][..], true),
        (base.narrow("n", 1, 0, 4).unwrap(), &[4, 2, 2], true),
        (base.narrow("n", 1, 0, 4).unwrap(), &[16], false),
        (base.narrow("n", 0, 1, 2).unwrap(), &[12], true),
        (base.transpose("t", 0, 1).unwrap(), &[24], false),
        (base.transpose("t", 0, 1).unwrap(), &[2, 3, 4], true),
        (base.transpose("t", 0, 1).unwrap(), &[6, 1, 2, 2, 1], true),
        (base.transpose("t", 0, 1).unwrap(), &[6, 2, 1, 2], true),
        (base.transpose("t", 0, 1).unwrap(), &[12, 2], false),
        (base.transpose("t", 0, 1).unwrap(), &[1, 6, 4, 1], true),
    ];
    for (view, to, expressible) in cases {
        let got = view.reshape("r", &shape(to)).unwrap();
        assert_eq!(got.is_some(), expressible, "{view:?} to {to:?}");
        if let Some(got) = got {
            assert_eq!(indices(&got), indices(&view), "{view:?} to {to:?}");
        }
    }
}

#[test]
fn broadcast_axes_reshape_too() {
    let l = Layout::contiguous(shape(&[1, 3])).broadcast_to("b", &shape(&[4, 3])).unwrap();
    let split = l.reshape("r", &shape(&[2, 2, 3])).unwrap().unwrap();
    assert_eq!(indices(&split), indices(&l));
    assert!(l.reshape("r", &shape(&[12])).unwrap().is_none());
    let one = Layout::contiguous(shape(&[1])).broadcast_to("b", &shape(&[4, 3])).unwrap();
    let flat = one.reshape("r", &shape(&[12])).unwrap().unwrap();
    assert_eq!(indices(&flat), [0; 12]);
}

#[test]
fn strided_is_checked_from_the_lowest_element() {
    let three = shape(&[3]);
    let view = Layout::strided("s", three, &[-1], 2, 3).unwrap();
    assert_eq!(indices(&view), [2, 1, 0]);
    assert_eq!(view.span(), 0..3);
    for (stride, offset) in [(-1, 1), (-2, 2), (1, 1), (isize::MAX, 0), (isize::MIN, 2)] {
        let got = Layout::strided("s", three, &[stride], offset, 3);
        assert!(matches!(got, Err(Error::InvalidDataLength { .. })), "{stride} {offset}");
    }
    assert!(matches!(Layout::strided("s", three, &[1, 1], 0, 9), Err(Error::InvalidAxes { .. })));
}

#[test]
fn axes_of_size_1_may_have_any_stride() {
    for stride in [isize::MIN, isize::MAX, 0, -1] {
        let l = Layout::strided("s", shape(&[1, 2]), &[stride, 1], 1, 3).unwrap();
        let flipped = l.flip("f", 0).unwrap().step("s", 0, usize::MAX).unwrap();
        assert_eq!((indices(&flipped), flipped.span()), (indices(&l), 1..3));
        assert!(!l.overlaps());
        assert_eq!(collapse(l.shape(), [&flipped]).rows(0, 1).next(), Some([1]));
    }
}

#[test]
fn collapse_and_rows_visit_every_element_once() {
    let base = Layout::contiguous(shape(&[2, 3, 4]));
    let views = [
        base,
        base.transpose("t", 0, 2).unwrap().permute("p", &[2, 1, 0]).unwrap(),
        Layout::contiguous(shape(&[4])).broadcast_to("b", &shape(&[2, 3, 4])).unwrap(),
        Layout::contiguous(shape(&[3, 1])).broadcast_to("b", &shape(&[2, 3, 4])).unwrap(),
        Layout::contiguous(shape(&[4, 3, 2])).transpose("t", 0, 2).unwrap(),
    ];
    for a in &views {
        for b in &views {
            let both = collapse(a.shape(), [a, b]);
            let (len, step) = (both.row_len(), both.row_strides());
            let mut got = (Vec::new(), Vec::new());
            let half = both.row_count() / 2;
            let rows = both.rows(0, half).chain(both.rows(half, both.row_count() - half));
            for [x, y] in rows {
                for i in 0..len as isize {
                    got.0.push(x.wrapping_add_signed(step[0] * i));
                    got.1.push(y.wrapping_add_signed(step[1] * i));
                }
            }
            assert_eq!((got.0, got.1), (indices(a), indices(b)), "{a:?} {b:?}");
        }
    }
    assert_eq!(collapse(base.shape(), [&base]).row_len(), 24);
}

#[test]
fn layouts_are_classified() {
    let s = shape(&[2, 3]);
    let row = Layout::contiguous(shape(&[3])).broadcast_to("b", &s).unwrap();
    let column = Layout::contiguous(shape(&[2, 1])).broadcast_to("b", &s).unwrap();
    let one = Layout::contiguous(shape(&[1])).broadcast_to("b", &s).unwrap();
    assert_eq!(Layout::contiguous(s).classify(), LayoutClass::Contiguous);
    assert_eq!(row.classify(), LayoutClass::TailBroadcast);
    assert_eq!(column.classify(), LayoutClass::Arbitrary);
    assert_eq!(one.classify(), LayoutClass::Scalar);
}

#[test]
fn permutations_refuse_repeats_and_invert() {
    for bad in [&[0, 0][..], &[0], &[0, 2], &[0, 1, 2]] {
        assert!(matches!(Permutation::new("p", 2, bad), Err(Error::InvalidAxes { .. })));
    }
    let p = Permutation::new("p", 3, &[2, 0, 1]).unwrap();
    let l = Layout::contiguous(shape(&[2, 3, 4]));
    assert_eq!(l.permuted(&p).permuted(&p.inverse()), l);
}
