//! Where the fields of data port descriptors are, and what their codes mean.
//!
//! Sources: Skylake PRM vol 2d "Data Port message descriptors" (MSD0R_OWB and so on), Tiger Lake
//! PRM vol 2d, IGA's HDC message decoder, Mesa's `brw_dp_*_desc`; for atomic operations Skylake PRM
//! vol 7 "MDC_AOP2/3/FOP".

use devinfo::{Family, span};

use super::parts::{CompressionControl, Direction, HdcAddress, HdcSurface, OwordCount, SlotGroup};
use crate::message::AtomicOp as A;
use crate::message::layout::{Choice, Code, FamilyTable, Field, Miss, Table, Words};

pub(super) const TYPE: Field = Field::new("message type", 18, 14);
pub(super) const SCRATCH: Field = Field::bit("category", 18);

pub(super) const ALIGNED_BLOCK_HWORD: Field = Field::bit("block subtype", 13);
pub(super) const A64_BLOCK_TYPE: Field = Field::new("A64 block subtype", 12, 11);
pub(super) const A64_SCATTER_TYPE: Field = Field::new("A64 scattered subtype", 9, 8);

pub(super) const SCRATCH_OFFSET: Field = Field::new("scratch offset", 11, 0);
pub(super) const SCRATCH_DWORD_MODE: Field = Field::bit("channel mode", 16);
pub(super) const SCRATCH_WRITE: Field = Field::bit("direction", 17);

pub(super) const SCATTER_SIMD: Field = Field::bit("SIMD mode", 8);
/// "Legacy SIMD mode" of scattered messages; hardware requires it.
pub(super) const SCATTER_LEGACY: Field = Field::bit("legacy SIMD mode", 9);
pub(super) const BIT_12: Field = Field::bit("SIMD mode", 12);

pub(super) const ATOMIC_OP: Field = Field::new("atomic operation", 11, 8);
pub(super) const ATOMIC_FLOAT_OP: Field = Field::new("float atomic operation", 10, 8);
pub(super) const ATOMIC_RETURN: Field = Field::bit("return", 13);

pub(super) const SECTOR_OPERATION: Field = Field::new("compression operation", 11, 8);
pub(super) const PAGE_OPERATION: Field = Field::new("compression operation", 9, 8);

/// Data port 2: shared local memory, with the scale in [`SCALED_PITCH`].
pub(super) const SCALED_SLM: Field = Field::bit("surface", 7);
pub(super) const SCALED_PITCH: Field = Field::new("scale", 6, 0);
/// Data port 2: added to each address.
pub(super) const SCALED_OFFSET: Field = Field::extended("offset", 31, 12);

pub(super) const MEDIA_LINE_STRIDE: Field = Field::new("line stride override", 10, 8);

pub(super) const FENCE_FLUSH: Field = Field::new("flush", 12, 8);
pub(super) const FENCE_COMMIT: Field = Field::bit("commit", 13);

/// The message types of data port 2 that no public source describes; those of scaled messages are
/// also undescribed when they name a surface (IGC `visa/Common_GEN.h`).
pub(super) const UNDESCRIBED: [(u32, &str); 8] = [
    (0x04, "scaled A64 gather"),
    (0x06, "scaled A64 untyped surface read"),
    (0x14, "scaled A64 untyped surface write"),
    (0x16, "scaled A64 scatter"),
    (0x02, "scaled message to a surface"),
    (0x08, "scaled message to a surface"),
    (0x12, "scaled message to a surface"),
    (0x18, "scaled message to a surface"),
];

/// Message types of a read and of a write.
pub(super) const fn way(read: u32, write: u32) -> Choice<Direction, 2> {
    Choice(TYPE, [(read, Direction::Read), (write, Direction::Write)])
}

const INDEX: Field = Field::new("binding table index", 7, 0);
const STATELESS_COHERENT: u32 = 0xff;
const SLM: u32 = 0xfe;
const STATELESS: u32 = 0xfd;
const BINDLESS: u32 = 0xfc;

/// Bits 31:12 of the extended descriptor: the bindless surface state's offset in 64 bytes.
const BINDLESS_OFFSET: Field = Field::extended("bindless surface offset", 31, 12);
/// With ExBSO, bits 31:6 are the offset's own bits 31:6.
const BINDLESS_OFFSET_WIDE: Field = Field::extended("bindless surface offset", 31, 6);

/// What a message's addresses are offsets into.
pub(super) struct Surface;

impl Code<HdcSurface> for Surface {
    fn get(&self, from: &Words) -> Result<HdcSurface, Miss> {
        Ok(match INDEX.code(from) {
            STATELESS_COHERENT => HdcSurface::Stateless { coherent: true },
            STATELESS => HdcSurface::Stateless { coherent: false },
            SLM => HdcSurface::Slm,
            BINDLESS => {
                let field = match from.descriptors.extended_bindless_offset {
                    true => BINDLESS_OFFSET_WIDE,
                    false => BINDLESS_OFFSET,
                };
                HdcSurface::Bindless(field.code(from) << 6)
            }
            index @ 0..=0xef => HdcSurface::Bti(index as u8),
            index => return Err(Some(from.undefined(INDEX.name, index))),
        })
    }

