//! Disassembly in IGA syntax.
//!
//! Bits that hardware ignores and the text does not show follow it as `//.bits`. The assembler
//! reads them, so the bytes come back unchanged. What has no text is printed as `//.data`, with the
//! reason: bytes that are not an instruction, reserved values and, on Gen8 and Gen9, what IGA's
//! syntax cannot express: the align16 mode of one- and two-source instructions and some swizzles
//! and write masks of three-source ones (iga64 also refuses them).

mod comment;
mod disassembler;
pub(crate) mod float;
mod item;
mod ldst;
pub(crate) mod print;

pub use disassembler::{Disassembler, Format, Line, Listing};
