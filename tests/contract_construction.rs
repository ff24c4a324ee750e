//! Spec 6.4: raw construction and copies.

use fucina::{Error, ExecContext, RawTensor};

/// The spec's snippet "fromSlice copies; fromBorrowedSliceRank wraps caller storage".
#[test]
fn from_slice_copies_and_from_borrowed_slice_wraps() {
    let ctx = ExecContext::new();
    let mut source = [1.0_f32, 2.0, 3.0, 4.0];
    let copied = ctx.from_slice(&[2, 2], &source).unwrap();
    source[0] = 99.0;
    assert_eq!(copied.data().unwrap()[0], 1.0);

    let cells = ctx.pool().stats().cells;
    // SAFETY: `source` outlives the tensor, and nobody writes it meanwhile.
    let borrowed = unsafe { ctx.from_borrowed_slice(&[2, 2], &source) }.unwrap();
    assert_eq!(borrowed.data().unwrap()[0], 99.0);
    assert_eq!(borrowed.data().unwrap().as_ptr(), source.as_ptr());
    assert_eq!(ctx.pool().stats().outstanding, 1, "a header only");
    drop(borrowed);
    assert_eq!(ctx.pool().stats().cells, cells);
}

#[test]
fn fillers_fill_every_type() {
    let ctx = ExecContext::new();
    assert_eq!(ctx.zeros::<f64>(&[2]).unwrap().data().unwrap(), [0.0; 2]);
    assert_eq!(ctx.ones::<i16>(&[2]).unwrap().data().unwrap(), [1; 2]);
    assert_eq!(ctx.full(&[3], 7_u8).unwrap().data().unwrap(), [7; 3]);
    assert_eq!(*ctx.scalar(2.5_f32).unwrap().shape(), [1]);
    assert_eq!(ctx.empty::<i64>(&[2, 2]).unwrap().len(), 4);
}

#[test]
fn other_types_than_f32_live_in_aligned_slabs() {
    let ctx = ExecContext::new();
    drop((ctx.zeros::<f32>(&[5]).unwrap(), ctx.zeros::<i8>(&[5]).unwrap()));
    let stats = ctx.pool().stats();
    assert_eq!((stats.cached_buffers, stats.cached_slabs), (1, 1));
    let slab = ctx.zeros::<u16>(&[5]).unwrap();
    assert_eq!(ctx.pool().stats().cached_slabs, 0, "reused across types");
    assert_eq!(slab.storage().address().addr().get() % 64, 0);
}

#[test]
fn owners_are_read_in_place_and_dropped_last() {
    let ctx = ExecContext::new();
    let values = vec![1_i32, 2, 3];
    let at = values.as_ptr();
    let x = ctx.from_vec(&[3], values).unwrap();
    assert_eq!(x.data().unwrap().as_ptr(), at);
    static WEIGHTS: [f32; 2] = [1.0, 2.0];
    let w = ctx.from_static(&[2], &WEIGHTS).unwrap();
    assert_eq!(w.data().unwrap().as_ptr(), WEIGHTS.as_ptr());
    assert!(w.storage().is_foreign());
    let inline = ctx.from_owner(&[3], [7.0_f32, 8.0, 9.0]).unwrap();
    let view = inline.flip(0).unwrap();
    drop(inline);
    assert_eq!(view.iter().collect::<Vec<_>>(), [9.0, 8.0, 7.0]);
    assert_eq!(ctx.pool().stats().outstanding, 0, "headers only");
}

#[test]
fn foreign_memory_is_never_written() {
    let ctx = ExecContext::new();
    let mut x = ctx.from_vec(&[2], vec![1.0_f32, 2.0]).unwrap();
    assert!(matches!(x.data_mut(), Err(Error::UnsupportedView { .. })));
    let sum = ctx.take_add(x, &ctx.ones(&[2]).unwrap()).unwrap();
    assert_eq!(sum.data().unwrap(), [2.0, 3.0]);
    assert!(!sum.storage().is_foreign());
}

#[test]
fn a_copy_of_every_sub_range_equals_that_slice_of_the_whole() {
    let ctx = ExecContext::new();
    let values: Vec<i32> = (0..24).collect();
    let x = ctx.from_slice(&[2, 3, 4], &values).unwrap().permute(&[2, 0, 1]).unwrap();
    let whole = ctx.materialize(&x).unwrap();
    for (axis, dim) in [(0, 4), (1, 2), (2, 3)] {
        for start in 0..dim {
            for len in 1..=dim - start {
                let part =
                    |t: &RawTensor<i32>| ctx.materialize(&t.narrow(axis, start, len).unwrap());
                let (of_view, of_copy) = (part(&x).unwrap(), part(&whole).unwrap());
                assert_eq!(
                    of_view.data().unwrap(),
                    of_copy.data().unwrap(),
                    "{axis} {start} {len}"
                );
            }
        }
    }
}

#[test]
fn a_leading_broadcast_axis_of_size_1_copies_right() {
    let ctx = ExecContext::new();
    let x = ctx.from_slice(&[2, 2], &[1, 2, 3, 4]).unwrap().broadcast_to(&[1, 2, 2]).unwrap();
    assert!(!x.layout().is_contiguous());
    assert_eq!(ctx.materialize(&x).unwrap().data().unwrap(), [1, 2, 3, 4]);
}

#[test]
fn raw_results_are_never_adopted() {
    let ctx = ExecContext::new();
    let scope = ctx.open_exec_scope();
    let x = ctx.ones::<f32>(&[2]).unwrap();
    let y = ctx.add(&x, &x).unwrap();
    scope.close().unwrap();
    drop((x, y));
    assert_eq!(ctx.pool().stats().outstanding, 0);
}
