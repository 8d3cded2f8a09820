//! Blocks: consecutive memory that the lanes of a sub-group share.

use isa_encoder::message::{BlockAlignment, BlockPort, Direction, Hdc, Message, OwordCount};
use isa_encoder::{Opcode, Type as M};

use super::arith::skip;
use super::memory::{bound, hdc_address, memory};
use super::{Loc, Selector, at};
use crate::code::{Operand, Place, Var, What};
use crate::ir::{Space, Type, Value};

/// The byte of a header with the offset of a block, and the bytes that it counts in writes.
const OFFSET: u32 = 8;
const OWORD: u32 = 16;

impl Selector<'_> {
    /// Reads of each element as many as there are lanes, the lanes' next to each other.
    pub(super) fn block_load(
        &mut self,
        space: Space,
        address: Value,
        results: &[Value],
    ) -> Result<(), String> {
        let space = memory(space)?;
        let Some(&first) = results.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        let bytes = ty.bytes() * self.target.simd * results.len() as u32;
        let grf = self.target.grf();
        let var = self.code.var(bytes.next_multiple_of(grf), grf);
        self.block_messages(Direction::Read, space, ty, address, (var, bytes))?;
        self.take_block(var, results);
        Ok(())
    }

    /// Gives results the rows of a block in registers.
    pub(super) fn take_block(&mut self, var: Var, results: &[Value]) {
        let grf = self.target.grf();
        for (index, result) in results.iter().enumerate() {
            let ty = self.function.ty(*result);
            let packed = Loc {
                place: Place {
                    var,
                    byte: index as u32 * ty.bytes() * self.target.simd,
                },
                pitch: ty.bytes(),
            };
            if ty.bytes() >= 4 && packed.place.byte.is_multiple_of(grf) {
                self.set(*result, packed);
                continue;
            }
            let to = self.result(*result);
            let element = super::machine(ty.integer(), false);
            self.alu(Opcode::Mov, at(to, M::Ud), &[at(packed, element)]);
        }
    }

    /// Writes of each element as many as there are lanes.
    pub(super) fn block_store(
        &mut self,
        space: Space,
        address: Value,
        values: &[Value],
    ) -> Result<(), String> {
        let space = memory(space)?;
        let Some(&first) = values.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        let bytes = ty.bytes() * self.target.simd * values.len() as u32;
        let var = self.make_block(values)?;
        self.block_messages(Direction::Write, space, ty, address, (var, bytes))
    }

    /// The rows of a block in registers.
    pub(super) fn make_block(&mut self, values: &[Value]) -> Result<Var, String> {
        let ty = values.first().map_or(Type::I32, |v| self.function.ty(*v));
        let bytes = ty.bytes() * self.target.simd * values.len() as u32;
        let grf = self.target.grf();
        if let Some(var) = self.block_of(values, ty.bytes() * self.target.simd, ty.bytes()) {
            return Ok(var);
        }
        let var = self.code.var(bytes.next_multiple_of(grf), grf);
        for (index, value) in values.iter().enumerate() {
            let packed = Loc {
                place: Place {
                    var,
                    byte: index as u32 * ty.bytes() * self.target.simd,
                },
                pitch: ty.bytes(),
            };
            let element = super::machine(ty.integer(), false);
            let mut source = self.source(*value, element)?;
            // Packed bytes are only written by moves that change no bits, which those of immediates,
            // words at least, are not.
            if let (Operand::Imm(..), 1) = (source, ty.bytes()) {
                source = super::arith::retype(self.in_register(source), element);
            }
            self.lanes(
                What::Alu(Opcode::Mov),
                Some(at(packed, element)),
                &[source],
                true,
                |_| {},
            );
        }
        Ok(var)
    }

    /// Moves consecutive elements of a type between memory and registers, in pieces that messages have.
    fn block_messages(
        &mut self,
        direction: Direction,
        space: Space,
        ty: Type,
        address: Value,
        (var, bytes): (Var, u32),
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let surface = self.surface(address);
        let small = !self.target.lsc() && bytes == 8;
        // A header has an offset into a surface: of writes in blocks of 16 bytes.
        let (first, at_byte, unit) = match surface {
            Some(_) if !small && !self.target.lsc() => {
                let unit = match direction {
                    Direction::Read => 1,
                    Direction::Write => OWORD,
                };
                (self.block_offset(address, unit)?, OFFSET, unit)
            }
            _ => (self.one_address(address)?, 0, 1),
        };
        let wide = self.function.ty(address).bits() == 64;
        let base = Loc {
            place: Place {
                byte: first.byte + at_byte,
                ..first
            },
            pitch: 0,
        };
        let mut done = 0;
        while done < bytes {
            let left = bytes - done;
            if small {
                let message = self.access_message(direction, space, surface, Type::I32, 2, 1);
                return self.small_block(direction, message, first, var);
            }
            let (message, size) = if self.target.lsc() {
                // Pointers to elements of 64 bits are aligned to them.
                let unit = match ty.bytes() {
                    8 => Type::I64,
                    _ => Type::I32,
                };
                let mut elements = 64;
                while elements * unit.bytes() > left.min(8 * grf) {
                    elements /= 2;
                }
                let message = self.row_message(direction, space, unit, elements);
                (message, elements * unit.bytes())
            } else {
                let (count, size) = match left {
                    128.. => (OwordCount::Eight, 128),
                    64.. => (OwordCount::Four, 64),
                    32.. => (OwordCount::Two, 32),
                    _ => (OwordCount::OneLow, 16),
                };
                let alignment = match direction {
                    Direction::Read => BlockAlignment::Dword,
                    Direction::Write => BlockAlignment::Oword,
                };
                let message = Hdc::OwordBlock {
                    direction,
                    address: hdc_address(space),
                    alignment,
                    count,
                    port: BlockPort::Data,
                };
                if space == Space::Local || left < 16 {
                    return Err(format!("a block of {left} bytes is not supported"));
                }
                // The header holds the address.
                (Message::Hdc(message), size)
            };
            let message = bound(message, surface);
            let registers = size.div_ceil(grf) as u8;
            let part = Place { var, byte: done };
            match direction {
                Direction::Read if done.is_multiple_of(grf) => {
                    self.block_message(message, first, Some((part, registers)), None)?;
                }
                Direction::Write if done.is_multiple_of(grf) => {
                    self.block_message(message, first, None, Some((part, registers)))?;
                }
                _ => return Err("a block that begins within a register".to_owned()),
            }
            done += size;
            if done < bytes {
                let next = at(base, M::Ud);
                self.one(
                    Opcode::Add,
                    next,
                    &[next, Operand::Imm(i64::from(size / unit), M::Uw)],
                );
                if wide {
                    // The carry: the low part is now less than what was added.
                    let set = |inst: &mut crate::code::Inst| {
                        inst.cond = Some(isa_encoder::CondMod::Lt);
                    };
                    let srcs = [next, Operand::Imm(i64::from(size), M::Uw)];
                    self.push_one(
                        What::Alu(Opcode::Cmp),
                        Some(Operand::Null(M::Ud)),
                        &srcs,
                        set,
                    );
                    let high = skip(next, 4);
                    let srcs = [high, Operand::Imm(1, M::Uw)];
                    self.push_one(What::Alu(Opcode::Add), Some(high), &srcs, Self::when);
                }
            }
        }
        Ok(())
    }

    /// A header with the offset of a block, counted in units of so many bytes.
    fn block_offset(&mut self, address: Value, unit: u32) -> Result<Place, String> {
        let grf = self.target.grf();
        let header = Place {
            var: self.code.var(grf, grf),
            byte: 0,
        };
        let to = skip(
            at(
                Loc {
                    place: header,
                    pitch: 0,
                },
                M::Ud,
            ),
            OFFSET,
        );
        if let Some(bits) = self.function.bits(address) {
            let offset = Operand::Imm(bits as i64 / i64::from(unit), M::Ud);
            self.one(Opcode::Mov, to, &[offset]);
            return Ok(header);
        }
        let from = self.first_lane(address)?;
        match unit {
            1 => self.one(Opcode::Mov, to, &[from]),
            unit => {
                let by = Operand::Imm(i64::from(unit.trailing_zeros()), M::Uw);
                self.one(Opcode::Shr, to, &[from, by]);
            }
        }
        Ok(header)
    }

    /// Two dwords, which are less than a block: with one channel.
    fn small_block(
        &mut self,
        direction: Direction,
        message: Message,
        address: Place,
        data: Var,
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let planes = self.code.var(2 * grf, grf);
        let dword = |var, byte| {
            let place = Place { var, byte };
            at(Loc { place, pitch: 0 }, M::Ud)
        };
        let pairs = [0, 1].map(|n| (dword(data, 4 * n), dword(planes, n * grf)));
        match direction {
            Direction::Read => {
                self.one_message(message, address, Some((planes, 2)), None)?;
                for (to, from) in pairs {
                    self.one(Opcode::Mov, to, &[from]);
                }
            }
            Direction::Write => {
                for (from, to) in pairs {
                    self.one(Opcode::Mov, to, &[from]);
                }
                let payload = (
                    Place {
                        var: planes,
                        byte: 0,
                    },
                    2,
                );
                self.one_message(message, address, None, Some(payload))?;
            }
        }
        Ok(())
    }

    /// The register that has all values of a block as it is in memory, if they are so already.
    fn block_of(&self, values: &[Value], row: u32, bytes: u32) -> Option<Var> {
        let first = self.loc(*values.first()?)?.place;
        let follows = values.iter().enumerate().all(|(index, value)| {
            self.loc(*value).is_some_and(|loc| {
                let byte = index as u32 * row;
                loc.pitch == bytes
                    && loc.place
                        == Place {
                            var: first.var,
                            byte,
                        }
            })
        });
        follows.then_some(first.var)
    }
}
