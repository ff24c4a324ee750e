//! The NEON backend of fucina.
