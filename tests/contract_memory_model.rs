//! Spec 6.2: who owns an op's result, and where its bytes go.

use fucina::{Error, ExecContext, Tensor};

/// The spec's snippet "deinit recycles transient buffers through the pool".
#[test]
fn a_dropped_result_gives_its_address_to_the_next_of_its_size() {
    let ctx = ExecContext::new();
    let a = ctx.from_slice(&[3], &[1.0_f32, 2.0, 3.0]).unwrap();
    let first = ctx.add(&a, &a).unwrap();
    let at = first.data().unwrap().as_ptr();
    drop(first);
    let second = ctx.add(&a, &a).unwrap();
    assert_eq!(second.data().unwrap().as_ptr(), at);
}

/// The spec's snippet "ctx.replace advances a carried tensor".
#[test]
fn replace_advances_a_carried_tensor() {
    let ctx = ExecContext::new();
    let mut x = Tensor::from_slice(&ctx, &[2], &[1.0_f32, 2.0]).unwrap();
    for _ in 0..3 {
        ctx.replace(&mut x, |x| x.scale(&ctx, 2.0)).unwrap();
    }
    assert_eq!(x.data().unwrap(), [8.0, 16.0]);
    assert_eq!(ctx.pool().stats().outstanding, 1);
}

#[test]
fn replace_keeps_the_old_value_on_error() {
    let ctx = ExecContext::new();
    let mut x = Tensor::from_slice(&ctx, &[2], &[1.0_f32, 2.0]).unwrap();
    let wrong = ctx.replace(&mut x, |x| x.reshape(&ctx, &[3]));
    assert!(matches!(wrong, Err(Error::ShapeMismatch { op: "reshape", .. })));
    assert_eq!(x.data().unwrap(), [1.0, 2.0]);
    // Plain assignment with `?` does the same: the right side fails before the left is touched.
    let assign = |mut x: Tensor| -> fucina::Result<Tensor> {
        x = x.scale(&ctx, 2.0)?;
        Ok(x)
    };
    assert_eq!(assign(x).unwrap().data().unwrap(), [2.0, 4.0]);
}

#[test]
fn a_hundred_tiny_adds_leave_their_inputs_and_a_cached_buffer() {
    let ctx = ExecContext::new();
    let (a, b) = (ctx.ones::<f32>(&[2]).unwrap(), ctx.ones::<f32>(&[2]).unwrap());
    for _ in 0..100 {
        drop(ctx.add(&a, &b).unwrap());
    }
    let stats = ctx.pool().stats();
    assert_eq!((stats.outstanding, stats.misses), (2, 3));
    assert!(stats.cached_buffers >= 1);
}

#[test]
fn views_outlive_the_tensor_they_were_taken_of() {
    let ctx = ExecContext::new();
    let parent = ctx.from_slice(&[2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let views = [
        parent.reshape(&[6]).unwrap(),
        parent.narrow(1, 1, 2).unwrap(),
        parent.transpose(0, 1).unwrap(),
        parent.broadcast_to(&[2, 2, 3]).unwrap(),
        parent.as_strided(&[3], &[-2], 5).unwrap(),
    ];
    assert!(views.iter().all(|view| view.storage().same_block(parent.storage())));
    drop(parent);
    assert_eq!(ctx.pool().stats().outstanding, 1);
    let values = |i: usize| views[i].iter().collect::<Vec<_>>();
    assert_eq!(values(0), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(values(1), [2.0, 3.0, 5.0, 6.0]);
    assert_eq!(values(2), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert_eq!(values(4), [6.0, 4.0, 2.0]);
    drop(views);
    assert_eq!(ctx.pool().stats().outstanding, 0);
}

#[test]
fn a_view_with_gaps_refuses_a_slice_and_copies_whole() {
    let ctx = ExecContext::new();
    let x = ctx.from_slice(&[2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let view = x.transpose(0, 1).unwrap();
    assert!(matches!(view.data(), Err(Error::UnsupportedView { op: "data", .. })));
    let copy = ctx.clone(&view).unwrap();
    assert_eq!(copy.data().unwrap(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert!(!copy.storage().same_block(x.storage()));
}

#[test]
fn shared_elements_are_not_written() {
    let ctx = ExecContext::new();
    let mut x = ctx.from_slice(&[2], &[1.0_f32, 2.0]).unwrap();
    let shared = x.clone();
    assert!(matches!(x.data_mut(), Err(Error::UnsupportedView { op: "data_mut", .. })));
    drop(shared);
    x.data_mut().unwrap()[0] = 7.0;
    assert_eq!(x.data().unwrap(), [7.0, 2.0]);

    let mut w = Tensor::variable_from_slice(&ctx, &[1], &[1.0_f32]).unwrap();
    assert_eq!(w.data_mut().unwrap_err(), Error::UnsupportedGradient { op: "data_mut" });
}

#[test]
fn broadcast_temporaries_return_to_the_pool() {
    let ctx = ExecContext::new();
    let a = ctx.ones::<f32>(&[2, 1, 3]).unwrap();
    let b = ctx.ones::<f32>(&[4, 1]).unwrap();
    drop(ctx.add(&a, &b).unwrap());
    let before = ctx.pool().stats();
    drop(ctx.add(&a, &b).unwrap());
    let after = ctx.pool().stats();
    assert_eq!((after.outstanding, after.cached_buffers), (2, before.cached_buffers));
}

#[test]
fn a_graph_keeps_its_operands_until_it_is_walked() {
    let ctx = ExecContext::new();
    let w = Tensor::variable_from_slice(&ctx, &[64], &[1.0_f32; 64]).unwrap();
    let loss = {
        let hidden = w.exp(&ctx).unwrap().mul(&ctx, &w).unwrap();
        hidden.sum_all(&ctx).unwrap()
    };
    // w, the exponential that two VJPs saved, and the loss; the product itself is needed by nobody.
    assert_eq!(ctx.pool().stats().outstanding, 3);
    loss.backward(&ctx).unwrap();
    w.zero_grad();
    loss.zero_grad();
    assert_eq!(ctx.pool().stats().outstanding, 2);
}
