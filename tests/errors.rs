//! Bad input is an error that names the op, what clashed and what fits; nothing leaks, and the context goes on.

use fucina::dtype::{bf16, f16};
use fucina::exec::{
    Activation, AttentionOptions, Conv1dConfig, Conv2dConfig, CrossEntropyOptions, Pool2dConfig,
    Refused, RopeOptions,
};
use fucina::layout::{Layout, Shape};
use fucina::optim::{AdamW, AdamWConfig, Sgd, SgdConfig};
use fucina::{Error, ExecContext, RawTensor, Result, Tensor};

/// Calls and the whole text of the error each must give.
type Refusals<'a> = Vec<(&'static str, Box<dyn Fn() -> Result<()> + 'a>)>;

macro_rules! refusals {
    // refusals! { "text" => call; } => vec![("text", Box::new(|| call.map(drop)))]
    ($($text:literal => $call:expr;)*) => {
        vec![$(($text, Box::new(|| { let _ = $call?; Ok(()) }) as Box<dyn Fn() -> Result<()>>)),*]
    };
}

/// Every call is refused with its text, which starts with the op; the pool holds what it held before.
fn check(ctx: &ExecContext, refusals: &Refusals<'_>) {
    for (text, call) in refusals {
        let before = ctx.pool().stats();
        let error = call().expect_err(text);
        assert_eq!(error.to_string(), *text);
        if let Some(op) = error.op() {
            assert!(text.starts_with(op), "{text} does not start with {op}");
        }
        let after = ctx.pool().stats();
        assert_eq!((after.outstanding, after.cells), (before.outstanding, before.cells), "{text}");
    }
    let x = ctx.ones::<f32>(&[2]).unwrap();
    assert_eq!(ctx.add(&x, &x).unwrap().data().unwrap(), [2.0, 2.0], "the context goes on");
}

fn plain<V>(refused: core::result::Result<V, Refused<V>>) -> Result<V> {
    refused.map_err(Error::from)
}

#[test]
fn shapes_that_no_tensor_has() {
    let ctx = ExecContext::new();
    let x = ctx.ones::<f32>(&[2, 3]).unwrap();
    let huge = [usize::MAX / 2, 3];
    check(
        &ctx,
        &refusals! {
            "zeros: rank is 0; a scalar is [1]" => ctx.zeros::<f32>(&[]);
            "ones: rank is 9; at most 8 fits" => ctx.ones::<f32>(&[1; 9]);
            "full: axis 1 has size 0; every dimension is at least 1" => ctx.full(&[2, 0], 1.0_f32);
            "empty: [9223372036854775807, 3] has more bytes than an address space of 18446744073709551615" => ctx.empty::<u8>(&huge);
            "from_slice: rank is 0; a scalar is [1]" => ctx.from_slice::<f32>(&[], &[1.0]);
            "from_slice: axis 0 has size 0; every dimension is at least 1" => ctx.from_slice::<f32>(&[0, 1], &[]);
            "from_slice: axis 1 has size 0; every dimension is at least 1" => ctx.from_slice::<f32>(&[1, 0], &[]);
            "reshape: rank is 9; at most 8 fits" => ctx.reshape(&x, &[1; 9]);
            "broadcast_to: rank is 9; at most 8 fits" => x.broadcast_to(&[1; 9]);
            "broadcast_to: axis 0 has size 0; every dimension is at least 1" => x.broadcast_to(&[0, 2, 3]);
            "as_strided: rank is 0; a scalar is [1]" => x.as_strided(&[], &[], 0);
            "from_vec: rank is 9; at most 8 fits" => ctx.from_vec(&[1; 9], vec![1.0_f32]);
            "from_static: rank is 0; a scalar is [1]" => ctx.from_static(&[], &[1.0_f32]);
            "from_owner: axis 0 has size 0; every dimension is at least 1" => ctx.from_owner(&[0], [1.0_f32]);
        },
    );
    for dims in [&[usize::MAX][..], &[1 << 40, 1 << 40], &[usize::MAX, usize::MAX, 2]] {
        assert!(matches!(ctx.zeros::<u8>(dims), Err(Error::Overflow { op: "zeros", .. })));
        assert!(matches!(Tensor::<f64>::zeros(&ctx, dims), Err(Error::Overflow { .. })));
    }
    // A broadcast may have more elements than memory has; what cannot be had is said, not tried.
    let one = ctx.ones::<f32>(&[1]).unwrap();
    let wide = one.broadcast_to(&[1 << 20, 1 << 20, 1 << 18]).unwrap();
    assert!(matches!(ctx.neg(&wide), Err(Error::OutOfMemory { op: "neg", .. })));
    assert!(matches!(ctx.concat(&[&wide, &wide, &wide, &wide], 0), Err(Error::Overflow { .. })));
}

