//! The compute front end: CFE_STATE and COMPUTE_WALKER.

use devinfo::Family;

use super::commands::Commands;
use super::types::{
    ComputeMode, Dispatch, DispatchError, DispatchSpots, FrontEnd, LocalIds, PostSync, Setup, Simd,
    StateSpots,
};
use super::{limits, shared};
use crate::packets::{
    binding_table_pool_alloc as pool, cfe_state as cfe, compute_walker as walker,
    state_compute_mode as mode,
};
use crate::states::{interface_descriptor_data as idd, postsync_data as postsync};
use crate::{Builder, Dwords};

/// The most work-items of a group in one dimension that the walker can number.
const LOCAL_LIMIT: u32 = 1024;

/// The sequences of the compute front end, and what differs between families.
#[derive(Debug)]
pub(crate) struct Compute {
    pub family: Family,
    /// The narrowest thread.
    pub least_simd: Simd,
    /// Whether PIPELINE_SELECT powers the systolic arrays; otherwise they are always on (Intel's
    /// compute-runtime, `isSystolicModeConfigurable`).
    pub selects_systolic: bool,
}

impl Compute {
    fn interface_descriptor(&self, dispatch: &Dispatch) -> Result<Builder, DispatchError> {
        let family = self.family;
        let mut state = idd::state(family)
            .set(idd::KERNEL_START_POINTER, dispatch.kernel)
            .set(idd::DENORM_MODE, idd::DenormMode::SETBYKERNEL)
            .set(idd::BINDING_TABLE_POINTER, dispatch.binding_table)
            .set(
                idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP,
                dispatch.threads_per_group,
            )
            .set(
                idd::SHARED_LOCAL_MEMORY_SIZE,
                limits::slm_code(family, dispatch.slm_bytes)?,
            )
            .set(
                idd::NUMBER_OF_BARRIERS,
                limits::barriers(family, dispatch.barriers)?,
            )
            // One group at a time for groups of several threads, as in Intel's runtime.
            .set(
                idd::THREAD_GROUP_DISPATCH_SIZE,
                if dispatch.threads_per_group == 1 {
                    idd::ThreadGroupDispatchSize::TG_SIZE_2
                } else {
                    idd::ThreadGroupDispatchSize::TG_SIZE_1
                },
            );
        if dispatch.sampler_count > 0 {
            state = state
                .set(idd::SAMPLER_STATE_POINTER, dispatch.samplers)
                .set(
                    idd::SAMPLER_COUNT,
                    limits::sampler_count(dispatch.sampler_count),
                );
        }
        if let Some(code) = limits::preferred_slm(family, dispatch.slm_bytes) {
            state = state.set(idd::PREFERRED_SLM_ALLOCATION_SIZE, code);
        }
        if let Some(code) = limits::register_code(family, dispatch.registers)? {
            state = state.set(idd::REGISTERS_PER_THREAD, code);
        }
        if idd::THREAD_PREEMPTION_DISABLE.row(family).is_some() {
            state = state.set(idd::THREAD_PREEMPTION_DISABLE, 1);
        }
        if idd::THREAD_GROUP_FORWARD_PROGRESS_GUARANTEE
            .row(family)
            .is_some()
        {
            state = state.set(
                idd::THREAD_GROUP_FORWARD_PROGRESS_GUARANTEE,
                dispatch.forward_progress,
            );
        }
        Ok(state)
    }