    fn put(&self, into: &mut Words, value: HdcSurface) -> Result<(), Miss> {
        let index = match value {
            HdcSurface::Bti(index @ 0..=0xef) => index.into(),
            HdcSurface::Bti(_) => return Err(into.no_code(INDEX.name)),
            HdcSurface::Slm => SLM,
            HdcSurface::Stateless { coherent: true } => STATELESS_COHERENT,
            HdcSurface::Stateless { coherent: false } => STATELESS,
            HdcSurface::Bindless(offset) if offset % 64 != 0 => {
                return Err(into.no_code(BINDLESS_OFFSET.name));
            }
            HdcSurface::Bindless(offset) => {
                BINDLESS_OFFSET.put_code(into, offset >> 6)?;
                BINDLESS
            }
        };
        INDEX.put_code(into, index)
    }
}

/// 32-bit offsets into a surface.
pub(super) struct A32;

impl Code<HdcAddress> for A32 {
    fn get(&self, from: &Words) -> Result<HdcAddress, Miss> {
        Surface.get(from).map(HdcAddress::A32)
    }

    fn put(&self, into: &mut Words, value: HdcAddress) -> Result<(), Miss> {
        match value {
            HdcAddress::A32(surface) => Surface.put(into, surface),
            HdcAddress::A64 { .. } => Err(None),
        }
    }
}

/// 64-bit addresses.
pub(super) struct A64;

impl Code<HdcAddress> for A64 {
    fn get(&self, from: &Words) -> Result<HdcAddress, Miss> {
        match Surface.get(from)? {
            HdcSurface::Stateless { coherent } => Ok(HdcAddress::A64 { coherent }),
            _ => Err(Some(
                from.undefined("A64 binding table index", INDEX.code(from)),
            )),
        }
    }

    fn put(&self, into: &mut Words, value: HdcAddress) -> Result<(), Miss> {
        match value {
            HdcAddress::A64 { coherent } => Surface.put(into, HdcSurface::Stateless { coherent }),
            HdcAddress::A32(_) => Err(None),
        }
    }
}

/// Which fence, by the surface's index.
pub(super) const FENCED_SLM: Table<bool> = Table(INDEX, &[(0, false), (SLM, true)]);

pub(super) const OWORDS: FamilyTable<OwordCount> = FamilyTable(
    Field::new("block size", 10, 8),
    &[
        (span!(..), 0, OwordCount::OneLow),
        (span!(..), 1, OwordCount::OneHigh),
        (span!(..), 2, OwordCount::Two),
        (span!(..), 3, OwordCount::Four),
        (span!(..), 4, OwordCount::Eight),
        (span!(XeHpg..), 5, OwordCount::Sixteen),
    ],
);
pub(super) const DUAL_OWORDS: Table<u8> = Table(Field::new("block size", 9, 8), &[(0, 1), (2, 4)]);
const ONE_TO_EIGHT: &[(u32, u8)] = &[(0, 1), (1, 2), (2, 4), (3, 8)];
pub(super) const HWORDS: Table<u8> = Table(Field::new("block size", 10, 8), ONE_TO_EIGHT);
pub(super) const SCRATCH_HWORDS: Table<u8> = Table(Field::new("block size", 13, 12), ONE_TO_EIGHT);
pub(super) const ELEMENTS: Table<u8> = Table(Field::new("data elements", 11, 10), ONE_TO_EIGHT);
pub(super) const BYTES: Table<u8> = Table(
    Field::new("data element size", 11, 10),
    &[(0, 1), (1, 2), (2, 4)],
);
/// With 64-bit addresses also qwords (Skylake PRM vol 2d "MDC_A64_DS"; Mesa `brw_mdc_a64_ds`; IGC 22.43
/// reads qwords at any byte so).
pub(super) const BYTES_A64: Table<u8> =
    Table(Field::new("data element size", 11, 10), ONE_TO_EIGHT);

/// The channels that one register of dwords serves.
const fn native_simd(family: Family) -> u8 {
    (family.grf_bytes() / 4) as u8
}

/// The channels of one register of dwords, or twice as many if the field has this code.
pub(super) struct Simd {
    pub field: Field,
    pub wide: u32,
}

impl Code<u8> for Simd {
    fn get(&self, from: &Words) -> Result<u8, Miss> {
        let narrow = native_simd(from.family);
        let wide = self.field.code(from) == self.wide;
        Ok(if wide { 2 * narrow } else { narrow })
    }