#[test]
fn data_of_a_wrong_length() {
    let ctx = ExecContext::new();
    let x = ctx.ones::<f32>(&[4]).unwrap();
    check(
        &ctx,
        &refusals! {
            "from_slice: 3 elements given; 4 fit" => ctx.from_slice(&[2, 2], &[1.0_f32; 3]);
            "from_vec: 5 elements given; 4 fit" => ctx.from_vec(&[2, 2], vec![1.0_f32; 5]);
            "from_static: 1 elements given; 2 fit" => ctx.from_static(&[2], &[1.0_f32]);
            "from_owner: 2 elements given; 3 fit" => ctx.from_owner(&[3], [1.0_f32; 2]);
            "from_slice: 1 elements given; 2 fit" => Tensor::variable_from_slice(&ctx, &[2], &[1.0_f64]);
            "as_strided: 4 elements given; 5 fit" => x.as_strided(&[2], &[1], 3);
            "as_strided: 4 elements given; 2 fit" => x.as_strided(&[3], &[-1], 1);
            "as_strided: 5 elements given; 6 fit" => ctx.ones::<f32>(&[5])?.as_strided(&[6], &[1], 0);
            "assign_view: 5 elements given; 6 fit" => ctx.assign_view(&mut ctx.ones(&[5])?, |_| Layout::strided("v", Shape::new("v", &[2])?, &[1], 4, 8), &ctx.ones::<f32>(&[2])?);
            "as_strided: not a permutation of the axes; each of 0..2 once fits" => x.as_strided(&[2, 2], &[1], 0);
        },
    );
    // SAFETY: the slice outlives the call, which refuses it.
    let refused = unsafe { ctx.from_borrowed_slice(&[2], &[1.0_f32]) };
    assert!(matches!(refused, Err(Error::InvalidDataLength { expected: 2, found: 1, .. })));
}

