//! Where the fields of data port descriptors are.
//!
//! Sources: Skylake PRM vol 2d "Data Port message descriptors" (MSD0R_OWB and so on), Tiger Lake
//! PRM vol 2d, IGA's HDC message decoder, Mesa's `brw_dp_*_desc`.

use devinfo::Family;

use super::message::CompressionControl;
use crate::message::bits::Field;

pub(super) const SURFACE: Field = Field::new(7, 0);
pub(super) const TYPE: Field = Field::new(18, 14);
pub(super) const SCRATCH: Field = Field::bit(18);

pub(super) const BLOCK_SIZE: Field = Field::new(10, 8);
pub(super) const A64_BLOCK_TYPE: Field = Field::new(12, 11);
pub(super) const ALIGNED_BLOCK_HWORD: Field = Field::bit(13);

pub(super) const SCRATCH_OFFSET: Field = Field::new(11, 0);
pub(super) const SCRATCH_SIZE: Field = Field::new(13, 12);
pub(super) const SCRATCH_DWORD_MODE: Field = Field::bit(16);
pub(super) const SCRATCH_WRITE: Field = Field::bit(17);

pub(super) const SCATTER_SIMD: Field = Field::bit(8);
pub(super) const SCATTER_LEGACY: Field = Field::bit(9);
pub(super) const ELEMENT_SIZE: Field = Field::new(11, 10);
pub(super) const A64_SCATTER_TYPE: Field = Field::new(9, 8);
pub(super) const SIMD_12: Field = Field::bit(12);

pub(super) const COMPONENT_DISABLE: Field = Field::new(11, 8);
pub(super) const UNTYPED_SIMD: Field = Field::new(13, 12);
pub(super) const TYPED_SLOTS: Field = Field::new(13, 12);

pub(super) const ATOMIC_OP: Field = Field::new(11, 8);
pub(super) const ATOMIC_FLOAT_OP: Field = Field::new(10, 8);
pub(super) const ATOMIC_RETURN: Field = Field::bit(13);

pub(super) const DUAL_BLOCK_SIZE: Field = Field::new(9, 8);
pub(super) const SECTOR_OPERATION: Field = Field::new(11, 8);
pub(super) const PAGE_OPERATION: Field = Field::new(9, 8);

/// Data port 2: shared local memory, with the scale in [`SCALED_PITCH`].
pub(super) const SCALED_SLM: Field = Field::bit(7);
pub(super) const SCALED_PITCH: Field = Field::new(6, 0);
/// Data port 2, extended descriptor: added to each address.
pub(super) const SCALED_OFFSET: Field = Field::new(31, 12);

pub(super) const MEDIA_LINE_STRIDE: Field = Field::new(10, 8);

pub(super) const FENCE_FLUSH: Field = Field::new(12, 8);
pub(super) const FENCE_COMMIT: Field = Field::bit(13);

/// Bits 31:12 of the extended descriptor: the bindless surface state's offset in 64 bytes.
pub(super) const BINDLESS_OFFSET: Field = Field::new(31, 12);
/// With ExBSO, bits 31:6 are the offset's own bits 31:6.
pub(super) const BINDLESS_OFFSET_WIDE: Field = Field::new(31, 6);

pub(super) const STATELESS_COHERENT: u32 = 0xff;
pub(super) const SLM: u32 = 0xfe;
pub(super) const STATELESS: u32 = 0xfd;
pub(super) const BINDLESS: u32 = 0xfc;

/// Message types of data cache port 0 and the constant cache.
pub(super) mod dc0 {
    pub const OWORD_READ: u32 = 0x00;
    pub const DWORD_ALIGNED_READ: u32 = 0x01;
    pub const OWORD_DUAL_READ: u32 = 0x02;
    pub const DWORD_GATHER: u32 = 0x03;
    pub const BYTE_GATHER: u32 = 0x04;
    pub const QWORD_GATHER: u32 = 0x05;
    pub const FENCE: u32 = 0x07;
    pub const OWORD_WRITE: u32 = 0x08;
    pub const HWORD_ALIGNED_WRITE: u32 = 0x09;
    pub const OWORD_DUAL_WRITE: u32 = 0x0a;
    pub const DWORD_SCATTER: u32 = 0x0b;
    pub const BYTE_SCATTER: u32 = 0x0c;
    pub const QWORD_SCATTER: u32 = 0x0d;
}

/// Message types that only the constant cache's port has.
pub(super) mod dcro {
    pub const UNTYPED_UNCOMPRESSED: u32 = 0x09;
    pub const TYPED_SECTOR: u32 = 0x0c;
    pub const TYPED_UNCOMPRESSED: u32 = 0x0d;
    pub const A64_PAGE: u32 = 0x17;
    pub const A64_SECTOR: u32 = 0x18;
    pub const A64_UNCOMPRESSED: u32 = 0x19;
}

/// Message types of data cache port 2, of which bit 0 is zero (IGC `visa/Common_GEN.h`).
pub(super) mod dc2 {
    pub const UNTYPED_READ: u32 = 0x02;
    pub const A64_GATHER: u32 = 0x04;
    pub const A64_UNTYPED_READ: u32 = 0x06;
    pub const BYTE_GATHER: u32 = 0x08;
    pub const UNTYPED_WRITE: u32 = 0x12;
    pub const A64_UNTYPED_WRITE: u32 = 0x14;
    pub const A64_SCATTER: u32 = 0x16;
    pub const BYTE_SCATTER: u32 = 0x18;
}

/// Message types of data cache port 1. Those of halves (`_16`) are SIMD4x2 ones to Gen11.
pub(super) mod dc1 {
    pub const UNTYPED_READ: u32 = 0x01;
    pub const UNTYPED_ATOMIC: u32 = 0x02;
    pub const UNTYPED_ATOMIC_16: u32 = 0x03;
    pub const MEDIA_READ: u32 = 0x04;
    pub const TYPED_READ: u32 = 0x05;
    pub const TYPED_ATOMIC: u32 = 0x06;
    pub const TYPED_ATOMIC_16: u32 = 0x07;
    pub const UNTYPED_WRITE: u32 = 0x09;
    pub const MEDIA_WRITE: u32 = 0x0a;
    pub const COUNTER_ATOMIC: u32 = 0x0b;
    pub const COUNTER_ATOMIC_16: u32 = 0x0c;
    pub const TYPED_WRITE: u32 = 0x0d;
    pub const TYPED_READ_STATUS: u32 = 0x0e;
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

/// The channels that one register of dwords serves.
pub(super) const fn native_simd(family: Family) -> u8 {
    (family.grf_bytes() / 4) as u8
}

/// Sector operations by code.
pub(super) const SECTOR_OPERATIONS: [(u32, CompressionControl); 2] = [
    (1, CompressionControl::Clear),
    (3, CompressionControl::Uncompress),
];
/// Page operations by code.
pub(super) const PAGE_OPERATIONS: [(u32, CompressionControl); 2] = [
    (0, CompressionControl::Clear),
    (2, CompressionControl::Uncompress),
];
