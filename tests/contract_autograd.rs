//! The engine's promises: seeds, accumulation, single use, and passes that fail whole.

use fucina::{Error, ExecContext, Tensor};

fn variable(ctx: &ExecContext, values: &[f32]) -> Tensor {
    Tensor::variable_from_slice(ctx, &[values.len()], values).unwrap()
}

fn grad(ctx: &ExecContext, x: &Tensor) -> Option<Vec<f32>> {
    x.grad(ctx).unwrap().map(|grad| grad.to_vec().unwrap())
}

#[test]
fn a_scalar_is_seeded_with_one_and_anything_else_explicitly() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0]);
    let y = w.mul(&ctx, &w).unwrap();
    assert!(matches!(y.backward(&ctx), Err(Error::MissingOutputGradient { .. })));
    assert_eq!(grad(&ctx, &w), None, "nothing changed");
    let seed = Tensor::from_slice(&ctx, &[2], &[10.0, 1.0]).unwrap();
    y.backward_with_grad(&ctx, &seed).unwrap();
    assert_eq!(grad(&ctx, &w), Some(vec![20.0, 4.0]));
    assert_eq!(seed.data().unwrap(), [10.0, 1.0], "the seed is read by value");
}

#[test]
fn seeds_of_a_wrong_shape_and_constants_are_refused() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0]);
    let y = w.exp(&ctx).unwrap();
    let seed = Tensor::ones(&ctx, &[3]).unwrap();
    assert!(matches!(y.backward_with_grad(&ctx, &seed), Err(Error::ShapeMismatch { .. })));
    y.backward_with_grad(&ctx, &w.detach()).unwrap();
    let refused = Err(Error::NoGradientGraph { op: "backward" });
    assert_eq!(seed.backward_with_grad(&ctx, &seed), refused);
    assert_eq!(Tensor::scalar(&ctx, 1.0_f32).unwrap().backward(&ctx), refused);
}

#[test]
fn gradients_accumulate_over_fresh_graphs_and_a_graph_is_used_once() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0, 3.0]);
    let cube_sum = || w.mul(&ctx, &w).unwrap().mul(&ctx, &w).unwrap().sum_all(&ctx).unwrap();
    let loss = cube_sum();
    loss.backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &w), Some(vec![3.0, 12.0, 27.0]));
    assert_eq!(loss.backward(&ctx), Err(Error::BackwardAlreadyRun { op: "sum_all" }));
    w.zero_grad();
    assert_eq!(loss.backward(&ctx), Err(Error::BackwardAlreadyRun { op: "sum_all" }));
    cube_sum().backward(&ctx).unwrap();
    cube_sum().backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &w), Some(vec![6.0, 24.0, 54.0]));
}

#[test]
fn an_output_reached_through_another_gets_both_gradients() {
    let ctx = ExecContext::new();
    let x = variable(&ctx, &[1.0]);
    let z = x.scale(&ctx, 3.0).unwrap();
    let y = z.scale(&ctx, 2.0).unwrap();
    let one = Tensor::ones(&ctx, &[1]).unwrap();
    Tensor::backward_all(&ctx, &[(&y, &one), (&z, &one)]).unwrap();
    assert_eq!(grad(&ctx, &z), Some(vec![3.0]));
    assert_eq!(grad(&ctx, &x), Some(vec![9.0]));
}

#[test]
fn an_operand_used_twice_gets_the_sum_in_a_buffer_of_its_own() {
    let ctx = ExecContext::new();
    let (x, y) = (variable(&ctx, &[1.0, 1.0]), variable(&ctx, &[1.0, 1.0]));
    let sum = x.add(&ctx, &y).unwrap().add(&ctx, &x).unwrap();
    sum.backward_with_grad(&ctx, &Tensor::ones(&ctx, &[2]).unwrap()).unwrap();
    assert_eq!(grad(&ctx, &x), Some(vec![2.0, 2.0]));
    assert_eq!(grad(&ctx, &y), Some(vec![1.0, 1.0]));
}

#[test]
fn twelve_operands_each_get_their_gradient() {
    let ctx = ExecContext::new();
    let xs: Vec<Tensor> = (0..12).map(|i| variable(&ctx, &[i as f32])).collect();
    let joined = Tensor::concat(&ctx, &xs.iter().collect::<Vec<_>>(), 0).unwrap();
    let seed: Vec<f32> = (1..=12).map(|i| i as f32).collect();
    joined.backward_with_grad(&ctx, &Tensor::from_slice(&ctx, &[12], &seed).unwrap()).unwrap();
    for (i, x) in xs.iter().enumerate() {
        assert_eq!(grad(&ctx, x), Some(vec![i as f32 + 1.0]));
    }
}