#[test]
fn operands_that_cannot_meet() {
    let ctx = ExecContext::new();
    let (a, b) =
        (Tensor::<f32>::ones(&ctx, &[2, 3]).unwrap(), Tensor::ones(&ctx, &[4, 5]).unwrap());
    let (ra, rb) = (a.raw(), b.raw());
    let row: RawTensor<f32> = ctx.ones(&[3]).unwrap();
    check(
        &ctx,
        &refusals! {
            "add: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.add(&ctx, &b);
            "sub: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.sub(&ctx, &b);
            "mul: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.mul(&ctx, &b);
            "div: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.div(ra, rb);
            "relu_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.relu_backward(ra, rb);
            "silu_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.silu_backward(ra, rb);
            "elu_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.elu_backward(ra, rb, 1.0);
            "clamp_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.clamp_backward(ra, rb, 0.0, 1.0);
            "powf_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.powf_backward(ra, rb, 2.0);
            "lt: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.lt(&ctx, &b);
            "where_select: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.eq(&ctx, &a)?.where_select(&ctx, &a, &b);
            "where_select: left is [4, 5], right is [2, 3]; dimensions from the last must be equal or 1" => ctx.where_select(&ctx.eq(rb, rb)?, ra, ra);
            "and: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.eq(&ctx, &a)?.and(&ctx, &b.eq(&ctx, &b)?);
            "rem: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.rem(&ctx.ones::<u8>(&[2, 3])?, &ctx.zeros::<u8>(&[4, 5])?);
            "maximum: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.maximum(&ctx, &b);
            "pow: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.pow(&ctx, &b);
            "swiglu: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => a.swiglu(&ctx, &b);
            "glu_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.glu_backward(ra, rb, ra);
            "maximum_backward: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => ctx.maximum_backward(ra, ra, rb);
            "glu_halves: bad last axis; an even length fits" => a.glu_halves(&ctx);
            "reglu_halves: bad last axis; an even length fits" => ctx.reglu_halves(rb);
            "take_mul: left is [2, 3], right is [4, 5]; dimensions from the last must be equal or 1" => plain(ctx.take_mul(ra.clone(), rb));
            "add_in_place: left is [2, 3], right is [3]; the shapes must be the same" => ctx.add_in_place(&mut ra.clone(), &row);
            "matmul: left is [2, 3], right is [4, 5]; right needs 3 rows" => a.matmul(&ctx, &b);
            "matmul_nt: left is [2, 3], right is [4, 5]; right needs 3 columns" => a.matmul_nt(&ctx, &b);
            "matmul_tn: left is [2, 3], right is [4, 5]; right needs 2 rows" => a.matmul_tn(&ctx, &b);
            "matmul: left is [2, 3], right is [3]; rank 2 or more is needed" => ctx.matmul(ra, &row);
            "matmul: left is [2, 2, 3], right is [3, 3, 4]; dimensions before the last two must be equal or 1" => ctx.matmul(&ctx.ones::<f32>(&[2, 2, 3])?, &ctx.ones(&[3, 3, 4])?);
            "matmul_widened: left is [2, 3], right is [4, 5]; right needs 3 rows" => ctx.matmul_widened::<f32, _, _>(&ctx.cast::<_, f16>(ra)?, rb);
            "matmul_nt_widened: left is [2, 3], right is [4, 5]; right needs 3 columns" => ctx.matmul_nt_widened::<f32, _, _>(ra, &ctx.cast::<_, bf16>(rb)?);
            "matmul_tn_widened: left is [2, 3], right is [4, 5]; right needs 2 rows" => ctx.matmul_tn_widened::<f32, _, _>(&ctx.cast::<_, f16>(ra)?, &ctx.cast::<_, f16>(rb)?);
            "matmul_widened: the operand carries a gradient; a constant or detached one fits" => Tensor::<f32>::variable(&ctx, ctx.ones(&[2, 2])?)?.matmul_widened::<f32, _>(&ctx, &Tensor::<f16>::ones(&ctx, &[2, 2])?);
            "matmul_add: left is [3], right is [2, 2]; the target may add leading axes and replace 1s, nothing else" => ctx.matmul_add(&row, ra, &ra.transpose(0, 1)?);
            "conv2d: left is [2, 3], right is [1, 1, 1, 1]; rank 4 is needed" => ctx.conv2d(ra, &ctx.ones(&[1, 1, 1, 1])?, None, Conv2dConfig::default());
            "conv2d: left is [1, 4, 5, 5], right is [2, 3, 3, 3]; a window needs 4 channels" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 3, 3, 3])?, None, Conv2dConfig::default());
            "conv2d: bad groups; a divisor of both numbers of channels fits" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 3, 3, 3])?, None, Conv2dConfig { groups: 3, ..Conv2dConfig::default() });
            "conv2d: bad groups; a divisor of both numbers of channels fits" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 4, 3, 3])?, None, Conv2dConfig { groups: 0, ..Conv2dConfig::default() });
            "conv2d: bad stride; 1 or more fits" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 4, 3, 3])?, None, Conv2dConfig { stride: [1, 0], ..Conv2dConfig::default() });
            "conv2d: bad window; one no larger than the padded input fits" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 4, 3, 6])?, None, Conv2dConfig::default());
            "conv2d: left is [2, 4, 3, 3], right is [3]; a vector of 2 is needed" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 4, 3, 3])?, Some(&row), Conv2dConfig::default());
            "conv2d: bad extent of the window; one that an address space holds fits" => ctx.conv2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[2, 4, 3, 3])?, None, Conv2dConfig { padding: [usize::MAX / 2, 0], ..Conv2dConfig::default() });
            "max_pool2d: left is [2, 3], right is [2, 3]; rank 4 is needed" => ctx.max_pool2d(ra, Pool2dConfig::new([1, 1]));
            "avg_pool2d: bad window; 1 or more fits" => ctx.avg_pool2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, Pool2dConfig { window: [0, 1], stride: [1; 2], padding: [0; 2] });
            "max_pool2d: bad stride; 1 or more fits" => ctx.max_pool2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, Pool2dConfig { window: [1; 2], stride: [0, 1], padding: [0; 2] });
            "max_pool2d: bad padding; less than the window fits" => ctx.max_pool2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, Pool2dConfig { window: [2; 2], stride: [1; 2], padding: [2, 0] });
            "max_pool2d: bad window; one no larger than the padded input fits" => ctx.max_pool2d(&ctx.ones::<f32>(&[1, 4, 5, 5])?, Pool2dConfig::new([6, 1]));
            "avg_pool2d_backward: left is [1, 4, 5, 5], right is [1, 4, 1, 1]; the shapes must be the same" => ctx.avg_pool2d_backward(&ctx.ones::<f32>(&[1, 4, 5, 5])?, &ctx.ones(&[1, 4, 5, 5])?, Pool2dConfig::new([5, 5]));
            "conv1d: left is [2, 3], right is [4, 5]; rank 3 is needed" => a.conv1d(&ctx, &b, None, Conv1dConfig::default());
            "linear: left is [3, 2], right is [3]; a vector of 2 is needed" => ctx.linear(ra, &ra.transpose(0, 1)?, Some(&row), Activation::Relu);
            "linear: left is [2, 3], right is [3]; rank 2 is needed" => ctx.linear(ra, &row, None, Activation::Relu);
            "reshape: left is [2, 3], right is [4]; right needs 6 elements" => a.reshape(&ctx, &[4]);
            "broadcast_to: left is [2, 3], right is [3]; the target may add leading axes and replace 1s, nothing else" => a.broadcast_to(&ctx, &[3]);
            "broadcast_to: left is [2, 3], right is [2, 6]; the target may add leading axes and replace 1s, nothing else" => a.broadcast_to(&ctx, &[2, 6]);
            "reduce_to: left is [2, 3], right is [3, 1]; the target may add leading axes and replace 1s, nothing else" => ctx.reduce_to(ra, ctx.ones::<f32>(&[3, 1])?.shape());
            "concat: left is [2, 3], right is [4, 5]; only axis 0 may differ" => Tensor::concat(&ctx, &[&a, &b], 0);
            "concat: bad list of operands; at least one tensor fits" => Tensor::<f32>::concat(&ctx, &[], 0);
            "softmax_backward: left is [2, 3], right is [4, 5]; the shapes must be the same" => ctx.softmax_backward(ra, rb, 0);
            "assign_view: left is [2, 3], right is [4, 5]; the shapes must be the same" => ctx.assign_view(&mut ra.clone(), |l| Ok(*l), rb);
            "item: left is [1], right is [2, 3]; right needs 1 elements" => a.item();
        },
    );
}

