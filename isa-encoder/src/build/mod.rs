//! A typed emitter: kernels built in Rust instead of written as text.
//!
//! [`Builder`] takes instructions one after the other, with registers and regions as [`Operand`]s,
//! messages as the values of [`crate::message`], and labels; [`Builder::finish`] finds the branch
//! targets, checks each instruction against the rules of [`crate::validate`], writes the software
//! scoreboard if asked to, and returns the bytes, of which [`Kernel::text`] makes text.
//!
//! | What | By |
//! |---|---|
//! | arithmetic, moves, bit operations | [`Op::new`] with [`Op::dst`] and [`Op::src`], [`Builder::emit`] |
//! | `math`, `sync`, `bfn`, `dpas` | [`Op::math`], [`Op::sync`], [`Op::bfn`], [`Op::dpas`] |
//! | IEEE macros (`madm`, `math.invm`, `math.rsqtm`) | operands by [`Reg::mme`] |
//! | blocks and loops | [`Builder::if_`], [`Builder::else_`], [`Builder::end_if`], [`Builder::loop_`], [`Builder::break_`], [`Builder::continue_`], [`Builder::end_while`] |
//! | calls | [`Builder::call`], [`Builder::ret`] |
//! | other branches | [`Builder::jump`], [`Builder::branch`] with [`Label`]s |
//! | messages | [`Builder::send`] with a [`SendOp`] of a [`Message`](crate::message::Message) |
//! | the end | [`Builder::end_of_thread`] |
//!
//! Each [`Opcode`](crate::Opcode) describes what the instruction does and which families have it.
//!
//! ```
//! use devinfo::Family;
//! use isa_encoder::build::{Builder, Op, grf, imm};
//! use isa_encoder::{Opcode, Type};
//!
//! let mut b = Builder::new(Family::Gen12Lp);
//! let (sum, count) = (grf(10).ty(Type::D), grf(11).ty(Type::D));
//! b.emit(Op::new(Opcode::Mov, 1).no_mask().dst(count).src(imm(10, Type::W)));
//! b.emit(Op::new(Opcode::Mov, 8).no_mask().dst(sum).src(imm(0, Type::W)));
//! let again = b.here();
//! b.emit(Op::new(Opcode::Add, 8).dst(sum).src(sum).src(count.scalar()));
//! b.emit(Op::new(Opcode::Add, 1).no_mask().cond(isa_encoder::CondMod::Ne, Builder::F0)
//!     .dst(count).src(count).src(imm(-1, Type::W)));
//! b.jump(again, Some(Builder::F0));
//! b.end_of_thread(grf(127))?;
//! let kernel = b.finish()?;
//! assert!(kernel.text().contains("jmpi"));
//! # Ok::<(), isa_encoder::build::BuildError>(())
//! ```

mod builder;
mod error;
mod flow;
mod label;
mod op;
mod operand;
mod send;

pub use builder::{Builder, Kernel, Scoreboard};
pub use error::BuildError;
pub use label::Label;
pub use op::Op;
pub use operand::{Operand, Reg, grf, imm, imm_f16, imm_f32, imm_f64, null};
pub use send::{Payload, SendOp};