    /// Local ids from the walker: sizes, order, which dimensions.
    fn local_ids(&self, packet: Builder, ids: &LocalIds) -> Result<Builder, DispatchError> {
        let family = self.family;
        if let Some(&size) = ids.size.iter().find(|&&s| s == 0 || s > LOCAL_LIMIT) {
            return Err(DispatchError::Limit {
                what: "work-group size in one dimension",
                value: size.into(),
                limit: LOCAL_LIMIT.into(),
                family,
            });
        }
        let emit = match ids.dimensions {
            1 => walker::EmitLocal::EMIT_X,
            2 => walker::EmitLocal::EMIT_XY,
            3 => walker::EmitLocal::EMIT_XYZ,
            other => {
                return Err(DispatchError::Limit {
                    what: "dimensions of local ids",
                    value: other.into(),
                    limit: 3,
                    family,
                });
            }
        };
        let order = limits::walk_order_code(ids.walk_order).ok_or(DispatchError::Unsupported {
            what: "such walk order",
            family,
        })?;
        let [x, y, z] = ids.size;
        Ok(packet
            .set(walker::GENERATE_LOCAL_ID, true)
            .set(walker::EMIT_LOCAL, emit)
            .set(walker::WALK_ORDER, order)
            .set(walker::LOCAL_X_MAXIMUM, x - 1)
            .set(walker::LOCAL_Y_MAXIMUM, y - 1)
            .set(walker::LOCAL_Z_MAXIMUM, z - 1))
    }

    fn post_sync(&self, dispatch: &Dispatch, what: PostSync) -> Builder {
        let state = postsync::state(self.family)
            .set(postsync::HDC_PIPELINE_FLUSH, true)
            .set(postsync::MOCS, dispatch.mocs.field());
        match what {
            PostSync::Write(tag) => state
                .set(
                    postsync::OPERATION,
                    postsync::Operation::WRITE_IMMEDIATE_DATA,
                )
                .set(postsync::DESTINATION_ADDRESS, tag.address)
                .set(postsync::IMMEDIATE_DATA, tag.value),
            PostSync::Timestamps(address) => state
                .set(postsync::OPERATION, postsync::Operation::WRITE_TIMESTAMP)
                .set(postsync::DESTINATION_ADDRESS, address),
        }
    }
}

impl Commands for Compute {
    fn family(&self) -> Family {
        self.family
    }

    fn front_end(&self, setup: &FrontEnd, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        let family = self.family;
        self.compute_mode(&setup.mode, out)?;
        shared::barrier(family, out)?;
        shared::select_gpgpu(family, self.selects_systolic.then_some(setup.systolic), out)?;
        let threads = setup.max_threads.max(1);
        let mut front_end = cfe::packet(family)
            .set(
                cfe::OVER_DISPATCH_CONTROL,
                cfe::OverDispatchControl::OVER_DISPATCH_NORMAL,
            )
            .set(cfe::MAXIMUM_NUMBER_OF_THREADS, threads);
        // When set, it ends the fusion (Intel's compute-runtime, preamble_xe_hpg_core.cpp).
        if setup.no_eu_fusion && cfe::FUSED_EU_DISPATCH.row(family).is_some() {
            front_end = front_end.set(cfe::FUSED_EU_DISPATCH, true);
        }
        if let Some(scratch) = setup.scratch {
            // The field holds the surface state's offset in 64-byte units.
            front_end = front_end.set(cfe::SCRATCH_SPACE_BUFFER, scratch.offset / 64);
        }
        front_end.emit(out)?;
        Ok(())
    }

    fn base_addresses(&self, setup: &Setup, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        let family = self.family;
        shared::base_addresses(family, &setup.heaps, setup.heaps.payload, setup.mocs, out)?;
        let mut binding_tables = pool::packet(family)
            .set(pool::BINDING_TABLE_POOL_BASE_ADDRESS, setup.heaps.surface)
            .set(pool::MOCS, setup.mocs.field())
            .set(pool::BINDING_TABLE_POOL_BUFFER_SIZE, 0xf_ffff);
        if pool::BINDING_TABLE_POOL_ENABLE.row(family).is_some() {
            binding_tables = binding_tables.set(pool::BINDING_TABLE_POOL_ENABLE, true);
        }
        binding_tables.emit(out)?;
        shared::barrier(family, out)
    }

