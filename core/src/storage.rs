//! Refcounted storage: who owns bytes, and what happens when the last owner lets go.
//!
//! A *block* is one allocation: a 64-byte `block::Header` (reference count, capacity, owner) and a 64-byte-aligned
//! payload. [`Storage`] is a counted handle to the bytes of one block, of whatever element type; `Cell` is a
//! counted handle to one Rust value in a block (graph nodes). Foreign bytes (borrowed slices, statics, vectors
//! taken over) are a block whose header points elsewhere and whose payload holds the release hook.

pub(crate) mod block;
mod cell;
mod foreign;
mod handle;
mod origin;

pub(crate) use cell::Cell;
pub use handle::Storage;
pub(crate) use origin::Origin;
