//! Every fallible public function of contexts, tensors and optimisers, each as one call.
//!
//! `op_sources` compares the table with the sources, so that a new op cannot be forgotten.

use core::any::Any;

use fucina_core::dtype::{bf16, f16};
use fucina_core::exec::{
    Activation, AttentionOptions, AttentionPass, Conv1dConfig, Conv2dConfig, CrossEntropyOptions,
    Pool2dConfig, RopeOptions,
};
use fucina_core::optim::{AdamW, AdamWConfig, Sgd, SgdConfig};
use fucina_core::rng::Distribution;
use fucina_core::{Error, ExecContext, RawTensor, Result, Tensor, gradcheck};

/// Operands of the table's calls.
pub(crate) struct Operands {
    /// Rows of `x`.
    rows: usize,
    /// Columns of `x`.
    cols: usize,
    /// `[rows, cols]`, positive.
    pub(crate) x: RawTensor<f32>,
    /// `[cols, rows]` as a view of `[rows, cols]`.
    pub(crate) view: RawTensor<f32>,
    /// `[cols]`.
    pub(crate) row: RawTensor<f32>,
    /// `[rows, cols]`, a variable.
    pub(crate) w: Tensor<f32>,
    /// `[rows]`: classes.
    pub(crate) classes: RawTensor<i64>,
}

impl Operands {
    /// `x` as an image of one channel.
    fn image(&self) -> Result<RawTensor<f32>> {
        self.x.reshape(&[1, 1, self.rows, self.cols])
    }

    /// A window of one tap.
    fn window(&self) -> Result<RawTensor<f32>> {
        self.row.narrow(0, 0, 1)?.reshape(&[1, 1, 1, 1])
    }

    /// Indices into the columns of `x`, of the shape of `view`.
    fn picks(&self, ctx: &ExecContext) -> Result<RawTensor<i64>> {
        ctx.randint(&[self.cols, self.rows], 5, 0, self.cols as i64)
    }

    /// At least two rows and two columns.
    pub(crate) fn new(ctx: &ExecContext, rows: usize, cols: usize) -> Self {
        let mut values = vec![0.0; rows * cols];
        fucina_core::rng::uniform_fill(7, &mut values, 0.25, 2.5).unwrap();
        let x = |ctx: &ExecContext| ctx.from_slice(&[rows, cols], &values).unwrap();
        let classes: Vec<i64> = (0..rows).map(|i| ((i + 1) % 2) as i64).collect();
        Self {
            rows,
            cols,
            view: x(ctx).transpose(0, 1).unwrap(),
            row: ctx.from_slice(&[cols], &values[..cols]).unwrap(),
            w: Tensor::variable_from_slice(ctx, &[rows, cols], &values).unwrap(),
            classes: ctx.from_slice(&[rows], &classes).unwrap(),
            x: x(ctx),
        }
    }

    fn constant(&self) -> Tensor<f32> {
        Tensor::constant(self.x.clone())
    }

    fn own(&self, ctx: &ExecContext) -> Result<RawTensor<f32>> {
        ctx.materialize(&self.x)
    }
}

/// Is shown what a call returned.
pub(crate) type Show<'a> = &'a mut dyn FnMut(&dyn Any);

