//! Where the fields of load/store descriptors are, and what their codes mean.
//!
//! Sources: IGA `MessageDecoderLSC.cpp`; Mesa `lsc_opcode`, `lsc_msg_desc`, `lsc_fence_msg_desc`.

use devinfo::{Span, span};

use super::cache::CacheControl;
use super::types::{AddressSize, Block2d, DataSize, LscAddress, LscPort};
use crate::Sfid;
use crate::message::AtomicOp as A;
use crate::message::layout::{Choice, Code, Field, Miss, Table, Words, signed};

pub(in crate::message) const OPCODE: Field = Field::new("opcode", 5, 0);
pub(super) const TRANSPOSE: Field = Field::bit("transpose", 15);
pub(super) const COMPRESSION: Field = Field::new("compression operation", 19, 17);
pub(super) const FENCE_SCOPE: Field = Field::new("fence scope", 11, 9);
pub(super) const FENCE_FLUSH: Field = Field::new("flush operation", 14, 12);
/// "Route to LSC", for fences of untyped memory (Mesa `lsc_fence_msg_desc`).
pub(super) const FENCE_TO_LSC: Field = Field::bit("route to LSC", 18);

pub(super) const ADDRESS_SIZE: Table<AddressSize> =
    Table(Field::new("address size", 8, 7), AddressSize::CODES);
pub(super) const DATA: Table<DataSize> = Table(Field::new("data size", 11, 9), DataSize::CODES);
pub(super) const ELEMENTS: Table<u8> = Table(
    Field::new("vector size", 14, 12),
    &[
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 8),
        (5, 16),
        (6, 32),
        (7, 64),
    ],
);

pub(super) const ATOMICS: Choice<A, 19> = Choice(
    OPCODE,
    [
        (0x08, A::Inc),
        (0x09, A::Dec),
        (0x0a, A::Load),
        (0x0b, A::Store),
        (0x0c, A::Add),
        (0x0d, A::Sub),
        (0x0e, A::SignedMin),
        (0x0f, A::SignedMax),
        (0x10, A::UnsignedMin),
        (0x11, A::UnsignedMax),
        (0x12, A::CompareSwap),
        (0x13, A::FloatAdd),
        (0x14, A::FloatSub),
        (0x15, A::FloatMin),
        (0x16, A::FloatMax),
        (0x17, A::FloatCompareSwap),
        (0x18, A::And),
        (0x19, A::Or),
        (0x1a, A::Xor),
    ],
);

/// The unit, which is the shared function.
pub(super) struct Port;

impl Code<LscPort> for Port {
    fn get(&self, from: &Words) -> Result<LscPort, Miss> {
        let mut ports = LscPort::ALL.iter();
        let port = ports.find(|port| port.function() == from.function);
        port.copied().ok_or(None)
    }

    fn put(&self, into: &mut Words, value: LscPort) -> Result<(), Miss> {
        into.function = value.function();
        Ok(())
    }
}

/// Enabled components, at least one.
pub(super) struct Components;

const COMPONENTS: Field = Field::new("component mask", 15, 12);

impl Code<u8> for Components {
    fn get(&self, from: &Words) -> Result<u8, Miss> {
        match COMPONENTS.code(from) {
            0 => Err(Some(from.undefined(COMPONENTS.name, 0))),
            mask => Ok(mask as u8),
        }
    }

    fn put(&self, into: &mut Words, value: u8) -> Result<(), Miss> {
        match value {
            0 => Err(into.no_code(COMPONENTS.name)),
            mask => COMPONENTS.put_code(into, mask.into()),
        }
    }
}

/// Whether something is returned: the response is not empty. The caller puts its length.
pub(super) struct Returns;

impl Code<bool> for Returns {
    fn get(&self, from: &Words) -> Result<bool, Miss> {
        Ok(crate::message::lengths::RESPONSE_LENGTH.code(from) != 0)
    }

    fn put(&self, _: &mut Words, _: bool) -> Result<(), Miss> {
        Ok(())
    }
}

/// The cache control of the opcode, which must be put first.
pub(super) struct Cache;

/// Four bits from Xe2 on; before, the upper three of them.
const CACHE: Field = Field::new("cache control", 19, 16);

