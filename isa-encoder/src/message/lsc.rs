//! Load/store messages of XeHPG and later.
//!
//! Sources: IGA's LSC message decoder, Mesa's `lsc_msg_desc`, IGC's vISA documentation
//! (LSC_UNTYPED, LSC_TYPED).

use core::fmt;

use devinfo::Family;

use super::bits::Field;
use super::{AtomicOp, DescriptorError, Descriptors, Direction};
use crate::Sfid;

const OPCODE: Field = Field::new(5, 0);
const ADDRESS_SIZE: Field = Field::new(8, 7);
const DATA_SIZE: Field = Field::new(11, 9);
const VECTOR: Field = Field::new(14, 12);
const TRANSPOSE: Field = Field::bit(15);
const COMPONENTS: Field = Field::new(15, 12);
const CACHE: Field = Field::new(19, 17);
const CACHE_XE2: Field = Field::new(19, 16);
const ADDRESS_TYPE: Field = Field::new(30, 29);
const RESPONSE_LENGTH: Field = Field::new(24, 20);
const BLOCK2D_VNNI: Field = Field::bit(7);
const FENCE_SCOPE: Field = Field::new(11, 9);
const FENCE_FLUSH: Field = Field::new(14, 12);

/// Extended descriptor: binding table index.
const BTI: Field = Field::new(31, 24);
/// Extended descriptor: offset of the surface state in 64 bytes.
const SURFACE_STATE: Field = Field::new(31, 12);
/// Extended descriptor with ExBSO: bits 31:6 of the surface state's offset.
const SURFACE_STATE_WIDE: Field = Field::new(31, 6);
/// Xe2 extended descriptor: immediate offset of flat messages, signed.
const FLAT_OFFSET: Field = Field::new(31, 12);
/// Xe2 extended descriptor: immediate x and y of untyped two-dimensional blocks, signed.
const BLOCK2D_X: Field = Field::new(21, 12);
const BLOCK2D_Y: Field = Field::new(31, 22);
/// Xe2 extended descriptor: immediate offset with a binding table index, signed.
const BTI_OFFSET: Field = Field::new(23, 12);
/// Xe2 instruction beside an extended descriptor in a register: bits 16:4 and 3:0 of the immediate
/// offset into a surface, signed (IGA `MessageDecoderLSC.cpp`, "EXDESCIMM_BSSO_SSO").
const SURFACE_OFFSET: [Field; 2] = [Field::new(31, 19), Field::new(15, 12)];

mod opcode {
    pub const LOAD: u32 = 0x00;
    pub const LOAD_STRIDED: u32 = 0x01;
    pub const LOAD_QUAD: u32 = 0x02;
    pub const LOAD_BLOCK2D: u32 = 0x03;
    pub const STORE: u32 = 0x04;
    pub const STORE_STRIDED: u32 = 0x05;
    pub const STORE_QUAD: u32 = 0x06;
    pub const STORE_BLOCK2D: u32 = 0x07;
    pub const LOAD_STATUS: u32 = 0x1b;
    pub const STORE_UNCOMPRESSED: u32 = 0x1c;
    pub const READ_STATE_INFO: u32 = 0x1e;
    pub const FENCE: u32 = 0x1f;
}

/// The unit that a load/store message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscPort {
    /// Untyped global memory.
    Ugm,
    /// Untyped global memory, low bandwidth.
    Ugml,
    /// Typed global memory.
    Tgm,
    /// Shared local memory.
    Slm,
}

impl LscPort {
    const fn function(self) -> Sfid {
        match self {
            Self::Ugm => Sfid::Ugm,
            Self::Ugml => Sfid::Ugml,
            Self::Tgm => Sfid::Tgm,
            Self::Slm => Sfid::Slm,
        }
    }
}

/// What the addresses of a message are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LscAddress {
    /// Virtual addresses (or SLM offsets on the SLM port), plus a signed immediate.
    Flat {
        /// Immediate offset in bytes (Xe2 and later, else 0).
        offset: i32,
    },
    /// A surface state in the bindless surface heap, plus a signed immediate.
    Bss {
        /// The state's byte offset in the heap.
        state: u32,
        /// Immediate offset in bytes (Xe2 and later on the UGM port, else 0).
        offset: i32,
    },
    /// A surface state behind the surface state base, plus a signed immediate.
    Ss {
        /// The state's byte offset from the base.
        state: u32,
        /// Immediate offset in bytes (Xe2 and later on the UGM port, else 0).
        offset: i32,
    },
    /// A binding table entry, plus a signed immediate.
    Bti {
        /// The entry.
        index: u8,
        /// Immediate offset in bytes (Xe2 and later, else 0).
        offset: i32,
    },
}

