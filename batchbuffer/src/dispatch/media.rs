//! Gen8 to Gen12LP: MEDIA_VFE_STATE, MEDIA_INTERFACE_DESCRIPTOR_LOAD,
//! GPGPU_WALKER.

use devinfo::Family;

use super::commands::Commands;
use super::types::{ComputeMode, Dispatch, DispatchError, DispatchSpots, FrontEnd, Setup};
use super::{limits, shared};
use crate::Dwords;
use crate::packets::{
    gpgpu_walker as walker, media_interface_descriptor_load as idl, media_state_flush,
    media_vfe_state as vfe, state_compute_mode,
};
use crate::registers;
use crate::states::interface_descriptor_data as idd;

/// The sequences of the media pipeline, and what differs between families.
#[derive(Debug)]
pub(crate) struct Media {
    pub family: Family,
    /// How L3CNTLREG divides the L3, without and with shared local memory. `None` where the kernel
    /// driver's division is kept.
    pub l3_control: Option<[u32; 2]>,
    /// The 32-byte units of the URB entry that the front end is given.
    pub urb_entry_size: u32,
    /// Whether a stall must also flush or wait for something (Broadwell PRM vol 2a, PIPE_CONTROL,
    /// "Command Streamer Stall Enable"; Mesa's `gen8_add_cs_stall_workaround_bits`).
    pub stall_with_flush: bool,
    /// Whether binding tables and samplers are prefetched. Later families have steppings with
    /// broken prefetching, so the runtime gives a count of zero.
    pub prefetch: bool,
}

impl Commands for Media {
    fn family(&self) -> Family {
        self.family
    }

    fn front_end(&self, setup: &FrontEnd, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        let family = self.family;
        self.compute_mode(&setup.mode, out)?;
        shared::barrier(family, out)?;
        shared::select_gpgpu(family, None, out)?;
        if state_compute_mode::LAYOUT.length(family).is_some() {
            state_compute_mode::packet(family)
                .set(
                    state_compute_mode::FORCE_NON_COHERENT,
                    state_compute_mode::ForceNonCoherent::FORCE_GPU_NON_COHERENT,
                )
                .set(state_compute_mode::FORCE_NON_COHERENT_MASK, 3)
                .emit(out)?;
        }
        if let Some([without, with]) = self.l3_control {
            let value = if setup.slm { with } else { without };
            shared::load_register(family, registers::device::L3_CONTROL, value, out)?;
        }
        // MEDIA_VFE_STATE needs a stall before it (SKL PRM vol 2a,
        // MEDIA_VFE_STATE).
        if self.stall_with_flush {
            shared::flushing_stall(family, out)?;
        } else {
            shared::stall(family, out)?;
        }
        let threads = setup.max_threads.max(1);
        let mut front_end = vfe::packet(family)
            .set(vfe::NUMBER_OF_URB_ENTRIES, 1)
            .set(vfe::URB_ENTRY_ALLOCATION_SIZE, self.urb_entry_size)
            .set(vfe::MAXIMUM_NUMBER_OF_THREADS, threads - 1);
        if vfe::RESET_GATEWAY_TIMER.row(family).is_some() {
            front_end = front_end.set(vfe::RESET_GATEWAY_TIMER, 1);
        }
        if vfe::BYPASS_GATEWAY_CONTROL.row(family).is_some() {
            front_end = front_end.set(vfe::BYPASS_GATEWAY_CONTROL, 1);
        }
        // The bit keeps its old name; on Gen12LP it ends the fusion of EUs (Intel's
        // compute-runtime, preamble_gen12lp.cpp; igt-gpu-tools, gpu_cmds.c).
        if setup.no_eu_fusion && vfe::DISABLE_SLICE_0_SUBSLICE_2.row(family).is_some() {
            front_end = front_end.set(vfe::DISABLE_SLICE_0_SUBSLICE_2, true);
        }
        if let Some(scratch) = setup.scratch {
            let code = limits::scratch_code(family, scratch.bytes_per_thread)?;
            front_end = front_end
                .set(vfe::PER_THREAD_SCRATCH_SPACE, code)
                .set(vfe::STACK_SIZE, code)
                .set(vfe::SCRATCH_SPACE_BASE_POINTER, scratch.offset);
        }
        front_end.emit(out)?;
        shared::barrier(family, out)
    }

    fn base_addresses(&self, setup: &Setup, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        let family = self.family;
        shared::base_addresses(family, &setup.heaps, setup.heaps.general, setup.mocs, out)?;
        shared::barrier(family, out)
    }

    fn compute_mode(&self, mode: &ComputeMode, _out: &mut Vec<u32>) -> Result<(), DispatchError> {
        if mode.large_grf {
            return Err(DispatchError::Unsupported {
                what: "mode of 256 registers",
                family: self.family,
            });
        }
        Ok(())
    }

