//! Images: texels by the sampler and by typed messages, blocks by media blocks or two-dimensional
//! blocks.

use isa_encoder::message::{
    AddressSize, Block2d, CacheControl, DataSize, Direction, Hdc, HdcSurface, Lsc, LscAddress,
    LscPort, Message, Parameter, Sampler, SamplerOp, SlotGroup,
};
use isa_encoder::{Opcode, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at};
use crate::code::{Operand, Place, SendData, Var, What};
use crate::ir::{Surface, Value};

/// The most bytes of a block.
const BLOCK_BYTES: u32 = 256;
/// Channels of a texel.
const CHANNELS: u32 = 4;
/// What a header of a message for texels enables: all slots.
const SLOTS: i64 = 0xffff;

/// Rows of a block of an image.
#[derive(Clone, Copy)]
struct Rows {
    surface: Surface,
    /// Bytes of each.
    bytes: u32,
    count: u32,
}

impl Selector<'_> {
    fn images(&self) -> Result<(), String> {
        match self.target.platform.images {
            true => Ok(()),
            false => Err(format!("{} has no images", self.target.platform.title)),
        }
    }

    fn has(&self, message: Message) -> bool {
        message.validate(self.target.platform.family).is_ok()
    }

    /// Reads rows of an image.
    pub(super) fn image_block_load(
        &mut self,
        surface: Surface,
        place: [Value; 2],
        results: &[Value],
    ) -> Result<(), String> {
        let Some(&first) = results.first() else {
            return Ok(());
        };
        let rows = self.rows(surface, first, results.len());
        let grf = self.target.grf();
        let size = (rows.bytes * rows.count).next_multiple_of(grf);
        let var = self.code.var(size, grf);
        self.image_blocks(Direction::Read, rows, place, var)?;
        self.take_block(var, results);
        Ok(())
    }

    /// Writes rows of an image.
    pub(super) fn image_block_store(
        &mut self,
        surface: Surface,
        place: [Value; 2],
        values: &[Value],
    ) -> Result<(), String> {
        let Some(&first) = values.first() else {
            return Ok(());
        };
        let rows = self.rows(surface, first, values.len());
        let var = self.make_block(values)?;
        self.image_blocks(Direction::Write, rows, place, var)
    }

    fn rows(&self, surface: Surface, first: Value, count: usize) -> Rows {
        Rows {
            surface,
            bytes: self.function.ty(first).bytes() * self.target.simd,
            count: count as u32,
        }
    }

    /// Moves rows between an image and registers, where they follow each other.
    fn image_blocks(
        &mut self,
        direction: Direction,
        rows: Rows,
        [x, y]: [Value; 2],
        var: Var,
    ) -> Result<(), String> {
        self.images()?;
        let grf = self.target.grf();
        let media = Message::Hdc(Hdc::MediaBlock {
            direction,
            surface: HdcSurface::Bti(rows.surface.0),
            line_stride: 0,
        });
        let flat = Message::Lsc(Lsc::Block2d {
            port: LscPort::Tgm,
            direction,
            address: LscAddress::Bti {
                index: rows.surface.0,
                offset: 0,
            },
            data: DataSize::D32,
            layout: Block2d::default(),
            offset: [0, 0],
            cache: CacheControl::DEFAULT,
        });
        let message = if self.has(media) { media } else { flat };
        let x = self.first_lane(x)?;
        let y = self.first_lane(y)?;
        let place = [self.in_register(x), self.in_register(y)];
        // A row that is wider than a register is several columns, which a register holds each.
        let width = rows.bytes.min(grf);
        let columns = rows.bytes / width;
        let dwords = |var, byte| {
            let place = Place { var, byte };
            at(Loc { place, pitch: 4 }, M::Ud)
        };
        // Places among the rows and in a column's registers.
        let mut copies = Vec::new();
        for column in 0..columns {
            let mut first = 0;
            while first < rows.count {
                let count = (BLOCK_BYTES / width).min(rows.count - first);
                let size = (count * width).next_multiple_of(grf);
                let data = match columns {
                    1 => Place {
                        var,
                        byte: first * width,
                    },
                    _ => Place {
                        var: self.code.var(size, grf),
                        byte: 0,
                    },
                };
                if columns > 1 {
                    for row in 0..count {
                        let byte = (first + row) * rows.bytes + column * width;
                        copies.push((dwords(var, byte), dwords(data.var, row * width)));
                    }
                }
                let header =
                    self.rectangle(place, [column * width, first], [width, count], message);
                let data = Some((data, (size / grf) as u8));
                match direction {
                    Direction::Read => {
                        self.block_message(message, header, data, None)?;
                        // A few messages on their way hide each other's latency.
                        if copies.len() as u32 * width > 2 * BLOCK_BYTES {
                            self.copy_rows(copies.drain(..), width);
                        }
                    }
                    Direction::Write => {
                        self.copy_rows(copies.drain(..).map(|(from, to)| (to, from)), width);
                        self.block_message(message, header, None, data)?;
                    }
                }
                first += count;
            }
        }
        self.copy_rows(copies, width);
        Ok(())
    }

    /// Copies rows of one register: to, from.
    fn copy_rows(&mut self, rows: impl IntoIterator<Item = (Operand, Operand)>, width: u32) {
        for (to, from) in rows {
            self.copy_dwords(to, from, width / 4);
        }
    }

    /// A register that describes a rectangle: `offset` from a place in bytes and rows, and its
    /// size.
    fn rectangle(
        &mut self,
        place: [Operand; 2],
        offset: [u32; 2],
        [width, height]: [u32; 2],
        message: Message,
    ) -> Place {
        let grf = self.target.grf();
        let var = self.code.var(grf, grf);
        let dword = |byte, pitch| {
            let place = Place { var, byte };
            at(Loc { place, pitch }, M::Ud)
        };
        // The header of a media block is r0 with the rectangle in its first dwords; the payload of
        // a typed block has it in the last ones of eight.
        let classic = matches!(message, Message::Hdc(_));
        let (rest, from, shift) = match classic {
            true => (at(self.header_lanes(), M::Ud), 0, 16),
            false => (Operand::Imm(0, M::Uw), 20, 8),
        };
        let count = grf / 4;
        self.some_lanes(
            What::Alu(Opcode::Mov),
            Some(dword(0, 4)),
            &[rest],
            true,
            count,
            |_| {},
        );
        for (index, (base, by)) in place.into_iter().zip(offset).enumerate() {
            let dst = dword(from + 4 * index as u32, 0);
            match by {
                0 => self.one(Opcode::Mov, dst, &[base]),
                by => self.one(Opcode::Add, dst, &[base, Operand::Imm(by.into(), M::Uw)]),
            }
        }
        let size = (width - 1) | (height - 1) << shift;
        self.one(
            Opcode::Mov,
            dword(from + 8, 0),
            &[Operand::Imm(size.into(), M::Ud)],
        );
        Place { var, byte: 0 }
    }

    /// Reads texels at integer coordinates.
    pub(super) fn image_load(
        &mut self,
        surface: Surface,
        written: bool,
        coordinates: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        self.images()?;
        let typed = self.typed_message(Direction::Read, surface);
        if written && matches!(typed, Message::Lsc(_)) {
            // The sampler's cache does not see what the kernel writes.
            return self.typed(typed, coordinates, Some(results), &[]);
        }
        let op = self.sampler_op(SamplerOp::LoadLevelZero, SamplerOp::Load);
        self.sampled(op, surface, 0, coordinates, results)
    }

    /// Reads texels through a sampler.
    pub(super) fn image_sample(
        &mut self,
        surface: Surface,
        sampler: u8,
        coordinates: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        self.images()?;
        let op = self.sampler_op(SamplerOp::SampleLevelZero, SamplerOp::SampleLod);
        self.sampled(op, surface, sampler, coordinates, results)
    }

    /// Writes texels.
    pub(super) fn image_store(
        &mut self,
        surface: Surface,
        coordinates: &[Value],
        channels: &[Value],
    ) -> Result<(), String> {
        self.images()?;
        let message = self.typed_message(Direction::Write, surface);
        self.typed(message, coordinates, None, channels)
    }

    /// The operation that has no level of detail, where it exists.
    fn sampler_op(&self, plain: SamplerOp, other: SamplerOp) -> SamplerOp {
        match plain.exists(self.target.platform.family) {
            true => plain,
            false => other,
        }
    }

    fn typed_message(&self, direction: Direction, surface: Surface) -> Message {
        let components = (1 << CHANNELS) - 1;
        let classic = Message::Hdc(Hdc::Typed {
            direction,
            surface: HdcSurface::Bti(surface.0),
            components,
            slots: SlotGroup::Low,
        });
        match self.has(classic) {
            true => classic,
            false => Message::Lsc(Lsc::Quad {
                port: LscPort::Tgm,
                direction,
                address: LscAddress::Bti {
                    index: surface.0,
                    offset: 0,
                },
                address_size: AddressSize::A32,
                data: DataSize::D32,
                components,
                cache: CacheControl::DEFAULT,
            }),
        }
    }

    /// A message of the sampler, for as many lanes at once as it has.
    fn sampled(
        &mut self,
        op: SamplerOp,
        surface: Surface,
        sampler: u8,
        coordinates: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        let lanes = self.target.caps.message_lanes.min(self.target.simd);
        let mut left = coordinates.len();
        let mut parameters = Vec::new();
        for parameter in op.parameters(self.target.platform.family, false) {
            let coordinate = match parameter {
                _ if left == 0 => break,
                Parameter::U => coordinates.first(),
                Parameter::V => coordinates.get(1),
                Parameter::R => coordinates.get(2),
                Parameter::Lod => {
                    parameters.push(None);
                    continue;
                }
                _ => None,
            };
            let value = coordinate.ok_or_else(|| format!("{} of {left} more", op.mnemonic()))?;
            parameters.push(Some(self.packed(*value)?));
            left -= 1;
        }
        let message = Message::Sampler(Sampler {
            op,
            surface: surface.0,
            sampler,
            simd: lanes as u8,
            half_parameters: false,
            half_results: false,
            integer_results: false,
        });
        self.texels(message, lanes, &parameters, Some(results), &[])
    }

    /// A typed message: for eight lanes each on the classic data port.
    fn typed(
        &mut self,
        message: Message,
        coordinates: &[Value],
        results: Option<&[Value]>,
        channels: &[Value],
    ) -> Result<(), String> {
        let lanes = match message {
            Message::Hdc(_) => self.target.grf() / 4,
            _ => self.target.caps.message_lanes,
        };
        let mut planes = Vec::new();
        for value in coordinates {
            planes.push(Some(self.packed(*value)?));
        }
        let mut data = Vec::new();
        for value in channels {
            data.push(Some(self.packed(*value)?));
        }
        self.texels(
            message,
            lanes.min(self.target.simd),
            &planes,
            results,
            &data,
        )
    }

    /// Sends messages for `lanes` lanes each, until all are served. A missing plane is zero.
    fn texels(
        &mut self,
        message: Message,
        lanes: u32,
        parameters: &[Option<Loc>],
        results: Option<&[Value]>,
        data: &[Option<Loc>],
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let header = self.target.caps.typed_header && matches!(message, Message::Hdc(_));
        let plane = (4 * lanes).max(grf);
        let mut lane = 0;
        while lane < self.target.simd {
            let address = self.planes(parameters, header, lane, lanes);
            let data = match data {
                [] => None,
                data => Some(self.planes(data, false, lane, lanes)),
            };
            let response = results.map(|_| self.code.var(CHANNELS * plane, grf));
            let (src0, src1) = self.payloads(address, data);
            let place = |var| (Place { var, byte: 0 }, (CHANNELS * plane / grf) as u8);
            let send = SendData {
                message,
                response: response.map(place),
                src0,
                header,
                src1,
            };
            self.send(lanes, lane, false, send);
            if let (Some(results), Some(var)) = (results, response) {
                self.receive(results, var, plane, lane, lanes);
            }
            lane += lanes;
        }
        Ok(())
    }

    /// Some lanes of values as the planes of a payload, behind a header if there is one.
    fn planes(
        &mut self,
        values: &[Option<Loc>],
        header: bool,
        lane: u32,
        lanes: u32,
    ) -> (Place, u8) {
        let grf = self.target.grf();
        let plane = (4 * lanes).max(grf);
        if let ([Some(only)], false) = (values, header) {
            let place = Place {
                var: only.place.var,
                byte: only.place.byte + 4 * lane,
            };
            return (place, (plane / grf) as u8);
        }
        let before = if header { grf } else { 0 };
        let size = before + plane * values.len() as u32;
        let var = self.code.var(size, grf);
        let dwords = |byte, pitch| {
            let place = Place { var, byte };
            at(Loc { place, pitch }, M::Ud)
        };
        if header {
            let zero = [Operand::Imm(0, M::Uw)];
            let mov = What::Alu(Opcode::Mov);
            self.some_lanes(mov, Some(dwords(0, 4)), &zero, true, grf / 4, |_| {});
            self.one(Opcode::Mov, dwords(28, 0), &[Operand::Imm(SLOTS, M::Uw)]);
        }
        for (index, value) in values.iter().enumerate() {
            let dst = dwords(before + index as u32 * plane, 4);
            let src = match value {
                Some(loc) => skip(at(*loc, M::Ud), 4 * lane),
                None => Operand::Imm(0, M::Uw),
            };
            self.part_lanes(dst, src, lane, lanes);
        }
        (Place { var, byte: 0 }, (size / grf) as u8)
    }

    /// Makes later reads of images see what was written.
    pub(super) fn image_fence(&self) -> Option<Message> {
        let flush = Message::Sampler(Sampler {
            op: SamplerOp::BlockFlush,
            surface: 0,
            sampler: 0,
            simd: 32,
            half_parameters: false,
            half_results: false,
            integer_results: false,
        });
        (self.target.platform.images && self.has(flush)).then_some(flush)
    }
}