/// The size of each address in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSize {
    /// 16 bits.
    A16,
    /// 32 bits.
    A32,
    /// 64 bits.
    A64,
}

impl AddressSize {
    /// In bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::A16 => 2,
            Self::A32 => 4,
            Self::A64 => 8,
        }
    }
}

/// The size of one element in memory and in the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataSize {
    /// Bytes, packed.
    D8,
    /// Words, packed.
    D16,
    /// Dwords.
    D32,
    /// Qwords.
    D64,
    /// Bytes in memory, dwords in the register.
    D8U32,
    /// Words in memory, dwords in the register.
    D16U32,
    /// Words in memory, the high halves of dwords in the register.
    D16U32H,
}

const DATA_SIZES: [DataSize; 7] = [
    DataSize::D8,
    DataSize::D16,
    DataSize::D32,
    DataSize::D64,
    DataSize::D8U32,
    DataSize::D16U32,
    DataSize::D16U32H,
];

impl DataSize {
    /// Bytes in memory.
    pub const fn memory_bytes(self) -> usize {
        match self {
            Self::D8 | Self::D8U32 => 1,
            Self::D16 | Self::D16U32 | Self::D16U32H => 2,
            Self::D32 => 4,
            Self::D64 => 8,
        }
    }

    /// Bytes in the register.
    pub const fn register_bytes(self) -> usize {
        match self {
            Self::D8 => 1,
            Self::D16 => 2,
            Self::D64 => 8,
            _ => 4,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::D8 => "d8",
            Self::D16 => "d16",
            Self::D32 => "d32",
            Self::D64 => "d64",
            Self::D8U32 => "d8u32",
            Self::D16U32 => "d16u32",
            Self::D16U32H => "d16u32h",
        }
    }
}

/// How a two-dimensional block is arranged in registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block2d {
    /// Columns become rows.
    pub transpose: bool,
    /// Elements of consecutive rows are packed into dwords.
    pub vnni: bool,
}

/// How far a fence reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceScope {
    /// The thread group.
    Group,
    /// The sub-slice.
    Local,
    /// The tile.
    Tile,
    /// The device.
    Gpu,
    /// All devices.
    Gpus,
    /// System, release.
    SystemRelease,
    /// System, acquire.
    SystemAcquire,
}

const SCOPES: [FenceScope; 7] = [
    FenceScope::Group,
    FenceScope::Local,
    FenceScope::Tile,
    FenceScope::Gpu,
    FenceScope::Gpus,
    FenceScope::SystemRelease,
    FenceScope::SystemAcquire,
];

/// What a fence does to the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlushOp {
    /// Nothing.
    None,
    /// Dirty lines are written and dropped.
    Evict,
    /// Clean lines are dropped.
    Invalidate,
    /// All lines are dropped.
    Discard,
    /// Dirty lines are written and kept.
    Clean,
    /// Only L3 is flushed.
    FlushL3,
    /// The code 6, which XeHPG compilers emit as a work-around.
    Type6,
}

const FLUSHES: [FlushOp; 7] = [
    FlushOp::None,
    FlushOp::Evict,
    FlushOp::Invalidate,
    FlushOp::Discard,
    FlushOp::Clean,
    FlushOp::FlushL3,
    FlushOp::Type6,
];

