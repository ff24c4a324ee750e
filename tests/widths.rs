//! The same bits for every number of threads: the whole op table on operands large enough for a team, further shapes, and a
//! training run, at widths 1, 2, 3, 5, 8.

#[path = "common/bits.rs"]
mod bits;
#[path = "common/gaussian.rs"]
mod gaussian;
#[path = "../core/tests/common/op_table.rs"]
mod op_table;

use core::any::Any;

use fucina::optim::{AdamW, AdamWConfig};
use fucina::{ExecContext, RawTensor, Result, Tensor, context_with_threads};

use bits::bits;
use gaussian::gaussian;

const WIDTHS: [usize; 5] = [1, 2, 3, 5, 8];

/// Runs `f` at every width and compares bits with width 1.
fn same_at_every_width(name: &str, f: impl Fn(&ExecContext) -> Result<RawTensor<f32>>) {
    let mut first = None;
    for width in WIDTHS {
        let ctx = context_with_threads(width);
        let got = bits(&f(&ctx).unwrap());
        let expected = first.get_or_insert_with(|| got.clone());
        let differs = got.iter().zip(expected.iter()).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{name}: width {width}");
    }
}

/// The bits of what an op returned, if it is numbers.
fn result_bits(shown: &dyn Any, out: &mut Vec<u32>) {
    let mut tensor = |x: &RawTensor<f32>| out.extend(x.iter().map(f32::to_bits));
    if let Some(x) = shown.downcast_ref::<RawTensor<f32>>() {
        tensor(x);
    } else if let Some(x) = shown.downcast_ref::<Tensor<f32>>() {
        tensor(x.raw());
    } else if let Some((x, y)) = shown.downcast_ref::<(RawTensor<f32>, RawTensor<f32>)>() {
        [x, y].into_iter().for_each(tensor);
    } else if let Some((x, y)) = shown.downcast_ref::<(Tensor<f32>, Tensor<f32>)>() {
        [x, y].into_iter().for_each(|x| tensor(x.raw()));
    } else if let Some(x) = shown.downcast_ref::<Option<Tensor<f32>>>() {
        x.iter().for_each(|x| tensor(x.raw()));
    } else if let Some(x) = shown.downcast_ref::<RawTensor<i64>>() {
        out.extend(x.iter().map(|x| x as u32));
    } else if let Some(x) = shown.downcast_ref::<Tensor<i64>>() {
        out.extend(x.raw().iter().map(|x| x as u32));
    } else if let Some(x) = shown.downcast_ref::<RawTensor<bool>>() {
        out.extend(x.iter().map(u32::from));
    } else if let Some(x) = shown.downcast_ref::<Tensor<bool>>() {
        out.extend(x.raw().iter().map(u32::from));
    } else if let Some(x) = shown.downcast_ref::<RawTensor<f64>>() {
        out.extend(x.iter().map(|x| x.to_bits() as u32));
    } else if let Some(x) = shown.downcast_ref::<[f32; 70_000]>() {
        out.extend(x.iter().map(|x| x.to_bits()));
    }
}

#[test]
fn every_op_of_the_table_has_one_result_at_every_width() {
    let mut compared = 0;
    let mut expected: Vec<Vec<u32>> = Vec::new();
    for width in WIDTHS {
        let ctx = context_with_threads(width);
        let operands = op_table::Operands::new(&ctx, 130, 517);
        for (i, (name, call)) in op_table::TABLE.iter().enumerate() {
            let mut got = Vec::new();
            call(&ctx, &operands, &mut |shown| result_bits(shown, &mut got)).unwrap();
            if let Some(grad) = operands.w.grad(&ctx).unwrap() {
                result_bits(&grad, &mut got);
                operands.w.zero_grad();
            }
            compared += got.len();
            if width == 1 {
                expected.push(got);
                continue;
            }
            let differs = got.iter().zip(&expected[i]).position(|(a, b)| a != b);
            assert_eq!((differs, got.len()), (None, expected[i].len()), "{name}: width {width}");
        }
    }
    assert!(compared > 20_000_000, "only {compared} numbers were compared");
}

#[test]
fn ops_have_one_result_at_every_width() {
    let big = |ctx: &ExecContext| gaussian(ctx, &[300, 701], 1);
    same_at_every_width("add", |c| c.add(&big(c), &gaussian(c, &[701], 2)));
    same_at_every_width("div of views", |c| {
        let x = big(c).transpose(0, 1)?;
        c.div(&x, &gaussian(c, &[701, 300], 3).flip(0)?)
    });
    same_at_every_width("gelu", |c| c.gelu(&big(c)));
    same_at_every_width("materialize", |c| c.materialize(&big(c).transpose(0, 1)?));
    for axis in [0, 1] {
        same_at_every_width("sum_axis", |c| c.sum_axis(&big(c), axis));
        same_at_every_width("mean_axis", |c| c.mean_axis(&big(c), axis));
        same_at_every_width("max_axis", |c| c.max_axis(&big(c), axis));
        same_at_every_width("softmax", |c| c.softmax(&big(c), axis));
        same_at_every_width("log_softmax", |c| c.log_softmax(&big(c), axis));
    }
    same_at_every_width("sum_all", |c| c.sum_all(&big(c)));
    same_at_every_width("take_exp", |c| c.take_exp(big(c)).map_err(Into::into));
    same_at_every_width("matmul", |c| c.matmul(&big(c), &gaussian(c, &[701, 129], 4)));
    same_at_every_width("matmul_nt", |c| c.matmul_nt(&big(c), &gaussian(c, &[67, 701], 5)));
    same_at_every_width("matmul_tn", |c| c.matmul_tn(&big(c), &gaussian(c, &[300, 77], 6)));
}

#[test]
fn a_training_run_has_one_result_at_every_width() {
    same_at_every_width("training", |ctx| {
        let x = Tensor::constant(gaussian(ctx, &[256, 200], 7));
        let classes: Vec<i64> = (0..256).map(|i| i * 7 % 10).collect();
        let targets = Tensor::from_slice(ctx, &[256], &classes)?;
        let mut w1 = Tensor::variable(ctx, ctx.scale(&gaussian(ctx, &[300, 200], 8), 0.1)?)?;
        let mut w2 = Tensor::variable(ctx, ctx.scale(&gaussian(ctx, &[10, 300], 9), 0.1)?)?;
        let mut adamw = AdamW::new(AdamWConfig::default())?;
        for _ in 0..5 {
            let _scope = ctx.open_exec_scope();
            let hidden = x.matmul_nt(ctx, &w1)?.tanh(ctx)?;
            hidden.matmul_nt(ctx, &w2)?.cross_entropy(ctx, &targets)?.backward(ctx)?;
            adamw.step(ctx, &mut [&mut w1, &mut w2])?;
            w1.zero_grad();
            w2.zero_grad();
        }
        ctx.concat(&[&w1.raw().reshape(&[60_000])?, &w2.raw().reshape(&[3000])?], 0)
    });
}
