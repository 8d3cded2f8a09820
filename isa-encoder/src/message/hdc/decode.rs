//! Descriptors of the data ports to messages.

use devinfo::Family;

use super::fields::{
    A64_BLOCK_TYPE, A64_SCATTER_TYPE, ALIGNED_BLOCK_HWORD, ATOMIC_FLOAT_OP, ATOMIC_OP,
    ATOMIC_RETURN, BINDLESS, BINDLESS_OFFSET, BINDLESS_OFFSET_WIDE, BLOCK_SIZE, COMPONENT_DISABLE,
    DUAL_BLOCK_SIZE, ELEMENT_SIZE, FENCE_COMMIT, FENCE_FLUSH, MEDIA_LINE_STRIDE, PAGE_OPERATION,
    PAGE_OPERATIONS, SCALED_OFFSET, SCALED_PITCH, SCALED_SLM, SCATTER_SIMD, SCRATCH,
    SCRATCH_DWORD_MODE, SCRATCH_OFFSET, SCRATCH_SIZE, SCRATCH_WRITE, SECTOR_OPERATION,
    SECTOR_OPERATIONS, SIMD_12, SLM, STATELESS, STATELESS_COHERENT, SURFACE, TYPE, TYPED_SLOTS,
    UNTYPED_SIMD, dc0, dc1, dc2, dcro, native_simd,
};
use super::message::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    OwordCount, SlotGroup,
};
use crate::Sfid;
use crate::message::bits::Field;
use crate::message::{AtomicOp, DescriptorError, Descriptors};

struct Decoder {
    family: Family,
    function: Sfid,
    descriptors: Descriptors,
}

pub fn decode(
    family: Family,
    function: Sfid,
    descriptors: Descriptors,
) -> Result<Hdc, DescriptorError> {
    let decoder = Decoder {
        family,
        function,
        descriptors,
    };
    match function {
        Sfid::DataPort0 => decoder.data_cache_0(),
        Sfid::DataPort1 => decoder.data_cache_1(),
        Sfid::DataPort2 => decoder.data_cache_2(),
        _ => decoder.constant_cache(),
    }
}

impl Decoder {
    fn get(&self, field: Field) -> u32 {
        field.get(self.descriptors.descriptor)
    }

    fn is_set(&self, field: Field) -> bool {
        self.get(field) != 0
    }

    fn undefined<T>(&self, field: &'static str, value: u32) -> Result<T, DescriptorError> {
        Err(DescriptorError::Field {
            function: self.function,
            field,
            value,
            descriptor: self.descriptors.descriptor,
        })
    }

    fn surface(&self) -> Result<HdcSurface, DescriptorError> {
        Ok(match self.get(SURFACE) {
            STATELESS_COHERENT => HdcSurface::Stateless { coherent: true },
            STATELESS => HdcSurface::Stateless { coherent: false },
            SLM => HdcSurface::Slm,
            BINDLESS => HdcSurface::Bindless(bindless_offset(self.descriptors)),
            index @ 0..=0xef => HdcSurface::Bti(index as u8),
            index => return self.undefined("binding table index", index),
        })
    }

    fn a32(&self) -> Result<HdcAddress, DescriptorError> {
        self.surface().map(HdcAddress::A32)
    }

    fn a64(&self) -> Result<HdcAddress, DescriptorError> {
        match self.get(SURFACE) {
            STATELESS_COHERENT => Ok(HdcAddress::A64 { coherent: true }),
            STATELESS => Ok(HdcAddress::A64 { coherent: false }),
            index => self.undefined("A64 binding table index", index),
        }
    }

    /// SIMD8 or SIMD16, twice that where registers are 64 bytes.
    fn simd(&self, sixteen: bool) -> u8 {
        let narrow = native_simd(self.family);
        if sixteen { narrow * 2 } else { narrow }
    }

