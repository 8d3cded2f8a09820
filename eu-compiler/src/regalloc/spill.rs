//! Spilled registers: the code with loads and stores of scratch memory, and short-lived registers
//! between them.
//!
//! Whole registers go to memory whatever the execution mask. A register that is written in part is
//! loaded first, so that lanes that wait keep what they have.

use std::collections::BTreeMap;

use isa_encoder::{Opcode, Type as M};

use super::lives::{Life, Use, Uses};
use crate::code::{Code, Inst, Operand, Place, SpillData, Var, What};
use crate::target::Target;

/// The most registers of one message: 256 bytes.
const MESSAGE: u32 = 256;

/// Scratch memory of a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Bytes that are used.
    pub size: u32,
    /// The register that says where it is.
    header: Option<Var>,
    /// The last instruction that sets it.
    start: u32,
}

/// Registers between a load and a store.
struct Segment {
    /// Groups of instructions, from the first to the last.
    first: u32,
    last: u32,
    bytes: std::ops::Range<u32>,
    uses: std::ops::Range<usize>,
    /// The group of the last write.
    stores: Option<u32>,
    loads: bool,
}

impl Scratch {
    /// Puts `spilled` into memory: up to `gap` instructions between two uses it stays in registers.
    pub fn rewrite(
        &mut self,
        code: &mut Code,
        uses: &Uses,
        lives: &[Life],
        spilled: &[usize],
        gap: u32,
        target: &Target,
    ) {
        let grf = target.grf();
        let mut before: Vec<(u32, Inst)> = Vec::new();
        let mut behind: Vec<(u32, Inst)> = Vec::new();
        // In which place a use names which register instead.
        let mut instead: Vec<(u32, Var, Var, u32)> = Vec::new();
        let start = self.start;
        let header = self.header(code, target, &mut behind);
        let blocks = blocks(code);
        let ends = group_ends(uses);
        let slots = self.slots(code, lives, spilled, grf);
        let by_var: BTreeMap<usize, &Life> = lives.iter().map(|l| (l.var, l)).collect();
        for (&var, offset) in spilled.iter().zip(slots) {
            let list = uses.of(var);
            let data = code.vars[var];
            let earlier = by_var.get(&var).is_none_or(|life| life.earlier);
            if let Some(byte) = data.fixed {
                // What the thread starts with is stored at once.
                let given = code.var(data.size, 4);
                code.vars[given.index()].fixed = Some(byte);
                code.vars[given.index()].stays = true;
                let all = 0..data.size.next_multiple_of(grf);
                let place = Place {
                    var: given,
                    byte: 0,
                };
                let stores = Transfer {
                    stores: true,
                    place,
                    bytes: all,
                    offset,
                    header,
                };
                stores.emit(code, target, |inst| behind.push((start, inst)));
            }
            let segments = segments(list, uses, &blocks, gap, grf, data.size);
            for (number, segment) in segments.iter().enumerate() {
                let covered = |used: &Use| used.covers && used.bytes == segment.bytes;
                let starts = number == 0 && !earlier && data.fixed.is_none();
                let loads = segment.loads && !starts && !covered(&list[segment.uses.start]);
                let size = segment.bytes.end - segment.bytes.start;
                let temporary = code.var(size, data.align.max(grf));
                code.vars[temporary.index()].stays = segment.first == segment.last;
                for used in &list[segment.uses.clone()] {
                    instead.push((used.at, Var(var as u32), temporary, segment.bytes.start));
                }
                let place = Place {
                    var: temporary,
                    byte: 0,
                };
                let transfer = |stores| Transfer {
                    stores,
                    place,
                    bytes: segment.bytes.clone(),
                    offset,
                    header,
                };
                if loads {
                    let to = |inst| before.push((segment.first, inst));
                    transfer(false).emit(code, target, to);
                }
                if let Some(group) = segment.stores {
                    let at = ends[group as usize];
                    transfer(true).emit(code, target, |inst| behind.push((at, inst)));
                }
            }
        }
        assemble(code, before, behind, instead);
    }

