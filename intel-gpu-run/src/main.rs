//! `intel-gpu-run`: run, assemble, disassemble and inspect Intel GPU kernels.
fn main() {}