    fn oword_count(&self) -> Result<OwordCount, DescriptorError> {
        Ok(match self.get(BLOCK_SIZE) {
            0 => OwordCount::OneLow,
            1 => OwordCount::OneHigh,
            2 => OwordCount::Two,
            3 => OwordCount::Four,
            4 => OwordCount::Eight,
            5 if self.family >= Family::XeHpg => OwordCount::Sixteen,
            size => return self.undefined("block size", size),
        })
    }

    fn oword_block(
        &self,
        direction: Direction,
        alignment: BlockAlignment,
        port: BlockPort,
    ) -> Result<Hdc, DescriptorError> {
        Ok(Hdc::OwordBlock {
            direction,
            address: self.a32()?,
            alignment,
            count: self.oword_count()?,
            port,
        })
    }

    fn dual_block(
        &self,
        direction: Direction,
        address: HdcAddress,
        port: BlockPort,
    ) -> Result<Hdc, DescriptorError> {
        // SIMD4x2 code, and with it this, went with Gen11.
        if self.family > Family::Gen11 {
            return self.undefined("message type", self.get(TYPE));
        }
        Ok(Hdc::OwordDualBlock {
            direction,
            address,
            owords: match self.get(DUAL_BLOCK_SIZE) {
                0 => 1,
                2 => 4,
                size => return self.undefined("block size", size),
            },
            port,
        })
    }

    fn hwords(&self, field: Field) -> Result<u8, DescriptorError> {
        match self.get(field) {
            size @ 0..=3 => Ok(1 << size),
            size => self.undefined("block size", size),
        }
    }

    fn element_bytes(&self) -> Result<u8, DescriptorError> {
        match self.get(ELEMENT_SIZE) {
            size @ 0..=2 => Ok(1 << size),
            size => self.undefined("data element size", size),
        }
    }

    fn scattered(
        &self,
        direction: Direction,
        bytes: u8,
        port: BlockPort,
    ) -> Result<Hdc, DescriptorError> {
        Ok(Hdc::Scattered {
            direction,
            address: self.a32()?,
            bytes,
            elements: 1 << self.get(ELEMENT_SIZE),
            simd: self.simd(self.is_set(SCATTER_SIMD)),
            port,
        })
    }

    fn data_cache_0(&self) -> Result<Hdc, DescriptorError> {
        use BlockAlignment::{Dword, Oword};
        use Direction::{Read, Write};
        if self.is_set(SCRATCH) {
            return Ok(Hdc::ScratchBlock {
                direction: if self.is_set(SCRATCH_WRITE) {
                    Write
                } else {
                    Read
                },
                hwords: self.hwords(SCRATCH_SIZE)?,
                offset: self.get(SCRATCH_OFFSET) as u16,
                dword_channels: self.is_set(SCRATCH_DWORD_MODE),
            });
        }
        match self.get(TYPE) {
            dc0::OWORD_READ => self.oword_block(Read, Oword, BlockPort::Data),
            dc0::DWORD_ALIGNED_READ
                if self.family >= Family::XeHpg && self.is_set(ALIGNED_BLOCK_HWORD) =>
            {
                Ok(Hdc::HwordBlock {
                    direction: Read,
                    address: self.a32()?,
                    hwords: self.hwords(BLOCK_SIZE)?,
                })
            }
            dc0::DWORD_ALIGNED_READ => self.oword_block(Read, Dword, BlockPort::Data),
            dc0::OWORD_WRITE => self.oword_block(Write, Oword, BlockPort::Data),
            dc0::OWORD_DUAL_READ => self.dual_block(Read, self.a32()?, BlockPort::Data),
            dc0::OWORD_DUAL_WRITE => self.dual_block(Write, self.a32()?, BlockPort::Data),
            dc0::HWORD_ALIGNED_WRITE if self.family >= Family::XeHpg => Ok(Hdc::HwordBlock {
                direction: Write,
                address: self.a32()?,
                hwords: self.hwords(BLOCK_SIZE)?,
            }),
            kind @ (dc0::BYTE_GATHER | dc0::BYTE_SCATTER) => Ok(Hdc::Byte {
                direction: if kind == dc0::BYTE_GATHER {
                    Read
                } else {
                    Write
                },
                address: self.a32()?,
                bytes: self.element_bytes()?,
                simd: self.simd(self.is_set(SCATTER_SIMD)),
            }),
            dc0::DWORD_GATHER => self.scattered(Read, 4, BlockPort::Data),
            dc0::DWORD_SCATTER => self.scattered(Write, 4, BlockPort::Data),
            dc0::QWORD_GATHER => self.scattered(Read, 8, BlockPort::Data),
            dc0::QWORD_SCATTER => self.scattered(Write, 8, BlockPort::Data),
            dc0::FENCE => Ok(Hdc::Fence {
                slm: match self.get(SURFACE) {
                    0 => false,
                    SLM => true,
                    index => return self.undefined("fence surface", index),
                },
                commit: self.is_set(FENCE_COMMIT),
                flush: self.get(FENCE_FLUSH) as u8,
            }),
            kind => self.undefined("message type", kind),
        }
    }

