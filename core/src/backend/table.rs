//! [`Kernels`]: the kernels of one element type.
//!
//! The list stands once, in [`for_each_kernel`]: the trait's scalar defaults and every backend's one-line overrides
//! are made from it, so that a kernel cannot be in one and missing in another.

use crate::kernels::math::Math;
use crate::kernels::{Lanes, Op, ScalarLanes, gemm};

/// Rows and columns of a backend's register tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Rows.
    pub mr: usize,
    /// Columns.
    pub nr: usize,
}

impl TileShape {
    /// The tile that lanes run.
    #[must_use]
    pub const fn of<T: Math, L: Lanes<T>>() -> Self {
        Self { mr: L::TILE_ROWS, nr: gemm::NV * L::N }
    }
}

/// Calls `$then!` with `$t` and the list of kernels: docs, name, arguments, result, and the op that does it.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_kernel {
    // for_each_kernel!(declare, T) => declare! { T; #[doc = "Sum of .."] sum_row(x: &[T]) -> (T) = reduce::Row { .. }; .. }
    ($then:ident, $t:ty) => {
        $then! { $t;
            #[doc = "[`Add`](crate::kernels::elementwise::Add) of two operands."]
            add(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Add, a, b, out);
            #[doc = "[`Sub`](crate::kernels::elementwise::Sub) of two operands."]
            sub(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Sub, a, b, out);
            #[doc = "[`Mul`](crate::kernels::elementwise::Mul) of two operands."]
            mul(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Mul, a, b, out);
            #[doc = "[`Div`](crate::kernels::elementwise::Div) of two operands."]
            div(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Div, a, b, out);
            #[doc = "[`Neg`](crate::kernels::elementwise::Neg) of one operand."]
            neg(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Neg, x, out);
            #[doc = "[`Exp`](crate::kernels::elementwise::Exp) of one operand."]
            exp(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Exp, x, out);
            #[doc = "[`Log`](crate::kernels::elementwise::Log) of one operand."]
            log(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Log, x, out);
            #[doc = "[`Sqrt`](crate::kernels::elementwise::Sqrt) of one operand."]
            sqrt(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Sqrt, x, out);
            #[doc = "[`Tanh`](crate::kernels::elementwise::Tanh) of one operand."]
            tanh(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Tanh, x, out);
            #[doc = "[`Sigmoid`](crate::kernels::elementwise::Sigmoid) of one operand."]
            sigmoid(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Sigmoid, x, out);
            #[doc = "[`Relu`](crate::kernels::elementwise::Relu) of one operand."]
            relu(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Relu, x, out);
            #[doc = "[`Gelu`](crate::kernels::elementwise::Gelu) of one operand."]
            gelu(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Gelu, x, out);
            #[doc = "[`ReluBackward`](crate::kernels::elementwise::ReluBackward): from `x` and the output's gradient `g`."]
            relu_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::ReluBackward, x, g, out);
            #[doc = "[`GeluBackward`](crate::kernels::elementwise::GeluBackward): from `x` and the output's gradient `g`."]
            gelu_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::GeluBackward, x, g, out);
            #[doc = "[`TanhBackward`](crate::kernels::elementwise::TanhBackward): from `y` and the output's gradient `g`."]
            tanh_backward(y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::TanhBackward, y, g, out);
            #[doc = "[`SigmoidBackward`](crate::kernels::elementwise::SigmoidBackward): from `y` and the output's gradient `g`."]
            sigmoid_backward(y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SigmoidBackward, y, g, out);
            #[doc = "[`SqrtBackward`](crate::kernels::elementwise::SqrtBackward): from `y` and the output's gradient `g`."]
            sqrt_backward(y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SqrtBackward, y, g, out);
            #[doc = "[`Abs`](crate::kernels::elementwise::Abs) of one operand."]
            abs(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Abs, x, out);
            #[doc = "[`Sign`](crate::kernels::elementwise::Sign) of one operand."]
            sign(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Sign, x, out);
            #[doc = "[`Square`](crate::kernels::elementwise::Square) of one operand."]
            square(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Square, x, out);
            #[doc = "[`Reciprocal`](crate::kernels::elementwise::Reciprocal) of one operand."]
            reciprocal(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Reciprocal, x, out);
            #[doc = "[`Floor`](crate::kernels::elementwise::Floor) of one operand."]
            floor(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Floor, x, out);
            #[doc = "[`Ceil`](crate::kernels::elementwise::Ceil) of one operand."]
            ceil(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Ceil, x, out);
            #[doc = "[`Round`](crate::kernels::elementwise::Round) of one operand."]
            round(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Round, x, out);
            #[doc = "[`Expm1`](crate::kernels::elementwise::Expm1) of one operand."]
            expm1(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Expm1, x, out);
            #[doc = "[`Log1p`](crate::kernels::elementwise::Log1p) of one operand."]
            log1p(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Log1p, x, out);
            #[doc = "[`Rsqrt`](crate::kernels::elementwise::Rsqrt) of one operand."]
            rsqrt(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Rsqrt, x, out);
            #[doc = "[`Sin`](crate::kernels::elementwise::Sin) of one operand."]
            sin(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Sin, x, out);
            #[doc = "[`Cos`](crate::kernels::elementwise::Cos) of one operand."]
            cos(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Cos, x, out);
            #[doc = "[`Erf`](crate::kernels::elementwise::Erf) of one operand."]
            erf(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Erf, x, out);
            #[doc = "[`Softplus`](crate::kernels::elementwise::Softplus) of one operand."]
            softplus(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Softplus, x, out);
            #[doc = "[`Silu`](crate::kernels::elementwise::Silu) of one operand."]
            silu(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Silu, x, out);
            #[doc = "[`GeluTanh`](crate::kernels::elementwise::GeluTanh) of one operand."]
            gelu_tanh(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::GeluTanh, x, out);
            #[doc = "[`LeakyRelu`](crate::kernels::elementwise::LeakyRelu) of one operand."]
            leaky_relu(slope: $t, x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::LeakyRelu { slope }, x, out);
            #[doc = "[`Elu`](crate::kernels::elementwise::Elu) of one operand."]
            elu(alpha: $t, x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Elu { alpha }, x, out);
            #[doc = "[`Clamp`](crate::kernels::elementwise::Clamp) of one operand."]
            clamp(low: $t, high: $t, x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Map::new($crate::kernels::elementwise::Clamp { low, high }, x, out);
            #[doc = "[`AbsBackward`](crate::kernels::elementwise::AbsBackward): from `x` and the output's gradient `g`."]
            abs_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::AbsBackward, x, g, out);
            #[doc = "[`SquareBackward`](crate::kernels::elementwise::SquareBackward): from `x` and the output's gradient `g`."]
            square_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SquareBackward, x, g, out);
            #[doc = "[`ReciprocalBackward`](crate::kernels::elementwise::ReciprocalBackward): from `y` and the output's gradient `g`."]
            reciprocal_backward(y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::ReciprocalBackward, y, g, out);
            #[doc = "[`Expm1Backward`](crate::kernels::elementwise::Expm1Backward): from `x` and the output's gradient `g`."]
            expm1_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Expm1Backward, x, g, out);
            #[doc = "[`Log1pBackward`](crate::kernels::elementwise::Log1pBackward): from `x` and the output's gradient `g`."]
            log1p_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Log1pBackward, x, g, out);
            #[doc = "[`RsqrtBackward`](crate::kernels::elementwise::RsqrtBackward): from `y` and the output's gradient `g`."]
            rsqrt_backward(y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::RsqrtBackward, y, g, out);
            #[doc = "[`SinBackward`](crate::kernels::elementwise::SinBackward): from `x` and the output's gradient `g`."]
            sin_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SinBackward, x, g, out);
            #[doc = "[`CosBackward`](crate::kernels::elementwise::CosBackward): from `x` and the output's gradient `g`."]
            cos_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::CosBackward, x, g, out);
            #[doc = "[`ErfBackward`](crate::kernels::elementwise::ErfBackward): from `x` and the output's gradient `g`."]
            erf_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::ErfBackward, x, g, out);
            #[doc = "[`SoftplusBackward`](crate::kernels::elementwise::SoftplusBackward): from `x` and the output's gradient `g`."]
            softplus_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SoftplusBackward, x, g, out);
            #[doc = "[`SiluBackward`](crate::kernels::elementwise::SiluBackward): from `x` and the output's gradient `g`."]
            silu_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::SiluBackward, x, g, out);
            #[doc = "[`GeluTanhBackward`](crate::kernels::elementwise::GeluTanhBackward): from `x` and the output's gradient `g`."]
            gelu_tanh_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::GeluTanhBackward, x, g, out);
            #[doc = "[`LeakyReluBackward`](crate::kernels::elementwise::LeakyReluBackward): from `x` and the output's gradient `g`."]
            leaky_relu_backward(slope: $t, x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::LeakyReluBackward { slope }, x, g, out);
            #[doc = "[`EluBackward`](crate::kernels::elementwise::EluBackward): from `x` and the output's gradient `g`."]
            elu_backward(alpha: $t, x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::EluBackward { alpha }, x, g, out);
            #[doc = "[`ClampBackward`](crate::kernels::elementwise::ClampBackward): from `x` and the output's gradient `g`."]
            clamp_backward(low: $t, high: $t, x: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::ClampBackward { low, high }, x, g, out);
            #[doc = "[`Maximum`](crate::kernels::elementwise::Maximum) of two operands."]
            maximum(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Maximum, a, b, out);
            #[doc = "[`Minimum`](crate::kernels::elementwise::Minimum) of two operands."]
            minimum(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Minimum, a, b, out);
            #[doc = "[`Pow`](crate::kernels::elementwise::Pow) of two operands."]
            pow(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Pow, a, b, out);
            #[doc = "[`Glu`](crate::kernels::elementwise::Glu) of two operands."]
            glu(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Glu, gate, up, out);
            #[doc = "[`Swiglu`](crate::kernels::elementwise::Swiglu) of two operands."]
            swiglu(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Swiglu, gate, up, out);
            #[doc = "[`Geglu`](crate::kernels::elementwise::Geglu) of two operands."]
            geglu(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Geglu, gate, up, out);
            #[doc = "[`Reglu`](crate::kernels::elementwise::Reglu) of two operands."]
            reglu(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip::new($crate::kernels::elementwise::Reglu, gate, up, out);
            #[doc = "[`MaximumBackward`](crate::kernels::elementwise::MaximumBackward): from both and the output's gradient `g`."]
            maximum_backward(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::MaximumBackward, [a, b, g], out);
            #[doc = "[`MinimumBackward`](crate::kernels::elementwise::MinimumBackward): from both and the output's gradient `g`."]
            minimum_backward(a: $crate::kernels::elementwise::Operand<'_, $t>, b: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::MinimumBackward, [a, b, g], out);
            #[doc = "[`PowBaseBackward`](crate::kernels::elementwise::PowBaseBackward): from both and the output's gradient `g`."]
            pow_base_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, y: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::PowBaseBackward, [x, y, g], out);
            #[doc = "[`PowExponentBackward`](crate::kernels::elementwise::PowExponentBackward): from both and the output's gradient `g`."]
            pow_exponent_backward(x: $crate::kernels::elementwise::Operand<'_, $t>, p: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::PowExponentBackward, [x, p, g], out);
            #[doc = "[`GluBackward`](crate::kernels::elementwise::GluBackward): from both and the output's gradient `g`."]
            glu_backward(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::GluBackward, [gate, up, g], out);
            #[doc = "[`SwigluBackward`](crate::kernels::elementwise::SwigluBackward): from both and the output's gradient `g`."]
            swiglu_backward(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::SwigluBackward, [gate, up, g], out);
            #[doc = "[`GegluBackward`](crate::kernels::elementwise::GegluBackward): from both and the output's gradient `g`."]
            geglu_backward(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::GegluBackward, [gate, up, g], out);
            #[doc = "[`RegluBackward`](crate::kernels::elementwise::RegluBackward): from both and the output's gradient `g`."]
            reglu_backward(gate: $crate::kernels::elementwise::Operand<'_, $t>, up: $crate::kernels::elementwise::Operand<'_, $t>, g: $crate::kernels::elementwise::Operand<'_, $t>, out: &mut [$t]) -> (()) = $crate::kernels::elementwise::Zip3::new($crate::kernels::elementwise::RegluBackward, [gate, up, g], out);
            #[doc = "`acc[i] += x[i]`."]
            accumulate(x: $crate::kernels::elementwise::Operand<'_, $t>, acc: &mut [$t]) -> (()) = $crate::kernels::elementwise::Accumulate { x, acc };
            #[doc = "Sum of a row, by the reduction rule."]
            sum_row(x: &[$t]) -> ($t) = $crate::kernels::reduce::Row { fold: $crate::kernels::reduce::Sum, x };
            #[doc = "Maximum of a row, NaN passed over."]
            max_row(x: &[$t]) -> ($t) = $crate::kernels::reduce::Row { fold: $crate::kernels::reduce::Max, x };
            #[doc = "Sum of each of `out.len()` columns of rows `row_stride` apart, by the reduction rule."]
            sum_columns(x: &[$t], row_stride: usize, out: &mut [$t]) -> (()) = $crate::kernels::reduce::Columns { fold: $crate::kernels::reduce::Sum, x, row_stride, out };
            #[doc = "Maximum of each of `out.len()` columns of rows `row_stride` apart, NaN passed over."]
            max_columns(x: &[$t], row_stride: usize, out: &mut [$t]) -> (()) = $crate::kernels::reduce::Columns { fold: $crate::kernels::reduce::Max, x, row_stride, out };
            #[doc = "Minimum of a row, NaN passed over."]
            min_row(x: &[$t]) -> ($t) = $crate::kernels::reduce::Row { fold: $crate::kernels::reduce::Min, x };
            #[doc = "Minimum of each of `out.len()` columns of rows `row_stride` apart, NaN passed over."]
            min_columns(x: &[$t], row_stride: usize, out: &mut [$t]) -> (()) = $crate::kernels::reduce::Columns { fold: $crate::kernels::reduce::Min, x, row_stride, out };
            #[doc = "Product of a row."]
            prod_row(x: &[$t]) -> ($t) = $crate::kernels::reduce::Row { fold: $crate::kernels::reduce::Prod, x };
            #[doc = "Product of each of `out.len()` columns of rows `row_stride` apart."]
            prod_columns(x: &[$t], row_stride: usize, out: &mut [$t]) -> (()) = $crate::kernels::reduce::Columns { fold: $crate::kernels::reduce::Prod, x, row_stride, out };
            #[doc = "Logarithm of the sum of exponentials of a row."]
            log_sum_exp_row(x: &[$t]) -> ($t) = $crate::kernels::softmax::LogSumExp { x };
            #[doc = "Softmax of a row."]
            softmax_row(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::softmax::Softmax { x, out };
            #[doc = "Logarithm of the softmax of a row."]
            log_softmax_row(x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::softmax::LogSoftmax { x, out };
            #[doc = "Gradient of the softmax of a row, from its output `y`."]
            softmax_backward_row(y: &[$t], g: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::softmax::SoftmaxBackward { y, g, out };
            #[doc = "Gradient of the log-softmax of a row, from its output `y`."]
            log_softmax_backward_row(y: &[$t], g: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::softmax::LogSoftmaxBackward { y, g, out };
            #[doc = "Normalises rows."]
            normalize(rows: $crate::kernels::norm::Normalize<'_, $t>) -> (()) = rows;
            #[doc = "Gradients of normalised rows."]
            normalize_backward(rows: $crate::kernels::norm::NormalizeBackward<'_, $t>) -> (()) = rows;
            #[doc = "One step of a streaming softmax."]
            streaming_softmax(block: $crate::kernels::attention::StreamingSoftmax<'_, $t>) -> (()) = block;
            #[doc = "The end of a streaming softmax."]
            streaming_end(state: $crate::kernels::attention::StreamingEnd<'_, $t>) -> (()) = state;
            #[doc = "Probabilities of scores."]
            probabilities(block: $crate::kernels::attention::Probabilities<'_, $t>) -> (()) = block;
            #[doc = "The gradient of scores."]
            score_gradient(block: $crate::kernels::attention::ScoreGradient<'_, $t>) -> (()) = block;
            #[doc = "Rows by factors of their own."]
            scale_rows(rows: $crate::kernels::attention::ScaleRows<'_, $t>) -> (()) = rows;
            #[doc = "Dot products of rows."]
            row_dots(rows: $crate::kernels::attention::RowDots<'_, $t>) -> (()) = rows;
            #[doc = "Rotary position embedding of rows."]
            rotate(rows: $crate::kernels::rope::Rotate<'_, $t>) -> (()) = rows;
            #[doc = "Packs a strip of a product's operand."]
            gemm_pack(pack: $crate::kernels::gemm::Pack<'_, $t>) -> (()) = pack;
            #[doc = "A block of a product."]
            gemm_block(product: $crate::kernels::gemm::Product<'_, $t>) -> (()) = product;
            #[doc = "Some columns of a row times a matrix."]
            vector_times_matrix(product: $crate::kernels::gemm::VectorTimesMatrix<'_, $t>) -> (()) = product;
            #[doc = "Some rows of a matrix times a column."]
            matrix_times_vector(product: $crate::kernels::gemm::MatrixTimesVector<'_, $t>) -> (()) = product;
            #[doc = "Widens f16."]
            widen_f16(x: &[$crate::dtype::f16], out: &mut [$t]) -> (()) = $crate::kernels::half::Convert { x, out };
            #[doc = "Widens bf16."]
            widen_bf16(x: &[$crate::dtype::bf16], out: &mut [$t]) -> (()) = $crate::kernels::half::Convert { x, out };
            #[doc = "Rounds to f16, ties to even."]
            narrow_f16(x: &[$t], out: &mut [$crate::dtype::f16]) -> (()) = $crate::kernels::half::Convert { x, out };
            #[doc = "Rounds to bf16, ties to even."]
            narrow_bf16(x: &[$t], out: &mut [$crate::dtype::bf16]) -> (()) = $crate::kernels::half::Convert { x, out };
            #[doc = "Some columns of a row times a matrix of f16."]
            vector_times_f16(product: $crate::kernels::gemm::VectorTimesMatrix<'_, $t, $crate::dtype::f16>) -> (()) = product;
            #[doc = "Some rows of a matrix of f16 times a column."]
            f16_times_vector(product: $crate::kernels::gemm::MatrixTimesVector<'_, $t, $crate::dtype::f16>) -> (()) = product;
            #[doc = "Some columns of a row times a matrix of bf16."]
            vector_times_bf16(product: $crate::kernels::gemm::VectorTimesMatrix<'_, $t, $crate::dtype::bf16>) -> (()) = product;
            #[doc = "Some rows of a matrix of bf16 times a column."]
            bf16_times_vector(product: $crate::kernels::gemm::MatrixTimesVector<'_, $t, $crate::dtype::bf16>) -> (()) = product;
            #[doc = "Elements of a random sequence; f64 takes the f32 values."]
            random_fill(distribution: $crate::rng::Distribution, seed: u64, first: u64, out: &mut [$t]) -> (()) = $crate::kernels::fill::Fill { distribution, seed, first, out };
            #[doc = "Elements of a random sequence of integers in `low..high`."]
            randint_fill(seed: u64, first: u64, low: i64, high: i64, out: &mut [i64]) -> (()) = $crate::kernels::fill::Integers { seed, first, low, high, out, table: core::marker::PhantomData::<$t> };
            #[doc = "Inverted dropout: `x / (1 - p)` where the stream keeps the element, else 0."]
            dropout(p: f32, seed: u64, first: u64, x: &[$t], out: &mut [$t]) -> (()) = $crate::kernels::fill::Dropout { p, seed, first, x, out };
            #[doc = "One SGD step over a parameter."]
            sgd_step(step: $crate::kernels::optim::SgdStep<$t>, w: &mut [$t], g: &[$t], v: &mut [$t]) -> (()) = $crate::kernels::optim::Sgd { step, w, g, v };
            #[doc = "One AdamW step over a parameter."]
            adamw_step(step: $crate::kernels::optim::AdamWStep<$t>, w: &mut [$t], g: &[$t], m: &mut [$t], s: &mut [$t]) -> (()) = $crate::kernels::optim::AdamW { step, w, g, m, s };
        }
    };
}

macro_rules! declare {
    // declare! { T; #[doc = "Docs."] name(x: &[T]) -> (T) = op; } => fn name(&self, x: &[T]) -> T { op.run(ScalarLanes::<true>) }
    ($t:ty; $(#[$doc:meta] $name:ident($($arg:ident: $ty:ty),*) -> ($out:ty) = $op:expr;)*) => {$(
        #[$doc]
        #[inline]
        fn $name(&self, $($arg: $ty),*) -> $out {
            $op.run(ScalarLanes::<true>)
        }
    )*};
}

/// The body of an `impl Kernels<T>` whose every kernel goes through `self.enter(op)`.
///
/// `enter` is the backend's one function that carries its `target_feature`. Written out for a type, not for all: so that the
/// kernels are compiled with the backend, once, not with each of its users.
#[doc(hidden)]
#[macro_export]
macro_rules! kernels_through_enter {
    // kernels_through_enter! { T; #[doc = ".."] name(x: &[T]) -> (T) = op; } => fn name(&self, x: &[T]) -> T { self.enter(op) }
    ($t:ty; $(#[$doc:meta] $name:ident($($arg:ident: $ty:ty),*) -> ($out:ty) = $op:expr;)*) => {$(
        fn $name(&self, $($arg: $ty),*) -> $out {
            self.enter($op)
        }
    )*};
}

/// [`Kernels`] of both types for a backend that is its own lanes, every kernel through its `enter`.
#[doc(hidden)]
#[macro_export]
macro_rules! kernels_of_lanes {
    // kernels_of_lanes!(Avx2: f32, f64) => impl Kernels<f32> for Avx2 { .. } impl Kernels<f64> for Avx2 { .. }
    ($backend:ty: $($t:tt),*) => {
        use $crate::{for_each_kernel, kernels_through_enter};

        $(impl $crate::backend::Kernels<$t> for $backend {
            fn tile_shape(&self) -> $crate::backend::TileShape {
                $crate::backend::TileShape::of::<$t, Self>()
            }
            for_each_kernel!(kernels_through_enter, $t);
        })*
    };
}

/// What stands for a backend where there are no such instructions: no value of it exists, so no kernel ever runs.
#[doc(hidden)]
#[macro_export]
macro_rules! absent_backend {
    // absent_backend!(Avx2) => type Seen = Infallible; fn detect() -> Option<&'static Avx2> { None } impl Kernels<..> for Avx2 { .. }
    ($backend:ty) => {
        use $crate::backend::Kernels;
        use $crate::kernels::{Op, math::Math};
        use $crate::{for_each_kernel, kernels_through_enter};

        pub(crate) type Seen = core::convert::Infallible;

        pub(crate) fn detect() -> Option<&'static $backend> {
            None
        }

        impl $backend {
            /// Never called.
            pub(crate) fn enter<T: Math, O: Op<T>>(&self, _: O) -> O::Out {
                match self.0 {}
            }
        }

        impl Kernels<f32> for $backend {
            for_each_kernel!(kernels_through_enter, f32);
        }

        impl Kernels<f64> for $backend {
            for_each_kernel!(kernels_through_enter, f64);
        }
    };
}

/// Leaf kernels on slices. Slices of one call have one length unless said otherwise.
pub trait Kernels<T: Math>: Sync {
    /// The register tile that [`Kernels::gemm_block`] expects.
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<T, ScalarLanes<true>>()
    }

    for_each_kernel!(declare, T);
}
