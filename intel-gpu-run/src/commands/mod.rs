//! The sub-commands, one module each.

pub mod asm;
pub mod preload;
pub mod run;
