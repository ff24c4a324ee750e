//! Shapes, strides and what can be done with them without touching an element.
//!
//! All of it is inline, fixed-size arithmetic: nothing here allocates. Strides count elements, may be zero
//! (broadcast) or negative (flip); a [`Layout`] is a shape, its strides and the offset of the first element.
#![forbid(unsafe_code)]

mod broadcast;
mod class;
mod shape;
#[cfg(test)]
mod tests;
mod view;
mod walk;

pub use broadcast::broadcast_shape;
pub use class::LayoutClass;
pub use shape::{MAX_RANK, Shape};
pub use view::{Layout, Permutation};
pub(crate) use walk::collapse;
