//! The crate's one error type: data, not strings.
//!
//! A variant names the op that refused, what clashed and what would fit. Every variant is plain `Copy` data, so
//! building one (an [`Error::OutOfMemory`] above all) allocates nothing.
#![forbid(unsafe_code)]

use core::fmt;

use crate::dtype::DType;
use crate::fpenv::Environment;
use crate::layout::Shape;

/// What the crate's fallible calls return.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why an operation was refused. Nothing was changed and nothing is leaked when one is returned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Two operands cannot meet.
    ShapeMismatch {
        /// The op that refused.
        op: &'static str,
        /// Shape of the first operand.
        left: Shape,
        /// Shape of the second operand, or the shape asked for.
        right: Shape,
        /// What would have fit.
        fits: Fits,
    },
    /// A shape no tensor can have: rank 0, rank above 8, or a zero dimension.
    InvalidShape {
        /// The op that refused.
        op: &'static str,
        /// The rank asked for.
        rank: usize,
        /// What is wrong with it.
        why: ShapeFault,
    },
    /// The element or byte count of a shape does not fit the address space.
    Overflow {
        /// The op that refused.
        op: &'static str,
        /// The shape asked for.
        shape: Shape,
    },
    /// The data do not have as many elements as the shape (or the view reaches outside its storage).
    InvalidDataLength {
        /// The op that refused.
        op: &'static str,
        /// Elements that the shape needs.
        expected: usize,
        /// Elements that were given.
        found: usize,
    },
    /// An axis is not below the rank.
    AxisOutOfRange {
        /// The op that refused.
        op: &'static str,
        /// The axis asked for.
        axis: usize,
        /// The operand's rank.
        rank: usize,
    },
    /// An index is outside its dimension.
    IndexOutOfRange {
        /// The op that refused.
        op: &'static str,
        /// Where in the list of indices it stood.
        position: usize,
        /// The index.
        index: i64,
        /// Indices run from 0 to just below this.
        bound: usize,
    },
    /// `start..start + len` is empty or leaves its dimension.
    RangeOutOfBounds {
        /// The op that refused.
        op: &'static str,
        /// First index asked for.
        start: usize,
        /// Number of indices asked for.
        len: usize,
        /// The dimension.
        bound: usize,
    },
    /// A list of axes is not a permutation of `0..rank`, or names one twice.
    InvalidAxes {
        /// The op that refused.
        op: &'static str,
        /// The operand's rank.
        rank: usize,
    },
    /// An argument's value makes no sense for the op.
    InvalidArgument {
        /// The op that refused.
        op: &'static str,
        /// Which argument.
        argument: &'static str,
        /// What would have fit.
        fits: &'static str,
    },
    /// The allocator gave nothing. Building this allocates nothing.
    OutOfMemory {
        /// The op that asked.
        op: &'static str,
        /// Bytes it asked for.
        bytes: usize,
    },
    /// The layout cannot serve: a slice was asked of a view with gaps, or a write of a shared or overlapping one.
    UnsupportedView {
        /// The op that refused.
        op: &'static str,
        /// What would have fit.
        fits: &'static str,
    },
    /// An operand has a dtype the op does not take.
    UnsupportedDType {
        /// The op that refused.
        op: &'static str,
        /// The operand's dtype.
        found: DType,
        /// What would have fit.
        fits: &'static str,
    },
    /// A gradient was asked of a value that records none: a constant.
    NoGradientGraph {
        /// The op that refused.
        op: &'static str,
    },
    /// `backward` on a value of more than one element needs an explicit seed gradient.
    MissingOutputGradient {
        /// The op that refused.
        op: &'static str,
        /// The value's shape.
        shape: Shape,
    },
    /// A VJP returned without the gradient of an input that needs one.
    MissingBackwardGradient {
        /// The recorded op.
        op: &'static str,
        /// The input it left out.
        input: usize,
    },
    /// The graph's saved operands were used up by an earlier pass.
    BackwardAlreadyRun {
        /// The recorded op that was met again.
        op: &'static str,
    },
    /// The graph was released when the scope that owned it closed.
    ScopeClosed {
        /// The recorded op.
        op: &'static str,
    },
    /// Another pass, perhaps on another thread, is walking the same graph.
    GraphBusy {
        /// The recorded op both passes met.
        op: &'static str,
    },
    /// A chained dispatch whose indices do not each become runnable exactly once. Some of its tasks have run.
    BrokenChain {
        /// The call that found it.
        op: &'static str,
        /// The index.
        index: usize,
        /// Tasks of the dispatch.
        tasks: usize,
        /// What happened to the index.
        fault: ChainFault,
    },
    /// The call needs an open exec scope.
    ActiveExecScopeRequired {
        /// The op that refused.
        op: &'static str,
    },
    /// The call would consume a value that an exec scope owns.
    ActiveExecScopeUnsupported {
        /// The op that refused.
        op: &'static str,
    },
    /// The call cannot take an operand that carries a gradient.
    UnsupportedGradient {
        /// The op that refused.
        op: &'static str,
    },
    /// A scope was closed while one opened inside it is still open; it closes as soon as that one has.
    ScopeOrder {
        /// Scopes still open inside it.
        inner_open: usize,
    },
    /// The calling thread rounds, flushes or traps in another way than every result here is promised for.
    NonDefaultFloatEnvironment {
        /// What it does.
        found: Environment,
    },
}

