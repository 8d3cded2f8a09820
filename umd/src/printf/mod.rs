//! What kernels print.
//!
//! The buffer begins with a 32-bit count of the bytes used, itself included. Each call of `printf`
//! adds the 64-bit address of its format, and for each argument a 32-bit type and the value, padded
//! to whole dwords. Source: NEO `print_formatter.cpp`, IGC `OpenCLPrintfResolution.cpp`.

mod buffer;
mod format;

pub(crate) use buffer::{BUFFER_SIZE, reset, text};
