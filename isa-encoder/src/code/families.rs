//! The table of each family: its row, and what is generated from it.

use devinfo::Family;

use super::family::FamilyTable;
use super::{opcodes, rows};
use crate::message::sfid_table;
use crate::model::{MathFunction, Opcode, SyncFunction};

/// The families, in the order of [`Family::ALL`].
pub static FAMILIES: [FamilyTable; Family::COUNT] = {
    let mut all = [table(Family::ALL[0]); Family::COUNT];
    let mut i = 1;
    while i < all.len() {
        all[i] = table(Family::ALL[i]);
        i += 1;
    }
    all
};

/// A family's row, with the tables generated from its opcodes, functions and registers.
const fn table(family: Family) -> FamilyTable {
    let row = rows::of(family);
    FamilyTable {
        family,
        opcodes: opcodes::decode_table(family),
        codes: opcodes::encode_table(family),
        attributes: Opcode::attribute_table(Some(family)),
        math_functions: MathFunction::table(family),
        sync_functions: SyncFunction::table(family),
        sfids: sfid_table(family),
        arf_kinds: row.arfs.by_code(),
        ..row
    }
}

/// The row of a family.
#[inline]
pub fn traits(family: Family) -> &'static FamilyTable {
    &FAMILIES[family.index()]
}
