//! The CBLAS backend of fucina.
