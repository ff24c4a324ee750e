//! Element types: what a tensor can hold, and which of them compute.
//!
//! Every element is plain old data without padding, and zeros are a value. Of all but `bool` any bit pattern is one, so
//! that recycled memory can be handed out as it is; memory for `bool` is zeroed first ([`Element::ANY_BITS`]).
#![forbid(unsafe_code)]

mod cast;
mod float;
mod half;

use core::fmt;

pub use self::half::{Half, HalfRuns};
pub use ::half::{bf16, f16};
pub use cast::CastFrom;
pub use float::Float;

/// The name of an element type at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// 8-bit two's complement.
    I8,
    /// 16-bit two's complement.
    I16,
    /// 32-bit two's complement.
    I32,
    /// 64-bit two's complement.
    I64,
    /// 8-bit unsigned.
    U8,
    /// 16-bit unsigned.
    U16,
    /// 32-bit unsigned.
    U32,
    /// 64-bit unsigned.
    U64,
    /// True or false, a byte.
    Bool,
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::Bool => "bool",
        })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type that tensors can hold.
pub trait Element:
    sealed::Sealed
    + bytemuck::NoUninit
    + bytemuck::Zeroable
    + PartialEq
    + PartialOrd
    + Default
    + fmt::Debug
    + fmt::Display
    + Send
    + Sync
    + 'static
{
    /// Its run-time name.
    const DTYPE: DType;
    /// The number one; `true`.
    const ONE: Self;
    /// Whether any bit pattern is a value.
    const ANY_BITS: bool = true;
}

macro_rules! element {
    // element!(f32, F32, 1.0) => impl Sealed for f32 {} impl Element for f32 { const DTYPE = F32; const ONE = 1.0; }
    ($($t:ty, $name:ident, $one:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$name;
            const ONE: Self = $one;
        }
    )*};
}

element! {
    f32, F32, 1.0;
    f64, F64, 1.0;
    f16, F16, f16::ONE;
    bf16, Bf16, bf16::ONE;
    i8, I8, 1;
    i16, I16, 1;
    i32, I32, 1;
    i64, I64, 1;
    u8, U8, 1;
    u16, U16, 1;
    u32, U32, 1;
    u64, U64, 1;
}

impl sealed::Sealed for bool {}
impl Element for bool {
    const DTYPE: DType = DType::Bool;
    const ONE: Self = true;
    const ANY_BITS: bool = false;
}
