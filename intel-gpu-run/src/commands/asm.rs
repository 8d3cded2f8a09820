//! `asm`: assemble EU instructions.