/// One load/store message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lsc {
    /// A vector for each address.
    Vector {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address: 1, 2, 3, 4, 8, 16, 32 or 64.
        elements: u8,
        /// The elements of an address are consecutive in registers (one address only).
        transpose: bool,
        /// One base address and a pitch instead of an address for each channel.
        strided: bool,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// Enabled components of four elements for each address (on the typed port, of a texel).
    Quad {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Enabled components: bit 0 is x.
        components: u8,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// A rectangle (untyped: of the surface that the payload describes; typed: of an image).
    Block2d {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What coordinates are relative to; flat for untyped blocks.
        address: LscAddress,
        /// The size of elements.
        data: DataSize,
        /// The arrangement in registers.
        layout: Block2d,
        /// Immediate offsets of x (in elements) and y of untyped blocks (Xe2 and later, else 0).
        offset: [i16; 2],
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// An atomic operation for each address.
    Atomic {
        /// The unit.
        port: LscPort,
        /// Operation.
        op: AtomicOp,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of the operand.
        data: DataSize,
        /// Whether the old value is returned (the response is not empty).
        returns: bool,
        /// Cache control bits, as encoded.
        cache: u8,
    },
    /// Orders accesses.
    Fence {
        /// The unit.
        port: LscPort,
        /// How far it reaches.
        scope: FenceScope,
        /// What it does to caches.
        flush: FlushOp,
    },
    /// Reads a surface's dimensions.
    ReadState {
        /// The unit.
        port: LscPort,
        /// The surface.
        address: LscAddress,
    },
    /// Whether pages are resident, one bit for each address.
    LoadStatus {
        /// The unit.
        port: LscPort,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address.
        elements: u8,
    },
}

const VECTORS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

struct Decoder {
    family: Family,
    function: Sfid,
    port: LscPort,
    descriptors: Descriptors,
}

const fn signed(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

impl Decoder {
    fn get(&self, field: Field) -> u32 {
        field.get(self.descriptors.descriptor)
    }

    fn undefined<T>(&self, field: &'static str, value: u32) -> Result<T, DescriptorError> {
        Err(DescriptorError::Field {
            function: self.function,
            field,
            value,
            descriptor: self.descriptors.descriptor,
        })
    }

    /// The bits that immediate offsets are in: the extended descriptor's or, if that is in a
    /// register, the instruction's.
    fn offset_bits(&self) -> u32 {
        let Descriptors {
            extended,
            extended_offset,
            ..
        } = self.descriptors;
        extended_offset.unwrap_or(extended)
    }

    fn address(&self) -> LscAddress {
        let extended = self.descriptors.extended;
        let has_offset = self.family >= Family::Xe2;
        // A register on the UGM port of Xe2 has no room for a payload length, and needs no bit to
        // say so.
        let in_register =
            has_offset && self.port == LscPort::Ugm && self.descriptors.extended_offset.is_some();
        let state = if self.descriptors.extended_bindless_offset || in_register {
            SURFACE_STATE_WIDE.get(extended) << 6
        } else {
            SURFACE_STATE.get(extended) << 6
        };
        let bits = self.offset_bits();
        let surface_offset = if in_register {
            let [high, low] = SURFACE_OFFSET.map(|field| field.get(bits));
            signed(high << 4 | low, 17)
        } else {
            0
        };
        match self.get(ADDRESS_TYPE) {
            0 if has_offset => LscAddress::Flat {
                offset: signed(FLAT_OFFSET.get(bits), 20),
            },
            0 => LscAddress::Flat { offset: 0 },
            1 => LscAddress::Bss {
                state,
                offset: surface_offset,
            },
            2 => LscAddress::Ss {
                state,
                offset: surface_offset,
            },
            _ => LscAddress::Bti {
                index: BTI.get(extended) as u8,
                offset: if has_offset && self.descriptors.extended_offset.is_none() {
                    signed(BTI_OFFSET.get(extended), 12)
                } else {
                    0
                },
            },
        }
    }

    fn block2d_offset(&self) -> [i16; 2] {
        if self.family < Family::Xe2 || self.get(ADDRESS_TYPE) != 0 {
            return [0; 2];
        }
        [BLOCK2D_X, BLOCK2D_Y].map(|field| signed(field.get(self.offset_bits()), 10) as i16)
    }

    fn address_size(&self) -> Result<AddressSize, DescriptorError> {
        match self.get(ADDRESS_SIZE) {
            1 => Ok(AddressSize::A16),
            2 => Ok(AddressSize::A32),
            3 => Ok(AddressSize::A64),
            size => self.undefined("address size", size),
        }
    }

    fn data(&self) -> Result<DataSize, DescriptorError> {
        let code = self.get(DATA_SIZE);
        match DATA_SIZES.get(code as usize) {
            Some(size) => Ok(*size),
            None => self.undefined("data size", code),
        }
    }

    fn elements(&self) -> u8 {
        VECTORS[self.get(VECTOR) as usize & 7]
    }

    fn cache(&self) -> u8 {
        self.get(cache_field(self.family)) as u8
    }

    fn message(&self) -> Result<Lsc, DescriptorError> {
        use Direction::{Read, Write};
        let port = self.port;
        let code = self.get(OPCODE);
        match code {
            opcode::LOAD
            | opcode::STORE
            | opcode::LOAD_STRIDED
            | opcode::STORE_STRIDED
            | opcode::STORE_UNCOMPRESSED => Ok(Lsc::Vector {
                port,
                direction: match code {
                    opcode::LOAD | opcode::LOAD_STRIDED => Read,
                    _ => Write,
                },
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                elements: self.elements(),
                transpose: self.get(TRANSPOSE) != 0,
                strided: matches!(code, opcode::LOAD_STRIDED | opcode::STORE_STRIDED),
                cache: self.cache(),
            }),
            opcode::LOAD_QUAD | opcode::STORE_QUAD => Ok(Lsc::Quad {
                port,
                direction: if code == opcode::LOAD_QUAD {
                    Read
                } else {
                    Write
                },
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                components: match self.get(COMPONENTS) {
                    0 => return self.undefined("component mask", 0),
                    mask => mask as u8,
                },
                cache: self.cache(),
            }),
            opcode::LOAD_BLOCK2D | opcode::STORE_BLOCK2D => Ok(Lsc::Block2d {
                port,
                direction: if code == opcode::LOAD_BLOCK2D {
                    Read
                } else {
                    Write
                },
                address: match self.address() {
                    LscAddress::Flat { .. } => LscAddress::Flat { offset: 0 },
                    address => address,
                },
                offset: self.block2d_offset(),
                data: self.data()?,
                layout: Block2d {
                    transpose: self.get(TRANSPOSE) != 0,
                    vnni: self.get(BLOCK2D_VNNI) != 0,
                },
                cache: self.cache(),
            }),
            opcode::LOAD_STATUS => Ok(Lsc::LoadStatus {
                port,
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                elements: self.elements(),
            }),
            opcode::READ_STATE_INFO => Ok(Lsc::ReadState {
                port,
                address: self.address(),
            }),
            opcode::FENCE => {
                let scope = self.get(FENCE_SCOPE);
                let flush = self.get(FENCE_FLUSH);
                Ok(Lsc::Fence {
                    port,
                    scope: match SCOPES.get(scope as usize) {
                        Some(scope) => *scope,
                        None => return self.undefined("fence scope", scope),
                    },
                    flush: match FLUSHES.get(flush as usize) {
                        Some(flush) => *flush,
                        None => return self.undefined("flush operation", flush),
                    },
                })
            }
            _ => match AtomicOp::from_lsc(code) {
                Some(op) => Ok(Lsc::Atomic {
                    port,
                    op,
                    address: self.address(),
                    address_size: self.address_size()?,
                    data: self.data()?,
                    returns: self.get(RESPONSE_LENGTH) != 0,
                    cache: self.cache(),
                }),
                None => self.undefined("opcode", code),
            },
        }
    }
}

const fn cache_field(family: Family) -> Field {
    match family {
        Family::Xe2 => CACHE_XE2,
        _ => CACHE,
    }
}

pub(super) fn decode(
    family: Family,
    function: Sfid,
    descriptors: Descriptors,
) -> Result<Lsc, DescriptorError> {
    Decoder {
        family,
        function,
        port: match function {
            Sfid::Ugml => LscPort::Ugml,
            Sfid::Tgm => LscPort::Tgm,
            Sfid::Slm => LscPort::Slm,
            _ => LscPort::Ugm,
        },
        descriptors,
    }
    .message()
}

struct Encoder {
    family: Family,
    out: Descriptors,
}

impl Encoder {
    fn put(&mut self, field: Field, name: &'static str, value: u32) -> Result<(), DescriptorError> {
        field.put(&mut self.out.descriptor, name, value)
    }

    fn immediate(&mut self, field: Field, bits: u32, offset: i32) -> Result<(), DescriptorError> {
        if signed(offset as u32, bits) != offset || (offset != 0 && self.family < Family::Xe2) {
            return Err(DescriptorError::Range {
                field: "immediate offset",
                value: offset as u32,
                limit: (1 << (bits - 1)) - 1,
            });
        }
        let value = offset as u32 & ((1 << bits) - 1);
        field.put(&mut self.out.extended, "immediate offset", value)
    }

    /// An immediate offset into a surface, which only goes beside a register.
    fn surface_offset(&mut self, offset: i32) -> Result<(), DescriptorError> {
        const BITS: u32 = 17;
        if self.family < Family::Xe2 {
            return Err(surface_offset_unsupported(self.family));
        }
        if signed(offset as u32, BITS) != offset {
            return Err(DescriptorError::Range {
                field: "immediate offset",
                value: offset as u32,
                limit: (1 << (BITS - 1)) - 1,
            });
        }
        let [high, low] = SURFACE_OFFSET;
        let mut bits = 0;
        let value = offset as u32 & ((1 << BITS) - 1);
        high.put(&mut bits, "immediate offset", value >> 4)?;
        low.put(&mut bits, "immediate offset", value & 0xf)?;
        self.out.extended_offset = Some(bits);
        Ok(())
    }

    fn address(&mut self, address: LscAddress) -> Result<(), DescriptorError> {
        let kind = match address {
            LscAddress::Flat { offset } => {
                if offset != 0 {
                    self.immediate(FLAT_OFFSET, 20, offset)?;
                }
                0
            }
            LscAddress::Bss { state, offset } | LscAddress::Ss { state, offset } => {
                let name = "surface state offset";
                if offset == 0 {
                    SURFACE_STATE.put(&mut self.out.extended, name, state >> 6)?;
                } else {
                    self.surface_offset(offset)?;
                    SURFACE_STATE_WIDE.put(&mut self.out.extended, name, state >> 6)?;
                }
                if matches!(address, LscAddress::Bss { .. }) {
                    1
                } else {
                    2
                }
            }
            LscAddress::Bti { index, offset } => {
                if offset != 0 {
                    self.immediate(BTI_OFFSET, 12, offset)?;
                }
                BTI.put(&mut self.out.extended, "binding table index", index.into())?;
                3
            }
        };
        self.put(ADDRESS_TYPE, "address type", kind)
    }

    fn address_size(&mut self, size: AddressSize) -> Result<(), DescriptorError> {
        let code = match size {
            AddressSize::A16 => 1,
            AddressSize::A32 => 2,
            AddressSize::A64 => 3,
        };
        self.put(ADDRESS_SIZE, "address size", code)
    }

    fn data(&mut self, data: DataSize) -> Result<(), DescriptorError> {
        let code = DATA_SIZES.iter().position(|size| *size == data);
        self.put(DATA_SIZE, "data size", code.unwrap_or(0) as u32)
    }

    fn elements(&mut self, elements: u8) -> Result<(), DescriptorError> {
        match VECTORS.iter().position(|count| *count == elements) {
            Some(code) => self.put(VECTOR, "vector size", code as u32),
            None => Err(DescriptorError::Unsupported {
                what: "vector of this length",
                family: self.family,
            }),
        }
    }

    fn cache(&mut self, cache: u8) -> Result<(), DescriptorError> {
        self.put(cache_field(self.family), "cache control", cache.into())
    }

    fn message(&mut self, message: Lsc) -> Result<LscPort, DescriptorError> {
        use Direction::Read;
        match message {
            Lsc::Vector {
                port,
                direction,
                address,
                address_size,
                data,
                elements,
                transpose,
                strided,
                cache,
            } => {
                let code = match (direction == Read, strided) {
                    (true, false) => opcode::LOAD,
                    (true, true) => opcode::LOAD_STRIDED,
                    (false, false) => opcode::STORE,
                    (false, true) => opcode::STORE_STRIDED,
                };
                self.put(OPCODE, "opcode", code)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.elements(elements)?;
                self.put(TRANSPOSE, "transpose", transpose.into())?;
                self.cache(cache)?;
                Ok(port)
            }
            Lsc::Quad {
                port,
                direction,
                address,
                address_size,
                data,
                components,
                cache,
            } => {
                let code = if direction == Read {
                    opcode::LOAD_QUAD
                } else {
                    opcode::STORE_QUAD
                };
                self.put(OPCODE, "opcode", code)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.put(COMPONENTS, "component mask", components.into())?;
                self.cache(cache)?;
                Ok(port)
            }
            Lsc::Block2d {
                port,
                direction,
                address,
                data,
                layout,
                offset,
                cache,
            } => {
                for (field, offset) in [BLOCK2D_X, BLOCK2D_Y].into_iter().zip(offset) {
                    if offset != 0 {
                        self.immediate(field, 10, offset.into())?;
                    }
                }
                let code = if direction == Read {
                    opcode::LOAD_BLOCK2D
                } else {
                    opcode::STORE_BLOCK2D
                };
                self.put(OPCODE, "opcode", code)?;
                self.address(address)?;
                self.data(data)?;
                self.put(TRANSPOSE, "transpose", layout.transpose.into())?;
                self.put(BLOCK2D_VNNI, "VNNI", layout.vnni.into())?;
                self.cache(cache)?;
                Ok(port)
            }
            Lsc::Atomic {
                port,
                op,
                address,
                address_size,
                data,
                cache,
                returns: _,
            } => {
                let code = op.lsc().ok_or(DescriptorError::Unsupported {
                    what: op.mnemonic(),
                    family: self.family,
                })?;
                self.put(OPCODE, "opcode", code)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.cache(cache)?;
                Ok(port)
            }
            Lsc::Fence { port, scope, flush } => {
                let scope = SCOPES.iter().position(|row| *row == scope);
                let flush = FLUSHES.iter().position(|row| *row == flush);
                self.put(OPCODE, "opcode", opcode::FENCE)?;
                self.put(FENCE_SCOPE, "scope", scope.unwrap_or(0) as u32)?;
                self.put(FENCE_FLUSH, "flush", flush.unwrap_or(0) as u32)?;
                Ok(port)
            }
            Lsc::ReadState { port, address } => {
                self.put(OPCODE, "opcode", opcode::READ_STATE_INFO)?;
                self.address(address)?;
                Ok(port)
            }
            Lsc::LoadStatus {
                port,
                address,
                address_size,
                data,
                elements,
            } => {
                self.put(OPCODE, "opcode", opcode::LOAD_STATUS)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.elements(elements)?;
                Ok(port)
            }
        }
    }
}

pub(super) fn encode(family: Family, message: Lsc) -> Result<(Sfid, Descriptors), DescriptorError> {
    let mut encoder = Encoder {
        family,
        out: Descriptors::default(),
    };
    let port = encoder.message(message)?;
    if encoder.out.extended_offset.is_some() && port != LscPort::Ugm {
        return Err(surface_offset_unsupported(family));
    }
    let function = port.function();
    function.id(family)?;
    Ok((function, encoder.out))
}

const fn surface_offset_unsupported(family: Family) -> DescriptorError {
    DescriptorError::Unsupported {
        what: "immediate offset into a surface on this port",
        family,
    }
}

fn surface(f: &mut fmt::Formatter<'_>, kind: &str, state: u32, offset: i32) -> fmt::Result {
    match offset {
        0 => write!(f, "{kind}[{state:#x}]"),
        offset => write!(f, "{kind}[{state:#x}]{offset:+#x}"),
    }
}

impl fmt::Display for LscAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat { offset: 0 } => f.write_str("flat"),
            Self::Flat { offset } => write!(f, "flat{offset:+#x}"),
            Self::Bss { state, offset } => surface(f, "bss", *state, *offset),
            Self::Ss { state, offset } => surface(f, "ss", *state, *offset),
            Self::Bti { index, offset: 0 } => write!(f, "bti[{index}]"),
            Self::Bti { index, offset } => write!(f, "bti[{index}]{offset:+#x}"),
        }
    }
}

