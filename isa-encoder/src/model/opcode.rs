//! What follows from the [rows](super::instructions) of opcodes.

use core::fmt;

use devinfo::Family;

use super::attributes::Attributes;
use super::format::Format;
use super::instructions::Opcode;
use super::signature::Signature;

impl Opcode {
    /// The opcode of a mnemonic.
    pub fn from_mnemonic(text: &str) -> Option<Opcode> {
        Opcode::ALL.get(Opcode::NAMES.find(text)?).copied()
    }

    /// The number in `family`, bits 6:0 of the instruction; `None` if it does not have the opcode.
    pub(crate) const fn number(self, family: Family) -> Option<u8> {
        let numbers = Opcode::ROWS[self as usize].numbers;
        let mut i = 0;
        while i < numbers.len() {
            if numbers[i].1.contains(family) {
                return Some(numbers[i].0);
            }
            i += 1;
        }
        None
    }

    /// The types of its sources and destination; for `math` its functions have them.
    pub(crate) const fn types(self) -> Signature {
        Opcode::ROWS[self as usize].types
    }

    /// The opcode's attributes in `family`; with `None`, those in any family.
    const fn attributes_in(self, family: Option<Family>) -> Attributes {
        let rows = Opcode::ROWS[self as usize].attributes;
        let mut all = Attributes::empty();
        let mut i = 0;
        while i < rows.len() {
            let here = match family {
                Some(family) => rows[i].1.contains(family),
                None => true,
            };
            if here {
                all = all.union(rows[i].0);
            }
            i += 1;
        }
        all
    }

    /// The attributes of each opcode in `family`; with `None`, those in any family.
    pub(crate) const fn attribute_table(family: Option<Family>) -> [Attributes; Opcode::ALL.len()] {
        let mut table = [Attributes::empty(); Opcode::ALL.len()];
        let mut i = 0;
        while i < table.len() {
            table[i] = Opcode::ALL[i].attributes_in(family);
            i += 1;
        }
        table
    }

    /// Whether the opcode has all `attributes` in any family.
    #[inline]
    pub const fn has(self, attributes: Attributes) -> bool {
        const TABLE: [Attributes; Opcode::ALL.len()] = Opcode::attribute_table(None);
        TABLE[self as usize].contains(attributes)
    }

    /// Whether this is one of the send instructions.
    #[inline]
    pub const fn is_send(self) -> bool {
        matches!(self.format(), Format::Send)
    }

    /// Whether this changes the instruction pointer or the channels that run.
    #[inline]
    pub const fn is_branch(self) -> bool {
        matches!(
            self.format(),
            Format::JumpUnary
                | Format::JumpJip
                | Format::JumpJipUip
                | Format::JumpBrc
                | Format::Call
                | Format::Ret
        )
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.mnemonic())
    }
}
