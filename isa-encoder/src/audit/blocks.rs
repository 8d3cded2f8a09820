//! Which messages are blocks of a program's own.

use crate::message::{BlockAlignment, Direction, Hdc, Lsc, Message};

/// An access that a program may have asked for by a function of `cl_intel_subgroups`, whose pointers have
/// to be aligned. Compilers use the same messages for accesses of their own making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Whether it reads or writes.
    pub direction: Direction,
    /// Its bytes.
    pub bytes: usize,
    /// It may as well store a value that all channels share: what it stores has to tell.
    pub may_be_shared: bool,
}

impl Block {
    /// The bytes of the least block: eight channels of a byte. What is smaller is a value that all channels
    /// share.
    const LEAST: usize = 8;

    /// The block of a message, wherever it is; `None` if it is none, or of the compiler's own making.
    pub fn of(message: &Message) -> Option<Self> {
        let block = match *message {
            Message::Hdc(Hdc::OwordBlock {
                direction,
                alignment,
                count,
                ..
            // Functions of programs ask 4 bytes of reads: those that need 16 are not theirs.
            }) if (direction, alignment) != (Direction::Read, BlockAlignment::Oword) => Self {
                direction,
                bytes: count.owords() * 16,
                may_be_shared: false,
            },
            Message::Lsc(Lsc::Vector {
                direction,
                data,
                elements,
                transpose: true,
                ..
            }) => Self {
                direction,
                bytes: usize::from(elements) * data.memory_bytes(),
                may_be_shared: direction == Direction::Write,
            },
            _ => return None,
        };
        (block.bytes >= Self::LEAST).then_some(block)
    }
}