    fn constant_cache(&self) -> Result<Hdc, DescriptorError> {
        use BlockAlignment::{Dword, Oword};
        match self.get(TYPE) {
            dc0::OWORD_READ => self.oword_block(Direction::Read, Oword, BlockPort::Constant),
            dc0::DWORD_ALIGNED_READ => {
                self.oword_block(Direction::Read, Dword, BlockPort::Constant)
            }
            dc0::DWORD_GATHER => self.scattered(Direction::Read, 4, BlockPort::Constant),
            dc0::OWORD_DUAL_READ => {
                self.dual_block(Direction::Read, self.a32()?, BlockPort::Constant)
            }
            kind if self.family < Family::XeHpg => self.undefined("message type", kind),
            kind @ (dcro::UNTYPED_UNCOMPRESSED | dcro::A64_UNCOMPRESSED) => {
                Ok(Hdc::UncompressedWrite {
                    address: match kind {
                        dcro::UNTYPED_UNCOMPRESSED => self.a32()?,
                        _ => self.a64()?,
                    },
                    components: self.components()?,
                    simd: self.untyped_simd()?,
                })
            }
            dcro::TYPED_UNCOMPRESSED => Ok(Hdc::TypedUncompressedWrite {
                surface: self.surface()?,
                components: self.components()?,
                slots: self.slots()?,
            }),
            dcro::A64_SECTOR => Ok(Hdc::SectorControl {
                control: self.control(SECTOR_OPERATION, &SECTOR_OPERATIONS)?,
                address: self.a64()?,
                simd: self.untyped_simd()?,
            }),
            dcro::TYPED_SECTOR => Ok(Hdc::TypedSectorControl {
                control: self.control(SECTOR_OPERATION, &SECTOR_OPERATIONS)?,
                surface: self.surface()?,
                slots: self.slots()?,
            }),
            dcro::A64_PAGE => Ok(Hdc::PageControl {
                control: self.control(PAGE_OPERATION, &PAGE_OPERATIONS)?,
                address: self.a64()?,
            }),
            kind => self.undefined("message type", kind),
        }
    }

    fn control(
        &self,
        field: Field,
        operations: &[(u32, CompressionControl)],
    ) -> Result<CompressionControl, DescriptorError> {
        let code = self.get(field);
        match operations.iter().find(|row| row.0 == code) {
            Some((_, control)) => Ok(*control),
            None => self.undefined("compression operation", code),
        }
    }