    fn descriptor(&self, dispatch: &Dispatch) -> Result<Dwords, DispatchError> {
        let family = self.family;
        let mut state = idd::state(family)
            .set(idd::KERNEL_START_POINTER, dispatch.kernel)
            .set(idd::DENORM_MODE, idd::DenormMode::SETBYKERNEL)
            .set(idd::SAMPLER_STATE_POINTER, dispatch.samplers)
            .set(idd::BINDING_TABLE_POINTER, dispatch.binding_table)
            .set(
                idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP,
                dispatch.threads_per_group,
            )
            .set(
                idd::CONSTANT_URB_ENTRY_READ_LENGTH,
                grfs(family, "per-thread data", dispatch.per_thread_bytes)?,
            )
            .set(
                idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH,
                grfs(family, "cross-thread data", dispatch.cross_thread_bytes)?,
            )
            .set(
                idd::SHARED_LOCAL_MEMORY_SIZE,
                limits::slm_code(family, dispatch.slm_bytes)?,
            );
        state = state.set(
            idd::BARRIER_ENABLE,
            limits::barriers(family, dispatch.barriers)?,
        );
        if self.prefetch {
            state = state
                .set(
                    idd::BINDING_TABLE_ENTRY_COUNT,
                    dispatch.binding_table_entries.min(31),
                )
                .set(
                    idd::SAMPLER_COUNT,
                    limits::sampler_count(dispatch.sampler_count),
                );
        }
        if idd::THREAD_PREEMPTION_DISABLE.row(family).is_some() {
            state = state.set(idd::THREAD_PREEMPTION_DISABLE, true);
        }
        Ok(state.finish()?)
    }

    fn dispatch(
        &self,
        dispatch: &Dispatch,
        out: &mut Vec<u32>,
    ) -> Result<DispatchSpots, DispatchError> {
        let family = self.family;
        for (what, used) in [
            ("inline data", dispatch.inline_data.is_some()),
            ("hardware local ids", dispatch.local_ids.is_some()),
            ("walker post-sync write", dispatch.post_sync.is_some()),
        ] {
            if used {
                return Err(DispatchError::Unsupported { what, family });
            }
        }
        if dispatch.threads_per_group == 0 {
            return Err(DispatchError::Unsupported {
                what: "group without threads",
                family,
            });
        }
        let [x, y, z] = dispatch.end(family)?;
        let [first_x, first_y, first_z] = dispatch.first_group;
        media_state_flush::packet(family).emit(out)?;
        let load = idl::packet(family)
            .set(idl::INTERFACE_DESCRIPTOR_TOTAL_LENGTH, 32)
            .set(
                idl::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS,
                dispatch.descriptor,
            );
        let field = idl::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS;
        let descriptor = load.spot(field, out.len())?;
        load.emit(out)?;
        let start = walker::packet(family)
            .set(
                walker::INDIRECT_DATA_LENGTH,
                dispatch.payload_bytes().next_multiple_of(64),
            )
            .set(walker::INDIRECT_DATA_START_ADDRESS, dispatch.payload)
            .set(walker::SIMD_SIZE, dispatch.simd.code())
            .set(
                walker::THREAD_WIDTH_COUNTER_MAXIMUM,
                dispatch.threads_per_group - 1,
            )
            .set(walker::THREAD_GROUP_ID_STARTING_X, first_x)
            .set(walker::THREAD_GROUP_ID_X_DIMENSION, x)
            .set(walker::THREAD_GROUP_ID_STARTING_Y, first_y)
            .set(walker::THREAD_GROUP_ID_Y_DIMENSION, y)
            .set(walker::THREAD_GROUP_ID_STARTING_RESUME_Z, first_z)
            .set(walker::THREAD_GROUP_ID_Z_DIMENSION, z)
            .set(walker::RIGHT_EXECUTION_MASK, dispatch.last_thread_mask)
            .set(walker::BOTTOM_EXECUTION_MASK, u32::MAX);
        let payload = start.spot(walker::INDIRECT_DATA_START_ADDRESS, out.len())?;
        start.emit(out)?;
        media_state_flush::packet(family).emit(out)?;
        Ok(DispatchSpots {
            payload,
            descriptor: Some(descriptor),
            states: None,
            inline_data: None,
        })
    }
}

/// Bytes as whole registers.
fn grfs(family: Family, what: &'static str, bytes: u32) -> Result<u32, DispatchError> {
    let grf = family.grf_bytes() as u32;
    if !bytes.is_multiple_of(grf) {
        return Err(crate::EncodeError::Misaligned {
            layout: idd::NAME,
            field: what,
            value: bytes.into(),
            alignment: grf.into(),
        }
        .into());
    }
    Ok(bytes / grf)
}
