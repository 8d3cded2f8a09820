//! Loads, stores, atomics, blocks, fences.

use isa_encoder::message::{
    AddressSize, AtomicOp, BlockAlignment, BlockPort, CacheControl, DataSize, Direction,
    FenceScope, FlushOp, Gateway, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, Message,
    OwordCount,
};
use isa_encoder::{Opcode, SyncFunction, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at};
use crate::code::{Operand, Place, Var, What};
use crate::ir::{Access, Atomic, Space, Type, Value};

impl Selector<'_> {
    /// The addresses of the lanes, packed as messages take them.
    pub(super) fn addresses(&mut self, address: Value) -> Result<Loc, String> {
        let ty = self.function.ty(address);
        if let Some(loc) = self.loc(address)
            && loc.pitch == ty.bytes()
        {
            return Ok(loc);
        }
        let loc = self.storage(ty, true);
        self.spread(address, loc)?;
        Ok(loc)
    }

    /// Copies a value to each lane of a place.
    fn spread(&mut self, value: Value, to: Loc) -> Result<(), String> {
        let ty = self.function.ty(value);
        if ty.bits() != 64 {
            let source = self.source(value, M::Ud)?;
            self.lanes(
                What::Alu(Opcode::Mov),
                Some(at(to, M::Ud)),
                &[source],
                false,
                |_| {},
            );
            return Ok(());
        }
        for byte in [0, 4] {
            let source = match self.function.bits(value) {
                Some(bits) => Operand::Imm((bits >> (8 * byte)) as i64 & 0xffff_ffff, M::Ud),
                None => skip(self.source(value, M::Ud)?, byte),
            };
            let dst = skip(at(to, M::Ud), byte);
            self.lanes(What::Alu(Opcode::Mov), Some(dst), &[source], false, |_| {});
        }
        Ok(())
    }

    /// A value's elements packed in whole registers, as messages take them.
    fn packed(&mut self, value: Value) -> Result<Loc, String> {
        let ty = self.function.ty(value);
        let pitch = ty.bytes().max(4);
        if let Some(loc) = self.loc(value)
            && loc.pitch == pitch
            && loc.place.byte.is_multiple_of(self.target.grf())
        {
            return Ok(loc);
        }
        let loc = self.storage(ty, true);
        self.spread(value, loc)?;
        Ok(loc)
    }

    pub(super) fn load(
        &mut self,
        access: Access,
        address: Value,
        results: &[Value],
    ) -> Result<(), String> {
        let space = memory(access.space)?;
        let Some(&first) = results.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        self.aligned(access, ty)?;
        if !self.differs(first) {
            return self.load_once(space, address, results);
        }
        let addresses = self.addresses(address)?;
        let lanes = self.message_lanes(ty, results.len(), access.space);
        let whole = lanes >= self.target.simd;
        let plane = (ty.bytes().max(4) * lanes).max(self.target.grf());
        let count = results.len() as u32;
        if !whole {
            for result in results {
                self.result(*result);
            }
        }
        let mut lane = 0;
        while lane < self.target.simd {
            let var = self.code.var(plane * count, self.target.grf());
            let registers = (plane * count / self.target.grf()) as u8;
            let message = self.access_message(Direction::Read, access.space, ty, count, lanes);
            self.lane_message(
                message,
                lanes,
                lane,
                addresses,
                Some((var, registers)),
                None,
            )?;
            for (index, result) in results.iter().enumerate() {
                let loc = Loc {
                    place: Place {
                        var,
                        byte: index as u32 * plane,
                    },
                    pitch: ty.bytes().max(4),
                };
                if whole {
                    self.set(*result, loc);
                } else if let Some(to) = self.loc(*result) {
                    let raw = super::raw_type(ty);
                    let dst = skip(at(to, raw), lane * to.pitch);
                    self.part_lanes(dst, at(loc, raw), lane, lanes);
                }
            }
            lane += lanes;
        }
        Ok(())
    }

    /// A move of `count` lanes from lane `first` on, whose operands are there already.
    fn part_lanes(&mut self, dst: Operand, src: Operand, first: u32, count: u32) {
        let start = self.code.insts.len();
        self.some_lanes(
            What::Alu(Opcode::Mov),
            Some(dst),
            &[src],
            false,
            count,
            |_| {},
        );
        for inst in &mut self.code.insts[start..] {
            inst.from += first as u8;
        }
    }

    /// Alignments that messages take.
    fn aligned(&self, access: Access, ty: Type) -> Result<(), String> {
        let need = ty.bytes().min(4);
        match access.align >= need {
            true => Ok(()),
            false => Err(format!(
                "an access of {ty} aligned to {} bytes is not supported",
                access.align
            )),
        }
    }

    pub(super) fn store(
        &mut self,
        access: Access,
        address: Value,
        values: &[Value],
    ) -> Result<(), String> {
        let space = memory(access.space)?;
        let Some(&first) = values.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        self.aligned(access, ty)?;
        let uniform = !self.differs(address) && values.iter().all(|v| !self.differs(*v));
        if uniform && self.is_whole() {
            return self.store_once(space, address, values);
        }
        let addresses = self.addresses(address)?;
        let lanes = self.message_lanes(ty, values.len(), access.space);
        let pitch = ty.bytes().max(4);
        let plane = (pitch * lanes).max(self.target.grf());
        let count = values.len() as u32;
        let packed = values
            .iter()
            .map(|v| self.packed(*v))
            .collect::<Result<Vec<_>, _>>()?;
        let mut lane = 0;
        while lane < self.target.simd {
            let message = self.access_message(Direction::Write, access.space, ty, count, lanes);
            let registers = (plane * count / self.target.grf()) as u8;
            let data = match packed.as_slice() {
                [only] => Place {
                    var: only.place.var,
                    byte: only.place.byte + lane * pitch,
                },
                _ => {
                    let var = self.code.var(plane * count, self.target.grf());
                    for (index, from) in packed.iter().enumerate() {
                        let raw = super::raw_type(ty);
                        let to = Loc {
                            place: Place {
                                var,
                                byte: index as u32 * plane,
                            },
                            pitch,
                        };
                        let src = skip(at(*from, raw), lane * pitch);
                        self.part_lanes(at(to, raw), src, lane, lanes.min(self.target.simd));
                    }
                    Place { var, byte: 0 }
                }
            };
            self.lane_message(
                message,
                lanes,
                lane,
                addresses,
                None,
                Some((data, registers)),
            )?;
            lane += lanes;
        }
        Ok(())
    }

    /// The lanes that one message for elements of a type serves.
    fn message_lanes(&self, ty: Type, count: usize, space: Space) -> u32 {
        let most = match (self.target.lsc(), space, count, ty.bits()) {
            (true, _, _, 64) => self
                .target
                .caps
                .message_lanes
                .min(2 * self.target.grf() / 4),
            (true, ..) => {
                // A response has at most 31 registers, of which as many are free.
                match count {
                    1 | 2 => self.target.caps.message_lanes,
                    _ => self.target.caps.message_lanes.min(16),
                }
            }
            (false, _, _, 64) => 8,
            (false, Space::Local, ..) | (false, _, 1, _) => 16,
            (false, ..) => 8,
        };
        most.min(self.target.simd)
    }

    /// The message for elements at the addresses of the lanes.
    fn access_message(
        &self,
        direction: Direction,
        space: Space,
        ty: Type,
        count: u32,
        lanes: u32,
    ) -> Message {
        if self.target.lsc() {
            let (port, address_size) = lsc_port(space);
            return Message::Lsc(Lsc::Vector {
                port,
                direction,
                address: LscAddress::Flat { offset: 0 },
                address_size,
                data: match ty.bytes() {
                    1 => DataSize::D8U32,
                    2 => DataSize::D16U32,
                    4 => DataSize::D32,
                    _ => DataSize::D64,
                },
                elements: count as u8,
                transpose: false,
                strided: false,
                cache: CacheControl::DEFAULT,
            });
        }
        let address = hdc_address(space);
        let simd = lanes.max(8) as u8;
        Message::Hdc(match (ty.bytes(), count) {
            (8, _) => Hdc::Scattered {
                direction,
                address,
                bytes: 8,
                elements: 1,
                simd,
                port: BlockPort::Data,
            },
            (bytes, 1) => Hdc::Byte {
                direction,
                address,
                bytes: bytes as u8,
                simd,
            },
            _ => Hdc::Untyped {
                direction,
                address,
                components: ((1u32 << count) - 1) as u8,
                simd,
            },
        })
    }

    /// Reads with one channel.
    fn load_once(&mut self, space: Space, address: Value, results: &[Value]) -> Result<(), String> {
        let grf = self.target.grf();
        let ty = self.function.ty(results[0]);
        let count = results.len() as u32;
        let addresses = self.one_address(address)?;
        let (message, plane) = if self.target.lsc() && ty.bytes() >= 4 && count != 3 {
            (
                self.row_message(Direction::Read, space, ty, count),
                ty.bytes(),
            )
        } else {
            (
                self.access_message(Direction::Read, space, ty, count, 1),
                grf,
            )
        };
        let size = (plane * count).next_multiple_of(grf);
        let var = self.code.var(size, grf);
        self.one_message(message, addresses, Some((var, (size / grf) as u8)), None)?;
        for (index, result) in results.iter().enumerate() {
            let place = Place {
                var,
                byte: index as u32 * plane,
            };
            self.set(*result, Loc { place, pitch: 0 });
        }
        Ok(())
    }

    /// Writes with one channel.
    fn store_once(&mut self, space: Space, address: Value, values: &[Value]) -> Result<(), String> {
        let grf = self.target.grf();
        let ty = self.function.ty(values[0]);
        let count = values.len() as u32;
        let addresses = self.one_address(address)?;
        let rows = self.target.lsc() && ty.bytes() >= 4 && count != 3;
        let (message, plane) = match rows {
            true => (
                self.row_message(Direction::Write, space, ty, count),
                ty.bytes(),
            ),
            false => (
                self.access_message(Direction::Write, space, ty, count, 1),
                grf,
            ),
        };
        let size = (plane * count).next_multiple_of(grf);
        let var = self.code.var(size, grf);
        for (index, value) in values.iter().enumerate() {
            let to = Loc {
                place: Place {
                    var,
                    byte: index as u32 * plane,
                },
                pitch: 0,
            };
            let source = self.whole(*value)?;
            self.one(Opcode::Mov, at(to, super::raw_type(ty)), &[source]);
        }
        let data = (Place { var, byte: 0 }, (size / grf) as u8);
        self.one_message(message, addresses, None, Some(data))
    }

    /// The message for a row of elements at one address.
    fn row_message(&self, direction: Direction, space: Space, ty: Type, count: u32) -> Message {
        let (port, address_size) = lsc_port(space);
        Message::Lsc(Lsc::Vector {
            port,
            direction,
            address: LscAddress::Flat { offset: 0 },
            address_size,
            data: if ty.bytes() == 8 {
                DataSize::D64
            } else {
                DataSize::D32
            },
            elements: count as u8,
            transpose: true,
            strided: false,
            cache: CacheControl::DEFAULT,
        })
    }

    /// One address at the begin of a register.
    pub(super) fn one_address(&mut self, address: Value) -> Result<Place, String> {
        let grf = self.target.grf();
        let var = self.code.var(grf, grf);
        let place = Place { var, byte: 0 };
        let bits = self.function.ty(address).bits();
        let bytes: &[u32] = if bits == 64 { &[0, 4] } else { &[0] };
        for byte in bytes {
            let source = match self.function.bits(address) {
                Some(bits) => Operand::Imm((bits >> (8 * byte)) as i64 & 0xffff_ffff, M::Ud),
                None => {
                    let first = self.first_lane(address)?;
                    skip(first, *byte)
                }
            };
            let dst = skip(at(Loc { place, pitch: 0 }, M::Ud), *byte);
            self.one(Opcode::Mov, dst, &[source]);
        }
        Ok(place)
    }

    pub(super) fn atomic(
        &mut self,
        space: Space,
        op: Atomic,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<(), String> {
        let kind = memory(space)?;
        let access = Access { space, align: 8 };
        if op == Atomic::Load {
            let Some(result) = result else { return Ok(()) };
            return self.load(access, args[0], &[result]);
        }
        let ty = self.function.ty(args[1]);
        if op == Atomic::Store {
            return self.store(access, args[0], &args[1..]);
        }
        if ty.bytes() < 4 {
            return Err(format!("an atomic operation on {ty} is not supported"));
        }
        let op = match op {
            Atomic::Exchange => AtomicOp::Store,
            Atomic::CompareExchange => AtomicOp::CompareSwap,
            Atomic::Add => AtomicOp::Add,
            Atomic::Sub => AtomicOp::Sub,
            Atomic::SMin => AtomicOp::SignedMin,
            Atomic::SMax => AtomicOp::SignedMax,
            Atomic::UMin => AtomicOp::UnsignedMin,
            Atomic::UMax => AtomicOp::UnsignedMax,
            Atomic::And => AtomicOp::And,
            Atomic::Or => AtomicOp::Or,
            Atomic::Xor => AtomicOp::Xor,
            Atomic::FAdd => AtomicOp::FloatAdd,
            Atomic::FMin => AtomicOp::FloatMin,
            Atomic::FMax => AtomicOp::FloatMax,
            Atomic::Load | Atomic::Store => return Ok(()),
        };
        let grf = self.target.grf();
        let lanes = match (self.target.lsc(), kind, ty.bits()) {
            (true, _, 64) => 2 * grf / 8,
            (true, ..) => 2 * grf / 4,
            (false, Space::Local, 32) => 16,
            (false, ..) => 8,
        };
        let lanes = lanes.min(self.target.simd);
        let pitch = ty.bytes();
        let plane = (pitch * lanes).max(grf);
        let addresses = self.addresses(args[0])?;
        let count = args.len() as u32 - 1;
        let values = args[1..]
            .iter()
            .map(|v| self.packed(*v))
            .collect::<Result<Vec<_>, _>>()?;
        let to = result.map(|result| self.result(result));
        let message = if self.target.lsc() {
            let (port, address_size) = lsc_port(kind);
            Message::Lsc(Lsc::Atomic {
                port,
                op,
                address: LscAddress::Flat { offset: 0 },
                address_size,
                data: if pitch == 8 {
                    DataSize::D64
                } else {
                    DataSize::D32
                },
                returns: result.is_some(),
                cache: CacheControl::DEFAULT,
            })
        } else {
            Message::Hdc(Hdc::Atomic {
                address: hdc_address(kind),
                op,
                bytes: pitch as u8,
                returns: result.is_some(),
                simd: lanes.max(8) as u8,
            })
        };
        let raw = super::raw_type(ty);
        let mut lane = 0;
        while lane < self.target.simd {
            let var = self.code.var(plane * count, grf);
            for (index, from) in values.iter().enumerate() {
                let to = Loc {
                    place: Place {
                        var,
                        byte: index as u32 * plane,
                    },
                    pitch,
                };
                let src = skip(at(*from, raw), lane * pitch);
                self.part_lanes(at(to, raw), src, lane, lanes);
            }
            let data = (Place { var, byte: 0 }, (plane * count / grf) as u8);
            let response = to.map(|_| (self.code.var(plane, grf), (plane / grf) as u8));
            self.lane_message(message, lanes, lane, addresses, response, Some(data))?;
            if let (Some(to), Some((var, _))) = (to, response) {
                let from = Loc {
                    place: Place { var, byte: 0 },
                    pitch,
                };
                let dst = skip(at(to, raw), lane * pitch);
                self.part_lanes(dst, at(from, raw), lane, lanes);
            }
            lane += lanes;
        }
        Ok(())
    }

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
        self.block_messages(Direction::Read, space, address, var, bytes)?;
        for (index, result) in results.iter().enumerate() {
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
        Ok(())
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
        let grf = self.target.grf();
        if let Some(var) = self.block_of(values, ty.bytes() * self.target.simd, ty.bytes()) {
            return self.block_messages(Direction::Write, space, address, var, bytes);
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
            let source = self.source(*value, element)?;
            self.lanes(
                What::Alu(Opcode::Mov),
                Some(at(packed, element)),
                &[source],
                true,
                |_| {},
            );
        }
        self.block_messages(Direction::Write, space, address, var, bytes)
    }

    /// Moves consecutive bytes between memory and registers, in pieces that messages have.
    fn block_messages(
        &mut self,
        direction: Direction,
        space: Space,
        address: Value,
        var: Var,
        bytes: u32,
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let first = self.one_address(address)?;
        let wide = self.function.ty(address).bits() == 64;
        let base = Loc {
            place: first,
            pitch: 0,
        };
        let mut done = 0;
        while done < bytes {
            let left = bytes - done;
            if !self.target.lsc() && left == 8 && done == 0 {
                return self.small_block(direction, space, first, var);
            }
            let (message, size, address) = if self.target.lsc() {
                let mut elements = 64;
                while elements * 4 > left || elements * 4 > 8 * grf {
                    elements = if elements == 4 { 2 } else { elements / 2 };
                }
                let message = self.row_message(direction, space, Type::I32, elements);
                (message, elements * 4, first)
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
                (Message::Hdc(message), size, first)
            };
            let registers = size.div_ceil(grf) as u8;
            let part = Place { var, byte: done };
            match direction {
                Direction::Read if done.is_multiple_of(grf) => {
                    self.block_message(message, address, Some((part, registers)), None)?;
                }
                Direction::Write if done.is_multiple_of(grf) => {
                    self.block_message(message, address, None, Some((part, registers)))?;
                }
                _ => return Err("a block that begins within a register".to_owned()),
            }
            done += size;
            if done < bytes {
                let next = at(base, M::Ud);
                self.one(
                    Opcode::Add,
                    next,
                    &[next, Operand::Imm(i64::from(size), M::Uw)],
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

    /// Two dwords, which are less than a block: with one channel.
    fn small_block(
        &mut self,
        direction: Direction,
        space: Space,
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
        let message = self.access_message(direction, space, Type::I32, 2, 1);
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

    /// Waits until memory shows earlier accesses.
    pub(super) fn fence(&mut self, local: bool, global: bool) -> Result<(), String> {
        let grf = self.target.grf();
        let mut messages = Vec::new();
        if self.target.lsc() {
            let fence = |port, scope| {
                Message::Lsc(Lsc::Fence {
                    port,
                    scope,
                    flush: FlushOp::None,
                    to_lsc: false,
                })
            };
            if local {
                messages.push(fence(LscPort::Slm, FenceScope::Group));
            }
            if global {
                messages.push(fence(LscPort::Ugm, FenceScope::Gpu));
            }
        } else {
            if local && self.target.caps.local_fence {
                messages.push(Message::Hdc(Hdc::Fence {
                    slm: true,
                    commit: true,
                    flush: 0,
                }));
            }
            if global {
                messages.push(Message::Hdc(Hdc::Fence {
                    slm: false,
                    commit: true,
                    flush: 0,
                }));
            }
        }
        for message in messages {
            let header = self.fixed(0, grf);
            let header = (
                Place {
                    var: header,
                    byte: 0,
                },
                1,
            );
            let response = self.code.var(grf, grf);
            self.fence_message(message, header, response);
            // Reading the response waits for it.
            let loc = Loc {
                place: Place {
                    var: response,
                    byte: 0,
                },
                pitch: 0,
            };
            self.one(Opcode::Mov, Operand::Null(M::Ud), &[at(loc, M::Ud)]);
        }
        Ok(())
    }

    /// Waits for the work-group.
    pub(super) fn barrier(&mut self) -> Result<(), String> {
        let grf = self.target.grf();
        let var = self.code.var(grf, grf);
        let loc = |byte| Loc {
            place: Place { var, byte },
            pitch: 0,
        };
        let zero = Operand::Imm(0, M::Uw);
        let whole = Loc {
            place: Place { var, byte: 0 },
            pitch: 4,
        };
        self.some_lanes(
            What::Alu(Opcode::Mov),
            Some(at(whole, M::Ud)),
            &[zero],
            true,
            grf / 4,
            |_| {},
        );
        let header = self.header(2);
        match self.target.caps.barrier_mask {
            Some(mask) => {
                let mask = Operand::Imm(i64::from(mask), M::Ud);
                self.one(Opcode::And, at(loc(8), M::Ud), &[header, mask]);
            }
            None => {
                // How many threads signal, and how many wait: all of the group.
                let count = skip(super::arith::retype(header, M::Ub), 3);
                for byte in [10, 11] {
                    self.one(Opcode::Mov, at(loc(byte), M::Ub), &[count]);
                }
            }
        }
        let place = Place { var, byte: 0 };
        self.barrier_message(Message::Gateway(Gateway::Barrier), place);
        let wait = match self.target.software_scoreboard() {
            true => What::Sync(SyncFunction::Bar),
            false => What::Wait,
        };
        self.raw(wait, 1, 0, true, None, &[], |_| {});
        Ok(())
    }
}

/// The memory of messages.
fn memory(space: Space) -> Result<Space, String> {
    match space {
        Space::Private => Err(
            "private memory that is indexed by a value, or whose address is kept, is not supported"
                .to_owned(),
        ),
        other => Ok(other),
    }
}

const fn lsc_port(space: Space) -> (LscPort, AddressSize) {
    match space {
        Space::Local => (LscPort::Slm, AddressSize::A32),
        _ => (LscPort::Ugm, AddressSize::A64),
    }
}

const fn hdc_address(space: Space) -> HdcAddress {
    match space {
        Space::Local => HdcAddress::A32(HdcSurface::Slm),
        _ => HdcAddress::A64 { coherent: true },
    }
}
