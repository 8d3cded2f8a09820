//! Messages to descriptors of the data ports.

use devinfo::Family;

use super::fields::{
    A64_BLOCK_TYPE, A64_SCATTER_TYPE, ALIGNED_BLOCK_HWORD, ATOMIC_FLOAT_OP, ATOMIC_OP,
    ATOMIC_RETURN, BINDLESS, BINDLESS_OFFSET, BLOCK_SIZE, COMPONENT_DISABLE, DUAL_BLOCK_SIZE,
    ELEMENT_SIZE, FENCE_COMMIT, FENCE_FLUSH, MEDIA_LINE_STRIDE, PAGE_OPERATION, PAGE_OPERATIONS,
    SCALED_OFFSET, SCALED_PITCH, SCALED_SLM, SCATTER_LEGACY, SCATTER_SIMD, SCRATCH,
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

struct Encoder {
    family: Family,
    out: Descriptors,
}

pub fn encode(family: Family, message: Hdc) -> Result<(Sfid, Descriptors), DescriptorError> {
    let mut encoder = Encoder {
        family,
        out: Descriptors::default(),
    };
    let function = encoder.message(message)?;
    Ok((function, encoder.out))
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
        use Sfid::{ConstantCache, DataPort0, DataPort1, DataPort2};
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
                    if direction == Read {
                        self.put(ALIGNED_BLOCK_HWORD, "block subtype", 1)?;
                    }
                    self.kind(pick(
                        direction,
                        dc0::DWORD_ALIGNED_READ,
                        dc0::HWORD_ALIGNED_WRITE,
                    ))?;
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
                self.untyped_simd(simd)?;
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
                self.slots(slots)?;
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
                self.integer_op(op, bytes)?;
                self.put(ATOMIC_RETURN, "return", returns.into())?;
                self.put(SIMD_12, "slot group", u32::from(slots == SlotGroup::High))?;
                self.kind(if bytes == 2 || slots == SlotGroup::FourByTwo {
                    dc1::TYPED_ATOMIC_16
                } else {
                    dc1::TYPED_ATOMIC
                })?;
                Ok(DataPort1)
            }
            Hdc::CounterAtomic {
                surface,
                op,
                bytes,
                returns,
                simd,
            } => {
                self.surface(surface)?;
                self.integer_op(op, bytes)?;
                self.put(ATOMIC_RETURN, "return", returns.into())?;
                self.put(SIMD_12, "SIMD mode", 1 - self.wide(simd))?;
                self.kind(if bytes == 2 || simd == 2 {
                    dc1::COUNTER_ATOMIC_16
                } else {
                    dc1::COUNTER_ATOMIC
                })?;
                Ok(DataPort1)
            }
            Hdc::OwordDualBlock {
                direction,
                address,
                owords,
                port,
            } => {
                let a64 = self.address(address)?;
                self.put(
                    DUAL_BLOCK_SIZE,
                    "block size",
                    if owords == 4 { 2 } else { 0 },
                )?;
                if a64 {
                    self.put(A64_BLOCK_TYPE, "A64 block subtype", 2)?;
                    self.kind(pick(direction, dc1::A64_BLOCK_READ, dc1::A64_BLOCK_WRITE))?;
                    return Ok(DataPort1);
                }
                self.kind(pick(direction, dc0::OWORD_DUAL_READ, dc0::OWORD_DUAL_WRITE))?;
                Ok(match port {
                    BlockPort::Data => DataPort0,
                    BlockPort::Constant => ConstantCache,
                })
            }
            Hdc::ByteStatus {
                address,
                bytes,
                simd,
            } => {
                self.address(address)?;
                self.put(ELEMENT_SIZE, "data element size", log2(bytes))?;
                self.put(SIMD_12, "SIMD mode", self.wide(simd))?;
                self.put(A64_SCATTER_TYPE, "subtype", 3)?;
                self.kind(dc1::A64_GATHER)?;
                Ok(DataPort1)
            }
            Hdc::TypedStatus {
                surface,
                components,
                slots,
            } => {
                self.surface(surface)?;
                self.components(components)?;
                self.slots(slots)?;
                self.kind(dc1::TYPED_READ_STATUS)?;
                Ok(DataPort1)
            }
            Hdc::ScaledUntyped {
                direction,
                pitch,
                offset,
                components,
                simd,
            } => {
                self.scaled(pitch, offset)?;
                self.components(components)?;
                self.untyped_simd(simd)?;
                self.kind(pick(direction, dc2::UNTYPED_READ, dc2::UNTYPED_WRITE))?;
                Ok(DataPort2)
            }
            Hdc::ScaledByte {
                direction,
                pitch,
                offset,
                bytes,
                simd,
            } => {
                self.scaled(pitch, offset)?;
                self.put(ELEMENT_SIZE, "data element size", log2(bytes))?;
                self.put(SCATTER_SIMD, "SIMD mode", self.wide(simd))?;
                self.kind(pick(direction, dc2::BYTE_GATHER, dc2::BYTE_SCATTER))?;
                Ok(DataPort2)
            }
            Hdc::UncompressedWrite {
                address,
                components,
                simd,
            } => {
                let a64 = self.address(address)?;
                self.components(components)?;
                self.untyped_simd(simd)?;
                self.kind(if a64 {
                    dcro::A64_UNCOMPRESSED
                } else {
                    dcro::UNTYPED_UNCOMPRESSED
                })?;
                Ok(ConstantCache)
            }
            Hdc::TypedUncompressedWrite {
                surface,
                components,
                slots,
            } => {
                self.surface(surface)?;
                self.components(components)?;
                self.slots(slots)?;
                self.kind(dcro::TYPED_UNCOMPRESSED)?;
                Ok(ConstantCache)
            }
            Hdc::SectorControl {
                control,
                address,
                simd,
            } => {
                self.address(address)?;
                self.control(SECTOR_OPERATION, &SECTOR_OPERATIONS, control)?;
                self.untyped_simd(simd)?;
                self.kind(dcro::A64_SECTOR)?;
                Ok(ConstantCache)
            }
            Hdc::TypedSectorControl {
                control,
                surface,
                slots,
            } => {
                self.surface(surface)?;
                self.control(SECTOR_OPERATION, &SECTOR_OPERATIONS, control)?;
                self.slots(slots)?;
                self.kind(dcro::TYPED_SECTOR)?;
                Ok(ConstantCache)
            }
            Hdc::PageControl { control, address } => {
                self.address(address)?;
                self.control(PAGE_OPERATION, &PAGE_OPERATIONS, control)?;
                self.kind(dcro::A64_PAGE)?;
                Ok(ConstantCache)
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

    fn untyped_simd(&mut self, simd: u8) -> Result<(), DescriptorError> {
        let mode = match simd {
            2 => 0,
            8 => 2,
            _ => 1,
        };
        self.put(UNTYPED_SIMD, "SIMD mode", mode)
    }

    fn slots(&mut self, slots: SlotGroup) -> Result<(), DescriptorError> {
        let group = match slots {
            SlotGroup::FourByTwo => 0,
            SlotGroup::Low => 1,
            SlotGroup::High => 2,
        };
        self.put(TYPED_SLOTS, "slot group", group)
    }

    fn scaled(&mut self, pitch: u8, offset: u32) -> Result<(), DescriptorError> {
        self.put(SCALED_SLM, "surface", 1)?;
        self.put(SCALED_PITCH, "scale", pitch.into())?;
        SCALED_OFFSET.put(&mut self.out.extended, "offset", offset)
    }

    fn control(
        &mut self,
        field: Field,
        operations: &[(u32, CompressionControl)],
        control: CompressionControl,
    ) -> Result<(), DescriptorError> {
        let code = operations.iter().find(|row| row.1 == control);
        self.put(
            field,
            "compression operation",
            code.map_or(u32::MAX, |row| row.0),
        )
    }

    /// Compare and swap of 64 bits has a number of its own, where the operand is not widened.
    fn integer_op(&mut self, op: AtomicOp, bytes: u8) -> Result<(), DescriptorError> {
        let opcode = match bytes {
            8 => 0,
            _ => op.hdc_integer().unwrap_or(0),
        };
        self.put(ATOMIC_OP, "atomic operation", opcode)
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
        // To Gen11 the types of halves are those of SIMD4x2.
        let half = bytes == 2 || simd == 2;
        self.put(ATOMIC_RETURN, "return", returns.into())?;
        if op.is_float() {
            let double = if bytes == 8 { 2 } else { 0 };
            let opcode = op.hdc_float().unwrap_or(0) + double;
            self.put(ATOMIC_FLOAT_OP, "float atomic operation", opcode)?;
            self.put(SIMD_12, "SIMD mode", if a64 { wide } else { 1 - wide })?;
            self.kind(match (a64, half) {
                (true, true) => dc1::A64_FLOAT_ATOMIC_16,
                (true, false) => dc1::A64_FLOAT_ATOMIC,
                (false, true) => dc1::FLOAT_ATOMIC_16,
                (false, false) => dc1::FLOAT_ATOMIC,
            })?;
        } else {
            if a64 {
                let opcode = op.hdc_integer().unwrap_or(0);
                self.put(ATOMIC_OP, "atomic operation", opcode)?;
                self.put(SIMD_12, "data width", u32::from(bytes == 8))?;
            } else {
                self.integer_op(op, bytes)?;
                self.put(SIMD_12, "SIMD mode", 1 - wide)?;
            }
            self.kind(match (a64, half) {
                (true, true) => dc1::A64_ATOMIC_16,
                (true, false) => dc1::A64_ATOMIC,
                (false, true) => dc1::UNTYPED_ATOMIC_16,
                (false, false) => dc1::UNTYPED_ATOMIC,
            })?;
        }
        Ok(Sfid::DataPort1)
    }
}

const fn log2(value: u8) -> u32 {
    value.trailing_zeros()
}