fn is_load(words: &Words) -> bool {
    matches!(OPCODE.code(words), 0x00..=0x03 | 0x1b)
}

impl Code<CacheControl> for Cache {
    fn get(&self, from: &Words) -> Result<CacheControl, Miss> {
        let code = CACHE.code(from) as u8;
        Ok(CacheControl::from_code(from.family, is_load(from), code))
    }

    fn put(&self, into: &mut Words, value: CacheControl) -> Result<(), Miss> {
        match value.code(into.family, is_load(into)) {
            Some(code) => CACHE.put_code(into, code.into()),
            None => Err(into.no_code(CACHE.name)),
        }
    }
}

/// The arrangement of a two-dimensional block.
pub(super) struct Layout;

const BLOCK2D_VNNI: Field = Field::bit("VNNI", 7);

impl Code<Block2d> for Layout {
    fn get(&self, from: &Words) -> Result<Block2d, Miss> {
        Ok(Block2d {
            transpose: TRANSPOSE.get(from)?,
            // Reserved in stores.
            vnni: is_load(from) && BLOCK2D_VNNI.get(from)?,
        })
    }

    fn put(&self, into: &mut Words, value: Block2d) -> Result<(), Miss> {
        TRANSPOSE.put(into, value.transpose)?;
        BLOCK2D_VNNI.put(into, value.vnni)
    }
}

/// The families that have immediate offsets.
const IMMEDIATE_OFFSETS: Span = span!(Xe2..);
const OFFSET: &str = "immediate offset";

/// The word that holds immediate offsets: the extended descriptor or, if that is in a register, the
/// instruction's bits.
fn offset_word(words: &Words) -> u32 {
    let descriptors = &words.descriptors;
    descriptors.extended_offset.unwrap_or(descriptors.extended)
}

/// Immediate x and y of untyped two-dimensional blocks, signed.
pub(super) struct Block2dOffset;

const BLOCK2D_OFFSETS: [Field; 2] = [
    Field::extended(OFFSET, 21, 12),
    Field::extended(OFFSET, 31, 22),
];

impl Code<[i16; 2]> for Block2dOffset {
    fn get(&self, from: &Words) -> Result<[i16; 2], Miss> {
        if !IMMEDIATE_OFFSETS.contains(from.family) || ADDRESS_TYPE.code(from) != 0 {
            return Ok([0; 2]);
        }
        Ok(BLOCK2D_OFFSETS.map(|field| field.signed(offset_word(from)) as i16))
    }

    fn put(&self, into: &mut Words, value: [i16; 2]) -> Result<(), Miss> {
        if value == [0; 2] {
            return Ok(());
        }
        if !IMMEDIATE_OFFSETS.contains(into.family) || ADDRESS_TYPE.code(into) != 0 {
            return Err(into.no_code(OFFSET));
        }
        for (field, offset) in BLOCK2D_OFFSETS.into_iter().zip(value) {
            field.set_signed(&mut into.descriptors.extended, offset.into())?;
        }
        Ok(())
    }
}

/// What addresses are relative to.
pub(super) struct Address;
/// Like [`Address`], but without an offset if flat: that is in [`Block2dOffset`].
pub(super) struct Block2dAddress;

const ADDRESS_TYPE: Field = Field::new("address type", 30, 29);
const FLAT_OFFSET: Field = Field::extended(OFFSET, 31, 12);
const BTI: Field = Field::extended("binding table index", 31, 24);
const BTI_OFFSET: Field = Field::extended(OFFSET, 23, 12);
/// The surface state's offset in 64 bytes.
const STATE: Field = Field::extended("surface state offset", 31, 12);
/// With ExBSO, or from a register on Xe2's UGM: bits 31:6 of the surface state's offset.
const STATE_WIDE: Field = Field::extended("surface state offset", 31, 6);
/// In an instruction beside an extended descriptor in a register: bits 16:4 and 3:0 of the offset
/// into a surface (IGA, "EXDESCIMM_BSSO_SSO").
const SURFACE_OFFSET: [Field; 2] = [
    Field::extended(OFFSET, 31, 19),
    Field::extended(OFFSET, 15, 12),
];
const SURFACE_OFFSET_BITS: u32 = 17;