    /// Only what reads and writes shared local memory at scaled offsets: of the other messages of
    /// this port no source has the layout.
    fn data_cache_2(&self) -> Result<Hdc, DescriptorError> {
        let kind = self.get(TYPE);
        if !(Family::Gen9..=Family::Gen11).contains(&self.family) {
            return self.undefined("message type", kind);
        }
        let undescribed = |what| {
            Err(DescriptorError::Undescribed {
                what,
                descriptor: self.descriptors.descriptor,
            })
        };
        match kind {
            dc2::A64_GATHER => return undescribed("scaled A64 gather"),
            dc2::A64_SCATTER => return undescribed("scaled A64 scatter"),
            dc2::A64_UNTYPED_READ => return undescribed("scaled A64 untyped surface read"),
            dc2::A64_UNTYPED_WRITE => return undescribed("scaled A64 untyped surface write"),
            dc2::UNTYPED_READ | dc2::UNTYPED_WRITE | dc2::BYTE_GATHER | dc2::BYTE_SCATTER
                if !self.is_set(SCALED_SLM) =>
            {
                return undescribed("scaled message to a surface");
            }
            _ => {}
        }
        let direction = match kind {
            dc2::UNTYPED_READ | dc2::BYTE_GATHER => Direction::Read,
            _ => Direction::Write,
        };
        let pitch = self.get(SCALED_PITCH) as u8;
        let offset = SCALED_OFFSET.get(self.descriptors.extended);
        match kind {
            dc2::UNTYPED_READ | dc2::UNTYPED_WRITE => Ok(Hdc::ScaledUntyped {
                direction,
                pitch,
                offset,
                components: self.components()?,
                simd: match self.untyped_simd()? {
                    2 => return self.undefined("SIMD mode", 0),
                    simd => simd,
                },
            }),
            dc2::BYTE_GATHER | dc2::BYTE_SCATTER => Ok(Hdc::ScaledByte {
                direction,
                pitch,
                offset,
                bytes: self.element_bytes()?,
                simd: self.simd(self.is_set(SCATTER_SIMD)),
            }),
            _ => self.undefined("message type", kind),
        }
    }

    fn components(&self) -> Result<u8, DescriptorError> {
        match self.get(COMPONENT_DISABLE) {
            0xf => self.undefined("channel disable mask", 0xf),
            disabled => Ok(!disabled as u8 & 0xf),
        }
    }

    fn untyped(&self, direction: Direction, address: HdcAddress) -> Result<Hdc, DescriptorError> {
        Ok(Hdc::Untyped {
            direction,
            address,
            components: self.components()?,
            simd: self.untyped_simd()?,
        })
    }

    fn untyped_simd(&self) -> Result<u8, DescriptorError> {
        match self.get(UNTYPED_SIMD) {
            0 if self.family <= Family::Gen11 => Ok(2),
            1 => Ok(16),
            // On XeHPC mode 1 is the only one: one register's channels.
            2 if self.family < Family::XeHpc => Ok(8),
            mode => self.undefined("SIMD mode", mode),
        }
    }

    fn slots(&self) -> Result<SlotGroup, DescriptorError> {
        Ok(match self.get(TYPED_SLOTS) {
            0 => SlotGroup::FourByTwo,
            1 => SlotGroup::Low,
            2 => SlotGroup::High,
            group => return self.undefined("slot group", group),
        })
    }

    fn typed(&self, direction: Direction) -> Result<Hdc, DescriptorError> {
        Ok(Hdc::Typed {
            direction,
            surface: self.surface()?,
            components: self.components()?,
            slots: self.slots()?,
        })
    }

    fn typed_atomic(&self, bytes: u8, slots: SlotGroup) -> Result<Hdc, DescriptorError> {
        let (op, bytes) = self.integer_op(bytes)?;
        Ok(Hdc::TypedAtomic {
            surface: self.surface()?,
            op,
            bytes,
            returns: self.is_set(ATOMIC_RETURN),
            slots,
        })
    }

    fn counter_atomic(&self, bytes: u8, simd: u8) -> Result<Hdc, DescriptorError> {
        let (op, bytes) = self.integer_op(bytes)?;
        Ok(Hdc::CounterAtomic {
            surface: self.surface()?,
            op,
            bytes,
            returns: self.is_set(ATOMIC_RETURN),
            simd,
        })
    }

    /// Operand and channels of the types that are SIMD4x2 of dwords to Gen11, and of halves from
    /// Gen12LP on; `simd` is what the latter have.
    const fn half(&self, simd: u8) -> (u8, u8) {
        match self.family {
            Family::Gen8 | Family::Gen9 | Family::Gen11 => (4, 2),
            _ => (2, simd),
        }
    }

