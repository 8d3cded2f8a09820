//! Sequences that every family has.

use devinfo::{Family, GpuAddress};

use super::types::{DispatchError, Heaps, Mocs, Tag, TagSpots};
use crate::error::EncodeError;
use crate::packets::{
    mi_batch_buffer_end, mi_batch_buffer_start, mi_load_register_imm, mi_noop, pipe_control,
    pipeline_select, state_base_address as sba,
};
use crate::{Builder, Spot};

/// A size field that covers everything the base can reach.
const ALL_PAGES: u32 = 0xf_ffff;

/// A stall that also writes back the data port's cache.
fn flush(family: Family) -> Builder {
    let mut packet = pipe_control::packet(family)
        .set(pipe_control::COMMAND_STREAMER_STALL_ENABLE, true)
        .set(pipe_control::DC_FLUSH_ENABLE, true);
    if pipe_control::HDC_PIPELINE_FLUSH_ENABLE
        .row(family)
        .is_some()
    {
        packet = packet.set(pipe_control::HDC_PIPELINE_FLUSH_ENABLE, true);
    }
    if pipe_control::UNTYPED_DATA_PORT_CACHE_FLUSH_ENABLE
        .row(family)
        .is_some()
    {
        packet = packet.set(pipe_control::UNTYPED_DATA_PORT_CACHE_FLUSH_ENABLE, true);
    }
    packet
}

