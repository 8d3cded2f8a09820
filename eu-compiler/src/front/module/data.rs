//! Variables of the program: where they lie, and with what.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::ir::Constants;

/// Where variables lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// Those that are only read.
    Constants,
    /// Those that kernels write.
    Globals,
    /// Texts that only `printf` takes, which whoever prints looks up.
    Strings,
}

/// A place in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The section.
    pub section: Section,
    /// The byte in it.
    pub offset: u32,
}

/// All variables of the program.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The contents of the constants.
    pub constants: Arc<Constants>,
    /// Of what kernels write.
    pub globals: Vec<u8>,
    /// Of texts.
    pub strings: Vec<u8>,
    /// Where each variable is.
    pub places: HashMap<u32, Placed>,
    /// Places that hold addresses, each in a section.
    pub addresses: Vec<(Placed, Section)>,
}