impl fmt::Display for Lsc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = |direction| match direction {
            Direction::Read => "load",
            Direction::Write => "store",
        };
        match *self {
            Self::Vector {
                port,
                direction,
                address,
                address_size,
                data,
                elements,
                transpose,
                strided,
                ..
            } => write!(
                f,
                "{}{}.{} {}x{elements}{} a{} {address}",
                verb(direction),
                if strided { "_strided" } else { "" },
                port.function(),
                data.name(),
                if transpose { "t" } else { "" },
                address_size.bytes() * 8
            ),
            Self::Quad {
                port,
                direction,
                address,
                address_size,
                data,
                components,
                ..
            } => write!(
                f,
                "{}_quad.{} {} mask {components:#x} a{} {address}",
                verb(direction),
                port.function(),
                data.name(),
                address_size.bytes() * 8
            ),
            Self::Block2d {
                port,
                direction,
                address,
                data,
                layout,
                ..
            } => write!(
                f,
                "{}_block2d.{} {}{}{} {address}",
                verb(direction),
                port.function(),
                data.name(),
                if layout.transpose { " transposed" } else { "" },
                if layout.vnni { " vnni" } else { "" }
            ),
            Self::Atomic {
                port,
                op,
                address,
                address_size,
                data,
                ..
            } => write!(
                f,
                "atomic_{}.{} {} a{} {address}",
                op.mnemonic(),
                port.function(),
                data.name(),
                address_size.bytes() * 8
            ),
            Self::Fence { port, scope, flush } => {
                write!(f, "fence.{} {flush:?} {scope:?}", port.function())
            }
            Self::ReadState { port, address } => {
                write!(f, "read_state.{} {address}", port.function())
            }
            Self::LoadStatus { port, address, .. } => {
                write!(f, "load_status.{} {address}", port.function())
            }
        }
    }
}