/// Flushes, and drops states, constants and textures from caches.
pub(super) fn barrier(family: Family, out: &mut Vec<u32>) -> Result<(), DispatchError> {
    flush(family)
        .set(pipe_control::STATE_CACHE_INVALIDATION_ENABLE, true)
        .set(pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
        .set(pipe_control::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
        .set(pipe_control::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true)
        .emit(out)?;
    Ok(())
}

/// Waits, and writes back the data port's cache.
pub(super) fn flushing_stall(family: Family, out: &mut Vec<u32>) -> Result<(), DispatchError> {
    flush(family).emit(out)?;
    Ok(())
}

/// Waits only.
pub(super) fn stall(family: Family, out: &mut Vec<u32>) -> Result<(), DispatchError> {
    pipe_control::packet(family)
        .set(pipe_control::COMMAND_STREAMER_STALL_ENABLE, true)
        .emit(out)?;
    Ok(())
}

/// A post-sync write of 64 bits needs more than the field's own alignment.
fn check_aligned(address: GpuAddress) -> Result<(), DispatchError> {
    if address.get().is_multiple_of(8) {
        return Ok(());
    }
    Err(EncodeError::Misaligned {
        layout: pipe_control::NAME,
        field: pipe_control::ADDRESS.name,
        value: address.get(),
        alignment: 8,
    }
    .into())
}

pub(super) fn write(
    family: Family,
    tag: Tag,
    out: &mut Vec<u32>,
) -> Result<TagSpots, DispatchError> {
    check_aligned(tag.address)?;
    let packet = flush(family)
        .set(
            pipe_control::POST_SYNC_OPERATION,
            pipe_control::PostSyncOperation::WRITE_IMMEDIATE_DATA,
        )
        .set(pipe_control::ADDRESS, tag.address)
        .set(pipe_control::IMMEDIATE_DATA, tag.value);
    let spots = TagSpots {
        address: packet.spot(pipe_control::ADDRESS, out.len())?,
        value: packet.spot(pipe_control::IMMEDIATE_DATA, out.len())?,
    };
    packet.emit(out)?;
    Ok(spots)
}

pub(super) fn timestamp(
    family: Family,
    address: GpuAddress,
    out: &mut Vec<u32>,
) -> Result<Spot, DispatchError> {
    check_aligned(address)?;
    let packet = pipe_control::packet(family)
        .set(pipe_control::COMMAND_STREAMER_STALL_ENABLE, true)
        .set(
            pipe_control::POST_SYNC_OPERATION,
            pipe_control::PostSyncOperation::WRITE_TIMESTAMP,
        )
        .set(pipe_control::ADDRESS, address);
    let spot = packet.spot(pipe_control::ADDRESS, out.len())?;
    packet.emit(out)?;
    Ok(spot)
}

/// A call of a second-level batch, in the memory of the context (NEO
/// `EncodeBatchBufferStartOrEnd::programBatchBufferStart`).
pub(super) fn call(
    family: Family,
    batch: GpuAddress,
    out: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    use mi_batch_buffer_start as start;
    start::packet(family)
        .set(
            start::ADDRESS_SPACE_INDICATOR,
            start::AddressSpaceIndicator::PPGTT,
        )
        .set(
            start::SECOND_LEVEL_BATCH_BUFFER,
            start::SecondLevelBatchBuffer::SECOND_LEVEL_BATCH,
        )
        .set(start::BATCH_BUFFER_START_ADDRESS, batch)
        .emit(out)?;
    Ok(())
}

pub(super) fn finish(
    family: Family,
    tag: Option<Tag>,
    out: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    match tag {
        Some(tag) => _ = write(family, tag, out)?,
        None => flush(family).emit(out)?,
    }
    end(family, out)
}

pub(super) fn end(family: Family, out: &mut Vec<u32>) -> Result<(), DispatchError> {
    mi_batch_buffer_end::packet(family).emit(out)?;
    if !out.len().is_multiple_of(2) {
        mi_noop::packet(family).emit(out)?;
    }
    Ok(())
}

/// Chooses the GPGPU pipeline and, where the packet decides it, whether the systolic arrays have
/// power. The mask bits exist from Gen9 on.
pub(super) fn select_gpgpu(
    family: Family,
    systolic: Option<bool>,
    out: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    /// The mask bits of the fields.
    const PIPELINE: u32 = 3;
    const SYSTOLIC: u32 = 1 << 7;
    let mut packet = pipeline_select::packet(family).set(
        pipeline_select::PIPELINE_SELECTION,
        pipeline_select::PipelineSelection::GPGPU,
    );
    if pipeline_select::MASK_BITS.row(family).is_some() {
        let mask = match systolic {
            Some(_) => PIPELINE | SYSTOLIC,
            None => PIPELINE,
        };
        packet = packet.set(pipeline_select::MASK_BITS, mask);
    }
    if let Some(systolic) = systolic {
        packet = packet.set(pipeline_select::SYSTOLIC_MODE_ENABLE, systolic);
    }
    packet.emit(out)?;
    Ok(())
}

/// Writes a register of the command streamer.
pub(super) fn load_register(
    family: Family,
    register: u32,
    value: u32,
    out: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    mi_load_register_imm::packet(family)
        .set(mi_load_register_imm::REGISTER_OFFSET, register)
        .set(mi_load_register_imm::DATA_DWORD, value)
        .emit(out)?;
    Ok(())
}

/// STATE_BASE_ADDRESS with every base and the largest sizes; `general` is a separate parameter
/// because its meaning differs by family.
pub(super) fn base_addresses(
    family: Family,
    heaps: &Heaps,
    general: GpuAddress,
    mocs: Mocs,
    out: &mut Vec<u32>,
) -> Result<(), DispatchError> {
    let mocs = mocs.field();
    let mut packet = sba::packet(family)
        .set(sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .set(sba::GENERAL_STATE_BASE_ADDRESS, general)
        .set(sba::GENERAL_STATE_MOCS, mocs)
        .set(sba::STATELESS_DATA_PORT_ACCESS_MOCS, mocs)
        .set(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .set(sba::SURFACE_STATE_BASE_ADDRESS, heaps.surface)
        .set(sba::SURFACE_STATE_MOCS, mocs)
        .set(sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .set(sba::DYNAMIC_STATE_BASE_ADDRESS, heaps.dynamic)
        .set(sba::DYNAMIC_STATE_MOCS, mocs)
        .set(sba::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE, true)
        .set(sba::INDIRECT_OBJECT_BASE_ADDRESS, heaps.payload)
        .set(sba::INDIRECT_OBJECT_MOCS, mocs)
        .set(sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, true)
        .set(sba::INSTRUCTION_BASE_ADDRESS, heaps.instruction)
        .set(sba::INSTRUCTION_MOCS, mocs)
        .set(sba::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .set(sba::GENERAL_STATE_BUFFER_SIZE, ALL_PAGES)
        .set(sba::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .set(sba::DYNAMIC_STATE_BUFFER_SIZE, ALL_PAGES)
        .set(sba::INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE, true)
        .set(sba::INDIRECT_OBJECT_BUFFER_SIZE, ALL_PAGES)
        .set(sba::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE, true)
        .set(sba::INSTRUCTION_BUFFER_SIZE, ALL_PAGES);
    if let Some((base, states)) = heaps.bindless_surface
        && sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS
            .row(family)
            .is_some()
    {
        let last = states.saturating_sub(1);
        packet = packet
            .set(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .set(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS, base)
            .set(sba::BINDLESS_SURFACE_STATE_MOCS, mocs)
            .set(sba::BINDLESS_SURFACE_STATE_SIZE, last);
    }
    if let Some((base, pages)) = heaps.bindless_sampler
        && sba::BINDLESS_SAMPLER_STATE_BASE_ADDRESS
            .row(family)
            .is_some()
    {
        packet = packet
            .set(sba::BINDLESS_SAMPLER_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
            .set(sba::BINDLESS_SAMPLER_STATE_BASE_ADDRESS, base)
            .set(sba::BINDLESS_SAMPLER_STATE_MOCS, mocs)
            .set(sba::BINDLESS_SAMPLER_STATE_BUFFER_SIZE, pages);
    }
    packet.emit(out)?;
    Ok(())
}
