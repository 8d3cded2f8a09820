//! States that dispatches rely on: bases, front end, descriptors.

use batchbuffer::packets::{
    binding_table_pool_alloc, cfe_state, media_curbe_load, media_interface_descriptor_load,
    media_vfe_state, state_base_address, state_compute_mode,
};
use batchbuffer::{Decoded, PacketId};
use devinfo::GpuAddress;

use super::failure::Failure;
use super::state::FrontEnd;
use super::streamer::Streamer;

/// Whether [`execute`] knows the packet.
pub(super) fn executes(id: PacketId) -> bool {
    use PacketId as P;
    matches!(
        id,
        P::PipelineSelect
            | P::StateBaseAddress
            | P::StateSip
            | P::StateComputeMode
            | P::StatePrefetch
            | P::StateByteStride
            | P::GpgpuCsrBaseAddress
            | P::BindingTablePoolAlloc
            | P::Btd
            | P::ResourceBarrier
            | P::MediaVfeState
            | P::MediaCurbeLoad
            | P::MediaInterfaceDescriptorLoad
            | P::MediaStateFlush
            | P::CfeState
            | P::StateSystemMemFenceAddress
            | P::StateContextDataBaseAddress
    )
}

/// Executes a packet for which [`executes`] holds.
pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    match packet.id {
        PacketId::StateBaseAddress => base_address(cs, packet),
        PacketId::StateComputeMode => {
            use state_compute_mode as mode;
            if packet.flag(mode::LARGE_GRF_MODE_MASK) {
                cs.state.large_grf = packet.flag(mode::LARGE_GRF_MODE);
            }
            if packet.flag(mode::ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION_MASK) {
                cs.state.variable_registers =
                    packet.flag(mode::ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION);
            }
        }
        PacketId::BindingTablePoolAlloc => binding_table_pool(cs, packet),
        PacketId::MediaVfeState => vfe_state(cs, packet),
        PacketId::CfeState => {
            cs.state.front_end = FrontEnd {
                scratch_base: packet.get(cfe_state::SCRATCH_SPACE_BUFFER) << 10,
                scratch_per_thread: 0,
            };
        }
        PacketId::MediaCurbeLoad => {
            use media_curbe_load as curbe;
            let start = packet.get(curbe::CURBE_DATA_START_ADDRESS);
            let length = packet.get32(curbe::CURBE_TOTAL_DATA_LENGTH);
            cs.state.curbe = (cs.state.bases.dynamic.offset(start), length);
        }
        PacketId::MediaInterfaceDescriptorLoad => descriptor_load(cs, packet)?,
        // The pipeline choice is not enforced: a context begins in any pipeline. System routines
        // run on exceptions, which are faults here; preemption never saves registers; all memory is
        // coherent, so that fences of the system's memory have nothing to do.
        _ => {}
    }
    Ok(())
}

fn base_address(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use state_base_address as sba;
    let bases = &mut cs.state.bases;
    let rows: [(&mut GpuAddress, _, _); 7] = [
        (
            &mut bases.general,
            sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            sba::GENERAL_STATE_BASE_ADDRESS,
        ),
        (
            &mut bases.surface,
            sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            sba::SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            &mut bases.dynamic,
            sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            sba::DYNAMIC_STATE_BASE_ADDRESS,
        ),
        (
            &mut bases.indirect,
            sba::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE,
            sba::INDIRECT_OBJECT_BASE_ADDRESS,
        ),
        (
            &mut bases.instruction,
            sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE,
            sba::INSTRUCTION_BASE_ADDRESS,
        ),
        (
            &mut bases.bindless_surface,
            sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS,
        ),
        (
            &mut bases.bindless_sampler,
            sba::BINDLESS_SAMPLER_STATE_BASE_ADDRESS_MODIFY_ENABLE,
            sba::BINDLESS_SAMPLER_STATE_BASE_ADDRESS,
        ),
    ];
    for (base, modify, address) in rows {
        if packet.flag(modify) {
            *base = packet.address(address);
        }
    }
}

fn binding_table_pool(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use binding_table_pool_alloc as pool;
    // Before XeHPG the pool can be off; later there is no such bit.
    let has_enable = pool::BINDING_TABLE_POOL_ENABLE
        .row(cs.environment.family())
        .is_some();
    let enabled = !has_enable || packet.flag(pool::BINDING_TABLE_POOL_ENABLE);
    let base = packet.address(pool::BINDING_TABLE_POOL_BASE_ADDRESS);
    cs.state.binding_table_pool = (enabled && base != GpuAddress::default()).then_some(base);
}

fn vfe_state(cs: &mut Streamer<'_>, packet: &Decoded<'_>) {
    use media_vfe_state as vfe;
    let size = packet.get32(vfe::PER_THREAD_SCRATCH_SPACE);
    let base = packet.get(vfe::SCRATCH_SPACE_BASE_POINTER);
    // 1 KiB times a power of two up to 2 MiB; a base of 0 is no scratch.
    let per_thread = if base == 0 && size == 0 {
        0
    } else {
        1024u32 << size.min(11)
    };
    cs.state.front_end = FrontEnd {
        scratch_base: base,
        scratch_per_thread: per_thread,
    };
}

/// The number of descriptors that the packet's index field reaches.
const DESCRIPTORS: u32 = 64;
/// Bytes of one.
const DESCRIPTOR_BYTES: u32 = 32;

fn descriptor_load(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use media_interface_descriptor_load as load;
    let length = packet.get32(load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH);
    let start = packet.get(load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS);
    let count = (length / DESCRIPTOR_BYTES).min(DESCRIPTORS);
    let mut descriptors = Vec::new();
    for index in 0..u64::from(count) {
        let mut descriptor = [0; 8];
        for (at, dword) in (0u64..).zip(&mut descriptor) {
            let offset = start + u64::from(DESCRIPTOR_BYTES) * index + 4 * at;
            *dword = cs.read_u32(packet, cs.state.bases.dynamic.offset(offset))?;
        }
        descriptors.push(descriptor);
    }
    cs.state.descriptors = descriptors;
    Ok(())
}