#[test]
fn integer_divisors_of_zero() {
    let ctx = ExecContext::new();
    let x = Tensor::from_slice(&ctx, &[2, 2], &[1_i32, 2, 3, 0]).unwrap();
    let bytes = ctx.full(&[3], 7_u8).unwrap();
    check(
        &ctx,
        &refusals! {
            "div: bad divisor; one without zeros fits" => x.wrapping_div(&ctx, &x);
            "rem: bad divisor; one without zeros fits" => x.wrapping_rem(&ctx, &x);
            "div: bad divisor; one without zeros fits" => ctx.div(x.raw(), &x.raw().transpose(0, 1)?);
            "rem: bad divisor; one without zeros fits" => ctx.rem(&bytes, &ctx.zeros(&[1])?);
            "shift_left: bad shift; 0 or more everywhere fits" => ctx.shift_left(x.raw(), &ctx.full(&[2, 1], -1)?);
            "shift_right: bad shift; 0 or more everywhere fits" => x.shift_right(&ctx, &Tensor::full(&ctx, &[1], -1)?);
            "maximum: left is [2, 2], right is [3]; dimensions from the last must be equal or 1" => x.maximum(&ctx, &Tensor::full(&ctx, &[3], 1)?);
            "bit_xor: left is [3], right is [2]; dimensions from the last must be equal or 1" => ctx.bit_xor(&bytes, &ctx.zeros(&[2])?);
        },
    );
    let two = x.raw().narrow(1, 0, 1).unwrap();
    assert_eq!(
        ctx.div(x.raw(), &two).unwrap().data().unwrap(),
        [1, 2, 1, 0],
        "a view past the zero"
    );
}

