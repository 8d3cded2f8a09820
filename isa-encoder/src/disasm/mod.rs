//! Disassembly in IGA syntax.

use alloc::string::String;
use alloc::vec::Vec;

use devinfo::Family;

/// How [`Disassembler`] prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// The offset of each instruction, in a comment.
    pub offsets: bool,
    /// The bytes of each instruction, in a comment.
    pub hex: bool,
    /// No decoded messages in comments.
    pub no_comments: bool,
}

/// One line of a disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the start.
    pub offset: usize,
    /// The bytes: 8 or 16, or fewer at an end that is cut off.
    pub bytes: Vec<u8>,
    /// The label in front of this instruction, if something jumps here.
    pub label: Option<String>,
    /// The instruction as text; `None` if the bytes are none.
    pub text: Option<String>,
    /// What a send does, or why the bytes are no instruction.
    pub comment: Option<String>,
}

/// Prints the instructions of a family.
#[derive(Clone, Copy, Debug)]
pub struct Disassembler {
    family: Family,
    format: Format,
}

impl Disassembler {
    /// A disassembler for `family`.
    pub const fn new(family: Family, format: Format) -> Self {
        Self { family, format }
    }

    /// The family.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The lines of a kernel. What cannot be decoded is a line without text and does not stop
    /// the disassembly.
    pub fn lines(&self, code: &[u8]) -> Vec<Line> {
        let _ = code;
        Vec::new()
    }

    /// A kernel as text that the assembler turns into the same bytes.
    pub fn print(&self, code: &[u8]) -> String {
        let _ = code;
        String::new()
    }
}
