//! What cannot be decoded or encoded.

use core::fmt;

use devinfo::Family;

use crate::validate::Place;
use crate::{Opcode, Type};

/// Why bytes are not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Fewer bytes than the instruction has.
    #[error("the instruction needs {needed} bytes, {given} are left")]
    Truncated {
        /// Bytes needed.
        needed: usize,
        /// Bytes given.
        given: usize,
    },
    /// An opcode that the family does not have.
    #[error("{family} has no opcode {code:#04x}")]
    Opcode {
        /// The family.
        family: Family,
        /// Bits 6:0.
        code: u8,
    },
    /// A compacted form of an instruction that has none, or an index without a table entry.
    #[error("{opcode} has no such compacted form")]
    Compacted {
        /// The opcode.
        opcode: Opcode,
    },
    /// A field with a reserved value.
    #[error("{opcode}: {field} has the reserved value {value:#x}")]
    Reserved {
        /// The opcode.
        opcode: Opcode,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
}

/// Why an instruction cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The family does not have the opcode.
    #[error("{family} has no {opcode}")]
    Opcode {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
    },
    /// A value that the family cannot express in this field.
    #[error("{opcode}: {field} cannot be {value:#x} on {family}")]
    Field {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
        /// The field.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// An operand of a type that the family cannot express there.
    #[error("{opcode}: {field} cannot be :{ty} on {family}, only{}", List(allowed))]
    Type {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
        /// The operand.
        field: &'static str,
        /// Its type.
        ty: Type,
        /// The types that there are.
        allowed: &'static [Option<Type>],
    },
    /// A number that the opcode does not take.
    #[error("{opcode}: {field} cannot be {value} on {family}, only {allowed}")]
    Number {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
        /// The values that there are.
        allowed: &'static str,
    },
    /// An option that the instruction does not have.
    #[error("{opcode} does not have the option {option} on {family}")]
    Option {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
        /// The option, as in text.
        option: &'static str,
    },
    /// An operand of a form that the opcode does not take.
    #[error("{opcode}: {field} does not have this form on {family}")]
    Form {
        /// The family.
        family: Family,
        /// The opcode.
        opcode: Opcode,
        /// The operand.
        field: &'static str,
    },
    /// The 8-byte form was asked for and does not exist.
    #[error("{opcode}: no compacted form ({why})")]
    NotCompactable {
        /// The opcode.
        opcode: Opcode,
        /// What the tables lack.
        why: &'static str,
    },
}

macro_rules! source_fields {
    ($($name:literal)*) => {
        &[$([
            concat!("Src.", $name),
            concat!("Src0.", $name),
            concat!("Src1.", $name),
            concat!("Src2.", $name),
        ],)*]
    };
}

/// The fields of a source; they get its number once it is known.
const SOURCE_FIELDS: &[[&str; 4]] = source_fields! {
    "Abs" "AddrImm" "AddrMode" "AddrSubReg" "DataType" "HorzStride" "Imm" "IsImm" "Neg" "RegFile"
    "RegNum" "SpecialAcc" "SubReg" "Swizzle" "VertStride" "Width"
};

impl EncodeError {
    fn field(&mut self) -> Option<&mut &'static str> {
        match self {
            Self::Field { field, .. }
            | Self::Type { field, .. }
            | Self::Number { field, .. }
            | Self::Form { field, .. } => Some(field),
            Self::Opcode { .. } | Self::Option { .. } | Self::NotCompactable { .. } => None,
        }
    }

    /// The error, with the number of the source concerned: `Src0` to `Src2`.
    #[cold]
    pub(super) fn of_source(mut self, source: &'static str) -> Self {
        let number = source.bytes().last().map(|digit| usize::from(digit & 3));
        if let (Some(field), Some(number)) = (self.field(), number) {
            let row = SOURCE_FIELDS.iter().find(|row| row[0] == *field);
            if let Some(name) = row.and_then(|row| row.get(1 + number)) {
                *field = name;
            }
        }
        self
    }

    /// The part of the instruction that has no encoding.
    pub fn place(mut self) -> Place {
        let Some(field) = self.field() else {
            return Place::Instruction;
        };
        match field.split('.').next() {
            Some("Dst") => Place::Dst,
            Some("Src0") => Place::Src(0),
            Some("Src1") => Place::Src(1),
            Some("Src2") => Place::Src(2),
            _ => Place::Instruction,
        }
    }
}

/// Types as in text.
struct List<'a>(&'a [Option<Type>]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ty in self.0.iter().flatten() {
            write!(f, " :{ty}")?;
        }
        Ok(())
    }
}