#[test]
fn axes_and_ranges_outside() {
    let ctx = ExecContext::new();
    let x = Tensor::<f32>::ones(&ctx, &[2, 3]).unwrap();
    check(
        &ctx,
        &refusals! {
            "sum_axis: axis is 2; 0 to 1 fit" => x.sum_axis(&ctx, 2);
            "mean_axis: axis is 7; 0 to 1 fit" => x.mean_axis(&ctx, 7);
            "max_axis: axis is 2; 0 to 1 fit" => x.max_axis(&ctx, 2);
            "sum: axis is 2; 0 to 1 fit" => x.sum(&ctx, &[0, 2], false);
            "var: not a permutation of the axes; each of 0..2 once fits" => x.var(&ctx, &[1, 1], 0, false);
            "any_axis: axis is 2; 0 to 1 fit" => x.eq(&ctx, &x)?.any_axis(&ctx, 2);
            "all_axis: axis is 7; 0 to 1 fit" => x.eq(&ctx, &x)?.all_axis(&ctx, 7);
            "any: axis is 3; 0 to 1 fit" => x.eq(&ctx, &x)?.any(&ctx, &[0, 3], false);
            "all: not a permutation of the axes; each of 0..2 once fits" => x.eq(&ctx, &x)?.all(&ctx, &[1, 1], true);
            "argmax: axis is 2; 0 to 1 fit" => x.argmax(&ctx, 2);
            "logsumexp: axis is 2; 0 to 1 fit" => x.logsumexp(&ctx, 2);
            "cumsum: axis is 2; 0 to 1 fit" => x.cumsum(&ctx, 2);
            "min_axis: axis is 2; 0 to 1 fit" => x.min_axis(&ctx, 2);
            "prod_axis: axis is 2; 0 to 1 fit" => x.prod_axis(&ctx, 2);
            "softmax: axis is 2; 0 to 1 fit" => x.softmax(&ctx, 2);
            "log_softmax: axis is 18446744073709551615; 0 to 1 fit" => x.log_softmax(&ctx, usize::MAX);
            "concat: axis is 2; 0 to 1 fit" => Tensor::concat(&ctx, &[&x, &x], 2);
            "transpose: axis is 2; 0 to 1 fit" => x.transpose(&ctx, 0, 2);
            "flip: axis is 2; 0 to 1 fit" => x.flip(&ctx, 2);
            "step: axis is 2; 0 to 1 fit" => x.step(&ctx, 2, 1);
            "step: bad step; at least 1 fits" => x.step(&ctx, 0, 0);
            "narrow: axis is 2; 0 to 1 fit" => x.narrow(&ctx, 2, 0, 1);
            "narrow: start 0, length 0; at least 1 within 0..3 fits" => x.narrow(&ctx, 1, 0, 0);
            "narrow: start 2, length 2; at least 1 within 0..3 fits" => x.narrow(&ctx, 1, 2, 2);
            "narrow: start 18446744073709551615, length 2; at least 1 within 0..3 fits" => x.narrow(&ctx, 1, usize::MAX, 2);
            "permute: not a permutation of the axes; each of 0..2 once fits" => x.permute(&ctx, &[0, 0]);
            "permute: not a permutation of the axes; each of 0..2 once fits" => x.permute(&ctx, &[0]);
            "permute: not a permutation of the axes; each of 0..2 once fits" => x.permute(&ctx, &[0, 1, 2]);
        },
    );
}

#[test]
fn classes_outside_and_targets_of_a_wrong_shape() {
    let ctx = ExecContext::new();
    let logits = Tensor::<f32>::variable(&ctx, ctx.ones(&[2, 3]).unwrap()).unwrap();
    let classes = |values: &[i64]| Tensor::from_slice(&ctx, &[values.len()], values);
    let smoothed = |label_smoothing| CrossEntropyOptions { label_smoothing, ..Default::default() };
    let ignoring = CrossEntropyOptions { ignore_index: Some(-1), ..Default::default() };
    check(
        &ctx,
        &refusals! {
            "cross_entropy: index 3 at position 1; 0 to 2 fit" => logits.cross_entropy(&ctx, &classes(&[0, 3])?);
            "cross_entropy: index -1 at position 0; 0 to 2 fit" => logits.cross_entropy(&ctx, &classes(&[-1, 0])?);
            "cross_entropy: index -9223372036854775808 at position 0; 0 to 2 fit" => logits.cross_entropy(&ctx, &classes(&[i64::MIN, 0])?);
            "cross_entropy: left is [2, 3], right is [3]; right needs 2 entries" => logits.cross_entropy(&ctx, &classes(&[0, 1, 2])?);
            "cross_entropy: left is [6], right is [6]; rank 2 is needed" => logits.reshape(&ctx, &[6])?.cross_entropy(&ctx, &classes(&[0; 6])?);
            "cross_entropy_with: index -2 at position 1; 0 to 2 fit" => logits.cross_entropy_with(&ctx, &classes(&[-1, -2])?, ignoring);
            "cross_entropy_with: bad label smoothing; a number in 0..=1 fits" => logits.cross_entropy_with(&ctx, &classes(&[0, 0])?, smoothed(1.5));
            "cross_entropy_with: bad label smoothing; a number in 0..=1 fits" => logits.cross_entropy_with(&ctx, &classes(&[0, 0])?, smoothed(f64::NAN));
            "cross_entropy_with: left is [2, 3], right is [1]; right needs 2 entries" => logits.cross_entropy_with(&ctx, &classes(&[0])?, ignoring);
            "cross_entropy_with_backward: index 3 at position 0; 0 to 2 fit" => ctx.cross_entropy_with_backward(logits.raw(), classes(&[3, -1])?.raw(), &ctx.ones(&[1])?, ignoring);
            "cross_entropy_backward: left is [1], right is [2]; the shapes must be the same" => ctx.cross_entropy_backward(logits.raw(), classes(&[0, 0])?.raw(), &ctx.ones(&[2])?);
            "cross_entropy_backward: index 5 at position 0; 0 to 2 fit" => ctx.cross_entropy_backward(logits.raw(), classes(&[5, 0])?.raw(), &ctx.ones(&[1])?);
        },
    );
}

