//! Load/store messages.

use core::fmt;

use super::cache::CacheControl;
use super::fields::{
    ADDRESS_SIZE, ATOMICS, Address, Block2dAddress, Block2dOffset, COMPRESSION, Cache, Components,
    DATA, ELEMENTS, FENCE_FLUSH, FENCE_SCOPE, FENCE_TO_LSC, Layout, OPCODE, Port, Returns,
    TRANSPOSE,
};
use super::types::DataSize::{self, D32};
use super::types::LscPort::{self, Tgm};
use super::types::{
    AddressSize, AppendOp, Block2d, CompressionOp, FenceScope, FlushOp, LscAddress,
};
use crate::message::layout::{Choice, Table, messages};
use crate::message::{AtomicOp, Direction, Mask};

/// Opcodes of a load and of a store.
const fn way(load: u32, store: u32) -> Choice<Direction, 2> {
    Choice(OPCODE, [(load, Direction::Read), (store, Direction::Write)])
}

const APPENDS: Choice<AppendOp, 3> = Choice(
    OPCODE,
    [
        (0x28, AppendOp::Add),
        (0x29, AppendOp::Sub),
        (0x2a, AppendOp::Store),
    ],
);

messages! {
    /// One load/store message.
    ///
    /// Source 0 holds addresses, source 1 data of stores and atomics; the destination is what loads
    /// and atomics return. The registers of the payloads follow from [`AddressSize`], [`DataSize`]
    /// and the channels of the instruction: each address plane, each element plane and each
    /// response plane takes whole registers, and no message has fewer channels than a register has
    /// dwords (8 with registers of 32 bytes, 16 with 64). No message has a header. Lengths are in
    /// [`Lengths`](crate::message::Lengths).
    ///
    /// Opcodes are descriptor bits 5:0. Sources: IGA `MessageDecoderLSC.cpp` (its names of
    /// descriptors are in quotes below), Mesa `brw_eu_defines.h` (`lsc_opcode`) and `brw_eu.h`
    /// (`lsc_msg_desc`), IGC `documentation/visa/instructions/LSC_UNTYPED.md` and `LSC_TYPED.md`.
    Lsc;

    /// A vector for each address ("DP_LOAD", "DP_STORE", "DP_LOAD_BLOCK", "DP_STORE_BLOCK";
    /// opcodes 0, 4, 1, 5). XeHPG and later, not on the typed port.
    ///
    /// Addresses: one per channel, or a single one if transposed. Data: `elements` planes of one
    /// element per channel or, transposed, `elements` in a row.
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
        /// Elements for each address: 1, 2, 3, 4 or 8; if transposed also 16, 32 or 64 (bits
        /// 14:12).
        elements: u8,
        /// The elements of an address are consecutive in registers (bit 15; one address only, of
        /// dwords or qwords).
        transpose: bool,
        /// One base address and a pitch in bytes instead of an address for each channel
        /// ("ABLOCK_PAYLOAD", one register).
        strided: bool,
        /// Cache control.
        cache: CacheControl,
    } ("{}{}.{port}.{data}{}.{address_size}{cache} {address}", verb(direction), if strided { "_strided" } else { "" }, Elements(elements, transpose))
        => _(XeHpg..) [] { strided = false; direction: way(0x00, 0x04), port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, elements: ELEMENTS, transpose: TRANSPOSE, cache: Cache }
        => _(XeHpg..) [] { strided = true; direction: way(0x01, 0x05), port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, elements: ELEMENTS, transpose: TRANSPOSE, cache: Cache }

    /// The enabled ones of four components for each address; on the typed port those of a texel
    /// ("DP_LOAD_CMASK", "DP_STORE_CMASK"; opcodes 2, 6). XeHPG and later.
    ///
    /// Addresses of texels are planes of dwords: u, v, r and the level of detail, as many as fit
    /// the message length. Data: one plane for each enabled component.
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
        /// Enabled components, at least one: bit 0 is x (descriptor bits 15:12).
        components: u8,
        /// Cache control.
        cache: CacheControl,
    } ("{}_quad.{port}.{data}.{}.{address_size}{cache} {address}", verb(direction), Mask(components))
        => _(XeHpg..) [] { ; direction: way(0x02, 0x06), port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, components: Components, cache: Cache }

    /// A rectangle: untyped of the surface that the payload describes (XeHPC and later,
    /// "DP_LOAD_2DBLOCK_ARRAY", "DP_STORE_2DBLOCK"), typed of an image (Xe2,
    /// "DP_LOAD_TYPED_2DBLOCK"); opcodes 3 and 7.
    ///
    /// Untyped payload ("A2DBLOCK_PAYLOAD", one register): qword 0 base; dwords 2 to 4 width,
    /// height and pitch of the surface in bytes, minus one; dwords 5 and 6 x (in elements) and y;
    /// dword 7 the block's width, height and count, each minus one, in bits 7:0, 15:8, 19:16.
    Block2d {
        /// The unit.
        port: LscPort,
        /// Load or store.
        direction: Direction,
        /// What coordinates are relative to: flat for untyped blocks; a binding table entry or a
        /// bindless surface for typed ones.
        address: LscAddress,
        /// The size of elements; 32 bits on the typed port.
        data: DataSize,
        /// The arrangement in registers.
        layout: Block2d,
        /// Immediate offsets of x (in elements) and y of untyped blocks, 10 bits each, signed (Xe2,
        /// otherwise 0). In bits 21:12 and 31:22 of the extended descriptor.
        offset: [i16; 2],
        /// Cache control.
        cache: CacheControl,
    } ("{}_block2d.{port}.{data}{layout}{cache} {address}{}", verb(direction), Offsets(offset))
        => Tgm(XeHpg..) [] { port = Tgm, data = D32; direction: way(0x03, 0x07), address: Block2dAddress, layout: Layout, offset: Block2dOffset, cache: Cache }
        => _(XeHpg..) [] { ; direction: way(0x03, 0x07), port: Port, address: Block2dAddress, data: DATA, layout: Layout, offset: Block2dOffset, cache: Cache }

    /// An atomic operation for each address ("DP_ATOMIC_*"; opcodes 0x08 to 0x1a). XeHPG and
    /// later.
    ///
    /// Data: one plane for each operand ([`AtomicOp::operands`]); the response is one plane.
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
        /// Cache control: the first level is bypassed or left to the state.
        cache: CacheControl,
    } ("atomic_{op}.{port}.{data}.{address_size}{cache} {address}")
        => _(XeHpg..) [] { ; op: ATOMICS, port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, returns: Returns, cache: Cache }

    /// An operation on the counter of a surface for each channel ("DP_APPENDCTR_ATOMIC_*";
    /// opcodes 0x28 to 0x2a). Xe2.
    ///
    /// There are no addresses: the counter is in the surface's auxiliary surface. Source 0 holds
    /// the operands, one plane.
    AppendCounter {
        /// The unit.
        port: LscPort,
        /// Operation.
        op: AppendOp,
        /// The surface.
        address: LscAddress,
        /// The size of the operand.
        data: DataSize,
        /// Whether the old value is returned (the response is not empty).
        returns: bool,
        /// Cache control.
        cache: CacheControl,
    } ("{op}.{port}.{data}{cache} {address}")
        => _(Xe2..) [] { ; op: APPENDS, port: Port, address: Address, data: DATA, returns: Returns, cache: Cache }

    /// A vector for each address, stored without compression ("DP_STORE_UNCOMPRESSED"; opcode
    /// 0x1c). XeHPG and later. Payloads as for [`Lsc::Vector`].
    StoreUncompressed {
        /// The unit.
        port: LscPort,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address, as in [`Lsc::Vector`].
        elements: u8,
        /// The elements of an address are consecutive in registers.
        transpose: bool,
        /// Cache control.
        cache: CacheControl,
    } ("store_uncompressed.{port}.{data}{}.{address_size}{cache} {address}", Elements(elements, transpose))
        => _(XeHpg..) [OPCODE => 0x1c] { ; port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, elements: ELEMENTS, transpose: TRANSPOSE, cache: Cache }

    /// Enabled components for each address, stored without compression
    /// ("DP_STORE_UC_CMASK"; opcode 0x20). XeHPG and later. Payloads as for [`Lsc::Quad`].
    StoreUncompressedQuad {
        /// The unit.
        port: LscPort,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Enabled components, at least one: bit 0 is x.
        components: u8,
        /// Cache control.
        cache: CacheControl,
    } ("store_uncompressed_quad.{port}.{data}.{}.{address_size}{cache} {address}", Mask(components))
        => _(XeHpg..) [OPCODE => 0x20] { ; port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, components: Components, cache: Cache }

    /// Changes the state of compressed memory ("DP_CCS_*"; opcode 0x1d). XeHPG and later.
    ///
    /// Addresses: one of 64 bits for pages, one per channel for sectors. No data, no response.
    Compression {
        /// The unit.
        port: LscPort,
        /// Operation.
        op: CompressionOp,
        /// What addresses are relative to; flat for pages.
        address: LscAddress,
        /// The size of addresses; 64 bits for pages.
        address_size: AddressSize,
    } ("{op}.{port}.{address_size} {address}")
        => _(XeHpg..) [OPCODE => 0x1d] { ; port: Port, op: Table(COMPRESSION, CompressionOp::CODES), address: Address, address_size: ADDRESS_SIZE }

    /// Orders accesses ("DP_FENCE"; opcode 0x1f). XeHPG and later.
    ///
    /// Payload: one register, whose contents do not matter. The response is one register, written
    /// when the fence is done.
    Fence {
        /// The unit.
        port: LscPort,
        /// How far it reaches.
        scope: FenceScope,
        /// What it does to caches.
        flush: FlushOp,
        /// Untyped memory on XeHPG: the fence goes to the load/store unit, where accesses may also
        /// come from the classic data port (bit 18, Mesa `lsc_fence_msg_desc`).
        to_lsc: bool,
    } ("fence.{port}.{flush}.{scope}")
        => _(XeHpg..) [OPCODE => 0x1f] { ; port: Port, scope: Table(FENCE_SCOPE, FenceScope::CODES), flush: Table(FENCE_FLUSH, FlushOp::CODES), to_lsc: FENCE_TO_LSC }

    /// Reads a surface's dimensions ("DP_RSI"; opcode 0x1e). XeHPG and later.
    ///
    /// Payload: one register (u, v, r, level of detail). The response is two registers on XeHPG,
    /// one later.
    ReadState {
        /// The unit.
        port: LscPort,
        /// The surface; never flat.
        address: LscAddress,
    } ("read_state.{port} {address}")
        => _(XeHpg..) [OPCODE => 0x1e] { ; port: Port, address: Address }

    /// Whether pages are resident, one bit for each address ("DP_LOAD_STATUS"; opcode 0x1b).
    /// XeHPG and later. The response is one register.
    LoadStatus {
        /// The unit.
        port: LscPort,
        /// What addresses are relative to.
        address: LscAddress,
        /// The size of addresses.
        address_size: AddressSize,
        /// The size of elements.
        data: DataSize,
        /// Elements for each address, as in [`Lsc::Vector`].
        elements: u8,
        /// Cache control.
        cache: CacheControl,
    } ("load_status.{port}.{data}{}.{address_size}{cache} {address}", Elements(elements, false))
        => _(XeHpg..) [OPCODE => 0x1b, TRANSPOSE => 0] { ; port: Port, address: Address, address_size: ADDRESS_SIZE, data: DATA, elements: ELEMENTS, cache: Cache }
}

