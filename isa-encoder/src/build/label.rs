//! Places in a kernel.

/// A place in a kernel, known or still to come; see [`Builder::label`](super::Builder::label).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// The number in its builder.
    pub(super) number: usize,
    /// Its builder.
    pub(super) owner: u32,
}

/// An open block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Block {
    /// `if`: where the channels that do not take it continue, and the `endif`.
    If { otherwise: Label, end: Label },
    /// `else`: the `endif`.
    Else { end: Label },
    /// A loop: its first instruction and its `while`.
    Loop { start: Label, last: Label },
}