#[test]
fn indices_outside_and_lines_that_do_not_match() {
    let ctx = ExecContext::new();
    let x = Tensor::<f32>::variable(&ctx, ctx.ones(&[2, 3]).unwrap()).unwrap();
    let picks = |dims: &[usize], value: i64| Tensor::full(&ctx, dims, value);
    let shape = x.shape();
    check(
        &ctx,
        &refusals! {
            "index_select: axis is 2; 0 to 1 fit" => x.index_select(&ctx, 2, &picks(&[1], 0)?);
            "index_select: index 3 at position 0; 0 to 2 fit" => x.index_select(&ctx, 1, &picks(&[4], 3)?);
            "index_select: index -1 at position 0; 0 to 1 fit" => x.index_select(&ctx, 0, &picks(&[2, 2], -1)?);
            "index_select: index 9223372036854775807 at position 3; 0 to 2 fit" => ctx.index_select(x.raw(), 1, &ctx.from_slice(&[4], &[0, 1, 2, i64::MAX])?);
            "index_select: index 7 at position 1; 0 to 2 fit" => ctx.index_select(x.raw(), 1, &ctx.from_slice(&[2], &[7, 0])?.flip(0)?);
            "index_select: rank is 9; at most 8 fits" => x.index_select(&ctx, 0, &picks(&[1; 8], 0)?);
            "index_select: [288230376151711744, 3] has more bytes than an address space of 18446744073709551615" => ctx.index_select(x.raw(), 0, &ctx.zeros(&[1])?.broadcast_to(&[1 << 58])?);
            "index_select_backward: left is [4, 3], right is [2, 3]; the shapes must be the same" => ctx.index_select_backward(shape, 0, picks(&[4], 0)?.raw(), x.raw());
            "index_select_backward: index 2 at position 0; 0 to 1 fit" => ctx.index_select_backward(shape, 0, picks(&[2], 2)?.raw(), x.raw());
            "gather: axis is 2; 0 to 1 fit" => x.gather(&ctx, 2, &picks(&[2, 3], 0)?);
            "gather: left is [2, 3], right is [2]; rank 2 is needed" => x.gather(&ctx, 1, &picks(&[2], 0)?);
            "gather: left is [2, 3], right is [1, 3]; only axis 1 may differ" => x.gather(&ctx, 1, &picks(&[1, 3], 0)?);
            "gather: index 3 at position 0; 0 to 2 fit" => x.gather(&ctx, 1, &picks(&[2, 1], 3)?);
            "gather: index -2 at position 0; 0 to 1 fit" => x.gather(&ctx, 0, &picks(&[1, 3], -2)?);
            "gather_backward: left is [2, 1], right is [2, 3]; the shapes must be the same" => ctx.gather_backward(shape, 1, picks(&[2, 1], 0)?.raw(), x.raw());
        },
    );
}

