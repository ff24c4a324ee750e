//! Consuming ops, views of any stride, and writes through them.

use fucina_core::exec::Refused;
use fucina_core::{Error, ExecContext, RawTensor, Tensor, gradcheck};

fn ramp(ctx: &ExecContext, dims: &[usize]) -> RawTensor<f32> {
    let count: usize = dims.iter().product();
    ctx.from_slice(dims, &(0..count).map(|i| i as f32 - 3.5).collect::<Vec<_>>()).unwrap()
}

#[test]
fn take_reuses_a_unique_buffer_and_gives_the_bits_of_the_plain_op() {
    let ctx = ExecContext::new();
    for dims in [&[5][..], &[3, 7], &[2, 300]] {
        let row = ramp(&ctx, &dims[dims.len() - 1..]);
        let plain = ctx.mul(&ramp(&ctx, dims), &row).unwrap();
        let x = ramp(&ctx, dims);
        let at = x.storage().address();
        let taken = ctx.take_mul(x, &row).unwrap();
        assert_eq!(taken.storage().address(), at);
        assert_eq!(taken.data().unwrap(), plain.data().unwrap());
        let taken = ctx.take_exp(taken).unwrap();
        assert_eq!(taken.storage().address(), at);
        assert_eq!(taken.data().unwrap(), ctx.exp(&plain).unwrap().data().unwrap());
    }
}

#[test]
fn take_copies_shared_views_and_smaller_operands() {
    let ctx = ExecContext::new();
    let x = ramp(&ctx, &[2, 3]);
    let sum = ctx.take_add(x.clone(), &x).unwrap();
    assert!(!sum.storage().same_block(x.storage()));
    assert_eq!(x.data().unwrap()[0], -3.5);
    let view = ramp(&ctx, &[2, 3]).transpose(0, 1).unwrap();
    let neg = ctx.take_neg(view).unwrap();
    assert_eq!(neg.data().unwrap(), [3.5, 0.5, 2.5, -0.5, 1.5, -1.5]);
    let wide = ctx.take_add(ramp(&ctx, &[3]), &ramp(&ctx, &[2, 3])).unwrap();
    assert_eq!(*wide.shape(), [2, 3]);
}

#[test]
fn a_refused_take_gives_its_operand_back() {
    let ctx = ExecContext::new();
    let Err(Refused { error, value }) = ctx.take_add(ramp(&ctx, &[2]), &ramp(&ctx, &[3])) else {
        panic!("shapes clash");
    };
    assert!(matches!(error, Error::ShapeMismatch { op: "take_add", .. }));
    assert_eq!(value.data().unwrap(), [-3.5, -2.5]);

    let w = Tensor::variable(&ctx, ramp(&ctx, &[2])).unwrap();
    let refused = w.take_scale(&ctx, 2.0).unwrap_err();
    assert_eq!(refused.error, Error::UnsupportedGradient { op: "take_scale" });
    let c = Tensor::constant(ramp(&ctx, &[2]));
    assert!(c.take_mul(&ctx, &refused.value).is_err());

    let _scope = ctx.open_exec_scope();
    let borrowed = Tensor::constant(ramp(&ctx, &[2])).neg(&ctx).unwrap();
    let refused = borrowed.take_relu(&ctx).unwrap_err();
    assert_eq!(refused.error, Error::ActiveExecScopeUnsupported { op: "take_relu" });
    let owned = Tensor::constant(ramp(&ctx, &[2])).take_relu(&ctx).unwrap();
    assert!(owned.is_scope_owned());
}

#[test]
fn views_flip_and_step() {
    let ctx = ExecContext::new();
    let x = ramp(&ctx, &[7]);
    let pick = |v: RawTensor<f32>| v.iter().collect::<Vec<_>>();
    assert_eq!(pick(x.flip(0).unwrap().step(0, 3).unwrap()), [2.5, -0.5, -3.5]);
    assert_eq!(pick(x.step(0, 3).unwrap().flip(0).unwrap()), [2.5, -0.5, -3.5]);
    assert_eq!(pick(x.step(0, 100).unwrap()), [-3.5]);
    assert!(matches!(x.step(0, 0), Err(Error::InvalidArgument { op: "step", .. })));
    assert!(matches!(x.flip(1), Err(Error::AxisOutOfRange { op: "flip", .. })));
    let sum = ctx.add(&x, &x.flip(0).unwrap()).unwrap();
    assert_eq!(sum.data().unwrap(), [-1.0; 7]);
}

#[test]
fn flip_and_step_route_their_gradients() {
    let ctx = ExecContext::new();
    let values = (0..12).map(|i| f64::from(i) / 7.0).collect::<Vec<_>>();
    let x = Tensor::from_slice(&ctx, &[4, 3], &values).unwrap();
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| x[0].flip(ctx, 0)?.step(ctx, 1, 2)?.exp(ctx)).unwrap();
    gradcheck(&ctx, &[&x], 1e-6, |ctx, x| {
        x[0].transpose(ctx, 0, 1)?.step(ctx, 1, 3)?.narrow(ctx, 0, 1, 2)?.exp(ctx)
    })
    .unwrap();
}

#[test]
fn writes_go_through_any_view_that_does_not_overlap() {
    let ctx = ExecContext::new();
    let mut base = ctx.zeros::<f32>(&[2, 4]).unwrap();
    let x = ramp(&ctx, &[2, 2]);
    ctx.assign_view(&mut base, |l| l.step("t", 1, 2)?.flip("t", 0), &x).unwrap();
    assert_eq!(base.data().unwrap(), [-1.5, 0.0, -0.5, 0.0, -3.5, 0.0, -2.5, 0.0]);

    let before = base.data().unwrap().to_vec();
    let row = ramp(&ctx, &[2, 4]);
    let overlapping = ctx.assign_view(
        &mut base,
        |l| l.narrow("t", 0, 0, 1)?.broadcast_to("t", row.shape()),
        &row,
    );
    assert!(matches!(overlapping, Err(Error::UnsupportedView { op: "assign_view", .. })));
    let view = base.narrow(1, 0, 2).unwrap();
    let shared = ctx.assign_view(&mut base, |l| l.narrow("t", 1, 2, 2), &view);
    assert!(matches!(shared, Err(Error::UnsupportedView { .. })));
    assert_eq!(base.data().unwrap(), before);
}

#[test]
fn prepared_tensors_borrow_or_own() {
    let ctx = ExecContext::new();
    let x = ramp(&ctx, &[2, 3]);
    let held = ctx.pool().stats().outstanding;
    assert_eq!(ctx.prepare_contiguous(&x).unwrap().data().as_ptr(), x.data().unwrap().as_ptr());
    let view = x.transpose(0, 1).unwrap();
    let prepared = ctx.prepare_contiguous(&view).unwrap();
    assert_eq!(prepared.data(), [-3.5, -0.5, -2.5, 0.5, -1.5, 1.5]);
    assert_eq!(ctx.pool().stats().outstanding, held + 1);
    drop(prepared);
    assert_eq!(ctx.pool().stats().outstanding, held);
}
