//! The sub-commands, one module each.

pub mod asm;
pub mod decode;
pub mod disasm;
pub mod info;
pub mod preload;
pub mod run;
