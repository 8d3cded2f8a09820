//! Loads, stores, atomics.

use isa_encoder::message::{
    AddressSize, AtomicOp, BlockPort, CacheControl, DataSize, Direction, Hdc, HdcAddress,
    HdcSurface, Lsc, LscAddress, LscPort, Message,
};
use isa_encoder::{Opcode, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at};
use crate::code::{Operand, Place, Var, What};
use crate::ir::{Access, Atomic, Bin, Op, Space, Surface, Type, Value};

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
    pub(super) fn packed(&mut self, value: Value) -> Result<Loc, String> {
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
        memory(access.space)?;
        let Some(&first) = results.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        self.aligned(access, ty, results.len())?;
        if !self.differs(first) {
            return self.load_once(access, address, results);
        }
        let addresses = self.addresses(address)?;
        let surface = self.surface(address);
        let (unit, count) = units(ty, results.len());
        let lanes = self.message_lanes(unit, access.space, surface);
        let plane = self.plane(unit, lanes);
        let mut lane = 0;
        while lane < self.target.simd {
            let var = self.code.var(plane * count, self.target.grf());
            let registers = (plane * count / self.target.grf()) as u8;
            let message =
                self.access_message(Direction::Read, access.space, surface, unit, count, lanes);
            self.lane_message(
                message,
                lanes,
                lane,
                addresses,
                Some((var, registers)),
                None,
            )?;
            self.receive(results, var, plane, lane, lanes);
            lane += lanes;
        }
        Ok(())
    }

    /// Gives results the planes of a response for `lanes` lanes from `lane` on.
    pub(super) fn receive(
        &mut self,
        results: &[Value],
        var: Var,
        plane: u32,
        lane: u32,
        lanes: u32,
    ) {
        for (index, result) in results.iter().enumerate() {
            let ty = self.function.ty(*result);
            let from = in_plane(ty, results.len(), index, (var, plane));
            if lanes >= self.target.simd {
                self.set(*result, from);
                continue;
            }
            let to = match self.loc(*result) {
                Some(to) => to,
                None => self.result(*result),
            };
            let raw = super::raw_type(ty);
            let dst = skip(at(to, raw), lane * to.pitch);
            self.part_lanes(dst, at(from, raw), lane, lanes);
        }
    }

    /// A move of `count` lanes from lane `first` on, whose operands are there already.
    pub(super) fn part_lanes(&mut self, dst: Operand, src: Operand, first: u32, count: u32) {
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

    /// Alignments that messages take: one dword of global memory may lie anywhere.
    fn aligned(&self, access: Access, ty: Type, count: usize) -> Result<(), String> {
        let need = match (access.space, count) {
            (Space::Global, 1) if ty.bytes() <= 4 => 1,
            _ => ty.bytes().min(4),
        };
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
        memory(access.space)?;
        let Some(&first) = values.first() else {
            return Ok(());
        };
        let ty = self.function.ty(first);
        self.aligned(access, ty, values.len())?;
        let uniform = !self.differs(address) && values.iter().all(|v| !self.differs(*v));
        if uniform && self.is_whole() {
            return self.store_once(access, address, values);
        }
        let addresses = self.addresses(address)?;
        let surface = self.surface(address);
        let (unit, count) = units(ty, values.len());
        let lanes = self.message_lanes(unit, access.space, surface);
        let pitch = ty.bytes().max(4);
        let plane = self.plane(unit, lanes);
        let packed = values
            .iter()
            .map(|v| self.packed(*v))
            .collect::<Result<Vec<_>, _>>()?;
        let mut lane = 0;
        while lane < self.target.simd {
            let message =
                self.access_message(Direction::Write, access.space, surface, unit, count, lanes);
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
                        let to = in_plane(ty, values.len(), index, (var, plane));
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

    /// The bytes that a message for so many lanes has of an element: those of as many dwords as fill a
    /// register at least, even if it serves one lane.
    fn plane(&self, ty: Type, lanes: u32) -> u32 {
        ty.bytes().max(4) * lanes.max(self.target.grf() / 4)
    }

    /// The lanes that one message for elements of a type serves.
    fn message_lanes(&self, ty: Type, space: Space, surface: Option<Surface>) -> u32 {
        // Addresses of 32 bits leave room for the others' data.
        let space = match surface {
            Some(_) => Space::Local,
            None => space,
        };
        let most = match (self.target.lsc(), space, ty.bits()) {
            (true, ..) => self.target.caps.message_lanes,
            (false, _, 64) => 8,
            (false, Space::Local, _) => 16,
            (false, ..) => self.target.caps.flat_lanes,
        };
        most.min(self.target.simd)
    }

    /// The message for elements at the addresses of the lanes, or at their offsets into a surface.
    pub(super) fn access_message(
        &self,
        direction: Direction,
        space: Space,
        surface: Option<Surface>,
        ty: Type,
        count: u32,
        lanes: u32,
    ) -> Message {
        if self.target.lsc() {
            let (port, address_size) = lsc_port(space);
            let vector = Message::Lsc(Lsc::Vector {
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
            return bound(vector, surface);
        }
        let simd = lanes.max(8) as u8;
        let address = match surface {
            Some(Surface(index)) => HdcAddress::A32(HdcSurface::Bti(index)),
            None => hdc_address(space),
        };
        Message::Hdc(match (ty.bytes(), count, address) {
            (8, _, _) => Hdc::Scattered {
                direction,
                address,
                bytes: 8,
                elements: 1,
                simd,
                port: BlockPort::Data,
            },
            (bytes, 1, _) => Hdc::Byte {
                direction,
                address,
                bytes: bytes as u8,
                simd,
            },
            // Untyped messages of three elements alone, as Intel's compiler takes them.
            (4, 2 | 4, HdcAddress::A64 { .. }) => Hdc::Scattered {
                direction,
                address,
                bytes: 4,
                elements: count as u8,
                simd,
                port: BlockPort::Data,
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
    fn load_once(
        &mut self,
        access: Access,
        address: Value,
        results: &[Value],
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let ty = self.function.ty(results[0]);
        let count = results.len() as u32;
        let addresses = self.one_address(address)?;
        let (message, plane) = self.once(Direction::Read, access, address, (ty, count))?;
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
    fn store_once(
        &mut self,
        access: Access,
        address: Value,
        values: &[Value],
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let ty = self.function.ty(values[0]);
        let count = values.len() as u32;
        let addresses = self.one_address(address)?;
        let (message, plane) = self.once(Direction::Write, access, address, (ty, count))?;
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

    /// The message of one channel for so many elements, and the bytes from one to the next in its data.
    fn once(
        &self,
        direction: Direction,
        access: Access,
        address: Value,
        (ty, count): (Type, u32),
    ) -> Result<(Message, u32), String> {
        let space = memory(access.space)?;
        let surface = self.surface(address);
        if self.has_rows(access, ty, count) {
            let row = self.row_message(direction, space, ty, count);
            return Ok((bound(row, surface), ty.bytes()));
        }
        let message = self.access_message(direction, space, surface, ty, count, 1);
        Ok((message, self.plane(ty, 1)))
    }

    /// The surface that an address of global memory is an offset into, if it is no pointer.
    pub(super) fn surface(&self, address: Value) -> Option<Surface> {
        let (_, data) = self.function.source(address)?;
        match data.op {
            Op::Offset(surface) => Some(surface),
            // Some bytes further.
            Op::Bin(Bin::Add) => self.surface(data.args[0]),
            _ => None,
        }
    }

    /// Whether a message has a row of elements at one address, which is aligned.
    fn has_rows(&self, access: Access, ty: Type, count: u32) -> bool {
        self.target.lsc() && ty.bytes() >= 4 && access.align >= 4 && count != 3
    }

    /// The message for a row of elements at one address.
    pub(super) fn row_message(
        &self,
        direction: Direction,
        space: Space,
        ty: Type,
        count: u32,
    ) -> Message {
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
        let access = Access::new(space, 8);
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
        let op = atomic_op(op)?;
        let grf = self.target.grf();
        let lanes = match (self.target.lsc(), kind, ty.bits()) {
            (true, _, 64) => 2 * grf / 8,
            (true, ..) => 2 * grf / 4,
            (false, Space::Local, 32) => 16,
            (false, ..) => 8,
        };
        let lanes = lanes.min(self.target.simd);
        let pitch = ty.bytes();
        let plane = self.plane(ty, lanes);
        let addresses = self.addresses(args[0])?;
        let count = args.len() as u32 - 1;
        let values = args[1..]
            .iter()
            .map(|v| self.packed(*v))
            .collect::<Result<Vec<_>, _>>()?;
        let to = result.map(|result| self.result(result));
        let message = self.atomic_message(kind, op, pitch, result.is_some(), lanes);
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

    /// With one channel.
    pub(super) fn atomic_once(
        &mut self,
        space: Space,
        op: Atomic,
        args: &[Value],
        result: Option<Value>,
    ) -> Result<(), String> {
        let space = memory(space)?;
        let op = atomic_op(op)?;
        let grf = self.target.grf();
        let address = self.one_address(args[0])?;
        let count = args.len() as u32 - 1;
        let data = self.code.var(grf * count, grf);
        for (index, value) in args[1..].iter().enumerate() {
            let byte = index as u32 * grf;
            let to = Loc {
                place: Place { var: data, byte },
                pitch: 0,
            };
            let source = self.whole(*value)?;
            self.one(Opcode::Mov, at(to, M::Ud), &[source]);
        }
        let message = self.atomic_message(space, op, 4, result.is_some(), 1);
        let response = result.map(|_| (self.code.var(grf, grf), 1));
        let place = Place { var: data, byte: 0 };
        self.one_message(message, address, response, Some((place, count as u8)))?;
        if let (Some(result), Some((var, _))) = (result, response) {
            let place = Place { var, byte: 0 };
            self.set_once(result, Loc { place, pitch: 0 });
        }
        Ok(())
    }

    /// The message for an atomic operation at the addresses of the lanes.
    fn atomic_message(
        &self,
        space: Space,
        op: AtomicOp,
        bytes: u32,
        returns: bool,
        lanes: u32,
    ) -> Message {
        if !self.target.lsc() {
            return Message::Hdc(Hdc::Atomic {
                address: hdc_address(space),
                op,
                bytes: bytes as u8,
                returns,
                simd: lanes.max(8) as u8,
            });
        }
        let (port, address_size) = lsc_port(space);
        Message::Lsc(Lsc::Atomic {
            port,
            op,
            address: LscAddress::Flat { offset: 0 },
            address_size,
            data: match bytes {
                8 => DataSize::D64,
                _ => DataSize::D32,
            },
            returns,
            cache: CacheControl::DEFAULT,
        })
    }
}

/// What a message calls an operation; an error for plain reads and writes, which are no such message.
fn atomic_op(op: Atomic) -> Result<AtomicOp, String> {
    Ok(match op {
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
        Atomic::Load | Atomic::Store => return Err(format!("{op} is no atomic message")),
    })
}

/// The same message to a surface.
pub(super) fn bound(mut message: Message, surface: Option<Surface>) -> Message {
    let Some(Surface(index)) = surface else {
        return message;
    };
    match &mut message {
        Message::Hdc(Hdc::OwordBlock { address, .. }) => {
            *address = HdcAddress::A32(HdcSurface::Bti(index));
        }
        Message::Lsc(Lsc::Vector {
            address,
            address_size,
            ..
        }) => {
            *address = LscAddress::Bti { index, offset: 0 };
            *address_size = AddressSize::A32;
        }
        _ => {}
    }
    message
}

/// What a message has of each lane for values of a type: as many of the type, or pairs of dwords as
/// qwords, because it has no more than four.
fn units(ty: Type, count: usize) -> (Type, u32) {
    match (ty.bytes(), count as u32) {
        (4, count @ 5..) => (Type::I64, count / 2),
        (_, count) => (ty, count),
    }
}

/// Where the value of an index among so many is in the planes of a message.
fn in_plane(ty: Type, count: usize, index: usize, (var, plane): (Var, u32)) -> Loc {
    let bytes = ty.bytes().max(4);
    let pairs = (count / units(ty, count).1 as usize).max(1);
    let byte = (index / pairs) as u32 * plane + (index % pairs) as u32 * bytes;
    Loc {
        place: Place { var, byte },
        pitch: pairs as u32 * bytes,
    }
}

/// The memory of messages.
pub(super) fn memory(space: Space) -> Result<Space, String> {
    match space {
        Space::Generic => Err("a pointer into an unknown memory is not supported".to_owned()),
        Space::Private => Err(
            "private memory that is indexed by a value, or whose address is kept, is not supported"
                .to_owned(),
        ),
        other => Ok(other),
    }
}

pub(super) const fn lsc_port(space: Space) -> (LscPort, AddressSize) {
    match space {
        Space::Local => (LscPort::Slm, AddressSize::A32),
        _ => (LscPort::Ugm, AddressSize::A64),
    }
}

pub(super) const fn hdc_address(space: Space) -> HdcAddress {
    match space {
        Space::Local => HdcAddress::A32(HdcSurface::Slm),
        _ => HdcAddress::A64 { coherent: true },
    }
}
