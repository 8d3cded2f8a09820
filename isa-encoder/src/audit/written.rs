//! Registers that are read and that nothing has written.

use alloc::string::String;
use alloc::vec::Vec;

use super::auditor::Audit;
use super::walk::message;
use crate::message::{Direction, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, Message};
use crate::model::semantics::{Flow as Kind, Semantics};
use crate::model::{Attributes, Dst, Instruction, Opcode, Specific, Src};
use crate::swsb::{Access, Space, View, accesses};

/// The bytes of all registers: general ones, flags, a0, accumulators.
const GENERAL: usize = 256 * 64;
const FLAGS: usize = GENERAL;
const ADDRESS: usize = FLAGS + 16;
const ACCUMULATORS: usize = ADDRESS + 48;
const BYTES: usize = ACCUMULATORS + 16 * 64;

/// Bytes that may have been written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn none() -> Self {
        Self(alloc::vec![0; BYTES.div_ceil(64)])
    }

    fn add(&mut self, from: usize, to: usize) {
        for byte in from..to.min(BYTES) {
            if let Some(word) = self.0.get_mut(byte / 64) {
                *word |= 1 << (byte % 64);
            }
        }
    }

    fn has_any(&self, from: usize, to: usize) -> bool {
        (from..to.min(BYTES)).any(|byte| {
            let word = self.0.get(byte / 64).copied().unwrap_or_default();
            word >> (byte % 64) & 1 != 0
        })
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            changed |= *own | other != *own;
            *own |= other;
        }
        changed
    }
}

/// The bytes of an access, if its space is judged.
fn span(access: &Access) -> Option<(usize, usize)> {
    let base = match access.space {
        Space::Grf => 0,
        Space::Flag => FLAGS,
        Space::Address => ADDRESS,
        Space::Accumulator => ACCUMULATORS,
        _ => return None,
    };
    Some((
        base + usize::from(access.start),
        base + usize::from(access.end),
    ))
}

impl Audit<'_> {
    /// Reports operands, and registers of payloads, of which no path here has written a byte.
    pub(super) fn written(&mut self) {
        let Some(payload) = self.declared.payload else {
            return;
        };
        let mut first = Set::none();
        first.add(0, payload as usize);
        let states = self.states(first, |index, state| self.write(index, state), Set::join);
        let mut found: Vec<(usize, String)> = Vec::new();
        for (block, state) in self.flow.blocks.iter().zip(states) {
            let Some(mut state) = state else {
                continue;
            };
            for index in block.start..block.end {
                found.extend(self.unwritten(index, &state).map(|what| (index, what)));
                self.write(index, &mut state);
            }
        }
        for (index, what) in found {
            self.report(index, "uninitialised register", what);
        }
    }

    fn write(&self, index: usize, state: &mut Set) {
        let Some(instruction) = self.instruction(index) else {
            return;
        };
        let elsewhere = matches!(
            (instruction.opcode.semantics(), &instruction.specific),
            (Semantics::Flow(Kind::Call { .. }), Specific::Branch(branch)) if branch.jip.is_none()
        );
        // What a function that is not in the text writes is not known.
        if elsewhere || matches!(instruction.dst, Dst::Indirect { .. }) {
            state.add(0, BYTES);
        }
        // Carries and products go there without AccWrEn, too.
        if instruction.opcode.has(Attributes::WRITES_ACC) {
            state.add(ACCUMULATORS, BYTES);
        }
        for (access, _) in accesses(self.program.family(), View::Sure, instruction).iter() {
            if let Some((from, to)) = span(&access).filter(|_| access.write) {
                state.add(from, to);
            }
        }
    }

    /// What the instruction reads and nothing has written.
    fn unwritten(&self, index: usize, state: &Set) -> Option<String> {
        let instruction = self.instruction(index)?;
        if is_idiom(instruction) {
            return None;
        }
        let grf = self.program.family().grf_bytes();
        let saved = self.saved(instruction);
        let padding = self.padding(instruction).unwrap_or_default();
        for (access, _) in accesses(self.program.family(), View::Sure, instruction).iter() {
            let Some((from, to)) = span(&access).filter(|_| !access.write) else {
                continue;
            };
            // Code keeps and combines flags of which it uses some bits.
            let combined = access.space == Space::Flag && instruction.predicate.is_none();
            if saved == Some(from) || combined {
                continue;
            }
            // A message of few channels leaves most of its registers alone.
            let filled = usize::from(instruction.exec_size) * 4 >= grf;
            let whole = access.space == Space::Grf && instruction.opcode.is_send() && filled;
            let step = if whole { grf } else { to - from };
            let mut at = from;
            while at < to {
                let needed = access.space != Space::Grf || !padding.contains(&at);
                if needed && !state.has_any(at, (at + step).min(to)) {
                    let name = match access.space {
                        Space::Grf => alloc::format!("r{}.{}", at / grf, at % grf),
                        Space::Flag => {
                            alloc::format!("f{}.{}", (at - FLAGS) / 4, (at - FLAGS) % 4 / 2)
                        }
                        Space::Accumulator => {
                            let at = at - ACCUMULATORS;
                            alloc::format!("acc{}.{}", at / grf, at % grf)
                        }
                        _ => alloc::format!("a0.{}", (at - ADDRESS) / 2),
                    };
                    return Some(alloc::format!(
                        "it reads {name}, of which no path here has written a byte"
                    ));
                }
                at += step.max(1);
            }
        }
        None
    }
}