/// What is wrong with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeFault {
    /// There are no tensors of rank 0: a scalar is `[1]`.
    RankZero,
    /// Ranks end at 8.
    RankTooHigh,
    /// There are no empty tensors.
    ZeroDim {
        /// The axis of size 0.
        axis: usize,
    },
}

/// How an index of a chained dispatch broke the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChainFault {
    /// It was made runnable a second time.
    EnqueuedTwice,
    /// Every runnable task has run, and none of them made it runnable.
    NeverEnqueued,
    /// There is no such task.
    OutOfRange,
}

/// What would have fit beside the other operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fits {
    /// Dimensions that are equal or 1, aligned from the last axis.
    Broadcast,
    /// A shape whose dimensions, aligned from the last axis, are equal or replace a 1.
    BroadcastTarget,
    /// Leading dimensions, all but the last two, that are equal or 1.
    BroadcastLeading,
    /// One axis of this many elements.
    Vector(usize),
    /// A window of this many channels.
    Channels(usize),
    /// The same shape.
    Same,
    /// The same number of elements.
    SameCount(usize),
    /// A right operand with this many rows.
    Rows(usize),
    /// A right operand with this many columns.
    Columns(usize),
    /// This rank.
    Rank(usize),
    /// At least this rank.
    RankAtLeast(usize),
    /// The same shape but for the axis named.
    SameExcept(usize),
    /// As many entries as the left operand has rows.
    Entries(usize),
    /// Keys for queries: the same batch and last axis, heads that divide the queries' heads.
    Keys,
    /// The shape of the left operand's last so many axes.
    LastAxes(usize),
}