    /// The register that messages need beside the data. It is set where the code begins.
    fn header(&mut self, code: &mut Code, target: &Target, behind: &mut Vec<(u32, Inst)>) -> Place {
        let place = |var| Place { var, byte: 0 };
        if let Some(var) = self.header {
            return place(var);
        }
        let grf = target.grf();
        let r0 = code.var(grf, 4);
        code.vars[r0.index()].fixed = Some(0);
        code.vars[r0.index()].stays = true;
        let var = match target.caps.scratch_blocks {
            true => r0,
            false => {
                // Dword 0 is the middle of what offsets reach; dword 1 the surface.
                let var = code.var(grf, grf);
                code.vars[var.index()].stays = true;
                let dword = |var, index: u32| Operand::Var {
                    place: Place {
                        var,
                        byte: 4 * index,
                    },
                    ty: M::Ud,
                    stride: 0,
                    neg: false,
                    abs: false,
                };
                let field = devinfo::thread::SCRATCH;
                let mut one = |opcode, dst, srcs: [Option<Operand>; 3]| {
                    let mut inst = Inst::new(What::Alu(opcode), 1);
                    inst.no_mask = true;
                    inst.dst = Some(dst);
                    inst.srcs = srcs;
                    behind.push((0, inst));
                    self.start += 1;
                };
                let middle = Operand::Imm(i64::from(MIDDLE), M::Ud);
                one(Opcode::Mov, dword(var, 0), [Some(middle), None, None]);
                let mask = Operand::Imm(i64::from(field.mask), M::Ud);
                let base = dword(r0, field.dword as u32);
                one(Opcode::And, dword(var, 1), [Some(base), Some(mask), None]);
                // From units of 64 bytes in bits 31:10 to bytes.
                let by = Operand::Imm(4, M::Uw);
                let surface = dword(var, 1);
                one(Opcode::Shr, surface, [Some(surface), Some(by), None]);
                var
            }
        };
        self.header = Some(var);
        place(var)
    }

    /// Places in memory; lives that do not meet share them.
    fn slots(&mut self, code: &Code, lives: &[Life], spilled: &[usize], grf: u32) -> Vec<u32> {
        let mut wanted = vec![false; code.vars.len()];
        for var in spilled {
            wanted[*var] = true;
        }
        let mut places = vec![0; code.vars.len()];
        let mut free: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut busy: std::collections::BinaryHeap<_> = Default::default();
        for life in lives.iter().filter(|life| wanted[life.var]) {
            while let Some(&std::cmp::Reverse((last, size, offset))) = busy.peek()
                && last < life.first
            {
                busy.pop();
                free.entry(size).or_default().push(offset);
            }
            let size = code.vars[life.var].size.next_multiple_of(grf);
            let offset = free.get_mut(&size).and_then(Vec::pop).unwrap_or_else(|| {
                self.size += size;
                self.size - size
            });
            places[life.var] = offset;
            busy.push(std::cmp::Reverse((life.last, size, offset)));
        }
        spilled.iter().map(|var| places[*var]).collect()
    }
}

/// What dword 0 of the register that finds the scratch surface has: offsets in messages are signed.
pub const MIDDLE: i32 = (super::MOST_SCRATCH / 2) as i32;

/// The block of each instruction.
pub fn blocks(code: &Code) -> Vec<u32> {
    let mut block = 0;
    let mut out = Vec::with_capacity(code.insts.len());
    for inst in &code.insts {
        block += u32::from(matches!(inst.what, What::Label(..)));
        out.push(block);
        block += u32::from(inst.branches());
    }
    out
}

/// The last instruction of each group, by the group's first.
fn group_ends(uses: &Uses) -> Vec<u32> {
    let mut ends: Vec<u32> = (0..uses.groups.len() as u32).collect();
    for (at, group) in uses.groups.iter().enumerate() {
        ends[*group as usize] = at as u32;
    }
    ends
}

/// The uses that share registers.
fn segments(
    list: &[Use],
    uses: &Uses,
    blocks: &[u32],
    gap: u32,
    grf: u32,
    size: u32,
) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    for (index, used) in list.iter().enumerate() {
        let group = uses.groups[used.at as usize];
        let end = used.bytes.end.next_multiple_of(grf);
        let bytes = used.bytes.start / grf * grf..end;
        let near = |segment: &Segment| {
            group <= segment.last + gap && blocks[group as usize] == blocks[segment.last as usize]
                || group == segment.last
        };
        match out.last_mut().filter(|last| near(last)) {
            Some(last) => {
                last.last = group;
                last.bytes = last.bytes.start.min(bytes.start)..last.bytes.end.max(bytes.end);
                last.uses.end = index + 1;
                if used.writes {
                    last.stores = Some(group);
                }
            }
            None => out.push(Segment {
                first: group,
                last: group,
                bytes,
                uses: index..index + 1,
                stores: used.writes.then_some(group),
                loads: true,
            }),
        }
    }
    for segment in &mut out {
        // A part of a register is alone in its slot.
        let covers = |used: &Use| {
            used.covers && used.bytes.start == 0 && used.bytes.end == size && size < grf
        };
        segment.loads = !covers(&list[segment.uses.start]);
    }
    out
}

