//! Descriptors of data port messages.
//!
//! Sources: Skylake PRM vol 2d "Data Port message descriptors" (MSD0R_OWB and so on), Tiger Lake
//! PRM vol 2d, IGA's HDC message decoder, Mesa's `brw_dp_*_desc`.

use devinfo::Family;

use super::bits::Field;
use super::hdc::{
    BlockAlignment, BlockPort, Direction, Hdc, HdcAddress, HdcSurface, OwordCount, SlotGroup,
};
use super::{AtomicOp, DescriptorError, Descriptors};
use crate::Sfid;

const SURFACE: Field = Field::new(7, 0);
const TYPE: Field = Field::new(18, 14);
const SCRATCH: Field = Field::bit(18);

const BLOCK_SIZE: Field = Field::new(10, 8);
const A64_BLOCK_TYPE: Field = Field::new(12, 11);
const ALIGNED_BLOCK_HWORD: Field = Field::bit(13);

const SCRATCH_OFFSET: Field = Field::new(11, 0);
const SCRATCH_SIZE: Field = Field::new(13, 12);
const SCRATCH_DWORD_MODE: Field = Field::bit(16);
const SCRATCH_WRITE: Field = Field::bit(17);

const SCATTER_SIMD: Field = Field::bit(8);
const SCATTER_LEGACY: Field = Field::bit(9);
const ELEMENT_SIZE: Field = Field::new(11, 10);
const A64_SCATTER_TYPE: Field = Field::new(9, 8);
const SIMD_12: Field = Field::bit(12);

const COMPONENT_DISABLE: Field = Field::new(11, 8);
const UNTYPED_SIMD: Field = Field::new(13, 12);
const TYPED_SLOTS: Field = Field::new(13, 12);

const ATOMIC_OP: Field = Field::new(11, 8);
const ATOMIC_FLOAT_OP: Field = Field::new(10, 8);
const ATOMIC_RETURN: Field = Field::bit(13);

const MEDIA_LINE_STRIDE: Field = Field::new(10, 8);

const FENCE_FLUSH: Field = Field::new(12, 8);
const FENCE_COMMIT: Field = Field::bit(13);

/// Bits 31:12 of the extended descriptor: the bindless surface state's offset in 64 bytes.
const BINDLESS_OFFSET: Field = Field::new(31, 12);
/// With ExBSO, bits 31:6 are the offset's own bits 31:6.
const BINDLESS_OFFSET_WIDE: Field = Field::new(31, 6);

const STATELESS_COHERENT: u32 = 0xff;
const SLM: u32 = 0xfe;
const STATELESS: u32 = 0xfd;
const BINDLESS: u32 = 0xfc;

/// Message types of data cache port 0 and the constant cache.
mod dc0 {
    pub const OWORD_READ: u32 = 0x00;
    pub const DWORD_ALIGNED_READ: u32 = 0x01;
    pub const DWORD_GATHER: u32 = 0x03;
    pub const BYTE_GATHER: u32 = 0x04;
    pub const QWORD_GATHER: u32 = 0x05;
    pub const FENCE: u32 = 0x07;
    pub const OWORD_WRITE: u32 = 0x08;
    pub const DWORD_SCATTER: u32 = 0x0b;
    pub const BYTE_SCATTER: u32 = 0x0c;
    pub const QWORD_SCATTER: u32 = 0x0d;
}

/// Message types of data cache port 1.
mod dc1 {
    pub const UNTYPED_READ: u32 = 0x01;
    pub const UNTYPED_ATOMIC: u32 = 0x02;
    pub const UNTYPED_ATOMIC_16: u32 = 0x03;
    pub const MEDIA_READ: u32 = 0x04;
    pub const TYPED_READ: u32 = 0x05;
    pub const TYPED_ATOMIC: u32 = 0x06;
    pub const TYPED_ATOMIC_16: u32 = 0x07;
    pub const UNTYPED_WRITE: u32 = 0x09;
    pub const MEDIA_WRITE: u32 = 0x0a;
    pub const TYPED_WRITE: u32 = 0x0d;
    pub const A64_GATHER: u32 = 0x10;
    pub const A64_UNTYPED_READ: u32 = 0x11;
    pub const A64_ATOMIC: u32 = 0x12;
    pub const A64_ATOMIC_16: u32 = 0x13;
    pub const A64_BLOCK_READ: u32 = 0x14;
    pub const A64_BLOCK_WRITE: u32 = 0x15;
    pub const A64_UNTYPED_WRITE: u32 = 0x19;
    pub const A64_SCATTER: u32 = 0x1a;
    pub const FLOAT_ATOMIC: u32 = 0x1b;
    pub const FLOAT_ATOMIC_16: u32 = 0x1c;
    pub const A64_FLOAT_ATOMIC: u32 = 0x1d;
    pub const A64_FLOAT_ATOMIC_16: u32 = 0x1e;
}