    fn put(&self, into: &mut Words, value: u8) -> Result<(), Miss> {
        let narrow = native_simd(into.family);
        let code = match value {
            simd if simd == narrow => 1 - self.wide,
            simd if simd == 2 * narrow => self.wide,
            _ => return Err(into.no_code(self.field.name)),
        };
        self.field.put_code(into, code)
    }
}

pub(super) const SIMD_8: Simd = Simd {
    field: SCATTER_SIMD,
    wide: 1,
};
pub(super) const SIMD_12: Simd = Simd {
    field: BIT_12,
    wide: 1,
};
/// Bit 12 says that atomics with A32 addresses are narrow.
pub(super) const ATOMIC_SIMD: Simd = Simd {
    field: BIT_12,
    wide: 0,
};

/// The channels of one register of dwords; no field holds the number.
pub(super) struct NativeSimd;

impl Code<u8> for NativeSimd {
    fn get(&self, from: &Words) -> Result<u8, Miss> {
        Ok(native_simd(from.family))
    }

    fn put(&self, into: &mut Words, value: u8) -> Result<(), Miss> {
        match value == native_simd(into.family) {
            true => Ok(()),
            false => Err(None),
        }
    }
}

/// Channels of surface messages. XeHPC has only mode 1: the channels of one register.
pub(super) const SURFACE_SIMD: FamilyTable<u8> = FamilyTable(
    Field::new("SIMD mode", 13, 12),
    &[
        (span!(..=Gen11), 0, 2),
        (span!(..), 1, 16),
        (span!(..=XeHpg), 2, 8),
    ],
);
pub(super) const SCALED_SIMD: Table<u8> =
    Table(Field::new("SIMD mode", 13, 12), &[(1, 16), (2, 8)]);
pub(super) const SLOTS: Table<SlotGroup> =
    Table(Field::new("slot group", 13, 12), SlotGroup::CODES);
pub(super) const ATOMIC_SLOTS: Table<SlotGroup> =
    Table(BIT_12, &[(0, SlotGroup::Low), (1, SlotGroup::High)]);

/// Enabled components; the field holds their complement.
pub(super) struct Components;

const COMPONENT_DISABLE: Field = Field::new("channel disable mask", 11, 8);

impl Code<u8> for Components {
    fn get(&self, from: &Words) -> Result<u8, Miss> {
        match COMPONENT_DISABLE.code(from) {
            0xf => Err(Some(from.undefined(COMPONENT_DISABLE.name, 0xf))),
            disabled => Ok(!disabled as u8 & 0xf),
        }
    }

    fn put(&self, into: &mut Words, value: u8) -> Result<(), Miss> {
        match value {
            1..=0xf => COMPONENT_DISABLE.put_code(into, u32::from(value) ^ 0xf),
            _ => Err(into.no_code(COMPONENT_DISABLE.name)),
        }
    }
}

/// Integer operations. Code 0 is a compare-and-swap of two dwords.
pub(super) const INTEGER_OPS: Table<A> = Table(
    ATOMIC_OP,
    &[
        (0x1, A::And),
        (0x2, A::Or),
        (0x3, A::Xor),
        (0x4, A::Store),
        (0x5, A::Inc),
        (0x6, A::Dec),
        (0x7, A::Add),
        (0x8, A::Sub),
        (0x9, A::ReverseSub),
        (0xa, A::SignedMax),
        (0xb, A::SignedMin),
        (0xc, A::UnsignedMax),
        (0xd, A::UnsignedMin),
        (0xe, A::CompareSwap),
        (0xf, A::PreDec),
    ],
);
pub(super) const FLOAT_OPS: FamilyTable<A> = FamilyTable(
    ATOMIC_FLOAT_OP,
    &[
        (span!(..), 1, A::FloatMax),
        (span!(..), 2, A::FloatMin),
        (span!(..), 3, A::FloatCompareSwap),
        (span!(XeHpg..), 4, A::FloatAdd),
        (span!(XeHpg..), 5, A::FloatSub),
    ],
);
pub(super) const DOUBLE_OPS: Choice<A, 2> =
    Choice(ATOMIC_FLOAT_OP, [(6, A::FloatAdd), (7, A::FloatSub)]);
/// The operand of integer atomics with A64 addresses.
pub(super) const ATOMIC_BYTES: Table<u8> = Table(BIT_12, &[(0, 4), (1, 8)]);

pub(super) const SECTOR_OPERATIONS: Table<CompressionControl> = Table(
    SECTOR_OPERATION,
    &[
        (1, CompressionControl::Clear),
        (3, CompressionControl::Uncompress),
    ],
);
pub(super) const PAGE_OPERATIONS: Table<CompressionControl> = Table(
    PAGE_OPERATION,
    &[
        (0, CompressionControl::Clear),
        (2, CompressionControl::Uncompress),
    ],
);
