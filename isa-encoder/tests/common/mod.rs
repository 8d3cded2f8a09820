//! What the tests share: iga64 as an oracle, and the forms of each instruction.
#![allow(dead_code, reason = "each test uses a part")]

pub mod extras;
pub mod forms;
pub mod iga;