impl Lsc {
    /// The unit that the message goes to.
    pub fn port(&self) -> LscPort {
        self.part().unwrap_or(LscPort::Ugm)
    }

    /// What its addresses are relative to; a fence has none.
    pub fn address(&self) -> Option<LscAddress> {
        self.part()
    }

    /// Whether it changes memory by an atomic operation.
    pub const fn is_atomic(&self) -> bool {
        matches!(self, Self::Atomic { .. } | Self::AppendCounter { .. })
    }

    /// Whether its addresses are virtual addresses or offsets into shared local memory.
    pub fn is_flat(&self) -> bool {
        matches!(self.part(), Some(LscAddress::Flat { .. }))
    }

    /// The size of its addresses, if its descriptor has one.
    pub fn address_size(&self) -> Option<AddressSize> {
        self.part()
    }

    /// Its cache control, if its descriptor has one.
    pub fn cache(&self) -> Option<CacheControl> {
        self.part()
    }

    /// Whether it is a load; loads have cache policies of their own.
    pub fn is_load(&self) -> bool {
        self.part() == Some(Direction::Read) || matches!(self, Self::LoadStatus { .. })
    }
}

const fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "load",
        Direction::Write => "store",
    }
}

/// `x4`, `x16t`; nothing for a plain element.
pub(crate) struct Elements(pub u8, pub bool);

impl fmt::Display for Elements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(1, false) => Ok(()),
            Self(elements, false) => write!(f, "x{elements}"),
            Self(elements, true) => write!(f, "x{elements}t"),
        }
    }
}

/// The immediate offsets of a block; nothing for none.
struct Offsets([i16; 2]);

impl fmt::Display for Offsets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [0, 0] => Ok(()),
            [x, y] => write!(f, " +({x},{y})"),
        }
    }
}
