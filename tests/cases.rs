//! Faults that users of other libraries met, replayed: each test is named by the row of the list it comes from.

use fucina::{Error, ExecContext, Tensor};

fn matrix(ctx: &ExecContext, dims: &[usize], values: &[f32]) -> Tensor {
    Tensor::variable_from_slice(ctx, dims, values).unwrap()
}

fn values(x: &Tensor) -> Vec<f32> {
    x.to_vec().unwrap()
}

fn grad(ctx: &ExecContext, x: &Tensor) -> Vec<f32> {
    values(&x.grad(ctx).unwrap().unwrap())
}

#[test]
fn v1_a_transposed_left_operand_multiplies_right() {
    let ctx = fucina::context();
    let a = matrix(&ctx, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = matrix(&ctx, &[2, 2], &[1.0, 0.0, 1.0, 1.0]);
    let expected = [5.0, 4.0, 7.0, 5.0, 9.0, 6.0];
    assert_eq!(values(&a.transpose(&ctx, 0, 1).unwrap().matmul(&ctx, &b).unwrap()), expected);
    assert_eq!(values(&a.matmul_tn(&ctx, &b).unwrap()), expected);
    let w = matrix(&ctx, &[3, 2], &[0.0; 6]);
    a.matmul(&ctx, &w).unwrap().sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &w), [5.0, 5.0, 7.0, 7.0, 9.0, 9.0]);
}

#[test]
fn v4_negative_strides_are_checked_from_the_lowest_element() {
    let ctx = ExecContext::new();
    let x = ctx.from_static(&[3], &[10, 20, 30]).unwrap();
    let view = x.as_strided(&[3], &[-1], 2).unwrap();
    assert_eq!(view.iter().collect::<Vec<_>>(), [30, 20, 10]);
    assert!(x.as_strided(&[3], &[-1], 1).is_err());
    assert!(x.as_strided(&[3], &[-2], 2).is_err());
}

#[test]
fn v7_size_1_axes_and_contiguity() {
    let ctx = ExecContext::new();
    let x = ctx.from_slice(&[2, 1], &[1.0_f32, 2.0]).unwrap().broadcast_to(&[1, 1, 2, 2]).unwrap();
    assert!(!x.layout().is_contiguous());
    assert_eq!(ctx.materialize(&x).unwrap().data().unwrap(), [1.0, 1.0, 2.0, 2.0]);
}