/// Whether the port takes a whole register as extended descriptor, without room for a payload
/// length, and has an offset into a surface beside it.
fn has_surface_offset(words: &Words) -> bool {
    IMMEDIATE_OFFSETS.contains(words.family) && words.function == Sfid::Ugm
}

impl Code<LscAddress> for Address {
    fn get(&self, from: &Words) -> Result<LscAddress, Miss> {
        let descriptors = &from.descriptors;
        let has_offset = IMMEDIATE_OFFSETS.contains(from.family);
        let beside_register = descriptors
            .extended_offset
            .filter(|_| has_surface_offset(from));
        let wide = descriptors.extended_bindless_offset || beside_register.is_some();
        let state = if wide { STATE_WIDE } else { STATE }.code(from) << 6;
        let offset = beside_register.map_or(0, |bits| {
            let [high, low] = SURFACE_OFFSET.map(|field| field.of(bits));
            signed(high << 4 | low, SURFACE_OFFSET_BITS)
        });
        Ok(match ADDRESS_TYPE.code(from) {
            0 if has_offset => LscAddress::Flat {
                offset: FLAT_OFFSET.signed(offset_word(from)),
            },
            0 => LscAddress::Flat { offset: 0 },
            1 => LscAddress::Bss { state, offset },
            2 => LscAddress::Ss { state, offset },
            _ => LscAddress::Bti {
                index: BTI.code(from) as u8,
                offset: match descriptors.extended_offset {
                    None if has_offset => BTI_OFFSET.signed(descriptors.extended),
                    _ => 0,
                },
            },
        })
    }

    fn put(&self, into: &mut Words, value: LscAddress) -> Result<(), Miss> {
        let (kind, offset) = match value {
            LscAddress::Flat { offset } => (0, offset),
            LscAddress::Bss { offset, .. } => (1, offset),
            LscAddress::Ss { offset, .. } => (2, offset),
            LscAddress::Bti { offset, .. } => (3, offset),
        };
        ADDRESS_TYPE.put_code(into, kind)?;
        if offset != 0 && !IMMEDIATE_OFFSETS.contains(into.family) {
            return Err(into.no_code(OFFSET));
        }
        match value {
            LscAddress::Flat { offset } => {
                FLAT_OFFSET.set_signed(&mut into.descriptors.extended, offset)?;
            }
            LscAddress::Bti { index, offset } => {
                BTI_OFFSET.set_signed(&mut into.descriptors.extended, offset)?;
                BTI.put(into, index)?;
            }
            LscAddress::Bss { state, .. } | LscAddress::Ss { state, .. } if state % 64 != 0 => {
                return Err(into.no_code(STATE.name));
            }
            LscAddress::Bss { state, offset: 0 } | LscAddress::Ss { state, offset: 0 } => {
                STATE.put(into, state >> 6)?;
            }
            LscAddress::Bss { state, offset } | LscAddress::Ss { state, offset } => {
                if !has_surface_offset(into) || signed(offset as u32, SURFACE_OFFSET_BITS) != offset
                {
                    return Err(into.no_code(OFFSET));
                }
                let [high, low] = SURFACE_OFFSET;
                let mut bits = 0;
                low.set(&mut bits, offset as u32 & 0xf)?;
                high.set(
                    &mut bits,
                    (offset as u32 & ((1 << SURFACE_OFFSET_BITS) - 1)) >> 4,
                )?;
                into.descriptors.extended_offset = Some(bits);
                STATE_WIDE.put(into, state >> 6)?;
            }
        }
        Ok(())
    }
}

impl Code<LscAddress> for Block2dAddress {
    fn get(&self, from: &Words) -> Result<LscAddress, Miss> {
        Ok(match Address.get(from)? {
            LscAddress::Flat { .. } => LscAddress::Flat { offset: 0 },
            address => address,
        })
    }

    fn put(&self, into: &mut Words, value: LscAddress) -> Result<(), Miss> {
        match value {
            LscAddress::Flat { offset } if offset != 0 => Err(into.no_code(OFFSET)),
            address => Address.put(into, address),
        }
    }
}