    /// The integer operation and its operand size. Opcode 0 is a compare-and-swap of two dwords.
    fn integer_op(&self, bytes: u8) -> Result<(AtomicOp, u8), DescriptorError> {
        match self.get(ATOMIC_OP) {
            0 if bytes == 4 => Ok((AtomicOp::CompareSwap, 8)),
            opcode => match AtomicOp::from_hdc_integer(opcode) {
                Some(op) => Ok((op, bytes)),
                None => self.undefined("atomic operation", opcode),
            },
        }
    }

    fn atomic(
        &self,
        address: HdcAddress,
        op: AtomicOp,
        bytes: u8,
        simd: u8,
    ) -> Result<Hdc, DescriptorError> {
        Ok(Hdc::Atomic {
            address,
            op,
            bytes,
            returns: self.is_set(ATOMIC_RETURN),
            simd,
        })
    }

    fn float_op(&self, bytes: u8) -> Result<(AtomicOp, u8), DescriptorError> {
        let opcode = self.get(ATOMIC_FLOAT_OP);
        let (opcode, bytes) = match opcode {
            // 6 and 7 are the 64-bit forms of add and subtract.
            6 | 7 if self.family >= Family::XeHpg => (opcode - 2, 8),
            4 | 5 if self.family < Family::XeHpg => {
                return self.undefined("float atomic operation", opcode);
            }
            _ => (opcode, bytes),
        };
        match AtomicOp::from_hdc_float(opcode) {
            Some(op) => Ok((op, bytes)),
            None => self.undefined("float atomic operation", opcode),
        }
    }

    fn data_cache_1(&self) -> Result<Hdc, DescriptorError> {
        use Direction::{Read, Write};
        let narrow = native_simd(self.family);
        // Bit 12 says that A32 atomics are narrow, and that A64 ones are wide.
        let a32_simd = self.simd(!self.is_set(SIMD_12));
        let a64_simd = self.simd(self.is_set(SIMD_12));
        match self.get(TYPE) {
            dc1::UNTYPED_READ => self.untyped(Read, self.a32()?),
            dc1::UNTYPED_WRITE => self.untyped(Write, self.a32()?),
            dc1::A64_UNTYPED_READ => self.untyped(Read, self.a64()?),
            dc1::A64_UNTYPED_WRITE => self.untyped(Write, self.a64()?),
            dc1::UNTYPED_ATOMIC => {
                let (op, bytes) = self.integer_op(4)?;
                self.atomic(self.a32()?, op, bytes, a32_simd)
            }
            dc1::UNTYPED_ATOMIC_16 => {
                let (bytes, simd) = self.half(a32_simd);
                let (op, bytes) = self.integer_op(bytes)?;
                self.atomic(self.a32()?, op, bytes, simd)
            }
            kind @ (dc1::A64_ATOMIC | dc1::A64_ATOMIC_16) => {
                let (bytes, simd) = match kind {
                    dc1::A64_ATOMIC => (4, narrow),
                    _ => self.half(narrow),
                };
                // Bit 12 widens the operand.
                let bytes = match bytes {
                    4 if self.is_set(SIMD_12) => 8,
                    bytes => bytes,
                };
                let (op, bytes) = self.integer_op(bytes)?;
                self.atomic(self.a64()?, op, bytes, simd)
            }
            dc1::FLOAT_ATOMIC => {
                let (op, bytes) = self.float_op(4)?;
                self.atomic(self.a32()?, op, bytes, a32_simd)
            }
            dc1::FLOAT_ATOMIC_16 => {
                let (bytes, simd) = self.half(a32_simd);
                let (op, bytes) = self.float_op(bytes)?;
                self.atomic(self.a32()?, op, bytes, simd)
            }
            dc1::A64_FLOAT_ATOMIC => {
                let (op, bytes) = self.float_op(4)?;
                self.atomic(self.a64()?, op, bytes, a64_simd)
            }
            dc1::A64_FLOAT_ATOMIC_16 => {
                let (bytes, simd) = self.half(a64_simd);
                let (op, bytes) = self.float_op(bytes)?;
                self.atomic(self.a64()?, op, bytes, simd)
            }
            kind @ (dc1::MEDIA_READ | dc1::MEDIA_WRITE) => Ok(Hdc::MediaBlock {
                direction: if kind == dc1::MEDIA_READ { Read } else { Write },
                surface: self.surface()?,
                line_stride: self.get(MEDIA_LINE_STRIDE) as u8,
            }),
            dc1::TYPED_READ => self.typed(Read),
            dc1::TYPED_WRITE => self.typed(Write),
            dc1::TYPED_READ_STATUS => Ok(Hdc::TypedStatus {
                surface: self.surface()?,
                components: self.components()?,
                slots: self.slots()?,
            }),
            kind @ (dc1::TYPED_ATOMIC | dc1::TYPED_ATOMIC_16) => {
                let slots = match self.is_set(SIMD_12) {
                    true => SlotGroup::High,
                    false => SlotGroup::Low,
                };
                match (kind, self.family) {
                    (dc1::TYPED_ATOMIC, _) => self.typed_atomic(4, slots),
                    (_, Family::Gen8 | Family::Gen9 | Family::Gen11) => {
                        self.typed_atomic(4, SlotGroup::FourByTwo)
                    }
                    _ => self.typed_atomic(2, slots),
                }
            }
            dc1::COUNTER_ATOMIC => self.counter_atomic(4, a32_simd),
            dc1::COUNTER_ATOMIC_16 => {
                let (bytes, simd) = self.half(a32_simd);
                self.counter_atomic(bytes, simd)
            }
            kind @ (dc1::A64_GATHER | dc1::A64_SCATTER) => {
                self.a64_scattered(if kind == dc1::A64_GATHER { Read } else { Write })
            }
            kind @ (dc1::A64_BLOCK_READ | dc1::A64_BLOCK_WRITE) => {
                self.a64_block(if kind == dc1::A64_BLOCK_READ {
                    Read
                } else {
                    Write
                })
            }
            kind => self.undefined("message type", kind),
        }
    }

