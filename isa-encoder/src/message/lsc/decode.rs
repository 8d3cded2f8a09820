//! Descriptors of the load/store units to messages.

use devinfo::Family;

use super::cache::CacheControl;
use super::fields::{
    ADDRESS_SIZE, ADDRESS_TYPE, BLOCK2D_VNNI, BLOCK2D_X, BLOCK2D_Y, BTI, BTI_OFFSET, CACHE,
    COMPONENTS, COMPRESSION, DATA_SIZE, FENCE_FLUSH, FENCE_SCOPE, FENCE_TO_LSC, FLAT_OFFSET,
    OPCODE, RESPONSE_LENGTH, SURFACE_OFFSET, SURFACE_STATE, SURFACE_STATE_WIDE, TRANSPOSE, VECTOR,
    VECTORS, opcode, signed,
};
use super::message::Lsc;
use super::types::{
    AddressSize, AppendOp, Block2d, COMPRESSIONS, DATA_SIZES, DataSize, FLUSHES, LscAddress,
    LscPort, SCOPES,
};
use crate::Sfid;
use crate::message::bits::Field;
use crate::message::{AtomicOp, DescriptorError, Descriptors, Direction};

struct Decoder {
    family: Family,
    function: Sfid,
    port: LscPort,
    descriptors: Descriptors,
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

    /// The cache control of a load, or of a store or atomic.
    fn cache(&self, load: bool) -> CacheControl {
        let code = match self.family {
            Family::Xe2 => self.get(CACHE),
            _ => self.get(CACHE) & !1,
        };
        CacheControl::from_code(self.family, load, code as u8)
    }

    fn components(&self) -> Result<u8, DescriptorError> {
        match self.get(COMPONENTS) {
            0 => self.undefined("component mask", 0),
            mask => Ok(mask as u8),
        }
    }

    fn message(&self) -> Result<Lsc, DescriptorError> {
        use Direction::{Read, Write};
        let port = self.port;
        let code = self.get(OPCODE);
        match code {
            opcode::LOAD | opcode::STORE | opcode::LOAD_STRIDED | opcode::STORE_STRIDED => {
                Ok(Lsc::Vector {
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
                    cache: self.cache(matches!(code, opcode::LOAD | opcode::LOAD_STRIDED)),
                })
            }
            opcode::STORE_UNCOMPRESSED => Ok(Lsc::StoreUncompressed {
                port,
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                elements: self.elements(),
                transpose: self.get(TRANSPOSE) != 0,
                cache: self.cache(false),
            }),
            opcode::STORE_UNCOMPRESSED_QUAD => Ok(Lsc::StoreUncompressedQuad {
                port,
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                components: self.components()?,
                cache: self.cache(false),
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
                components: self.components()?,
                cache: self.cache(code == opcode::LOAD_QUAD),
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
                data: match port {
                    LscPort::Tgm => DataSize::D32,
                    _ => self.data()?,
                },
                layout: Block2d {
                    transpose: self.get(TRANSPOSE) != 0,
                    // Reserved in stores.
                    vnni: code == opcode::LOAD_BLOCK2D && self.get(BLOCK2D_VNNI) != 0,
                },
                cache: self.cache(code == opcode::LOAD_BLOCK2D),
            }),
            opcode::LOAD_STATUS if self.get(TRANSPOSE) != 0 => self.undefined("transpose", 1),
            opcode::LOAD_STATUS => Ok(Lsc::LoadStatus {
                port,
                address: self.address(),
                address_size: self.address_size()?,
                data: self.data()?,
                elements: self.elements(),
                cache: self.cache(true),
            }),
            opcode::COMPRESSION => {
                let op = self.get(COMPRESSION);
                Ok(Lsc::Compression {
                    port,
                    op: match COMPRESSIONS.get(op as usize) {
                        Some(op) => *op,
                        None => return self.undefined("compression operation", op),
                    },
                    address: self.address(),
                    address_size: self.address_size()?,
                })
            }
            opcode::APPEND_ADD | opcode::APPEND_SUB | opcode::APPEND_STORE
                if self.family >= Family::Xe2 =>
            {
                Ok(Lsc::AppendCounter {
                    port,
                    op: match code {
                        opcode::APPEND_ADD => AppendOp::Add,
                        opcode::APPEND_SUB => AppendOp::Sub,
                        _ => AppendOp::Store,
                    },
                    address: self.address(),
                    data: self.data()?,
                    returns: self.get(RESPONSE_LENGTH) != 0,
                    cache: self.cache(false),
                })
            }
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
                    to_lsc: self.get(FENCE_TO_LSC) != 0,
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
                    cache: self.cache(false),
                }),
                None => self.undefined("opcode", code),
            },
        }
    }
}

pub fn decode(
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
            Sfid::Urb => LscPort::Urb,
            _ => LscPort::Ugm,
        },
        descriptors,
    }
    .message()
}
