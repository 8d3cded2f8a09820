//! Addresses in code that are known when a program is loaded.
//!
//! Selection writes a number for each half of such an address, which nothing else in the code is;
//! the places of these numbers are found in the finished code.

use devinfo::Family;
use isa_encoder::{Opcode, Src, decode};

use crate::ir::{Def, Function, Symbol};

/// Half of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Of what.
    pub of: Symbol,
    /// The upper half.
    pub high: bool,
}

/// Where half of an address goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The byte in the code.
    pub at: u32,
    /// The address.
    pub of: Use,
}

/// The first number to try: the one that IGC writes.
const FIRST: u32 = 0x6e10_ca2e;
/// The byte of an instruction where an immediate of 32 bits is.
const IMMEDIATE: u32 = 12;

/// A number from which on `count` are no constant of a function.
pub fn unused(function: &Function, count: u32) -> u32 {
    let constants: Vec<u32> = function
        .values
        .iter()
        .filter_map(|(_, def)| match def {
            Def::Const(bits) => Some([*bits as u32, (bits >> 32) as u32]),
            _ => None,
        })
        .flatten()
        .collect();
    let mut first = FIRST;
    while let Some(taken) = constants
        .iter()
        .find(|bits| (first..first + count).contains(bits))
    {
        first = taken.wrapping_add(1).max(1);
    }
    first
}

/// The places of `first` and the numbers that follow it.
///
/// # Errors
/// A number that is not there once.
pub fn find(
    code: &[u8],
    family: Family,
    first: u32,
    uses: &[Use],
) -> Result<Vec<Relocation>, String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = code
        .get(at..)
        .filter(|rest| !rest.is_empty() && !uses.is_empty())
    {
        let (instruction, length) = decode(family, rest).map_err(|error| error.to_string())?;
        if instruction.opcode == Opcode::Mov
            && let Some(Src::Immediate { value, .. }) = instruction.src.first()
            && let Some(of) = (*value as u32)
                .checked_sub(first)
                .and_then(|index| uses.get(index as usize))
        {
            found.push(Relocation {
                at: at as u32 + IMMEDIATE,
                of: *of,
            });
        }
        at += length.max(8);
    }
    match found.len() == uses.len() {
        true => Ok(found),
        false => Err(format!(
            "{} of {} addresses are in the code",
            found.len(),
            uses.len()
        )),
    }
}
