//! Optimisers: SGD with momentum, and AdamW.
//!
//! An optimiser is told its parameters at each step, always in the same order: state belongs to a place in the list.
//! A step is all or nothing: everything that can fail happens before the first parameter changes. Parameters without
//! a gradient are passed over. A parameter whose storage something else still shares (a view in an open scope) gets
//! storage of its own first, so that nobody sees its values change.
#![forbid(unsafe_code)]

mod adamw;
mod params;
mod sgd;

pub use adamw::{AdamW, AdamWConfig};
pub use sgd::{Sgd, SgdConfig};