struct Decoder {
    family: Family,
    function: Sfid,
    descriptors: Descriptors,
}

pub(super) fn decode(
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
            kind => self.undefined("message type", kind),
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
            simd: match self.get(UNTYPED_SIMD) {
                // From XeHPC on mode 1 is the only one, and serves one register's channels.
                1 if self.family >= Family::XeHpc => 16,
                1 => 16,
                2 if self.family < Family::XeHpc => 8,
                mode => return self.undefined("SIMD mode", mode),
            },
        })
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

    fn typed_atomic(&self, bytes: u8) -> Result<Hdc, DescriptorError> {
        let (op, _) = self.integer_op(bytes)?;
        Ok(Hdc::TypedAtomic {
            surface: self.surface()?,
            op,
            bytes,
            returns: self.is_set(ATOMIC_RETURN),
            slots: if self.is_set(SIMD_12) {
                SlotGroup::High
            } else {
                SlotGroup::Low
            },
        })
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

    fn half_atomics(&self) -> Result<(), DescriptorError> {
        if self.family < Family::Gen12Lp {
            return self.undefined("message type", self.get(TYPE));
        }
        Ok(())
    }

    fn data_cache_1(&self) -> Result<Hdc, DescriptorError> {
        use Direction::{Read, Write};
        // A set bit 12 means SIMD8 in A32 atomics.
        let a32_atomic_simd = self.simd(!self.is_set(SIMD_12));
        let a64_atomic_simd = native_simd(self.family);
        match self.get(TYPE) {
            dc1::UNTYPED_READ => self.untyped(Read, self.a32()?),
            dc1::UNTYPED_WRITE => self.untyped(Write, self.a32()?),
            dc1::A64_UNTYPED_READ => self.untyped(Read, self.a64()?),
            dc1::A64_UNTYPED_WRITE => self.untyped(Write, self.a64()?),
            dc1::UNTYPED_ATOMIC => {
                let (op, bytes) = self.integer_op(4)?;
                self.atomic(self.a32()?, op, bytes, a32_atomic_simd)
            }
            dc1::UNTYPED_ATOMIC_16 => {
                self.half_atomics()?;
                let (op, bytes) = self.integer_op(2)?;
                self.atomic(self.a32()?, op, bytes, a32_atomic_simd)
            }
            dc1::A64_ATOMIC => {
                let width = if self.is_set(SIMD_12) { 8 } else { 4 };
                let (op, bytes) = self.integer_op(width)?;
                self.atomic(self.a64()?, op, bytes, a64_atomic_simd)
            }
            dc1::A64_ATOMIC_16 => {
                self.half_atomics()?;
                let (op, bytes) = self.integer_op(2)?;
                self.atomic(self.a64()?, op, bytes, a64_atomic_simd)
            }
            dc1::FLOAT_ATOMIC => {
                let (op, bytes) = self.float_op(4)?;
                self.atomic(self.a32()?, op, bytes, a32_atomic_simd)
            }
            dc1::FLOAT_ATOMIC_16 => {
                self.half_atomics()?;
                let (op, bytes) = self.float_op(2)?;
                self.atomic(self.a32()?, op, bytes, a32_atomic_simd)
            }
            dc1::A64_FLOAT_ATOMIC => {
                let (op, bytes) = self.float_op(4)?;
                self.atomic(self.a64()?, op, bytes, self.simd(self.is_set(SIMD_12)))
            }
            dc1::A64_FLOAT_ATOMIC_16 => {
                self.half_atomics()?;
                let (op, bytes) = self.float_op(2)?;
                self.atomic(self.a64()?, op, bytes, self.simd(self.is_set(SIMD_12)))
            }
            kind @ (dc1::MEDIA_READ | dc1::MEDIA_WRITE) => Ok(Hdc::MediaBlock {
                direction: if kind == dc1::MEDIA_READ { Read } else { Write },
                surface: self.surface()?,
                line_stride: self.get(MEDIA_LINE_STRIDE) as u8,
            }),
            dc1::TYPED_READ => self.typed(Read),
            dc1::TYPED_WRITE => self.typed(Write),
            dc1::TYPED_ATOMIC => self.typed_atomic(4),
            dc1::TYPED_ATOMIC_16 => {
                self.half_atomics()?;
                self.typed_atomic(2)
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
            (3, _) => Ok(Hdc::HwordBlock {
                direction,
                address,
                hwords: self.hwords(BLOCK_SIZE)?,
            }),
            (kind, _) => self.undefined("A64 block subtype", kind),
        }
    }
}

/// The channels that one register of dwords serves.
const fn native_simd(family: Family) -> u8 {
    (family.grf_bytes() / 4) as u8
}

const fn bindless_offset(descriptors: Descriptors) -> u32 {
    if descriptors.extended_bindless_offset {
        BINDLESS_OFFSET_WIDE.get(descriptors.extended) << 6
    } else {
        BINDLESS_OFFSET.get(descriptors.extended) << 6
    }
}

struct Encoder {
    family: Family,
    out: Descriptors,
}

pub(super) fn encode(family: Family, message: Hdc) -> Result<(Sfid, Descriptors), DescriptorError> {
    let mut encoder = Encoder {
        family,
        out: Descriptors::default(),
    };
    let function = encoder.message(message)?;
    function.id(family)?;
    // What the family cannot express does not decode to the same message.
    match decode(family, function, encoder.out) {
        Ok(decoded) if decoded == message => Ok((function, encoder.out)),
        _ => Err(DescriptorError::Unsupported {
            what: "such a data port message",
            family,
        }),
    }
}

impl Encoder {
    fn put(&mut self, field: Field, name: &'static str, value: u32) -> Result<(), DescriptorError> {
        field.put(&mut self.out.descriptor, name, value)
    }

    fn kind(&mut self, kind: u32) -> Result<(), DescriptorError> {
        self.put(TYPE, "message type", kind)
    }

    fn surface(&mut self, surface: HdcSurface) -> Result<(), DescriptorError> {
        let index = match surface {
            HdcSurface::Bti(index) => u32::from(index),
            HdcSurface::Slm => SLM,
            HdcSurface::Stateless { coherent: true } => STATELESS_COHERENT,
            HdcSurface::Stateless { coherent: false } => STATELESS,
            HdcSurface::Bindless(offset) => {
                let extended = &mut self.out.extended;
                BINDLESS_OFFSET.put(extended, "bindless surface offset", offset >> 6)?;
                BINDLESS
            }
        };
        self.put(SURFACE, "binding table index", index)
    }

    /// Puts the address model; says whether it is A64.
    fn address(&mut self, address: HdcAddress) -> Result<bool, DescriptorError> {
        match address {
            HdcAddress::A32(surface) => self.surface(surface).map(|()| false),
            HdcAddress::A64 { coherent } => self
                .surface(HdcSurface::Stateless { coherent })
                .map(|()| true),
        }
    }

    fn wide(&self, simd: u8) -> u32 {
        u32::from(simd > native_simd(self.family))
    }

    fn message(&mut self, message: Hdc) -> Result<Sfid, DescriptorError> {
        use Direction::{Read, Write};
        use Sfid::{ConstantCache, DataPort0, DataPort1};
        let pick = |direction, read, write| if direction == Read { read } else { write };
        match message {
            Hdc::OwordBlock {
                direction,
                address,
                alignment,
                count,
                port,
            } => {
                let a64 = self.address(address)?;
                let size = match count {
                    OwordCount::OneLow => 0,
                    OwordCount::OneHigh => 1,
                    OwordCount::Two => 2,
                    OwordCount::Four => 3,
                    OwordCount::Eight => 4,
                    OwordCount::Sixteen => 5,
                };
                self.put(BLOCK_SIZE, "block size", size)?;
                let dword = alignment == BlockAlignment::Dword;
                if a64 {
                    self.put(A64_BLOCK_TYPE, "A64 block subtype", dword.into())?;
                    self.kind(pick(direction, dc1::A64_BLOCK_READ, dc1::A64_BLOCK_WRITE))?;
                    return Ok(DataPort1);
                }
                self.kind(match (direction, dword) {
                    (Read, true) => dc0::DWORD_ALIGNED_READ,
                    (Read, false) => dc0::OWORD_READ,
                    (Write, _) => dc0::OWORD_WRITE,
                })?;
                Ok(match port {
                    BlockPort::Data => DataPort0,
                    BlockPort::Constant => ConstantCache,
                })
            }
            Hdc::HwordBlock {
                direction,
                address,
                hwords,
            } => {
                let a64 = self.address(address)?;
                self.put(BLOCK_SIZE, "block size", log2(hwords))?;
                if a64 {
                    self.put(A64_BLOCK_TYPE, "A64 block subtype", 3)?;
                    self.kind(pick(direction, dc1::A64_BLOCK_READ, dc1::A64_BLOCK_WRITE))?;
                    Ok(DataPort1)
                } else {
                    self.put(ALIGNED_BLOCK_HWORD, "block subtype", 1)?;
                    self.kind(dc0::DWORD_ALIGNED_READ)?;
                    Ok(DataPort0)
                }
            }
            Hdc::ScratchBlock {
                direction,
                hwords,
                offset,
                dword_channels,
            } => {
                self.put(SCRATCH, "category", 1)?;
                self.put(SCRATCH_WRITE, "direction", u32::from(direction == Write))?;
                self.put(SCRATCH_DWORD_MODE, "channel mode", dword_channels.into())?;
                self.put(SCRATCH_SIZE, "block size", log2(hwords))?;
                self.put(SCRATCH_OFFSET, "scratch offset", offset.into())?;
                Ok(DataPort0)
            }
            Hdc::Byte {
                direction,
                address,
                bytes,
                simd,
            } => {
                let a64 = self.address(address)?;
                self.put(ELEMENT_SIZE, "data element size", log2(bytes))?;
                let wide = self.wide(simd);
                if a64 {
                    self.put(SIMD_12, "SIMD mode", wide)?;
                    self.kind(pick(direction, dc1::A64_GATHER, dc1::A64_SCATTER))?;
                    Ok(DataPort1)
                } else {
                    self.put(SCATTER_SIMD, "SIMD mode", wide)?;
                    self.kind(pick(direction, dc0::BYTE_GATHER, dc0::BYTE_SCATTER))?;
                    Ok(DataPort0)
                }
            }
            Hdc::Scattered {
                direction,
                address,
                bytes,
                elements,
                simd,
                port,
            } => {
                let a64 = self.address(address)?;
                self.put(ELEMENT_SIZE, "data elements", log2(elements))?;
                let wide = self.wide(simd);
                if a64 {
                    self.put(SIMD_12, "SIMD mode", wide)?;
                    self.put(A64_SCATTER_TYPE, "subtype", u32::from(bytes / 4))?;
                    self.kind(pick(direction, dc1::A64_GATHER, dc1::A64_SCATTER))?;
                    return Ok(DataPort1);
                }
                self.put(SCATTER_SIMD, "SIMD mode", wide)?;
                self.put(SCATTER_LEGACY, "legacy SIMD mode", 1)?;
                self.kind(match (direction, bytes) {
                    (Read, 4) => dc0::DWORD_GATHER,
                    (Write, 4) => dc0::DWORD_SCATTER,
                    (Read, _) => dc0::QWORD_GATHER,
                    (Write, _) => dc0::QWORD_SCATTER,
                })?;
                Ok(match port {
                    BlockPort::Data => DataPort0,
                    BlockPort::Constant => ConstantCache,
                })
            }
            Hdc::Untyped {
                direction,
                address,
                components,
                simd,
            } => {
                let a64 = self.address(address)?;
                self.components(components)?;
                self.put(UNTYPED_SIMD, "SIMD mode", if simd == 8 { 2 } else { 1 })?;
                self.kind(if a64 {
                    pick(direction, dc1::A64_UNTYPED_READ, dc1::A64_UNTYPED_WRITE)
                } else {
                    pick(direction, dc1::UNTYPED_READ, dc1::UNTYPED_WRITE)
                })?;
                Ok(DataPort1)
            }
            Hdc::Typed {
                direction,
                surface,
                components,
                slots,
            } => {
                self.surface(surface)?;
                self.components(components)?;
                let group = match slots {
                    SlotGroup::FourByTwo => 0,
                    SlotGroup::Low => 1,
                    SlotGroup::High => 2,
                };
                self.put(TYPED_SLOTS, "slot group", group)?;
                self.kind(pick(direction, dc1::TYPED_READ, dc1::TYPED_WRITE))?;
                Ok(DataPort1)
            }
            Hdc::Atomic {
                address,
                op,
                bytes,
                returns,
                simd,
            } => self.atomic(address, op, bytes, returns, simd),
            Hdc::TypedAtomic {
                surface,
                op,
                bytes,
                returns,
                slots,
            } => {
                self.surface(surface)?;
                let opcode = op.hdc_integer().unwrap_or(0);
                self.put(ATOMIC_OP, "atomic operation", opcode)?;
                self.put(ATOMIC_RETURN, "return", returns.into())?;
                self.put(SIMD_12, "slot group", u32::from(slots == SlotGroup::High))?;
                self.kind(if bytes == 2 {
                    dc1::TYPED_ATOMIC_16
                } else {
                    dc1::TYPED_ATOMIC
                })?;
                Ok(DataPort1)
            }
            Hdc::MediaBlock {
                direction,
                surface,
                line_stride,
            } => {
                self.surface(surface)?;
                self.put(
                    MEDIA_LINE_STRIDE,
                    "line stride override",
                    line_stride.into(),
                )?;
                self.kind(pick(direction, dc1::MEDIA_READ, dc1::MEDIA_WRITE))?;
                Ok(DataPort1)
            }
            Hdc::Fence { slm, commit, flush } => {
                self.put(SURFACE, "fence surface", if slm { SLM } else { 0 })?;
                self.put(FENCE_COMMIT, "commit", commit.into())?;
                self.put(FENCE_FLUSH, "flush", flush.into())?;
                self.kind(dc0::FENCE)?;
                Ok(DataPort0)
            }
        }
    }

    fn components(&mut self, components: u8) -> Result<(), DescriptorError> {
        self.put(
            COMPONENT_DISABLE,
            "channel mask",
            u32::from(components) ^ 0xf,
        )
    }

    fn atomic(
        &mut self,
        address: HdcAddress,
        op: AtomicOp,
        bytes: u8,
        returns: bool,
        simd: u8,
    ) -> Result<Sfid, DescriptorError> {
        let a64 = self.address(address)?;
        let wide = self.wide(simd);
        self.put(ATOMIC_RETURN, "return", returns.into())?;
        if op.is_float() {
            let double = if bytes == 8 { 2 } else { 0 };
            let opcode = op.hdc_float().unwrap_or(0) + double;
            self.put(ATOMIC_FLOAT_OP, "float atomic operation", opcode)?;
            self.put(SIMD_12, "SIMD mode", if a64 { wide } else { 1 - wide })?;
            self.kind(match (a64, bytes) {
                (true, 2) => dc1::A64_FLOAT_ATOMIC_16,
                (true, _) => dc1::A64_FLOAT_ATOMIC,
                (false, 2) => dc1::FLOAT_ATOMIC_16,
                (false, _) => dc1::FLOAT_ATOMIC,
            })?;
        } else {
            let opcode = if !a64 && bytes == 8 {
                0
            } else {
                op.hdc_integer().unwrap_or(0)
            };
            self.put(ATOMIC_OP, "atomic operation", opcode)?;
            if a64 {
                self.put(SIMD_12, "data width", u32::from(bytes == 8))?;
            } else {
                self.put(SIMD_12, "SIMD mode", 1 - wide)?;
            }
            self.kind(match (a64, bytes) {
                (true, 2) => dc1::A64_ATOMIC_16,
                (true, _) => dc1::A64_ATOMIC,
                (false, 2) => dc1::UNTYPED_ATOMIC_16,
                (false, _) => dc1::UNTYPED_ATOMIC,
            })?;
        }
        Ok(Sfid::DataPort1)
    }
}

const fn log2(value: u8) -> u32 {
    value.trailing_zeros()
}
