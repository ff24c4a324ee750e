//! The AVX2, FMA and F16C backend of fucina.