impl Audit<'_> {
    /// The last of four elements that a message stores for each channel: vectors of three have nothing
    /// there.
    fn padding(&self, instruction: &Instruction) -> Option<core::ops::Range<usize>> {
        let element = match message(self.program, instruction)? {
            Message::Hdc(Hdc::Untyped {
                direction: Direction::Write,
                components: 0b1111,
                ..
            }) => 4,
            Message::Lsc(
                Lsc::Vector {
                    direction: Direction::Write,
                    transpose: false,
                    elements: 4,
                    data,
                    ..
                }
                | Lsc::Quad {
                    direction: Direction::Write,
                    components: 0b1111,
                    data,
                    ..
                },
            ) => data.register_bytes(),
            _ => return None,
        };
        let send = instruction.send()?;
        let (first, length) = match instruction.src {
            [_, Src::Direct { reg, .. }, _] if !reg.is_null() => (reg, send.src1_len?),
            [Src::Direct { reg, .. }, ..] => (reg, send.src0_len()?),
            _ => return None,
        };
        let grf = self.program.family().grf_bytes();
        let end = (usize::from(first.number) + usize::from(length)) * grf;
        let last = (usize::from(instruction.exec_size) * element).next_multiple_of(grf);
        Some(end.saturating_sub(last)..end)
    }

    /// Where the registers begin that a block write saves in stateless memory: a function saves its
    /// caller's, whether they hold something or not.
    fn saved(&self, instruction: &Instruction) -> Option<usize> {
        let stores = matches!(
            message(self.program, instruction)?,
            Message::Hdc(
                Hdc::OwordBlock {
                    direction: Direction::Write,
                    address: HdcAddress::A64 { .. } | HdcAddress::A32(HdcSurface::Stateless { .. }),
                    ..
                } | Hdc::HwordBlock {
                    direction: Direction::Write,
                    ..
                } | Hdc::ScratchBlock {
                    direction: Direction::Write,
                    ..
                }
            ) | Message::Lsc(Lsc::Vector {
                direction: Direction::Write,
                address: LscAddress::Flat { .. } | LscAddress::Ss { .. },
                transpose: true,
                ..
            })
        );
        match instruction.src[1] {
            Src::Direct { reg, .. } if stores => {
                Some(usize::from(reg.number) * self.program.family().grf_bytes())
            }
            _ => None,
        }
    }
}

/// Whether what an instruction reads does not matter: a move only copies it, `xor r, r` gives 0, and
/// `cmp r, r` compares equal. Where a copy is used, the reader is judged while it runs.
fn is_idiom(instruction: &Instruction) -> bool {
    let [first, second, _] = &instruction.src;
    match instruction.opcode {
        Opcode::Mov => instruction.cond.is_none(),
        Opcode::Xor | Opcode::Cmp | Opcode::Csel => first == second,
        _ => false,
    }
}
