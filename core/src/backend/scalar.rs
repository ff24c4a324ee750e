//! The scalar backend: the oracle of bits, and what runs everywhere.

use super::Backend;
use super::table::{Kernels, TileShape};
use crate::kernels::math::Math;
use crate::kernels::{Op, ScalarLanes};
use crate::kernels_through_enter;

/// One lane, fused products: the bits of every fused backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

/// The fused scalar backend.
pub static SCALAR: Scalar = Scalar;

impl Backend for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }
}

impl Scalar {
    #[inline(always)]
    fn enter<T: Math, O: Op<T>>(&self, op: O) -> O::Out {
        op.run(ScalarLanes::<true>)
    }
}

impl Kernels<f32> for Scalar {
    crate::for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for Scalar {
    crate::for_each_kernel!(kernels_through_enter, f64);
}

/// One lane, unfused products: the bits of targets that have no fused multiply-add.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScalarUnfused;

/// The unfused scalar backend.
pub static SCALAR_UNFUSED: ScalarUnfused = ScalarUnfused;

impl Backend for ScalarUnfused {
    fn name(&self) -> &'static str {
        "scalar-unfused"
    }
    fn fused(&self) -> bool {
        false
    }
}

impl ScalarUnfused {
    #[inline(always)]
    fn enter<T: Math, O: Op<T>>(&self, op: O) -> O::Out {
        op.run(ScalarLanes::<false>)
    }
}

impl Kernels<f32> for ScalarUnfused {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f32, ScalarLanes<false>>()
    }
    crate::for_each_kernel!(kernels_through_enter, f32);
}

impl Kernels<f64> for ScalarUnfused {
    fn tile_shape(&self) -> TileShape {
        TileShape::of::<f64, ScalarLanes<false>>()
    }
    crate::for_each_kernel!(kernels_through_enter, f64);
}
