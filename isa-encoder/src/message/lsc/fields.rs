//! Where the fields of load/store descriptors are.

use crate::message::bits::Field;

pub(super) const OPCODE: Field = Field::new(5, 0);
pub(super) const ADDRESS_SIZE: Field = Field::new(8, 7);
pub(super) const DATA_SIZE: Field = Field::new(11, 9);
pub(super) const VECTOR: Field = Field::new(14, 12);
pub(super) const TRANSPOSE: Field = Field::bit(15);
pub(super) const COMPONENTS: Field = Field::new(15, 12);
/// Cache control: four bits on Xe2, the upper three of them before.
pub(super) const CACHE: Field = Field::new(19, 16);
pub(super) const COMPRESSION: Field = Field::new(19, 17);
pub(super) const ADDRESS_TYPE: Field = Field::new(30, 29);
pub(super) const RESPONSE_LENGTH: Field = Field::new(24, 20);
pub(super) const BLOCK2D_VNNI: Field = Field::bit(7);
pub(super) const FENCE_SCOPE: Field = Field::new(11, 9);
/// "Route to LSC", of fences of untyped memory (Mesa `lsc_fence_msg_desc`).
pub(super) const FENCE_TO_LSC: Field = Field::bit(18);
pub(super) const FENCE_FLUSH: Field = Field::new(14, 12);

/// Extended descriptor: binding table index.
pub(super) const BTI: Field = Field::new(31, 24);
/// Extended descriptor: offset of the surface state in 64 bytes.
pub(super) const SURFACE_STATE: Field = Field::new(31, 12);
/// Extended descriptor with ExBSO: bits 31:6 of the surface state's offset.
pub(super) const SURFACE_STATE_WIDE: Field = Field::new(31, 6);
/// Xe2 extended descriptor: immediate offset of flat messages, signed.
pub(super) const FLAT_OFFSET: Field = Field::new(31, 12);
/// Xe2 extended descriptor: immediate x and y of untyped two-dimensional blocks, signed.
pub(super) const BLOCK2D_X: Field = Field::new(21, 12);
pub(super) const BLOCK2D_Y: Field = Field::new(31, 22);
/// Xe2 extended descriptor: immediate offset with a binding table index, signed.
pub(super) const BTI_OFFSET: Field = Field::new(23, 12);
/// Xe2 instruction beside an extended descriptor in a register: bits 16:4 and 3:0 of the immediate
/// offset into a surface, signed (IGA `MessageDecoderLSC.cpp`, "EXDESCIMM_BSSO_SSO").
pub(super) const SURFACE_OFFSET: [Field; 2] = [Field::new(31, 19), Field::new(15, 12)];

pub(super) mod opcode {
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
    pub const COMPRESSION: u32 = 0x1d;
    pub const READ_STATE_INFO: u32 = 0x1e;
    pub const FENCE: u32 = 0x1f;
    pub const STORE_UNCOMPRESSED_QUAD: u32 = 0x20;
    pub const APPEND_ADD: u32 = 0x28;
    pub const APPEND_SUB: u32 = 0x29;
    pub const APPEND_STORE: u32 = 0x2a;
}

pub(super) const VECTORS: [u8; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

pub(super) const fn signed(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}
