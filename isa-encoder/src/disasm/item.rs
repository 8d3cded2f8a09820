//! How much of an instruction its text says, and the bits beside it.

use alloc::string::String;

use devinfo::Family;

use super::print;
use crate::code::{OddBits, decode, encode, traits};
use crate::model::{
    Attributes, Dst, Flag, Format as OpcodeFormat, Instruction, Opcode, Options, Register, Src,
    SrcMods, Type,
};

/// The instruction in these bytes as far as text can express it, and the bits that it cannot; or
/// why they are not an instruction.
pub(super) fn item(family: Family, bytes: &[u8]) -> Result<(Instruction, OddBits), String> {
    let mut instruction = match decode(family, bytes) {
        Ok((instruction, _)) => instruction,
        Err(error) => return Err(alloc::format!("{error}")),
    };
    tell(family, &mut instruction);
    match encode(family, &instruction) {
        Ok((plain, length)) if plain.get(..length) == Some(bytes) => {
            Ok((instruction, OddBits::NONE))
        }
        _ => odd_item(family, instruction, bytes),
    }
}

/// An instruction whose text does not reproduce the bytes, with the bits that differ.
#[cold]
fn odd_item(
    family: Family,
    mut instruction: Instruction,
    bytes: &[u8],
) -> Result<(Instruction, OddBits), String> {
    drop_ignored(family, &mut instruction);
    if instruction.opcode == Opcode::Illegal {
        return Err(String::from("illegal, with bits of something else"));
    }
    let why = match OddBits::of(family, &instruction, bytes) {
        Ok(Some(odd)) => return Ok((instruction, odd)),
        Ok(None) => String::from("the short form is not the one of its long form"),
        Err(error) => alloc::format!("{error}"),
    };
    let mut text = String::new();
    print::instruction(&mut text, family, &instruction, &print::Distances);
    Err(alloc::format!("{text}: {why}"))
}

/// Reduces an instruction to what its text says.
fn tell(family: Family, instruction: &mut Instruction) {
    let table = traits(family);
    let opcode = instruction.opcode;
    // Sub-registers count elements.
    let align = |reg: &mut Register, ty: Type| {
        let unit = table.subregister_bits(reg.file, ty).div_ceil(8) as u8;
        if unit > 1 {
            reg.byte -= reg.byte % unit;
        }
    };
    // The regions of some macros are implied.
    let fixed = table.align16 || opcode == Opcode::Madm;
    for index in 0..instruction.src.len() {
        let implied = match instruction.src[index] {
            Src::Macro { ty, .. } if fixed => Some(table.macro_region(instruction, index, ty)),
            _ => None,
        };
        match &mut instruction.src[index] {
            Src::Direct { reg, ty, .. } => align(reg, *ty),
            Src::Macro { region, .. } => *region = implied.unwrap_or(*region),
            _ => {}
        }
    }
    match &mut instruction.dst {
        Dst::Direct { reg, hstride, ty } => {
            align(reg, *ty);
            *hstride = (*hstride).max(1);
        }
        Dst::Macro { hstride, .. } if table.align16 => *hstride = table.macro_stride(opcode),
        Dst::Indirect { hstride, .. } | Dst::Macro { hstride, .. } => *hstride = (*hstride).max(1),
        Dst::None => {}
    }
    match opcode.format() {
        // Text has one register, where bytes have two.
        OpcodeFormat::Wait => instruction.dst = table.wait_destination(&instruction.src[0]),
        OpcodeFormat::Send => tell_send(instruction),
        // A mask has no type, and there are no channels.
        OpcodeFormat::Sync => {
            instruction.exec_size = 1;
            instruction.channel_offset = 0;
            if let Src::Direct { ty, .. } | Src::Immediate { ty, .. } = &mut instruction.src[0] {
                *ty = Type::Ud;
            }
        }
        _ if opcode == Opcode::Jmpi => {
            instruction.no_mask = true;
            instruction.channel_offset = 0;
        }
        _ => {}
    }
    if opcode.is_branch()
        && let Src::Direct { mods, .. } = &mut instruction.src[0]
    {
        *mods = SrcMods::NONE;
    }
    // A flag is only kept if something uses it.
    if instruction.predicate.is_none() && instruction.cond.is_none() {
        instruction.flag = Flag::default();
    }
}

/// Payloads are whole registers without modifiers; indirect ones have no type.
fn tell_send(instruction: &mut Instruction) {
    instruction.swsb.no_acc_set = false;
    match &mut instruction.dst {
        Dst::Direct { reg, hstride, .. } => {
            reg.byte = 0;
            *hstride = 1;
        }
        Dst::Indirect { hstride, ty, .. } => {
            *hstride = 1;
            *ty = Type::Ud;
        }
        Dst::None | Dst::Macro { .. } => {}
    }
    match &mut instruction.src[0] {
        Src::Direct { reg, mods, .. } => {
            if !reg.is_scalar() {
                reg.byte = 0;
            }
            *mods = SrcMods::NONE;
        }
        Src::Indirect { ty, mods, .. } => {
            *ty = Type::Ud;
            *mods = SrcMods::NONE;
        }
        _ => {}
    }
}

/// Drops what has bits in the encoding but no meaning for the opcode.
fn drop_ignored(family: Family, instruction: &mut Instruction) {
    let table = traits(family);
    let opcode = instruction.opcode;
    instruction.options &= table.options(opcode) | Options::COMPACTED;
    instruction.saturate &= table.has(opcode, Attributes::SATURATION);
    if !opcode.has(Attributes::PREDICATE) {
        instruction.predicate = None;
    }
    if !opcode.has(Attributes::CONDITION) && opcode != Opcode::Math {
        instruction.cond = None;
    }
    tell(family, instruction);
}
