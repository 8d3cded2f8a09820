//! What a thread starts with.

use isa_encoder::{ArfKind, Opcode, Type as M};

use super::{Loc, Selector, at};
use crate::code::{Inst, Operand, Place, What};
use crate::ir::{Input, Type, Value};
use crate::relocate;

/// The bits of cr0.0 that keep denormal numbers.
const DENORMALS: [(Type, i64); 3] = [
    (Type::F16, 1 << 10),
    (Type::F32, 1 << 7),
    (Type::F64, 1 << 6),
];

impl Selector<'_> {
    /// A thread begins with none of them set.
    pub(super) fn keep_denormals(&mut self) {
        let flushed = &self.function.flushed;
        let kept = DENORMALS.iter().filter(|(ty, _)| !flushed.contains(ty));
        let kept: i64 = kept.map(|(_, bit)| bit).sum();
        if kept == 0 {
            return;
        }
        let control = Operand::Arf(ArfKind::Control, 0, 0, M::Ud, 0);
        self.one(Opcode::Or, control, &[control, Operand::Imm(kept, M::Uw)]);
    }

    pub(super) fn input(&mut self, input: Input, result: Value) -> Result<(), String> {
        let grf = self.target.grf();
        match input {
            Input::Payload(offset) => {
                let byte = self.target.payload_byte(self.code.local_ids, offset);
                let register = byte / grf * grf;
                let var = self.fixed(register, grf);
                let place = Place {
                    var,
                    byte: byte - register,
                };
                let from = Loc { place, pitch: 0 };
                let ty = self.function.ty(result);
                if place.byte.is_multiple_of(4) {
                    self.set(result, from);
                } else {
                    // Operations take whole dwords.
                    let to = self.result(result);
                    self.one(
                        Opcode::Mov,
                        at(to, M::Ud),
                        &[at(from, super::machine(ty.integer(), false))],
                    );
                }
            }
            Input::GroupId(dim) => {
                let dword = devinfo::thread::GROUP
                    .get(usize::from(dim))
                    .ok_or("a work-group has three dimensions")?
                    .dword;
                let var = self.fixed(0, grf);
                let place = Place {
                    var,
                    byte: 4 * dword as u32,
                };
                self.set(result, Loc { place, pitch: 0 });
            }
            Input::LocalId(dim) => {
                let bytes = self.target.local_id_bytes();
                let var = self.fixed(grf + u32::from(dim) * bytes, bytes);
                let words = Loc {
                    place: Place { var, byte: 0 },
                    pitch: 2,
                };
                if self.is_short(result) {
                    self.set(result, words);
                    return Ok(());
                }
                let to = self.result(result);
                self.alu(Opcode::Mov, at(to, M::Ud), &[at(words, M::Uw)]);
            }
            Input::Lane => {
                let to = self.result(result);
                let words = self.lane_numbers();
                self.lanes(
                    What::Alu(Opcode::Mov),
                    Some(at(to, M::Ud)),
                    &[words],
                    false,
                    |_| {},
                );
            }
            Input::DispatchMask => {
                let to = self.result(result);
                let state = Operand::Arf(ArfKind::State, 0, 2, M::Ud, 0);
                self.one(Opcode::Mov, at(to, M::Ud), &[state]);
            }
            Input::Address { of, high } => {
                let number = self.code.first_address + self.code.addresses.len() as u32;
                self.code.addresses.push(relocate::Use { of, high });
                let to = self.result(result);
                let number = Operand::Imm(number.into(), M::Ud);
                self.one(Opcode::Mov, at(to, M::Ud), &[number]);
            }
            Input::Slot => self.slot(result),
        }
        Ok(())
    }

    /// The thread's slot: in r0, or put together from the state register.
    fn slot(&mut self, result: Value) {
        let to = self.result(result);
        let dst = at(to, M::Ud);
        if !self.target.caps.loads_payload {
            let field = devinfo::thread::SLOT;
            let header = self.header(field.dword as u32);
            let mask = Operand::Imm(i64::from(field.mask), M::Uw);
            self.one(Opcode::And, dst, &[header, mask]);
            return;
        }
        let state = Operand::Arf(ArfKind::State, 0, 0, M::Ud, 0);
        let all = self.scalar(Type::I32);
        self.one(Opcode::Mov, at(all, M::Ud), &[state]);
        self.one(Opcode::Mov, dst, &[Operand::Imm(0, M::Uw)]);
        for part in devinfo::thread::slot_parts(self.target.platform.family) {
            let bits = self.scalar(Type::I32);
            let bits = at(bits, M::Ud);
            let number = |n: u32| Operand::Imm(i64::from(n), M::Uw);
            self.one(Opcode::Shr, bits, &[at(all, M::Ud), number(part.from)]);
            self.one(Opcode::And, bits, &[bits, number((1 << part.bits) - 1)]);
            self.one(Opcode::Mul, bits, &[bits, number(part.slots)]);
            self.one(Opcode::Add, dst, &[dst, bits]);
        }
    }

    /// The numbers of all lanes, as words.
    pub(super) fn lane_numbers(&mut self) -> Operand {
        let size = (2 * self.target.simd).next_multiple_of(self.target.grf());
        let var = self.code.var(size, self.target.grf());
        let loc = |lane: u32| Loc {
            place: Place {
                var,
                byte: 2 * lane,
            },
            pitch: 2,
        };
        let first = Operand::Imm(0x7654_3210, M::V);
        self.raw(
            What::Alu(Opcode::Mov),
            8,
            0,
            true,
            Some(at(loc(0), M::Uw)),
            &[first],
            |_: &mut Inst| {},
        );
        let mut count = 8;
        while count < self.target.simd {
            let (from, to) = (at(loc(0), M::Uw), at(loc(count), M::Uw));
            let step = Operand::Imm(i64::from(count), M::Uw);
            self.some_lanes(
                What::Alu(Opcode::Add),
                Some(to),
                &[from, step],
                true,
                count,
                |_| {},
            );
            count *= 2;
        }
        at(loc(0), M::Uw)
    }

    /// A dword of r0.
    pub(super) fn header(&mut self, dword: u32) -> Operand {
        let var = self.fixed(0, self.target.grf());
        let place = Place {
            var,
            byte: 4 * dword,
        };
        at(Loc { place, pitch: 0 }, M::Ud)
    }

    /// All dwords of r0.
    pub(super) fn header_lanes(&mut self) -> Loc {
        let var = self.fixed(0, self.target.grf());
        Loc {
            place: Place { var, byte: 0 },
            pitch: 4,
        }
    }

    /// A place for one element, the same for all lanes.
    pub(super) fn scalar(&mut self, ty: Type) -> Loc {
        self.storage(ty, false)
    }
}
