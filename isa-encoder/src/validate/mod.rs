//! What hardware forbids although an encoding exists: restrictions on regions, types, operands
//! and messages.
//!
//! A [`Rule`] is a row: a name, the restriction in one sentence, its source, the families it holds
//! for, and a check. [`Validator`] runs all rules of a machine on an instruction; a [`Violation`]
//! names the rule and the operand. The assembler runs it on each instruction (see
//! [`crate::asm::Validation`]).
//!
//! Sources are the chapters "Register Region Restrictions" (volume 7 of the Broadwell to Tiger
//! Lake PRMs: "3D Media GPGPU Engine", "EU Overview"), the instruction pages of volume 2a, and,
//! where Intel published nothing (XeHPG on), the checks of Intel's assembler and of Mesa's
//! compiler.

mod bfloat;
mod control;
mod dpas;
mod float;
mod machine;
mod opcode;
mod region;
mod rule;
mod send;
mod subdword;
mod ternary;
mod types;
mod validator;
mod view;

pub use machine::Machine;
pub use rule::{Rule, Violation};
pub(crate) use validator::is_about_registers;
pub use validator::{Validator, rules};
pub use view::Place;
