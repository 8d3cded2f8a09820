//! A kernel as instructions with their places.

use alloc::vec::Vec;

use devinfo::Family;

use super::error::AnnotateError;
use crate::code::{decode, encode, traits};
use crate::model::{Instruction, Opcode, Options};

/// An instruction and its place.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Bytes from the start of the kernel.
    pub offset: usize,
    /// The instruction; branches count in bytes from it.
    pub instruction: Instruction,
}

/// The instructions of a kernel, in order.
#[derive(Clone, Debug)]
pub struct Program {
    family: Family,
    items: Vec<Placed>,
    end: usize,
    /// General registers of a thread, if known.
    registers: Option<u16>,
    /// Where the first bytes that are not an instruction are.
    unknown: Option<usize>,
    /// Zeros after the last instruction, too few for another.
    padding: usize,
}

impl Program {
    /// Instructions of 16 bytes, one behind the other.
    pub fn new(family: Family, instructions: &[Instruction]) -> Program {
        let items = instructions.iter().enumerate();
        let items = items.map(|(index, instruction)| Placed {
            offset: index * 16,
            instruction: *instruction,
        });
        Program {
            family,
            items: items.collect(),
            end: instructions.len() * 16,
            registers: None,
            unknown: None,
            padding: 0,
        }
    }

    /// The instructions in `code`. What cannot be decoded is left out, and control does not pass
    /// it; the zeros after a kernel are `illegal` instructions and also end it.
    pub fn decode(family: Family, code: &[u8]) -> Program {
        let mut items = Vec::new();
        let mut offset = 0;
        let mut unknown = None;
        while let Some(rest) = code.get(offset..).filter(|rest| rest.len() >= 8) {
            match decode(family, rest) {
                Ok((instruction, length)) => {
                    items.push(Placed {
                        offset,
                        instruction,
                    });
                    offset += length;
                }
                Err(_) if rest.iter().all(|byte| *byte == 0) => break,
                Err(_) => {
                    unknown.get_or_insert(offset);
                    // Bit 29 says how long it would be.
                    offset += if rest[3] & 0x20 != 0 { 8 } else { 16 };
                }
            }
        }
        let rest = code.get(offset..).unwrap_or_default();
        if rest.iter().any(|byte| *byte != 0) {
            unknown.get_or_insert(offset);
        }
        Program {
            family,
            items,
            end: offset.min(code.len()),
            registers: None,
            unknown,
            padding: rest.len(),
        }
    }

    /// The same for threads of this many general registers, 128 or 256: from XeHPC on a thread with
    /// 256 has twice as many scoreboard tokens.
    pub fn with_registers(self, registers: u16) -> Program {
        Program {
            registers: Some(registers),
            ..self
        }
    }

    /// The scoreboard tokens that every thread that may run this has.
    pub(super) fn tokens(&self) -> u8 {
        traits(self.family).tokens(Some(self.registers.unwrap_or(128)))
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The instructions.
    pub fn instructions(&self) -> &[Placed] {
        &self.items
    }

    /// The instruction after `index`, if control can reach it from there.
    pub(super) fn next(&self, index: usize) -> Option<usize> {
        let here = self.items.get(index)?;
        let next = self.items.get(index + 1)?;
        let short = here.instruction.options.contains(Options::COMPACTED);
        let length = if short { 8 } else { 16 };
        (next.offset == here.offset + length).then_some(index + 1)
    }

    /// Whether bytes that are not an instruction follow `index`.
    pub(crate) fn unknown_behind(&self, index: usize) -> bool {
        let Some(here) = self.items.get(index) else {
            return false;
        };
        let short = here.instruction.options.contains(Options::COMPACTED);
        let end = here.offset + if short { 8 } else { 16 };
        match self.items.get(index + 1) {
            Some(next) => next.offset != end,
            None => self.unknown.is_some_and(|unknown| unknown >= end),
        }
    }

    /// The instruction `distance` bytes from `index`; `None` if none begins there.
    pub(crate) fn target(&self, index: usize, distance: i32) -> Option<usize> {
        let here = self.items.get(index)?;
        let to = here
            .offset
            .checked_add_signed(isize::try_from(distance).ok()?)?;
        self.at(to)
    }

    /// The instruction at an offset.
    pub(crate) fn at(&self, offset: usize) -> Option<usize> {
        self.items
            .binary_search_by_key(&offset, |placed| placed.offset)
            .ok()
    }

    /// Puts instructions in front of others or removes them, and encodes the result: the code, and where
    /// each instruction of this program begins in it, with what is in front of it. Branches follow their
    /// targets; a target becomes the first of the instructions put in front of it.
    ///
    /// # Errors
    /// Something cannot be moved: bytes that are not an instruction, or a branch to where none
    /// begins.
    pub(super) fn encode_with(
        &self,
        mut change: impl FnMut(usize, &Instruction, &mut Vec<Instruction>) -> Option<Instruction>,
    ) -> Result<(Vec<u8>, Vec<usize>), AnnotateError> {
        if let Some(offset) = self.unknown {
            return Err(AnnotateError::NoInstruction { offset });
        }
        let length = |instruction: &Instruction| {
            let short = instruction.options.contains(Options::COMPACTED);
            if short { 8 } else { 16 }
        };
        // Some wait by an instruction of their own.
        let count = self.items.len() + self.items.len() / 4;
        let mut out: Vec<(Instruction, Option<usize>)> = Vec::with_capacity(count);
        let mut starts = Vec::with_capacity(self.items.len() + 1);
        let mut at = 0usize;
        let mut before = Vec::new();
        for (index, placed) in self.items.iter().enumerate() {
            let instruction = change(index, &placed.instruction, &mut before);
            starts.push(at);
            for inserted in before.drain(..) {
                at += length(&inserted);
                out.push((inserted, None));
            }
            if let Some(instruction) = instruction {
                at += length(&instruction);
                out.push((instruction, Some(index)));
            }
        }
        starts.push(at);
        let mut code = Vec::with_capacity(at);
        for (mut instruction, index) in out {
            if let Some(index) = index
                && instruction.opcode != Opcode::Calla
                && let crate::model::Specific::Branch(branch) = &mut instruction.specific
            {
                for target in [&mut branch.jip, &mut branch.uip] {
                    if let Some(distance) = target {
                        let to = self.moved(index, *distance, &starts);
                        let moved = to.map(|to| i32::try_from(to as i64 - code.len() as i64));
                        let Some(Ok(moved)) = moved else {
                            let offset = self.items.get(index).map_or(0, |item| item.offset);
                            return Err(AnnotateError::Target {
                                offset,
                                distance: *distance,
                            });
                        };
                        *target = Some(moved);
                    }
                }
            }
            let (bytes, length) = encode(self.family, &instruction)?;
            code.extend_from_slice(&bytes[..length]);
        }
        code.resize(code.len() + self.padding, 0);
        // Where the end is.
        starts.pop();
        Ok((code, starts))
    }

    /// Where a branch target is once the instructions begin at `starts`.
    fn moved(&self, index: usize, distance: i32, starts: &[usize]) -> Option<usize> {
        let here = self.items.get(index)?.offset;
        let to = here.checked_add_signed(isize::try_from(distance).ok()?)?;
        if to == self.end {
            return starts.last().copied();
        }
        starts.get(self.at(to)?).copied()
    }
}
