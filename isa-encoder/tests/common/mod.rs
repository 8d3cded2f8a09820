//! What the tests share: the forms of each instruction, and messages.
#![allow(dead_code, reason = "each test uses a part")]

pub mod extras;
pub mod forms;
pub mod left_out;
pub mod messages;
pub mod operands;
pub mod symbols;
pub mod vectors;
