//! The intermediate representation: one lane's values, assigned once, in basic blocks.
//!
//! A [`Function`] is one kernel with everything inlined. Its values are scalars: what SPIR-V has as
//! a vector, a structure or an array is several values; a load or a block message gives all of
//! them. Constants are values of no instruction. [`verify`] checks a function, [`print()`] shows it:
//!
//! ```text
//! b0:
//!   v3:i32 = input group_id.0
//!   v5:i32 = mul v3, v4
//!   branch v9, b1, b2
//! ```

pub mod cfg;
mod constants;
mod copy;
mod function;
mod ids;
mod op;
mod print;
mod replaced;
mod types;
mod verify;

pub use constants::Constants;
pub use copy::{CHUNK, Ends, alignment_at, unit};
pub use function::{BlockData, Buffer, Cursor, Def, Function, InstData, Terminator, Values};
pub use ids::{Block, Inst, Value};
pub use op::{
    Access, Atomic, Bin, Cond, Convert, Copy, Input, Op, Scope, Space, Surface, Symbol, Un,
};
#[cfg(test)]
pub use print::expression;
pub use print::print;
pub use replaced::Replaced;
pub use types::Type;
pub use verify::{VerifyError, verify};
