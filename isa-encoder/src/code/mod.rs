//! Bytes to instructions and back.

mod bits;
mod compact;
mod decode;
mod encode;
mod error;
mod families;
mod family;
mod layout;
mod odd;
mod opcodes;
mod rows;
mod swsb;
mod types;

pub use decode::decode;
pub(crate) use decode::native_word;
pub(crate) use encode::encode_with;
pub use encode::{encode, encode_shortest};
pub use error::{DecodeError, EncodeError};
pub(crate) use families::traits;
pub(crate) use family::{FamilyTable, SendForm};
pub(crate) use odd::OddBits;
pub(crate) use swsb::{SwsbClass, SwsbEncoding, effect, encode as encode_swsb, is_double_math};

/// Whether `family` has `opcode`.
pub fn has_opcode(family: devinfo::Family, opcode: crate::Opcode) -> bool {
    traits(family).code(opcode).is_some()
}