    fn compute_mode(&self, mode: &ComputeMode, out: &mut Vec<u32>) -> Result<(), DispatchError> {
        let family = self.family;
        shared::stall(family, out)?;
        let variable = mode::ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION;
        let mut packet = if variable.row(family).is_some() {
            mode::packet(family)
                .set(variable, true)
                .set(mode::ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION_MASK, true)
        } else {
            mode::packet(family)
                .set(mode::LARGE_GRF_MODE, mode.large_grf)
                .set(mode::LARGE_GRF_MODE_MASK, true)
        };
        if mode::EU_THREAD_SCHEDULING_MODE_OVERRIDE
            .row(family)
            .is_some()
        {
            packet = packet
                .set(
                    mode::EU_THREAD_SCHEDULING_MODE_OVERRIDE,
                    mode.scheduling as u32,
                )
                .set(mode::EU_THREAD_SCHEDULING_MODE_OVERRIDE_MASK, 3);
        }
        packet.emit(out)?;
        Ok(())
    }

    fn descriptor(&self, dispatch: &Dispatch) -> Result<Dwords, DispatchError> {
        Ok(self.interface_descriptor(dispatch)?.finish()?)
    }

    fn dispatch(
        &self,
        dispatch: &Dispatch,
        out: &mut Vec<u32>,
    ) -> Result<DispatchSpots, DispatchError> {
        let family = self.family;
        if dispatch.simd < self.least_simd {
            return Err(DispatchError::Unsupported {
                what: "SIMD8 walker",
                family,
            });
        }
        let [x, y, z] = dispatch.end(family)?;
        let [first_x, first_y, first_z] = dispatch.first_group;
        let mut packet = walker::packet(family)
            .set(walker::INDIRECT_DATA_LENGTH, dispatch.payload_bytes())
            .set(walker::INDIRECT_DATA_START_ADDRESS, dispatch.payload)
            .set(walker::SIMD_SIZE, dispatch.simd.code())
            .set(walker::MESSAGE_SIMD, dispatch.simd.code())
            .set(walker::EXECUTION_MASK, dispatch.last_thread_mask)
            .set(walker::THREAD_GROUP_ID_X_DIMENSION, x)
            .set(walker::THREAD_GROUP_ID_Y_DIMENSION, y)
            .set(walker::THREAD_GROUP_ID_Z_DIMENSION, z)
            .set(walker::THREAD_GROUP_ID_STARTING_X, first_x)
            .set(walker::THREAD_GROUP_ID_STARTING_Y, first_y)
            .set(walker::THREAD_GROUP_ID_STARTING_Z, first_z)
            .set_state(
                walker::INTERFACE_DESCRIPTOR,
                self.interface_descriptor(dispatch)?,
            );
        if let Some(ids) = &dispatch.local_ids {
            packet = self.local_ids(packet, ids)?;
        }
        if let Some(data) = dispatch.inline_data {
            packet = packet.set(walker::EMIT_INLINE_PARAMETER, true);
            for (i, dword) in data.into_iter().enumerate() {
                packet = packet.set_at(walker::INLINE_DATA, i, dword);
            }
        }
        if let Some(what) = dispatch.post_sync {
            packet = packet.set_state(walker::POST_SYNC, self.post_sync(dispatch, what));
        }
        let first = out.len();
        let spot = |field| packet.spot(field, first);
        let samplers = (dispatch.sampler_count > 0).then_some(idd::SAMPLER_STATE_POINTER);
        let inline_data = dispatch.inline_data.map(|_| walker::INLINE_DATA);
        let spots = DispatchSpots {
            payload: spot(walker::INDIRECT_DATA_START_ADDRESS)?,
            descriptor: None,
            states: Some(StateSpots {
                binding_table: spot(idd::BINDING_TABLE_POINTER)?,
                samplers: samplers.map(spot).transpose()?,
            }),
            inline_data: inline_data.map(spot).transpose()?.map(|spot| spot.dword()),
        };
        packet.emit(out)?;
        Ok(spots)
    }
}