#[test]
fn normalisations_of_axes_and_groups_that_are_not_there() {
    let ctx = ExecContext::new();
    let x = Tensor::<f32>::ones(&ctx, &[2, 6]).unwrap();
    let w = Tensor::<f32>::ones(&ctx, &[2]).unwrap();
    check(
        &ctx,
        &refusals! {
            "layer_norm: bad number of axes; at least 1, at most the rank fits" => x.layer_norm(&ctx, 0, None, None, 1e-5);
            "layer_norm: bad number of axes; at least 1, at most the rank fits" => x.layer_norm(&ctx, 3, None, None, 1e-5);
            "layer_norm: bad eps; a number from 0 on fits" => x.layer_norm(&ctx, 1, None, None, -1e-5);
            "rms_norm: bad eps; a number from 0 on fits" => x.rms_norm(&ctx, 1, None, f32::NAN);
            "layer_norm: left is [2, 6], right is [2]; right needs the last 1 dimensions of left" => x.layer_norm(&ctx, 1, None, Some(&w), 1e-5);
            "rms_norm: left is [2, 6], right is [2]; right needs the last 2 dimensions of left" => x.rms_norm(&ctx, 2, Some(&w), 1e-5);
            "group_norm: bad number of groups; a divisor of the number of channels fits" => x.group_norm(&ctx, 4, None, None, 1e-5);
            "group_norm: bad number of groups; a divisor of the number of channels fits" => x.group_norm(&ctx, 0, None, None, 1e-5);
            "group_norm: left is [2, 6], right is [2]; right needs 6 entries" => x.group_norm(&ctx, 2, Some(&w), None, 1e-5);
            "group_norm: left is [2], right is [2]; rank 2 or more is needed" => w.group_norm(&ctx, 1, None, None, 1e-5);
            "layer_norm_backward: left is [2, 6], right is [2]; the shapes must be the same" => ctx.layer_norm_backward(x.raw(), 1, None, w.raw(), 1e-5);
        },
    );
}

#[test]
fn attention_of_heads_that_do_not_match() {
    let ctx = ExecContext::new();
    let x = |dims: &[usize]| Tensor::<f32>::ones(&ctx, dims);
    let options = AttentionOptions::default();
    let attend = |q: &[usize], k: &[usize], v: &[usize], options| {
        x(q)?.scaled_dot_product_attention(&ctx, &x(k)?, &x(v)?, options)
    };
    let (q, k) = ([1, 4, 2, 3], [1, 2, 5, 3]);
    check(
        &ctx,
        &refusals! {
            "scaled_dot_product_attention: left is [2, 3], right is [2, 3]; rank 4 is needed" => attend(&[2, 3], &k, &k, options);
            "scaled_dot_product_attention: left is [1, 4, 2, 3], right is [1, 3, 5, 3]; keys need the queries' axes 0 and 3, and heads that divide theirs" => attend(&q, &[1, 3, 5, 3], &k, options);
            "scaled_dot_product_attention: left is [1, 4, 2, 3], right is [2, 2, 5, 3]; keys need the queries' axes 0 and 3, and heads that divide theirs" => attend(&q, &[2, 2, 5, 3], &k, options);
            "scaled_dot_product_attention: left is [1, 2, 5, 3], right is [1, 2, 4, 3]; only axis 3 may differ" => attend(&q, &k, &[1, 2, 4, 3], options);
            "scaled_dot_product_attention: bad window; at least 1 fits" => attend(&q, &k, &k, AttentionOptions { window: Some(0), ..options });
            "scaled_dot_product_attention: bad scale; a finite number fits" => attend(&q, &k, &k, AttentionOptions { scale: Some(f64::NAN), ..options });
            "cached_attention: the operand carries a gradient; a constant or detached one fits" => Tensor::<f32>::variable(&ctx, ctx.ones(&q)?)?.cached_attention(&ctx, &x(&k)?, &x(&k)?, options);
        },
    );
}

#[test]
fn rotations_without_pairs_or_positions() {
    let ctx = ExecContext::new();
    let x = |dims: &[usize]| Tensor::<f32>::ones(&ctx, dims);
    let positions = Tensor::<i64>::zeros(&ctx, &[3]).unwrap();
    let (options, flat) = (RopeOptions::default(), RopeOptions { base: 0.0, interleaved: true });
    check(
        &ctx,
        &refusals! {
            "rope: bad last axis; an even one fits" => x(&[3, 5])?.rope(&ctx, &positions, options);
            "rope: left is [2, 4], right is [3]; right needs 2 entries" => x(&[2, 4])?.rope(&ctx, &positions, options);
            "rope: left is [3], right is [3]; rank 2 or more is needed" => x(&[3])?.rope(&ctx, &positions, options);
            "rope: bad base; a positive number fits" => x(&[3, 4])?.rope(&ctx, &positions, flat);
        },
    );
}