#[test]
fn a_failed_pass_changes_nothing_and_can_be_repeated() {
    let ctx = ExecContext::new();
    let (w, v) = (variable(&ctx, &[1.0, 2.0]), variable(&ctx, &[3.0, 4.0]));
    let shared = w.mul(&ctx, &v).unwrap();
    shared.sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    let before = (grad(&ctx, &w), grad(&ctx, &v));
    // The new part is sound; the shared part was used up: the pass fails in its middle.
    let fresh = w.exp(&ctx).unwrap();
    let loss = shared.add(&ctx, &fresh).unwrap().sum_all(&ctx).unwrap();
    for _ in 0..2 {
        assert_eq!(loss.backward(&ctx), Err(Error::BackwardAlreadyRun { op: "mul" }));
        assert_eq!((grad(&ctx, &w), grad(&ctx, &v)), before);
    }
    fresh.sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &w).unwrap()[0], 3.0 + 1.0_f32.exp());
}

#[test]
fn each_node_runs_once_however_often_it_is_used() {
    let ctx = ExecContext::new();
    let mut y = variable(&ctx, &[1.0]);
    let w = y.clone();
    for _ in 0..60 {
        y = y.add(&ctx, &y).unwrap().scale(&ctx, 0.5).unwrap();
    }
    y.backward(&ctx).unwrap();
    assert_eq!(grad(&ctx, &w), Some(vec![1.0]));
}

#[test]
fn constants_get_no_gradient_and_make_no_graph() {
    let ctx = ExecContext::new();
    let (w, c) = (variable(&ctx, &[1.0]), Tensor::ones(&ctx, &[1]).unwrap());
    assert!(!c.exp(&ctx).unwrap().requires_grad());
    let before = ctx.pool().stats().hits + ctx.pool().stats().misses;
    c.mul(&ctx, &c).unwrap();
    assert_eq!(ctx.pool().stats().hits + ctx.pool().stats().misses, before + 1, "a block, no node");
    w.mul(&ctx, &c).unwrap().backward(&ctx).unwrap();
    assert!(c.grad(&ctx).unwrap().is_none());
    let detached = w.exp(&ctx).unwrap().detach();
    assert!(!detached.requires_grad());
}

#[test]
fn a_gradient_view_keeps_its_values() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0, 2.0]);
    let pass = || w.mul(&ctx, &w).unwrap().sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    pass();
    let view = w.grad_view().unwrap();
    pass();
    assert_eq!(view.data().unwrap(), [2.0, 4.0]);
    assert_eq!(grad(&ctx, &w), Some(vec![4.0, 8.0]));
    w.zero_grad();
    assert!(w.grad_view().is_none());
}

#[test]
fn values_in_between_keep_no_gradient() {
    let ctx = ExecContext::new();
    let w = variable(&ctx, &[1.0]);
    let y = w.exp(&ctx).unwrap();
    let loss = y.sum_all(&ctx).unwrap();
    loss.backward(&ctx).unwrap();
    assert!(y.grad_view().is_none());
    assert_eq!(grad(&ctx, &loss), Some(vec![1.0]));
}

#[test]
fn the_gradient_of_a_maximum_goes_to_its_first_element() {
    let ctx = ExecContext::new();
    let x = Tensor::variable_from_slice(&ctx, &[2, 3], &[5.0_f32, 5.0, 1.0, 2.0, f32::NAN, 2.0]);
    let x = x.unwrap();
    let max = x.max_axis(&ctx, 1).unwrap();
    assert_eq!(max.data().unwrap(), [5.0, 2.0]);
    max.backward_with_grad(&ctx, &Tensor::ones(&ctx, &[2]).unwrap()).unwrap();
    assert_eq!(grad(&ctx, &x), Some(vec![1.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
}

#[test]
fn a_softmax_row_of_minus_infinity_is_zero_with_zero_gradient() {
    let ctx = ExecContext::new();
    let x = variable(&ctx, &[f32::NEG_INFINITY; 3]);
    let y = x.softmax(&ctx, 0).unwrap();
    assert_eq!(y.data().unwrap(), [0.0; 3]);
    y.backward_with_grad(&ctx, &Tensor::ones(&ctx, &[3]).unwrap()).unwrap();
    assert_eq!(grad(&ctx, &x), Some(vec![0.0; 3]));
}