#[test]
fn v10_products_take_stride_0_operands() {
    let ctx = fucina::context();
    let zero = ctx.zeros::<f32>(&[1]).unwrap().broadcast_to(&[1, 2]).unwrap();
    let zeros = ctx.zeros::<f32>(&[2, 2]).unwrap();
    assert_eq!(ctx.matmul(&zero, &zeros).unwrap().data().unwrap(), [0.0, 0.0]);
    let ones = ctx.ones::<f32>(&[1]).unwrap().broadcast_to(&[2, 2]).unwrap();
    let x = ctx.from_slice(&[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(ctx.matmul(&ones, &x).unwrap().data().unwrap(), [4.0, 6.0, 4.0, 6.0]);
}

#[test]
fn v13_a_reversed_view_is_written_whole() {
    let ctx = ExecContext::new();
    let mut base = ctx.zeros::<f32>(&[4]).unwrap();
    let ramp = ctx.from_slice(&[4], &[0.0_f32, 1.0, 2.0, 3.0]).unwrap();
    let reversed = ctx.scale(&ramp.flip(0).unwrap(), 2.0).unwrap();
    ctx.assign_view(&mut base, |layout| layout.flip("flip", 0), &reversed).unwrap();
    assert_eq!(base.data().unwrap(), [0.0, 2.0, 4.0, 6.0]);
}

#[test]
fn v19_partly_overlapping_writes_are_refused() {
    let ctx = ExecContext::new();
    let mut b = ctx.from_slice(&[4], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
    let head = b.narrow(0, 0, 3).unwrap();
    let written = ctx.assign_view(&mut b, |layout| layout.narrow("narrow", 0, 1, 3), &head);
    assert!(matches!(written, Err(Error::UnsupportedView { .. })));
    assert_eq!(b.data().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn v22_empty_shapes_are_refused_alike() {
    let ctx = ExecContext::new();
    for dims in [[0, 1], [1, 0]] {
        let refused = ctx.from_slice::<f32>(&dims, &[]);
        assert!(matches!(refused, Err(Error::InvalidShape { op: "from_slice", .. })));
    }
}

#[test]
fn g1_broadcast_operands_get_gradients_of_their_own_shape() {
    let ctx = fucina::context();
    let x = matrix(&ctx, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let w = matrix(&ctx, &[3, 1], &[1.0, 0.0, -1.0]);
    let b = matrix(&ctx, &[1, 3], &[1.0, 2.0, 3.0]);
    let t = matrix(&ctx, &[2, 1], &[0.0, 1.0]);
    let error = x.matmul(&ctx, &w).unwrap().add(&ctx, &b).unwrap().sub(&ctx, &t).unwrap();
    let loss = error.mul(&ctx, &error).unwrap().sum_all(&ctx).unwrap();
    assert_eq!(loss.item().unwrap(), 7.0);
    loss.backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &b), [-6.0, -2.0, 2.0]);
    assert_eq!(grad(&ctx, &w), [-24.0, -30.0, -36.0]);
    assert_eq!(grad(&ctx, &t), [0.0, 6.0]);
    for leaf in [&x, &w, &b, &t] {
        assert_eq!(leaf.grad_view().unwrap().shape(), leaf.shape());
    }
}

#[test]
fn g4_concat_splits_its_gradient() {
    let ctx = ExecContext::new();
    let (a, b) = (matrix(&ctx, &[2, 1], &[0.0; 2]), matrix(&ctx, &[2, 2], &[0.0; 4]));
    let joined = Tensor::concat(&ctx, &[&a, &b], 1).unwrap();
    let seed = Tensor::from_slice(&ctx, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    joined.backward_with_grad(&ctx, &seed).unwrap();
    assert_eq!(grad(&ctx, &a), [1.0, 4.0]);
    assert_eq!(grad(&ctx, &b), [2.0, 3.0, 5.0, 6.0]);
}

#[test]
fn g7_repeated_indices_add_up_at_every_width() {
    for width in 1..=8 {
        let ctx = fucina::context_with_threads(width);
        let picks = |values: &[i64]| Tensor::from_slice(&ctx, &[values.len()], values).unwrap();
        let seed = |values: &[f32]| Tensor::from_slice(&ctx, &[values.len()], values).unwrap();
        let x = matrix(&ctx, &[3], &[1.0, 2.0, 3.0]);
        let y = x.index_select(&ctx, 0, &picks(&[0, 0, 2])).unwrap();
        assert_eq!(values(&y), [1.0, 1.0, 3.0]);
        y.backward_with_grad(&ctx, &seed(&[1.0, 2.0, 4.0])).unwrap();
        assert_eq!(grad(&ctx, &x), [3.0, 0.0, 4.0]);
        let x = matrix(&ctx, &[1], &[0.5]);
        let y = x.gather(&ctx, 0, &picks(&[0, 0])).unwrap();
        y.backward_with_grad(&ctx, &seed(&[0.25, 0.5])).unwrap();
        assert_eq!(grad(&ctx, &x), [0.75]);
    }
}

#[test]
fn g25_a_second_pass_is_refused_and_the_graph_gives_its_memory_back() {
    let ctx = ExecContext::new();
    let w = matrix(&ctx, &[64], &[1.0; 64]);
    let before = ctx.pool().stats();
    let loss = w.exp(&ctx).unwrap().mul(&ctx, &w).unwrap().sum_all(&ctx).unwrap();
    loss.backward(&ctx).unwrap();
    assert!(matches!(loss.backward(&ctx), Err(Error::BackwardAlreadyRun { .. })));
    drop(loss);
    w.zero_grad();
    let after = ctx.pool().stats();
    assert_eq!((after.outstanding, after.cells), (before.outstanding, before.cells));
}

#[test]
fn n18_products_skip_no_zeros() {
    let ctx = fucina::context();
    let product = |a: f32, b: f32| {
        let (a, b) = (ctx.full(&[1, 1], a).unwrap(), ctx.full(&[1, 1], b).unwrap());
        ctx.matmul(&a, &b).unwrap().data().unwrap()[0]
    };
    assert!(product(0.0, f32::NAN).is_nan());
    assert!(product(f32::INFINITY, 0.0).is_nan());
}

#[test]
fn m1_memory_does_not_grow_over_steps_some_of_which_never_walk_their_graph() {
    let ctx = ExecContext::new();
    let ramp: Vec<f32> = (0..256).map(|i| i as f32 / 256.0).collect();
    let all = matrix(&ctx, &[64, 4], &ramp).detach();
    let w = matrix(&ctx, &[4, 1], &[0.1; 4]);
    let mut after_ten = None;
    for step in 0..2000 {
        let batch = all.narrow(&ctx, 0, step % 60, 4).unwrap();
        let error = batch.matmul(&ctx, &w).unwrap();
        let loss = error.mul(&ctx, &error).unwrap().mean_all(&ctx).unwrap();
        if step % 3 != 0 {
            loss.backward(&ctx).unwrap();
        }
        drop((batch, error, loss));
        let stats = ctx.pool().stats();
        match step {
            0..10 => {}
            10 => after_ten = Some((stats.outstanding_bytes, stats.cells)),
            _ => assert_eq!(Some((stats.outstanding_bytes, stats.cells)), after_ten, "step {step}"),
        }
    }
    drop((all, w));
    ctx.close().unwrap();
}

#[test]
fn m10_gradients_of_values_in_between_do_not_pile_up() {
    let ctx = ExecContext::new();
    const BYTES: usize = 1 << 20;
    let w = matrix(&ctx, &[BYTES / 4], &vec![0.5; BYTES / 4]);
    let mut y = w.clone();
    for _ in 0..50 {
        y = y.tanh(&ctx).unwrap();
    }
    let forward = ctx.pool().stats().outstanding_bytes;
    let memory = ctx.record_memory();
    y.backward_with_grad(&ctx, &w.detach()).unwrap();
    let most = memory.samples(|samples| samples.iter().map(|s| s.live_bytes).max().unwrap());
    assert!(most <= forward + 3 * BYTES, "{} MiB of gradients", (most - forward) / BYTES);
}

#[test]
fn t13_no_grad_belongs_to_its_context() {
    let ctx = ExecContext::new();
    let other = ExecContext::new();
    let w = matrix(&ctx, &[1], &[1.0]);
    let guard = ctx.no_grad();
    assert!(!w.exp(&ctx).unwrap().requires_grad());
    assert!(w.exp(&other).unwrap().requires_grad());
    drop(guard);
    assert!(w.exp(&ctx).unwrap().requires_grad());
}

#[test]
fn e3_expanding_to_a_lower_rank_is_refused() {
    let ctx = ExecContext::new();
    let x = ctx.ones::<f32>(&[2, 3]).unwrap();
    assert!(matches!(x.broadcast_to(&[3]), Err(Error::ShapeMismatch { .. })));
}
