//! The sub-commands, one module each.

pub mod asm;
pub mod bench;
pub mod check;
mod client;
pub mod compile;
pub mod decode;
pub mod devices;
pub mod disasm;
pub mod doctor;
pub mod info;
pub mod opencl;
pub mod preload;
pub mod replay;
pub mod report;
pub mod run;
pub mod serve;