    fn a64_scattered(&self, direction: Direction) -> Result<Hdc, DescriptorError> {
        let address = self.a64()?;
        let simd = self.simd(self.is_set(SIMD_12));
        let elements = 1 << self.get(ELEMENT_SIZE);
        match self.get(A64_SCATTER_TYPE) {
            0 => Ok(Hdc::Byte {
                direction,
                address,
                bytes: self.element_bytes()?,
                simd,
            }),
            kind @ (1 | 2) => Ok(Hdc::Scattered {
                direction,
                address,
                bytes: if kind == 1 { 4 } else { 8 },
                elements,
                simd,
                port: BlockPort::Data,
            }),
            3 if direction == Direction::Read => Ok(Hdc::ByteStatus {
                address,
                bytes: self.element_bytes()?,
                simd,
            }),
            kind => self.undefined("A64 scattered subtype", kind),
        }
    }

    fn a64_block(&self, direction: Direction) -> Result<Hdc, DescriptorError> {
        let address = self.a64()?;
        let oword = |alignment| {
            Ok(Hdc::OwordBlock {
                direction,
                address,
                alignment,
                count: self.oword_count()?,
                port: BlockPort::Data,
            })
        };
        match (self.get(A64_BLOCK_TYPE), direction) {
            (0, _) => oword(BlockAlignment::Oword),
            (1, Direction::Read) => oword(BlockAlignment::Dword),
            (2, _) => self.dual_block(direction, address, BlockPort::Data),
            (3, _) => Ok(Hdc::HwordBlock {
                direction,
                address,
                hwords: self.hwords(BLOCK_SIZE)?,
            }),
            (kind, _) => self.undefined("A64 block subtype", kind),
        }
    }
}

const fn bindless_offset(descriptors: Descriptors) -> u32 {
    if descriptors.extended_bindless_offset {
        BINDLESS_OFFSET_WIDE.get(descriptors.extended) << 6
    } else {
        BINDLESS_OFFSET.get(descriptors.extended) << 6
    }
}