/// A load or store.
struct Transfer {
    stores: bool,
    place: Place,
    bytes: std::ops::Range<u32>,
    /// Of the whole virtual register, in scratch memory.
    offset: u32,
    header: Place,
}

impl Transfer {
    fn emit(&self, code: &mut Code, target: &Target, mut push: impl FnMut(Inst)) {
        let grf = target.grf();
        let mut byte = self.bytes.start;
        while byte < self.bytes.end {
            let left = (self.bytes.end - byte).min(MESSAGE) / grf;
            let count = 1 << left.max(1).ilog2();
            let mut data = Place {
                var: self.place.var,
                byte: self.place.byte + byte - self.bytes.start,
            };
            let mut header = self.header;
            if self.stores && !target.two_payloads() {
                // One payload has both.
                let both = code.var((count + 1) * grf, grf);
                code.vars[both.index()].stays = true;
                copy(header, Place { var: both, byte: 0 }, grf, &mut push);
                let to = Place {
                    var: both,
                    byte: grf,
                };
                copy(data, to, count * grf, &mut push);
                header = Place { var: both, byte: 0 };
                data = to;
            }
            let mut inst = Inst::new(
                What::Spill(SpillData {
                    stores: self.stores,
                    data: (data, count as u8),
                    offset: self.offset + byte,
                    header,
                }),
                1,
            );
            inst.no_mask = true;
            push(inst);
            byte += count * grf;
        }
    }
}

/// Copies bytes, 64 at most in an instruction.
pub(super) fn copy(from: Place, to: Place, bytes: u32, push: &mut impl FnMut(Inst)) {
    let mut done = 0;
    while done < bytes {
        let step = (bytes - done).min(64);
        let operand = |place: Place| Operand::Var {
            place: Place {
                var: place.var,
                byte: place.byte + done,
            },
            ty: M::Ud,
            stride: 1,
            neg: false,
            abs: false,
        };
        let mut inst = Inst::new(What::Alu(Opcode::Mov), (step / 4) as u8);
        inst.no_mask = true;
        inst.dst = Some(operand(to));
        inst.srcs[0] = Some(operand(from));
        push(inst);
        done += step;
    }
}

/// Puts new instructions between the old ones, which name other registers now.
pub(super) fn assemble(
    code: &mut Code,
    mut before: Vec<(u32, Inst)>,
    mut behind: Vec<(u32, Inst)>,
    mut instead: Vec<(u32, Var, Var, u32)>,
) {
    before.sort_by_key(|(at, _)| *at);
    behind.sort_by_key(|(at, _)| *at);
    instead.sort_by_key(|(at, ..)| *at);
    let mut before = before.into_iter().peekable();
    let mut behind = behind.into_iter().peekable();
    let mut instead = instead.into_iter().peekable();
    let old = std::mem::take(&mut code.insts);
    let mut moved = Vec::with_capacity(old.len());
    for (at, mut inst) in old.into_iter().enumerate() {
        let at = at as u32;
        while let Some((_, inst)) = before.next_if(|(place, _)| *place == at) {
            code.insts.push(inst);
        }
        let mut others = Vec::new();
        while let Some((_, from, to, start)) = instead.next_if(|(place, ..)| *place == at) {
            others.push((from, to, start));
        }
        inst.places(|place| {
            if let Some((_, to, start)) = others.iter().find(|(from, ..)| *from == place.var) {
                place.var = *to;
                place.byte -= start;
            }
        });
        let gone = |var: &Var| others.iter().any(|(from, ..)| from == var);
        moved.push(code.insts.len());
        match inst.what {
            What::Define(var) if gone(&var) => {}
            _ => code.insts.push(inst),
        }
        while let Some((_, inst)) = behind.next_if(|(place, _)| *place == at) {
            code.insts.push(inst);
        }
    }
    let end = code.insts.len().saturating_sub(1);
    for (_, first, last) in &mut code.loops {
        *first = moved[*first];
        *last = moved.get(*last + 1).map_or(end, |next| next - 1);
    }
}
