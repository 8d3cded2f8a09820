//! Messages to descriptors of the load/store units.

use devinfo::Family;

use super::super::bits::code_in;

use super::cache::CacheControl;
use super::fields::{
    ADDRESS_SIZE, ADDRESS_TYPE, BLOCK2D_VNNI, BLOCK2D_X, BLOCK2D_Y, BTI, BTI_OFFSET, CACHE,
    COMPONENTS, COMPRESSION, DATA_SIZE, FENCE_FLUSH, FENCE_SCOPE, FENCE_TO_LSC, FLAT_OFFSET,
    OPCODE, SURFACE_OFFSET, SURFACE_STATE, SURFACE_STATE_WIDE, TRANSPOSE, VECTOR, VECTORS, opcode,
    signed,
};
use super::message::Lsc;
use super::types::{
    AddressSize, AppendOp, COMPRESSIONS, DATA_SIZES, DataSize, FLUSHES, LscAddress, LscPort, SCOPES,
};
use crate::Sfid;
use crate::message::bits::Field;
use crate::message::{DescriptorError, Descriptors, Direction};

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
        self.put(DATA_SIZE, "data size", code_in(&DATA_SIZES, &data))
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

    fn cache(&mut self, cache: CacheControl, load: bool) -> Result<(), DescriptorError> {
        match cache.code(self.family, load) {
            Some(code) => self.put(CACHE, "cache control", code.into()),
            None => Err(DescriptorError::Unsupported {
                what: "such a cache control",
                family: self.family,
            }),
        }
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
                self.cache(cache, direction == Read)?;
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
                self.cache(cache, direction == Read)?;
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
                if port != LscPort::Tgm {
                    self.data(data)?;
                }
                self.put(TRANSPOSE, "transpose", layout.transpose.into())?;
                self.put(BLOCK2D_VNNI, "VNNI", layout.vnni.into())?;
                self.cache(cache, direction == Read)?;
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
                self.cache(cache, false)?;
                Ok(port)
            }
            Lsc::Fence {
                port,
                scope,
                flush,
                to_lsc,
            } => {
                self.put(FENCE_TO_LSC, "route to LSC", to_lsc.into())?;
                self.put(OPCODE, "opcode", opcode::FENCE)?;
                self.put(FENCE_SCOPE, "scope", code_in(&SCOPES, &scope))?;
                self.put(FENCE_FLUSH, "flush", code_in(&FLUSHES, &flush))?;
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
                cache,
            } => {
                self.put(OPCODE, "opcode", opcode::LOAD_STATUS)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.elements(elements)?;
                self.cache(cache, true)?;
                Ok(port)
            }
            Lsc::AppendCounter {
                port,
                op,
                address,
                data,
                cache,
                returns: _,
            } => {
                let code = match op {
                    AppendOp::Add => opcode::APPEND_ADD,
                    AppendOp::Sub => opcode::APPEND_SUB,
                    AppendOp::Store => opcode::APPEND_STORE,
                };
                self.put(OPCODE, "opcode", code)?;
                self.address(address)?;
                self.data(data)?;
                self.cache(cache, false)?;
                Ok(port)
            }
            Lsc::StoreUncompressed {
                port,
                address,
                address_size,
                data,
                elements,
                transpose,
                cache,
            } => {
                self.put(OPCODE, "opcode", opcode::STORE_UNCOMPRESSED)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.elements(elements)?;
                self.put(TRANSPOSE, "transpose", transpose.into())?;
                self.cache(cache, false)?;
                Ok(port)
            }
            Lsc::StoreUncompressedQuad {
                port,
                address,
                address_size,
                data,
                components,
                cache,
            } => {
                self.put(OPCODE, "opcode", opcode::STORE_UNCOMPRESSED_QUAD)?;
                self.address(address)?;
                self.address_size(address_size)?;
                self.data(data)?;
                self.put(COMPONENTS, "component mask", components.into())?;
                self.cache(cache, false)?;
                Ok(port)
            }
            Lsc::Compression {
                port,
                op,
                address,
                address_size,
            } => {
                self.put(OPCODE, "opcode", opcode::COMPRESSION)?;
                let code = code_in(&COMPRESSIONS, &op);
                self.put(COMPRESSION, "compression operation", code)?;
                self.address(address)?;
                self.address_size(address_size)?;
                Ok(port)
            }
        }
    }
}

pub fn encode(family: Family, message: Lsc) -> Result<(Sfid, Descriptors), DescriptorError> {
    let mut encoder = Encoder {
        family,
        out: Descriptors::default(),
    };
    let port = encoder.message(message)?;
    if encoder.out.extended_offset.is_some() && port != LscPort::Ugm {
        return Err(surface_offset_unsupported(family));
    }
    let function = port.function();
    Ok((function, encoder.out))
}

const fn surface_offset_unsupported(family: Family) -> DescriptorError {
    DescriptorError::Unsupported {
        what: "immediate offset into a surface on this port",
        family,
    }
}
