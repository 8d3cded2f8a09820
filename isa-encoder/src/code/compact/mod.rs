//! The 8-byte forms: each field is copied or is an index into a table of bit patterns.

mod convert;
mod gen12_tables;
mod gen8_tables;
mod rows;
mod table;
mod xehpc_tables;

pub use convert::{LastDword, compact, expand};
pub use rows::{GEN8, GEN9, GEN11, GEN12LP, XE2, XEHPC, XEHPG};
pub use table::Compaction;
