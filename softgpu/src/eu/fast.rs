//! Vector routines for the common operations.

use super::op::{Fast, Op};

/// The routine that executes `op`, if it is one that needs no general path.
pub(super) fn select(op: &Op) -> Option<Fast> {
    let _ = op;
    None
}