impl Error {
    /// The op that refused, where there is one.
    #[must_use]
    pub fn op(&self) -> Option<&'static str> {
        Some(match self {
            Self::ShapeMismatch { op, .. }
            | Self::InvalidShape { op, .. }
            | Self::Overflow { op, .. }
            | Self::InvalidDataLength { op, .. }
            | Self::AxisOutOfRange { op, .. }
            | Self::IndexOutOfRange { op, .. }
            | Self::RangeOutOfBounds { op, .. }
            | Self::InvalidAxes { op, .. }
            | Self::InvalidArgument { op, .. }
            | Self::OutOfMemory { op, .. }
            | Self::UnsupportedView { op, .. }
            | Self::UnsupportedDType { op, .. }
            | Self::NoGradientGraph { op }
            | Self::MissingOutputGradient { op, .. }
            | Self::MissingBackwardGradient { op, .. }
            | Self::BackwardAlreadyRun { op }
            | Self::ScopeClosed { op }
            | Self::GraphBusy { op }
            | Self::BrokenChain { op, .. }
            | Self::ActiveExecScopeRequired { op }
            | Self::ActiveExecScopeUnsupported { op }
            | Self::UnsupportedGradient { op } => op,
            Self::ScopeOrder { .. } | Self::NonDefaultFloatEnvironment { .. } => return None,
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ShapeMismatch { op, left, right, fits } => {
                write!(f, "{op}: left is {left}, right is {right}; {fits}")
            }
            Self::InvalidShape { op, rank, why } => match why {
                ShapeFault::RankZero => write!(f, "{op}: rank is 0; a scalar is [1]"),
                ShapeFault::RankTooHigh => write!(f, "{op}: rank is {rank}; at most 8 fits"),
                ShapeFault::ZeroDim { axis } => {
                    write!(f, "{op}: axis {axis} has size 0; every dimension is at least 1")
                }
            },
            Self::Overflow { op, shape } => {
                write!(f, "{op}: {shape} has more bytes than an address space of {}", usize::MAX)
            }
            Self::InvalidDataLength { op, expected, found } => {
                write!(f, "{op}: {found} elements given; {expected} fit")
            }
            Self::AxisOutOfRange { op, axis, rank } => {
                write!(f, "{op}: axis is {axis}; 0 to {} fit", rank.saturating_sub(1))
            }
            Self::IndexOutOfRange { op, position, index, bound } => {
                let last = bound.saturating_sub(1);
                write!(f, "{op}: index {index} at position {position}; 0 to {last} fit")
            }
            Self::RangeOutOfBounds { op, start, len, bound } => {
                write!(f, "{op}: start {start}, length {len}; at least 1 within 0..{bound} fits")
            }
            Self::InvalidAxes { op, rank } => {
                write!(f, "{op}: not a permutation of the axes; each of 0..{rank} once fits")
            }
            Self::InvalidArgument { op, argument, fits } => {
                write!(f, "{op}: bad {argument}; {fits} fits")
            }
            Self::OutOfMemory { op, bytes } => {
                write!(f, "{op}: out of memory; the allocator must have {bytes} bytes more")
            }
            Self::UnsupportedView { op, fits } => write!(f, "{op}: unsupported view; {fits} fits"),
            Self::UnsupportedDType { op, found, fits } => {
                write!(f, "{op}: dtype is {found}; {fits} fits")
            }
            Self::NoGradientGraph { op } => {
                write!(f, "{op}: the value is a constant; one made from a variable fits")
            }
            Self::MissingOutputGradient { op, shape } => {
                write!(f, "{op}: {shape} has no implicit gradient; a seed of that shape fits")
            }
            Self::MissingBackwardGradient { op, input } => {
                write!(f, "{op}: its VJP left out input {input}; a gradient for it fits")
            }
            Self::BackwardAlreadyRun { op } => {
                write!(f, "{op}: an earlier pass used this graph up; a fresh forward pass fits")
            }
            Self::ScopeClosed { op } => {
                write!(f, "{op}: its exec scope has closed; backward before the close fits")
            }
            Self::GraphBusy { op } => {
                write!(f, "{op}: another pass walks this graph; one pass at a time fits")
            }
            Self::BrokenChain { op, index, tasks, fault } => {
                let what = match fault {
                    ChainFault::EnqueuedTwice => "was enqueued twice",
                    ChainFault::NeverEnqueued => "was never enqueued",
                    ChainFault::OutOfRange => "is no task",
                };
                write!(f, "{op}: task {index} {what}; each of 0..{tasks} exactly once fits")
            }
            Self::ActiveExecScopeRequired { op } => {
                write!(f, "{op}: no exec scope is open; open_exec_scope() first fits")
            }
            Self::ActiveExecScopeUnsupported { op } => {
                write!(f, "{op}: an exec scope owns the operand; a caller-owned one fits")
            }
            Self::UnsupportedGradient { op } => {
                write!(f, "{op}: the operand carries a gradient; a constant or detached one fits")
            }
            Self::ScopeOrder { inner_open } => {
                write!(
                    f,
                    "close scope: {inner_open} opened inside it still open; newest first fits"
                )
            }
            Self::NonDefaultFloatEnvironment { found } => {
                let default = Environment::DEFAULT;
                write!(f, "float environment: {found}; the default, {default}, fits")
            }
        }
    }
}

impl core::error::Error for Error {}

impl fmt::Display for Fits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Broadcast => write!(f, "dimensions from the last must be equal or 1"),
            Self::BroadcastTarget => {
                write!(f, "the target may add leading axes and replace 1s, nothing else")
            }
            Self::Same => write!(f, "the shapes must be the same"),
            Self::SameCount(n) => write!(f, "right needs {n} elements"),
            Self::Rows(n) => write!(f, "right needs {n} rows"),
            Self::Columns(n) => write!(f, "right needs {n} columns"),
            Self::Rank(n) => write!(f, "rank {n} is needed"),
            Self::BroadcastLeading => {
                f.write_str("dimensions before the last two must be equal or 1")
            }
            Self::Channels(n) => write!(f, "a window needs {n} channels"),
            Self::Vector(n) => write!(f, "a vector of {n} is needed"),
            Self::RankAtLeast(n) => write!(f, "rank {n} or more is needed"),
            Self::SameExcept(axis) => write!(f, "only axis {axis} may differ"),
            Self::Entries(n) => write!(f, "right needs {n} entries"),
            Self::Keys => {
                write!(f, "keys need the queries' axes 0 and 3, and heads that divide theirs")
            }
            Self::LastAxes(n) => write!(f, "right needs the last {n} dimensions of left"),
        }
    }
}
