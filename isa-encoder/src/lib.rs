//! The EU instruction set: decode, encode, compaction, send messages, assembler and disassembler.
//!
//! [`Instruction`] is the decoded form, the same for every family; [`decode`] and [`encode`]
//! convert between it and the bytes of a [`devinfo::Family`]. A family is a table: field positions,
//! opcodes, type encodings, compaction tables and scoreboard encodings are each written once;
//! decoder, encoder and printer all read them. [`message`] gives send descriptors their meaning;
//! [`asm`] and [`disasm`] read and write IGA syntax; [`mod@build`] builds kernels in Rust.
//!
//! ```
//! use isa_encoder::disasm::Format;
//! use isa_encoder::{AsmOptions, Disassembler, assemble};
//!
//! let text = "//.platform tgl\nadd (16|M0) r3.0<1>:d r1.0<8;8,1>:d 7:w\n";
//! # let bad = |errors: Vec<isa_encoder::Diagnostic>| format!("{errors:?}");
//! let assembly = assemble(text, &AsmOptions::default()).map_err(bad)?;
//! assert_eq!(assembly.code.len() % 16, 0);
//!
//! let disassembler = Disassembler::new(assembly.family, Format::default());
//! assert!(disassembler.print(&assembly.code).contains("add (16|M0)"));
//! # Ok::<(), String>(())
//! ```
#![no_std]
#![warn(missing_docs)]

extern crate alloc;

pub mod asm;
pub mod audit;
pub mod build;
mod code;
pub mod disasm;
pub mod message;
mod model;
pub mod swsb;
pub mod validate;

pub use asm::{AsmOptions, AssembledKernel, Assembly, Diagnostic, Validation, assemble};
pub use code::{DecodeError, EncodeError, decode, encode, encode_shortest, has_opcode};
pub use disasm::Disassembler;
pub use model::*;
