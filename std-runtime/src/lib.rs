//! The worker team, the knobs and the host context of fucina.