#[test]
fn graphs_that_cannot_be_walked() {
    let ctx = ExecContext::new();
    let w = Tensor::<f32>::variable(&ctx, ctx.ones(&[2]).unwrap()).unwrap();
    let used = w.sum_all(&ctx).unwrap();
    used.backward(&ctx).unwrap();
    let y = w.exp(&ctx).unwrap();
    check(
        &ctx,
        &refusals! {
            "backward: the value is a constant; one made from a variable fits" => Tensor::scalar(&ctx, 1.0_f32)?.backward(&ctx);
            "backward: [2] has no implicit gradient; a seed of that shape fits" => y.backward(&ctx);
            "backward: left is [2], right is [1]; the shapes must be the same" => y.backward_with_grad(&ctx, &Tensor::scalar(&ctx, 1.0)?);
            "sum_all: an earlier pass used this graph up; a fresh forward pass fits" => used.backward(&ctx);
            "take_neg: the operand carries a gradient; a constant or detached one fits" => plain(w.clone().take_neg(&ctx));
            "data_mut: the operand carries a gradient; a constant or detached one fits" => w.clone().data_mut().map(|d| d.len());
        },
    );
}

#[test]
fn optimisers_refuse_numbers_and_parameters_that_make_no_sense() {
    let ctx = ExecContext::new();
    let sgd = |config| Sgd::<f32>::new(config);
    let adamw = |config| AdamW::<f32>::new(config);
    let of = SgdConfig::default;
    let with = AdamWConfig::default;
    check(
        &ctx,
        &refusals! {
            "sgd_step: bad learning rate; a positive number fits" => sgd(SgdConfig { learning_rate: 0.0, ..of() });
            "sgd_step: bad learning rate; a positive number fits" => sgd(SgdConfig { learning_rate: f64::NAN, ..of() });
            "sgd_step: bad learning rate; a positive number fits" => sgd(of())?.set_learning_rate(-1.0);
            "sgd_step: bad momentum; a number in 0..1 fits" => sgd(SgdConfig { momentum: 1.0, ..of() });
            "sgd_step: bad weight decay; a number from 0 on fits" => sgd(SgdConfig { weight_decay: -0.1, ..of() });
            "adamw_step: bad learning rate; a positive number fits" => adamw(AdamWConfig { learning_rate: f64::INFINITY, ..with() });
            "adamw_step: bad beta1; a number in 0..1 fits" => adamw(AdamWConfig { beta1: 1.5, ..with() });
            "adamw_step: bad beta2; a number in 0..1 fits" => adamw(AdamWConfig { beta2: -0.5, ..with() });
            "adamw_step: bad eps; a positive number fits" => adamw(AdamWConfig { eps: 0.0, ..with() });
            "adamw_step: bad weight decay; a number from 0 on fits" => adamw(AdamWConfig { weight_decay: f64::NAN, ..with() });
            "sgd_step: the value is a constant; one made from a variable fits" => sgd(of())?.step(&ctx, &mut [&mut Tensor::ones(&ctx, &[2])?]);
        },
    );
    // A place in the list keeps its shape.
    let (mut a, mut b) = (
        Tensor::variable_from_slice(&ctx, &[2], &[1.0_f32; 2]).unwrap(),
        Tensor::variable_from_slice(&ctx, &[3], &[1.0_f32; 3]).unwrap(),
    );
    for x in [&a, &b] {
        x.sum_all(&ctx).unwrap().backward(&ctx).unwrap();
    }
    let mut sgd = Sgd::new(of()).unwrap();
    sgd.step(&ctx, &mut [&mut a]).unwrap();
    let refused = sgd.step(&ctx, &mut [&mut b]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "sgd_step: left is [3], right is [2]; the shapes must be the same"
    );
    assert_eq!(b.data().unwrap(), [1.0; 3]);
}

#[test]
fn an_out_of_memory_error_is_plain_data() {
    let ctx = ExecContext::new();
    let refused = ctx.zeros::<f32>(&[1 << 45]).unwrap_err();
    assert_eq!(refused, Error::OutOfMemory { op: "zeros", bytes: 1 << 47 });
    let text = "zeros: out of memory; the allocator must have 140737488355328 bytes more";
    assert_eq!(refused.to_string(), text);
}
