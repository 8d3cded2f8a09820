//! What names the parts of a function.

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub u32);

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(pub u32);

impl Value {
    /// For tables with an element a value.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Block {
    /// For tables with an element a block.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Inst {
    /// For tables with an element an instruction.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