/// One call.
pub(crate) type Call = fn(&ExecContext, &Operands, Show<'_>) -> Result<()>;

macro_rules! calls {
    // calls! { "ctx.add" |c, o| c.add(&o.x, &o.row); } => &[("ctx.add", |c, o, show| { show(&c.add(&o.x, &o.row)?); Ok(()) })]
    ($($name:literal |$c:ident, $o:ident| $call:expr;)*) => {
        &[$(($name, |$c, $o, show| {
            let _ = (&$c, &$o);
            show(&$call?);
            Ok(())
        })),*]
    };
}

/// The table: source file's kind and function, and a call of it.
pub(crate) const TABLE: &[(&str, Call)] = calls! {
    "exec reserve_scope_slot" |c, o| { let _scope = c.open_exec_scope(); c.reserve_scope_slot().map(|s| s.adopt(&o.x)) };
    "exec acquire_scratch" |c, o| c.pool().acquire_scratch::<f32>(5);
    "exec check_float_environment" |c, o| c.check_float_environment();
    "exec empty" |c, o| c.empty::<f32>(&[2]);
    "exec full" |c, o| c.full(&[2], 1.0_f32);
    "exec zeros" |c, o| c.zeros::<f64>(&[2]);
    "exec ones" |c, o| c.ones::<i64>(&[2]);
    "exec scalar" |c, o| c.scalar(1.0_f32);
    "exec from_slice" |c, o| c.from_slice(&[1], &[1.0_f32]);
    "exec from_vec" |c, o| c.from_vec(&[1], one()?);
    "exec from_static" |c, o| c.from_static(&[1], &[1.0_f32]);
    "exec from_owner" |c, o| c.from_owner(&[1], one()?);
    "exec from_borrowed_slice" |c, o| borrowed(c);
    "exec from_foreign" |c, o| borrowed(c);
    "exec materialize" |c, o| c.materialize(&o.view);
    "exec clone" |c, o| c.clone(&o.view);
    "exec prepare_contiguous" |c, o| c.prepare_contiguous(&o.view).map(|p| p.data().len());
    "exec reshape" |c, o| c.reshape(&o.view, &[o.x.len()]);
    "exec index_select" |c, o| c.index_select(&o.view, 1, &o.classes);
    "exec index_select_backward" |c, o| c.index_select_backward(o.view.shape(), 1, &o.classes, &o.view);
    "exec gather" |c, o| c.gather(&o.view, 0, &o.picks(c)?);
    "exec gather_backward" |c, o| c.gather_backward(o.view.shape(), 0, &o.picks(c)?, &o.view);
    "exec concat" |c, o| c.concat(&[&o.x, &o.x], 0);
    "exec assign_view" |c, o| { let mut t = o.own(c)?; c.assign_view(&mut t, |l| Ok(*l), &o.x).map(|()| t) };
    "exec add" |c, o| c.add(&o.x, &o.row);
    "exec sub" |c, o| c.sub(&o.x, &o.row);
    "exec mul" |c, o| c.mul(&o.x, &o.row);
    "exec div" |c, o| c.div(&o.x, &o.row);
    "exec relu_backward" |c, o| c.relu_backward(&o.x, &o.x);
    "exec gelu_backward" |c, o| c.gelu_backward(&o.x, &o.x);
    "exec tanh_backward" |c, o| c.tanh_backward(&o.x, &o.x);
    "exec sigmoid_backward" |c, o| c.sigmoid_backward(&o.x, &o.x);
    "exec sqrt_backward" |c, o| c.sqrt_backward(&o.x, &o.x);
    "exec abs" |c, o| c.abs(&o.view);
    "exec sign" |c, o| c.sign(&o.view);
    "exec square" |c, o| c.square(&o.view);
    "exec reciprocal" |c, o| c.reciprocal(&o.view);
    "exec floor" |c, o| c.floor(&o.view);
    "exec ceil" |c, o| c.ceil(&o.view);
    "exec round" |c, o| c.round(&o.view);
    "exec expm1" |c, o| c.expm1(&o.view);
    "exec log1p" |c, o| c.log1p(&o.view);
    "exec rsqrt" |c, o| c.rsqrt(&o.view);
    "exec sin" |c, o| c.sin(&o.view);
    "exec cos" |c, o| c.cos(&o.view);
    "exec erf" |c, o| c.erf(&o.view);
    "exec softplus" |c, o| c.softplus(&o.view);
    "exec silu" |c, o| c.silu(&o.view);
    "exec gelu_tanh" |c, o| c.gelu_tanh(&o.view);
    "exec abs_backward" |c, o| c.abs_backward(&o.x, &o.row);
    "exec square_backward" |c, o| c.square_backward(&o.x, &o.row);
    "exec reciprocal_backward" |c, o| c.reciprocal_backward(&o.x, &o.row);
    "exec expm1_backward" |c, o| c.expm1_backward(&o.x, &o.row);
    "exec log1p_backward" |c, o| c.log1p_backward(&o.x, &o.row);
    "exec rsqrt_backward" |c, o| c.rsqrt_backward(&o.x, &o.row);
    "exec sin_backward" |c, o| c.sin_backward(&o.x, &o.row);
    "exec cos_backward" |c, o| c.cos_backward(&o.x, &o.row);
    "exec erf_backward" |c, o| c.erf_backward(&o.x, &o.row);
    "exec softplus_backward" |c, o| c.softplus_backward(&o.x, &o.row);
    "exec silu_backward" |c, o| c.silu_backward(&o.x, &o.row);
    "exec gelu_tanh_backward" |c, o| c.gelu_tanh_backward(&o.x, &o.row);
    "exec leaky_relu" |c, o| c.leaky_relu(&o.view, 0.1);
    "exec leaky_relu_backward" |c, o| c.leaky_relu_backward(&o.x, &o.row, 0.1);
    "exec elu" |c, o| c.elu(&o.view, 0.5);
    "exec elu_backward" |c, o| c.elu_backward(&o.x, &o.row, 0.5);
    "exec clamp" |c, o| c.clamp(&o.view, 0.5, 2.0);
    "exec clamp_backward" |c, o| c.clamp_backward(&o.x, &o.row, 0.5, 2.0);
    "exec add_scalar" |c, o| c.add_scalar(&o.view, 0.5);
    "exec powf" |c, o| c.powf(&o.view, 1.5);
    "exec powf_backward" |c, o| c.powf_backward(&o.x, &o.row, 1.5);
    "exec maximum" |c, o| c.maximum(&o.x, &o.row);
    "exec minimum" |c, o| c.minimum(&o.x, &o.row);
    "exec pow" |c, o| c.pow(&o.x, &o.row);
    "exec maximum_backward" |c, o| c.maximum_backward(&o.x, &o.row, &o.x);
    "exec minimum_backward" |c, o| c.minimum_backward(&o.x, &o.row, &o.x);
    "exec pow_base_backward" |c, o| c.pow_base_backward(&o.x, &o.row, &o.x);
    "exec pow_exponent_backward" |c, o| c.pow_exponent_backward(&o.x, &o.row, &o.x);
    "exec glu" |c, o| c.glu(&o.x, &o.row);
    "exec glu_backward" |c, o| c.glu_backward(&o.x, &o.row, &o.x);
    "exec glu_halves" |c, o| c.glu_halves(&c.reshape(&o.x, &[o.cols, o.rows])?);
    "exec swiglu" |c, o| c.swiglu(&o.x, &o.row);
    "exec swiglu_backward" |c, o| c.swiglu_backward(&o.x, &o.row, &o.x);
    "exec swiglu_halves" |c, o| c.swiglu_halves(&c.reshape(&o.x, &[o.cols, o.rows])?);
    "exec geglu" |c, o| c.geglu(&o.x, &o.row);
    "exec geglu_backward" |c, o| c.geglu_backward(&o.x, &o.row, &o.x);
    "exec geglu_halves" |c, o| c.geglu_halves(&c.reshape(&o.x, &[o.cols, o.rows])?);
    "exec reglu" |c, o| c.reglu(&o.x, &o.row);
    "exec reglu_backward" |c, o| c.reglu_backward(&o.x, &o.row, &o.x);
    "exec reglu_halves" |c, o| c.reglu_halves(&c.reshape(&o.x, &[o.cols, o.rows])?);
    "exec eq" |c, o| c.eq(&o.x, &o.row);
    "exec ne" |c, o| c.ne(&o.x, &o.row);
    "exec lt" |c, o| c.lt(&o.x, &o.row);
    "exec le" |c, o| c.le(&o.x, &o.row);
    "exec gt" |c, o| c.gt(&o.x, &o.row);
    "exec ge" |c, o| c.ge(&o.x, &o.row);
    "exec and" |c, o| c.and(&c.gt(&o.x, &o.row)?, &c.lt(&o.row, &o.row)?);
    "exec or" |c, o| c.or(&c.gt(&o.x, &o.row)?, &c.lt(&o.row, &o.row)?);
    "exec xor" |c, o| c.xor(&c.gt(&o.x, &o.row)?, &c.lt(&o.row, &o.row)?);
    "exec not" |c, o| c.not(&c.gt(&o.x, &o.row)?);
    "exec any" |c, o| c.any(&c.gt(&o.view, &c.full(&[1], 9.0)?)?);
    "exec all" |c, o| c.all(&c.lt(&o.view, &c.full(&[1], 9.0)?)?);
    "exec any_axis" |c, o| c.any_axis(&c.lt(&o.view, &c.full(&[1], 0.3)?)?, 0);
    "exec all_axis" |c, o| c.all_axis(&c.gt(&o.view, &c.full(&[1], 0.3)?)?, 1);
    "exec where_select" |c, o| c.where_select(&c.gt(&o.row, &o.x)?, &o.x, &o.row);
    "exec cast" |c, o| c.cast::<f32, f64>(&o.view);
    "exec rem" |c, o| c.rem(&c.add(&o.classes, &o.classes)?, &c.full(&[1], 3)?);
    "exec bit_and" |c, o| c.bit_and(&o.classes, &c.full(&[1], 3)?);
    "exec bit_or" |c, o| c.bit_or(&o.classes, &c.full(&[1], 3)?);
    "exec bit_xor" |c, o| c.bit_xor(&o.classes, &c.full(&[1], 3)?);
    "exec shift_left" |c, o| c.shift_left(&o.classes, &c.full(&[1], 3)?);
    "exec shift_right" |c, o| c.shift_right(&o.classes, &c.full(&[1], 3)?);
    "exec neg" |c, o| c.neg(&o.classes);
    "exec abs" |c, o| c.abs(&c.sub(&o.classes, &c.full(&[o.cols, 1], 7)?)?);
    "exec sign" |c, o| c.sign(&c.sub(&o.classes, &c.full(&[o.cols, 1], 7)?)?);
    "exec clamp" |c, o| c.clamp(&o.classes.broadcast_to(&[o.cols, o.rows])?, 1, 9);
    "exec bit_not" |c, o| c.bit_not(&o.classes);
    "exec neg" |c, o| c.neg(&o.view);
    "exec exp" |c, o| c.exp(&o.x);
    "exec log" |c, o| c.log(&o.x);
    "exec sqrt" |c, o| c.sqrt(&o.x);
    "exec tanh" |c, o| c.tanh(&o.x);
    "exec sigmoid" |c, o| c.sigmoid(&o.x);
    "exec relu" |c, o| c.relu(&o.x);
    "exec gelu" |c, o| c.gelu(&o.x);
    "exec scale" |c, o| c.scale(&o.x, 2.0);
    "exec add_in_place" |c, o| { let mut t = o.own(c)?; c.add_in_place(&mut t, &o.x).map(|()| t) };
    "exec cross_entropy" |c, o| c.cross_entropy(&o.x, &o.classes);
    "exec cross_entropy_backward" |c, o| c.cross_entropy_backward(&o.x, &o.classes, &c.scalar(1.0)?);
    "exec cross_entropy_with" |c, o| c.cross_entropy_with(&o.x, &o.classes, smoothed());
    "exec cross_entropy_with_backward" |c, o| c.cross_entropy_with_backward(&o.x, &o.classes, &c.scalar(1.0)?, smoothed());
    "exec matmul" |c, o| c.matmul(&o.x, &o.view);
    "exec matmul_nt" |c, o| c.matmul_nt(&o.x, &o.x);
    "exec matmul_tn" |c, o| c.matmul_tn(&o.x, &o.x);
    "exec matmul_widened" |c, o| c.matmul_widened::<f32, _, _>(&c.cast::<_, f16>(&o.x)?, &o.view);
    "exec matmul_nt_widened" |c, o| c.matmul_nt_widened::<f32, _, _>(&o.x, &c.cast::<_, bf16>(&o.x)?);
    "exec matmul_tn_widened" |c, o| { let x = c.cast::<_, bf16>(&o.x)?; c.matmul_tn_widened::<f32, _, _>(&x, &x) };
    "exec matmul_add" |c, o| c.matmul_add(&c.scalar(1.0)?, &o.x, &o.view);
    "exec linear" |c, o| { let bias = c.full(&[o.rows], 0.5)?; c.linear(&o.x, &o.view, Some(&bias), Activation::Gelu) };
    "exec conv2d" |c, o| c.conv2d(&o.image()?, &o.window()?, Some(&c.scalar(0.5)?), Conv2dConfig::default());
    "exec conv2d_input_backward" |c, o| c.conv2d_input_backward(o.image()?.shape(), &o.window()?, &o.image()?, Conv2dConfig::default());
    "exec conv2d_weight_backward" |c, o| c.conv2d_weight_backward(&o.image()?, o.window()?.shape(), &o.image()?, Conv2dConfig::default());
    "exec max_pool2d" |c, o| c.max_pool2d(&o.image()?, Pool2dConfig::new([1, 2]));
    "exec avg_pool2d" |c, o| c.avg_pool2d(&o.image()?, Pool2dConfig::new([2, 1]));
    "exec max_pool2d_backward" |c, o| c.max_pool2d_backward(&o.image()?, &o.image()?, Pool2dConfig::new([1, 1]));
    "exec avg_pool2d_backward" |c, o| c.avg_pool2d_backward(&o.image()?, &o.image()?, Pool2dConfig::new([1, 1]));
    "exec rand" |c, o| c.rand::<f32>(&[o.rows, o.cols], 3);
    "exec uniform" |c, o| c.uniform::<f32>(&[o.rows, o.cols], 3, -1.0, 2.0);
    "exec randn" |c, o| c.randn::<f32>(&[o.rows, o.cols], 3);
    "exec normal" |c, o| c.normal::<f32>(&[o.rows, o.cols], 3, 1.0, 2.0);
    "exec bernoulli" |c, o| c.bernoulli::<f32>(&[o.rows, o.cols], 3, 0.3);
    "exec gumbel" |c, o| c.gumbel::<f32>(&[o.rows, o.cols], 3);
    "exec randint" |c, o| c.randint(&[o.rows, o.cols], 3, -5, 17);
    "exec randperm" |c, o| c.randperm(o.cols, 3);
    "exec multinomial" |c, o| c.multinomial(&o.view, 2, false, 3);
    "exec random_fill" |c, o| { let mut out = [0.0; 70_000]; c.random_fill(Distribution::Gumbel, 3, 1, &mut out).map(|()| out) };
    "exec dropout" |c, o| c.dropout(&o.view, 0.25, 3);
    "exec sum_axis" |c, o| c.sum_axis(&o.view, 0);
    "exec mean_axis" |c, o| c.mean_axis(&o.view, 1);
    "exec max_axis" |c, o| c.max_axis(&o.view, 0);
    "exec sum_all" |c, o| c.sum_all(&o.view);
    "exec mean_all" |c, o| c.mean_all(&o.view);
    "exec max_all" |c, o| c.max_all(&o.view);
    "exec reduce_to" |c, o| c.reduce_to(&o.x, o.row.shape());
    "exec softmax" |c, o| c.softmax(&o.view, 0);
    "exec log_softmax" |c, o| c.log_softmax(&o.view, 1);
    "exec softmax_backward" |c, o| c.softmax_backward(&o.view, &o.view, 0);
    "exec log_softmax_backward" |c, o| c.log_softmax_backward(&o.view, &o.view, 1);
    "exec layer_norm" |c, o| c.layer_norm(&o.x, 1, Some(&o.row), Some(&o.row), 1e-5);
    "exec rms_norm" |c, o| c.rms_norm(&o.view, 2, None, 1e-5);
    "exec group_norm" |c, o| c.group_norm(&o.x, 1, Some(&o.row), None, 1e-5);
    "exec layer_norm_backward" |c, o| c.layer_norm_backward(&o.x, 1, Some(&o.row), &o.x, 1e-5).map(|g| (g.x, g.weight));
    "exec rms_norm_backward" |c, o| c.rms_norm_backward(&o.view, 1, None, &o.view, 1e-5).map(|g| (g.x, g.weight));
    "exec group_norm_backward" |c, o| c.group_norm_backward(&channels(c, o)?, 1, None, &channels(c, o)?, 1e-5).map(|g| (g.x, g.bias));
    "exec scaled_dot_product_attention" |c, o| { let x = heads(c, o)?; c.scaled_dot_product_attention(&x, &x, &x, causal()) };
    "exec scaled_dot_product_attention_backward" |c, o| attention_backward(c, o);
    "exec rope" |c, o| { let (x, p) = pairs(c, o)?; c.rope(&x, &p, RopeOptions::default()) };
    "exec rope_backward" |c, o| { let (x, p) = pairs(c, o)?; c.rope_backward(&x, &p, RopeOptions { interleaved: true, ..RopeOptions::default() }) };
    "exec min_axis" |c, o| c.min_axis(&o.view, 0);
    "exec prod_axis" |c, o| c.prod_axis(&o.view, 1);
    "exec argmax" |c, o| c.argmax(&o.view, 0);
    "exec argmin" |c, o| c.argmin(&o.view, 1);
    "exec logsumexp" |c, o| c.logsumexp(&o.x, 0);
    "exec cumsum" |c, o| c.cumsum(&o.view, 0);
    "exec cumsum_backward" |c, o| c.cumsum_backward(&o.view, 1);
    "exec product_of_others" |c, o| c.product_of_others(&o.view, 1);
    "exec sgd_step" |c, o| { let mut w = o.own(c)?; let mut v = o.own(c)?; c.sgd_step(sgd(), &mut w, &o.x, &mut v).map(|()| (w, v)) };
    "exec adamw_step" |c, o| adamw_raw(c, o);
    "exec take_add" |c, o| c.take_add(o.x.clone(), &o.row).map_err(|r| r.error);
    "exec take_sub" |c, o| c.take_sub(o.x.clone(), &o.row).map_err(|r| r.error);
    "exec take_mul" |c, o| c.take_mul(o.x.clone(), &o.row).map_err(|r| r.error);
    "exec take_div" |c, o| c.take_div(o.x.clone(), &o.row).map_err(|r| r.error);
    "exec take_neg" |c, o| c.take_neg(o.x.clone()).map_err(|r| r.error);
    "exec take_exp" |c, o| c.take_exp(o.x.clone()).map_err(|r| r.error);
    "exec take_log" |c, o| c.take_log(o.x.clone()).map_err(|r| r.error);
    "exec take_sqrt" |c, o| c.take_sqrt(o.x.clone()).map_err(|r| r.error);
    "exec take_tanh" |c, o| c.take_tanh(o.x.clone()).map_err(|r| r.error);
    "exec take_sigmoid" |c, o| c.take_sigmoid(o.x.clone()).map_err(|r| r.error);
    "exec take_relu" |c, o| c.take_relu(o.x.clone()).map_err(|r| r.error);
    "exec take_gelu" |c, o| c.take_gelu(o.x.clone()).map_err(|r| r.error);
    "exec take_scale" |c, o| c.take_scale(o.x.clone(), 2.0).map_err(|r| r.error);
    "tensor from_slice" |c, o| Tensor::from_slice(c, &[1], &[1.0_f32]);
    "tensor from_vec" |c, o| Tensor::from_vec(c, &[1], one()?);
    "tensor from_static" |c, o| Tensor::from_static(c, &[1], &[1.0_f32]);
    "tensor empty" |c, o| Tensor::<f32>::empty(c, &[2]);
    "tensor zeros" |c, o| Tensor::<f64>::zeros(c, &[2]);
    "tensor ones" |c, o| Tensor::<f32>::ones(c, &[2]);
    "tensor full" |c, o| Tensor::full(c, &[2], 3_i32);
    "tensor scalar" |c, o| Tensor::scalar(c, 3_u8);
    "tensor variable" |c, o| Tensor::variable(c, o.x.clone());
    "tensor variable_from_slice" |c, o| Tensor::variable_from_slice(c, &[1], &[1.0_f64]);
    "tensor data" |c, o| o.constant().data().map(<[f32]>::len);
    "tensor data_mut" |c, o| Tensor::constant(o.own(c)?).data_mut().map(|d| d.len());
    "tensor to_vec" |c, o| Tensor::constant(o.view.clone()).to_vec();
    "tensor item" |c, o| o.constant().narrow(c, 1, 0, 1)?.narrow(c, 0, 0, 1)?.item();
    "tensor add" |c, o| o.w.add(c, &o.constant());
    "tensor sub" |c, o| o.w.sub(c, &o.constant());
    "tensor mul" |c, o| o.w.mul(c, &o.w);
    "tensor div" |c, o| o.w.div(c, &o.w);
    "tensor scale" |c, o| o.w.scale(c, 2.0);
    "tensor abs" |c, o| o.w.abs(c)?.max_all(c)?.backward(c);
    "tensor sign" |c, o| o.w.sign(c)?.max_all(c)?.backward(c);
    "tensor square" |c, o| o.w.square(c)?.max_all(c)?.backward(c);
    "tensor reciprocal" |c, o| o.w.reciprocal(c)?.max_all(c)?.backward(c);
    "tensor floor" |c, o| o.w.floor(c)?.max_all(c)?.backward(c);
    "tensor ceil" |c, o| o.w.ceil(c)?.max_all(c)?.backward(c);
    "tensor round" |c, o| o.w.round(c)?.max_all(c)?.backward(c);
    "tensor expm1" |c, o| o.w.expm1(c)?.max_all(c)?.backward(c);
    "tensor log1p" |c, o| o.w.log1p(c)?.max_all(c)?.backward(c);
    "tensor rsqrt" |c, o| o.w.rsqrt(c)?.max_all(c)?.backward(c);
    "tensor sin" |c, o| o.w.sin(c)?.max_all(c)?.backward(c);
    "tensor cos" |c, o| o.w.cos(c)?.max_all(c)?.backward(c);
    "tensor erf" |c, o| o.w.erf(c)?.max_all(c)?.backward(c);
    "tensor softplus" |c, o| o.w.softplus(c)?.max_all(c)?.backward(c);
    "tensor silu" |c, o| o.w.silu(c)?.max_all(c)?.backward(c);
    "tensor gelu_tanh" |c, o| o.w.gelu_tanh(c)?.max_all(c)?.backward(c);
    "tensor leaky_relu" |c, o| o.w.leaky_relu(c, 0.1)?.max_all(c)?.backward(c);
    "tensor elu" |c, o| o.w.elu(c, 0.5)?.max_all(c)?.backward(c);
    "tensor clamp" |c, o| o.w.clamp(c, 0.5, 2.0)?.sum_all(c)?.backward(c);
    "tensor powf" |c, o| o.w.powf(c, 1.5)?.sum_all(c)?.backward(c);
    "tensor add_scalar" |c, o| o.w.add_scalar(c, 1.5)?.max_all(c)?.backward(c);
    "tensor maximum" |c, o| o.w.maximum(c, &o.w.flip(c, 1)?)?.sum_all(c)?.backward(c);
    "tensor minimum" |c, o| o.w.minimum(c, &o.w.flip(c, 1)?)?.sum_all(c)?.backward(c);
    "tensor pow" |c, o| o.w.pow(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor glu" |c, o| o.w.glu(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor glu_halves" |c, o| o.w.reshape(c, &[o.cols, o.rows])?.glu_halves(c)?.sum_all(c)?.backward(c);
    "tensor swiglu" |c, o| o.w.swiglu(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor swiglu_halves" |c, o| o.w.reshape(c, &[o.cols, o.rows])?.swiglu_halves(c)?.sum_all(c)?.backward(c);
    "tensor geglu" |c, o| o.w.geglu(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor geglu_halves" |c, o| o.w.reshape(c, &[o.cols, o.rows])?.geglu_halves(c)?.sum_all(c)?.backward(c);
    "tensor reglu" |c, o| o.w.reglu(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor reglu_halves" |c, o| o.w.reshape(c, &[o.cols, o.rows])?.reglu_halves(c)?.sum_all(c)?.backward(c);
    "tensor eq" |c, o| o.w.eq(c, &Tensor::constant(o.row.clone()));
    "tensor ne" |c, o| o.w.ne(c, &Tensor::constant(o.row.clone()));
    "tensor lt" |c, o| o.w.lt(c, &Tensor::constant(o.row.clone()));
    "tensor le" |c, o| o.w.le(c, &Tensor::constant(o.row.clone()));
    "tensor gt" |c, o| o.w.gt(c, &Tensor::constant(o.row.clone()));
    "tensor ge" |c, o| o.w.ge(c, &Tensor::constant(o.row.clone()));
    "tensor and" |c, o| mask(c, o)?.and(c, &mask(c, o)?);
    "tensor or" |c, o| mask(c, o)?.or(c, &mask(c, o)?);
    "tensor xor" |c, o| mask(c, o)?.xor(c, &mask(c, o)?);
    "tensor not" |c, o| mask(c, o)?.not(c);
    "tensor any" |c, o| mask(c, o)?.any(c, &[0], true);
    "tensor all" |c, o| mask(c, o)?.all(c, &[], false);
    "tensor any_axis" |c, o| mask(c, o)?.any_axis(c, 1);
    "tensor all_axis" |c, o| mask(c, o)?.all_axis(c, 0);
    "tensor where_select" |c, o| mask(c, o)?.where_select(c, &o.w, &Tensor::constant(o.row.clone()))?.sum_all(c)?.backward(c);
    "tensor cast" |c, o| o.w.cast::<f64>(c)?.sum_all(c)?.backward(c);
    "tensor wrapping_add" |c, o| Tensor::constant(o.classes.clone()).wrapping_add(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor wrapping_sub" |c, o| Tensor::constant(o.classes.clone()).wrapping_sub(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor wrapping_mul" |c, o| Tensor::constant(o.classes.clone()).wrapping_mul(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor wrapping_div" |c, o| Tensor::constant(o.classes.clone()).wrapping_div(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor wrapping_rem" |c, o| Tensor::constant(o.classes.clone()).wrapping_rem(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor bit_and" |c, o| Tensor::constant(o.classes.clone()).bit_and(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor bit_or" |c, o| Tensor::constant(o.classes.clone()).bit_or(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor bit_xor" |c, o| Tensor::constant(o.classes.clone()).bit_xor(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor shift_left" |c, o| Tensor::constant(o.classes.clone()).shift_left(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor shift_right" |c, o| Tensor::constant(o.classes.clone()).shift_right(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor neg" |c, o| Tensor::constant(o.classes.clone()).neg(c);
    "tensor abs" |c, o| Tensor::constant(o.classes.clone()).abs(c);
    "tensor sign" |c, o| Tensor::constant(o.classes.clone()).sign(c);
    "tensor clamp" |c, o| Tensor::constant(o.classes.clone()).clamp(c, 1, 9);
    "tensor maximum" |c, o| Tensor::constant(o.classes.clone()).maximum(c, &Tensor::full(c, &[o.rows], 3)?);
    "tensor minimum" |c, o| Tensor::constant(o.classes.clone()).minimum(c, &Tensor::full(c, &[o.rows], 0)?);
    "tensor bit_not" |c, o| Tensor::constant(o.classes.clone()).bit_not(c);
    "tensor neg" |c, o| o.w.neg(c);
    "tensor exp" |c, o| o.w.exp(c);
    "tensor log" |c, o| o.w.log(c);
    "tensor sqrt" |c, o| o.w.sqrt(c);
    "tensor tanh" |c, o| o.w.tanh(c);
    "tensor sigmoid" |c, o| o.w.sigmoid(c);
    "tensor relu" |c, o| o.w.relu(c);
    "tensor gelu" |c, o| o.w.gelu(c);
    "tensor rand" |c, o| Tensor::<f32>::rand(c, &[o.rows, o.cols], 3);
    "tensor uniform" |c, o| Tensor::<f32>::uniform(c, &[o.rows, o.cols], 3, -1.0, 2.0);
    "tensor randn" |c, o| Tensor::<f32>::randn(c, &[o.rows, o.cols], 3);
    "tensor normal" |c, o| Tensor::<f32>::normal(c, &[o.rows, o.cols], 3, 1.0, 2.0);
    "tensor bernoulli" |c, o| Tensor::<f32>::bernoulli(c, &[o.rows, o.cols], 3, 0.3);
    "tensor gumbel" |c, o| Tensor::<f32>::gumbel(c, &[o.rows, o.cols], 3);
    "tensor randint" |c, o| Tensor::randint(c, &[o.rows, o.cols], 3, -5, 17);
    "tensor randperm" |c, o| Tensor::randperm(c, o.cols, 3);
    "tensor multinomial" |c, o| o.w.multinomial(c, 2, true, 3);
    "tensor dropout" |c, o| o.w.dropout(c, 0.25, 3)?.max_all(c)?.backward(c);
    "tensor sum_axis" |c, o| o.w.sum_axis(c, 0)?.backward_with_grad(c, &Tensor::constant(o.row.clone()));
    "tensor mean_axis" |c, o| o.w.mean_axis(c, 0)?.sum_all(c)?.backward(c);
    "tensor max_axis" |c, o| o.w.max_axis(c, 1)?.sum_all(c)?.backward(c);
    "tensor sum_all" |c, o| o.w.sum_all(c)?.backward(c);
    "tensor mean_all" |c, o| o.w.mean_all(c)?.backward(c);
    "tensor max_all" |c, o| o.w.max_all(c)?.backward(c);
    "tensor matmul" |c, o| o.w.matmul(c, &o.w.transpose(c, 0, 1)?)?.sum_all(c)?.backward(c);
    "tensor matmul_nt" |c, o| o.w.matmul_nt(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor matmul_tn" |c, o| o.w.matmul_tn(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor conv2d" |c, o| o.w.reshape(c, &[1, 1, o.rows, o.cols])?.conv2d(c, &o.w.narrow(c, 0, 0, 1)?.narrow(c, 1, 0, 1)?.reshape(c, &[1, 1, 1, 1])?, None, Conv2dConfig::default())?.sum_all(c)?.backward(c);
    "tensor conv1d" |c, o| o.w.reshape(c, &[1, o.rows, o.cols])?.conv1d(c, &o.w.reshape(c, &[1, o.rows, o.cols])?, None, Conv1dConfig::default())?.sum_all(c)?.backward(c);
    "tensor max_pool2d" |c, o| o.w.reshape(c, &[1, 1, o.rows, o.cols])?.max_pool2d(c, Pool2dConfig::new([2, 2]))?.sum_all(c)?.backward(c);
    "tensor avg_pool2d" |c, o| o.w.reshape(c, &[1, 1, o.rows, o.cols])?.avg_pool2d(c, Pool2dConfig::new([2, 2]))?.sum_all(c)?.backward(c);
    "tensor matmul_widened" |c, o| { let x = o.constant().cast::<f16>(c)?; x.matmul_widened::<f32, _>(c, &Tensor::constant(o.view.clone())) };
    "tensor matmul_nt_widened" |c, o| { let x = o.constant().cast::<bf16>(c)?; o.constant().matmul_nt_widened::<f32, _>(c, &x) };
    "tensor matmul_tn_widened" |c, o| { let x = o.constant().cast::<f16>(c)?; x.matmul_tn_widened::<f32, _>(c, &x) };
    "tensor matmul_add" |c, o| o.w.sum_all(c)?.matmul_add(c, &o.w, &o.w.transpose(c, 0, 1)?)?.sum_all(c)?.backward(c);
    "tensor linear" |c, o| o.w.linear(c, &o.w.transpose(c, 0, 1)?, None, Activation::Gelu)?.sum_all(c)?.backward(c);
    "tensor reshape" |c, o| o.w.transpose(c, 0, 1)?.reshape(c, &[o.x.len()])?.max_all(c)?.backward(c);
    "tensor permute" |c, o| o.w.permute(c, &[1, 0])?.max_all(c)?.backward(c);
    "tensor transpose" |c, o| o.w.transpose(c, 0, 1)?.max_all(c)?.backward(c);
    "tensor narrow" |c, o| o.w.narrow(c, 1, 1, o.cols - 1)?.max_all(c)?.backward(c);
    "tensor step" |c, o| o.w.step(c, 1, 2)?.max_all(c)?.backward(c);
    "tensor flip" |c, o| o.w.flip(c, 1)?.max_all(c)?.backward(c);
    "tensor broadcast_to" |c, o| o.w.broadcast_to(c, &[4, o.rows, o.cols])?.max_all(c)?.backward(c);
    "tensor index_select" |c, o| o.w.index_select(c, 0, &Tensor::constant(o.classes.clone()))?.max_all(c)?.backward(c);
    "tensor gather" |c, o| { let picks = Tensor::constant(o.picks(c)?); o.w.transpose(c, 0, 1)?.gather(c, 0, &picks)?.max_all(c)?.backward(c) };
    "tensor concat" |c, o| Tensor::concat(c, &[&o.w, &o.constant(), &o.w], 0)?.max_all(c)?.backward(c);
    "tensor softmax" |c, o| o.w.softmax(c, 0)?.max_all(c)?.backward(c);
    "tensor log_softmax" |c, o| o.w.log_softmax(c, 1)?.max_all(c)?.backward(c);
    "tensor cross_entropy" |c, o| o.w.cross_entropy(c, &Tensor::constant(o.classes.clone()))?.backward(c);
    "tensor cross_entropy_with" |c, o| o.w.cross_entropy_with(c, &Tensor::constant(o.classes.clone()), smoothed())?.backward(c);
    "tensor layer_norm" |c, o| { let w = o.w.narrow(c, 0, 0, 1)?.reshape(c, &[o.cols])?; o.w.layer_norm(c, 1, Some(&w), Some(&w), 1e-5)?.max_all(c)?.backward(c) };
    "tensor rms_norm" |c, o| { let w = Tensor::constant(o.row.clone()); o.w.rms_norm(c, 1, Some(&w), 1e-5)?.max_all(c)?.backward(c) };
    "tensor group_norm" |c, o| { let w = o.w.narrow(c, 1, 0, 1)?.reshape(c, &[o.rows])?; o.w.reshape(c, &[1, o.rows, o.cols])?.group_norm(c, 1, Some(&w), None, 1e-5)?.max_all(c)?.backward(c) };
    "tensor scaled_dot_product_attention" |c, o| { let w = o.w.reshape(c, &[1, 1, o.rows, o.cols])?; w.scaled_dot_product_attention(c, &w, &w, causal())?.max_all(c)?.backward(c) };
    "tensor cached_attention" |c, o| { let x = Tensor::constant(heads(c, o)?); x.cached_attention(c, &x, &x, causal()) };
    "tensor rope" |c, o| { let p = Tensor::constant(pairs(c, o)?.1); Tensor::concat(c, &[&o.w, &o.w], 1)?.rope(c, &p, RopeOptions::default())?.max_all(c)?.backward(c) };
    "tensor min_axis" |c, o| o.w.min_axis(c, 1)?.sum_all(c)?.backward(c);
    "tensor prod_axis" |c, o| o.w.prod_axis(c, 0)?.sum_all(c)?.backward(c);
    "tensor logsumexp" |c, o| o.w.logsumexp(c, 1)?.sum_all(c)?.backward(c);
    "tensor cumsum" |c, o| o.w.cumsum(c, 0)?.max_all(c)?.backward(c);
    "tensor sum" |c, o| o.w.sum(c, &[0, 1], true)?.backward(c);
    "tensor mean" |c, o| o.w.mean(c, &[0], true)?.max_all(c)?.backward(c);
    "tensor max" |c, o| o.w.max(c, &[1, 0], false)?.backward(c);
    "tensor min" |c, o| o.w.min(c, &[], false)?.backward(c);
    "tensor prod" |c, o| o.w.prod(c, &[1], false)?.max_all(c)?.backward(c);
    "tensor var" |c, o| o.w.var(c, &[0], 1, false)?.max_all(c)?.backward(c);
    "tensor std" |c, o| o.w.std(c, &[1], 0, true)?.max_all(c)?.backward(c);
    "tensor argmax" |c, o| o.w.argmax(c, 0);
    "tensor argmin" |c, o| o.w.argmin(c, 1);
    "tensor backward" |c, o| o.w.gelu(c)?.mul(c, &o.w)?.sum_all(c)?.backward(c);
    "tensor backward_with_grad" |c, o| o.w.exp(c)?.backward_with_grad(c, &o.constant());
    "tensor backward_all" |c, o| { let y = o.w.exp(c)?; Tensor::backward_all(c, &[(&y, &o.constant()), (&y, &o.constant())]) };
    "tensor grad" |c, o| { o.w.sum_all(c)?.backward(c)?; o.w.grad(c) };
    "tensor replace" |c, o| { let mut x = o.constant(); c.replace(&mut x, |x| x.exp(c)).map(|()| x) };
    "tensor take_add" |c, o| o.constant().take_add(c, &o.constant()).map_err(|r| r.error);
    "tensor take_sub" |c, o| o.constant().take_sub(c, &o.constant()).map_err(|r| r.error);
    "tensor take_mul" |c, o| o.constant().take_mul(c, &o.constant()).map_err(|r| r.error);
    "tensor take_div" |c, o| o.constant().take_div(c, &o.constant()).map_err(|r| r.error);
    "tensor take_neg" |c, o| o.constant().take_neg(c).map_err(|r| r.error);
    "tensor take_exp" |c, o| o.constant().take_exp(c).map_err(|r| r.error);
    "tensor take_log" |c, o| o.constant().take_log(c).map_err(|r| r.error);
    "tensor take_sqrt" |c, o| o.constant().take_sqrt(c).map_err(|r| r.error);
    "tensor take_tanh" |c, o| o.constant().take_tanh(c).map_err(|r| r.error);
    "tensor take_sigmoid" |c, o| o.constant().take_sigmoid(c).map_err(|r| r.error);
    "tensor take_relu" |c, o| o.constant().take_relu(c).map_err(|r| r.error);
    "tensor take_gelu" |c, o| o.constant().take_gelu(c).map_err(|r| r.error);
    "tensor take_scale" |c, o| o.constant().take_scale(c, 2.0).map_err(|r| r.error);
    "tensor gradcheck" |c, o| gradchecked(c);
    "optim step" |c, o| training_step(c, o);
    "optim new" |c, o| Sgd::<f32>::new(SgdConfig::default());
    "optim set_learning_rate" |c, o| Sgd::<f32>::new(SgdConfig::default())?.set_learning_rate(0.5);
};

/// `x` as rows of two heads.
fn heads(ctx: &ExecContext, o: &Operands) -> Result<RawTensor<f32>> {
    let x = ctx.concat(&[&o.x, &o.x], 0)?;
    ctx.reshape(&x, &[1, 2, o.rows, o.cols])
}

/// Half of the rows of `x` count.
fn smoothed() -> CrossEntropyOptions {
    CrossEntropyOptions { label_smoothing: 0.1, ignore_index: Some(1), ..Default::default() }
}

fn causal() -> AttentionOptions {
    AttentionOptions { causal: true, ..AttentionOptions::default() }
}

fn attention_backward(ctx: &ExecContext, o: &Operands) -> Result<(RawTensor<f32>, RawTensor<f32>)> {
    let (x, options) = (heads(ctx, o)?, causal());
    let (out, logs) = ctx.scaled_dot_product_attention(&x, &x, &x, options)?;
    let pass = AttentionPass { inputs: [x.clone(), x.clone(), x], out: out.clone(), logs, options };
    let [q, k, _] = ctx.scaled_dot_product_attention_backward(&pass, &out)?;
    Ok((q, k))
}

/// `x` beside itself, and positions of its rows.
fn pairs(ctx: &ExecContext, o: &Operands) -> Result<(RawTensor<f32>, RawTensor<i64>)> {
    Ok((ctx.concat(&[&o.x, &o.x], 1)?, ctx.randint(&[o.rows], 5, -9, 99)?))
}

/// `x` as an image whose channels are its rows.
fn channels(ctx: &ExecContext, o: &Operands) -> Result<RawTensor<f32>> {
    ctx.reshape(&o.x, &[1, o.rows, o.cols])
}

/// A vector of one element, in memory that may be refused.
fn one() -> Result<Vec<f32>> {
    let mut values = Vec::new();
    let bytes = size_of::<f32>();
    values.try_reserve(1).map_err(|_| Error::OutOfMemory { op: "test", bytes })?;
    values.push(1.0);
    Ok(values)
}

fn borrowed(ctx: &ExecContext) -> Result<()> {
    let values = [1.0_f32, 2.0];
    // SAFETY: the tensor is dropped before `values`, which nobody writes.
    let x = unsafe { ctx.from_borrowed_slice(&[2], &values)? };
    assert_eq!(x.data()?, values);
    Ok(())
}

fn sgd() -> fucina_core::kernels::optim::SgdStep<f32> {
    fucina_core::kernels::optim::SgdStep { learning_rate: 0.1, momentum: 0.9, weight_decay: 0.0 }
}

fn adamw_raw(ctx: &ExecContext, o: &Operands) -> Result<(RawTensor<f32>, RawTensor<f32>)> {
    let step = fucina_core::kernels::optim::AdamWStep {
        shrink: 1.0,
        rate: 0.1,
        second_scale: 1.0,
        beta1: 0.9,
        beta2: 0.99,
        eps: 1e-8,
    };
    let (mut w, mut m, mut s) = (o.own(ctx)?, o.own(ctx)?, o.own(ctx)?);
    ctx.adamw_step(step, &mut w, &o.x, &mut m, &mut s)?;
    Ok((w, s))
}

fn gradchecked(ctx: &ExecContext) -> Result<()> {
    let x = Tensor::from_slice(ctx, &[2], &[0.5_f64, 1.5])?;
    match gradcheck(ctx, &[&x], 1e-6, |ctx, x| x[0].exp(ctx)) {
        Ok(()) => Ok(()),
        Err(fucina_core::GradcheckError::Failed(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

fn mask(ctx: &ExecContext, o: &Operands) -> Result<Tensor<bool>> {
    o.constant().gt(ctx, &Tensor::constant(o.row.clone()))
}

/// A whole training step, with both optimisers: under a scope, and without one.
fn training_step(ctx: &ExecContext, o: &Operands) -> Result<(Tensor<f32>, Tensor<f32>)> {
    let mut w = Tensor::variable(ctx, o.own(ctx)?)?;
    let mut b = Tensor::variable(ctx, ctx.zeros(&[o.rows])?)?;
    let (mut sgd, mut adamw) =
        (Sgd::new(SgdConfig::default())?, AdamW::new(AdamWConfig::default())?);
    let targets = Tensor::constant(o.classes.clone());
    for scoped in [true, false] {
        let scope = scoped.then(|| ctx.open_exec_scope());
        let hidden = o.constant().matmul_nt(ctx, &w)?.add(ctx, &b)?.gelu(ctx)?;
        hidden.cross_entropy(ctx, &targets)?.backward(ctx)?;
        sgd.step(ctx, &mut [&mut w, &mut b])?;
        adamw.step(ctx, &mut [&mut w, &mut b])?;
        w.zero_grad();
        b.zero_grad();
        drop(scope);
    }
    Ok((w, b))
}
