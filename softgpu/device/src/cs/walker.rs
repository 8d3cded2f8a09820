//! From walker packets to dispatches.

use std::ops::Range;
use std::time::{Duration, Instant};

use batchbuffer::dispatch as limits;
use batchbuffer::packets::{compute_walker, execute_indirect_dispatch, gpgpu_walker};
use batchbuffer::registers::own;
use batchbuffer::states::postsync_data::Operation;
use batchbuffer::states::{interface_descriptor_data as idd, postsync_data};
use batchbuffer::{Decoded, Field, View};

use super::failure::Failure;
use super::mi;
use super::streamer::Streamer;
use crate::dispatch::{
    self, DispatchError, DispatchOptions, LocalIds, Scratch, ThreadData, Walker,
};

/// Bytes of the unit in which descriptors count thread data.
const REGISTER_BYTES: u32 = 32;

/// GPGPU_WALKER: threads of Gen8 to Gen12LP.
pub(super) fn gpgpu_walker(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use gpgpu_walker as gw;
    if packet.flag(gw::PREDICATE_ENABLE) && !mi::predicate_holds(cs.state) {
        return Ok(());
    }
    let family = cs.environment.family();
    let index = packet.get(gw::INTERFACE_DESCRIPTOR_OFFSET) as usize;
    let Some(dwords) = cs.state.descriptors.get(index).copied() else {
        return Err(cs.refuse(
            packet,
            format!(
                "interface descriptor {index} of {} loaded",
                cs.state.descriptors.len()
            ),
        ));
    };
    let descriptor = View::new(family, &idd::LAYOUT, &dwords);
    let threads = [
        gw::THREAD_WIDTH_COUNTER_MAXIMUM,
        gw::THREAD_HEIGHT_COUNTER_MAXIMUM,
        gw::THREAD_DEPTH_COUNTER_MAXIMUM,
    ]
    .map(|field| packet.get32(field) + 1);
    let counted = threads.iter().product::<u32>();
    let declared = descriptor.get32(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP);
    if counted != declared {
        return Err(cs.refuse(
            packet,
            format!(
                "the walker counts {counted} threads a group, its interface descriptor says \
                 {declared}"
            ),
        ));
    }
    let walker = Walker {
        family,
        bases: cs.state.bases(),
        kernel: descriptor.get(idd::KERNEL_START_POINTER),
        simd: simd(cs, packet, packet.get(gw::SIMD_SIZE))?,
        grf_count: REGISTERS,
        groups: groups(
            cs,
            packet,
            packet.flag(gw::INDIRECT_PARAMETER_ENABLE),
            [
                (
                    gw::THREAD_GROUP_ID_STARTING_X,
                    gw::THREAD_GROUP_ID_X_DIMENSION,
                ),
                (
                    gw::THREAD_GROUP_ID_STARTING_Y,
                    gw::THREAD_GROUP_ID_Y_DIMENSION,
                ),
                (
                    gw::THREAD_GROUP_ID_STARTING_RESUME_Z,
                    gw::THREAD_GROUP_ID_Z_DIMENSION,
                ),
            ],
        ),
        threads,
        right_mask: packet.get32(gw::RIGHT_EXECUTION_MASK),
        bottom_mask: packet.get32(gw::BOTTOM_EXECUTION_MASK),
        data: thread_data(cs, packet, &descriptor),
        local_ids: None,
        inline_data: None,
        slm_bytes: slm_bytes(cs, packet, &descriptor)?,
        binding_table: descriptor.get32(idd::BINDING_TABLE_POINTER)
            << cs
                .state
                .registers
                .binding_table_shift(cs.environment.device),
        sampler_state: descriptor.get32(idd::SAMPLER_STATE_POINTER),
        scratch: Scratch {
            // The field has 48 bits, but r0.5 passes 32: bases above do not exist.
            base: cs.state.front_end.scratch_base as u32,
            per_thread: cs.state.front_end.scratch_per_thread,
        },
        thread_slots: cs.environment.device.thread_slots(REGISTERS),
        cr0: control_register(&descriptor),
    };
    run(cs, packet, &walker)
}

/// Registers per thread, without and with "Large GRF Mode".
const REGISTERS: u16 = 128;
const LARGE_REGISTERS: u16 = 256;

/// The registers of a thread.
fn registers(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    descriptor: &View<'_>,
) -> Result<u16, Failure> {
    if !cs.state.variable_registers {
        return Ok(match cs.state.large_grf {
            true => LARGE_REGISTERS,
            false => REGISTERS,
        });
    }
    let code = descriptor.get32(idd::REGISTERS_PER_THREAD);
    batchbuffer::dispatch::registers(cs.environment.family(), code)
        .and_then(|count| u16::try_from(count).ok())
        .ok_or_else(|| cs.refuse(packet, format!("the code {code} of registers is reserved")))
}

/// COMPUTE_WALKER: threads from XeHPG on. Their data stays in memory, and the kernel loads it from
/// the place in r0.0; the walker carries one register of it, and may generate local ids.
pub(super) fn compute_walker(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use compute_walker as cw;
    if packet.flag(cw::PREDICATE_ENABLE) && !mi::predicate_holds(cs.state) {
        return Ok(());
    }
    if packet.flag(cw::WORKLOAD_PARTITION_ENABLE) {
        return Err(cs.refuse(packet, "partitions over several tiles are not modelled"));
    }
    let indirect = packet.flag(cw::INDIRECT_PARAMETER_ENABLE);
    let groups = groups(cs, packet, indirect, COMPUTE_GROUPS);
    walk(cs, packet, groups)
}

/// EXECUTE_INDIRECT_DISPATCH: a walker whose numbers of groups are in memory.
pub(super) fn indirect_dispatch(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
) -> Result<(), Failure> {
    use execute_indirect_dispatch as eid;
    if packet.flag(eid::PREDICATE_ENABLE) && !mi::predicate_holds(cs.state) {
        return Ok(());
    }
    let mut count = packet.get32(eid::MAX_COUNT);
    if packet.flag(eid::COUNT_BUFFER_INDIRECT_ENABLE) {
        count = count.min(cs.read_u32(packet, packet.address(eid::COUNT_BUFFER_ADDRESS))?);
    }
    match count {
        0 => return Ok(()),
        1 => {}
        _ => {
            let why = format!("{count} dispatches by one command are not modelled: one is");
            return Err(cs.refuse(packet, why));
        }
    }
    let arguments = packet.address(eid::ARGUMENT_BUFFER_START_ADDRESS);
    let mut groups = [0, 0, 0].map(|_: u32| 0..0);
    for (axis, groups) in (0..).zip(&mut groups) {
        let (start, _) = COMPUTE_GROUPS[axis as usize];
        *groups = packet.get32(start)..cs.read_u32(packet, arguments.offset(4 * axis))?;
    }
    walk(cs, packet, groups)
}

/// The fields of a compute walker that say which groups there are.
const COMPUTE_GROUPS: [(&Field, &Field); 3] = {
    use compute_walker as cw;
    [
        (
            cw::THREAD_GROUP_ID_STARTING_X,
            cw::THREAD_GROUP_ID_X_DIMENSION,
        ),
        (
            cw::THREAD_GROUP_ID_STARTING_Y,
            cw::THREAD_GROUP_ID_Y_DIMENSION,
        ),
        (
            cw::THREAD_GROUP_ID_STARTING_Z,
            cw::THREAD_GROUP_ID_Z_DIMENSION,
        ),
    ]
};

/// Runs the groups of a compute walker's body.
fn walk(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    groups: [Range<u32>; 3],
) -> Result<(), Failure> {
    use compute_walker as cw;
    let Some(descriptor) = packet.state(cw::INTERFACE_DESCRIPTOR) else {
        return Err(cs.refuse(packet, "it is too short to hold an interface descriptor"));
    };
    let started = cs.environment.device.timestamp();
    let grf_count = registers(cs, packet, &descriptor)?;
    let start = packet.get32(cw::INDIRECT_DATA_START_ADDRESS);
    let walker = Walker {
        family: cs.environment.family(),
        bases: cs.state.bases(),
        kernel: descriptor.get(idd::KERNEL_START_POINTER),
        simd: simd(cs, packet, packet.get(cw::SIMD_SIZE))?,
        grf_count,
        groups,
        threads: [
            descriptor.get32(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP),
            1,
            1,
        ],
        right_mask: packet.get32(cw::EXECUTION_MASK),
        bottom_mask: u32::MAX,
        data: ThreadData {
            offset: start,
            ..ThreadData::default()
        },
        local_ids: local_ids(cs, packet)?,
        inline_data: packet
            .flag(cw::EMIT_INLINE_PARAMETER)
            .then(|| inline_data(packet)),
        slm_bytes: slm_bytes(cs, packet, &descriptor)?,
        binding_table: descriptor.get32(idd::BINDING_TABLE_POINTER),
        sampler_state: descriptor.get32(idd::SAMPLER_STATE_POINTER),
        scratch: Scratch {
            base: cs.state.front_end.scratch_base as u32,
            per_thread: 0,
        },
        // A thread with twice the registers takes two slots.
        thread_slots: cs.environment.device.thread_slots(grf_count),
        cr0: control_register(&descriptor),
    };
    run(cs, packet, &walker)?;
    let Some(post_sync) = packet.state(cw::POST_SYNC) else {
        return Ok(());
    };
    let address = post_sync.address(postsync_data::DESTINATION_ADDRESS);
    match post_sync.named(postsync_data::OPERATION) {
        Some(Operation::NO_WRITE) => Ok(()),
        Some(Operation::WRITE_IMMEDIATE_DATA) => {
            let data = post_sync.get(postsync_data::IMMEDIATE_DATA);
            cs.write_u64(packet, address, data)
        }
        Some(Operation::WRITE_TIMESTAMP) => {
            // Begin and end, each from the context's clock and the global clock.
            let ended = cs.environment.device.timestamp();
            let wide = cs.traits().wide_walker_timestamps;
            for (index, ticks) in (0u64..).zip([started, started, ended, ended]) {
                match wide {
                    true => cs.write_u64(packet, address.offset(8 * index), ticks)?,
                    false => cs.write_u32(packet, address.offset(4 * index), ticks as u32)?,
                }
            }
            Ok(())
        }
        None => Err(cs.refuse(packet, "the post-sync operation is reserved")),
    }
}

/// The order in which drivers ask for tiles, and the rows of a tile (IGC, `ComputeShaderCodeGen.cpp`,
/// which makes such ids itself where the walker does not).
const TILE_ORDER: [u8; 3] = [1, 0, 2];
const TILE_ROWS: u32 = 4;

/// The local ids that the walker generates.
fn local_ids(cs: &Streamer<'_>, packet: &Decoded<'_>) -> Result<Option<LocalIds>, Failure> {
    use compute_walker as cw;
    if !packet.flag(cw::GENERATE_LOCAL_ID) {
        return Ok(None);
    }
    let code = packet.get(cw::WALK_ORDER);
    let Some(order) = batchbuffer::dispatch::walk_order(code) else {
        return Err(cs.refuse(packet, format!("walk order {code} is reserved")));
    };
    let tile = match packet.named(cw::TILE_LAYOUT) {
        Some(cw::TileLayout::LINEAR) => None,
        Some(cw::TileLayout::TILEY_32BPE) if order == TILE_ORDER => Some(TILE_ROWS),
        _ => {
            let why = "local ids in tiles are modelled for 32 bits, first y, then x";
            return Err(cs.refuse(packet, why));
        }
    };
    let size = [
        cw::LOCAL_X_MAXIMUM,
        cw::LOCAL_Y_MAXIMUM,
        cw::LOCAL_Z_MAXIMUM,
    ]
    .map(|field| packet.get32(field) + 1);
    if let (Some(rows), [_, height, _]) = (tile, size)
        && height > rows
        && !height.is_multiple_of(rows)
    {
        let why = format!("a height of {height}, whose last tile has fewer rows, is not modelled");
        return Err(cs.refuse(packet, why));
    }
    let emit = packet.get(cw::EMIT_LOCAL);
    Ok(Some(LocalIds {
        emit: [0, 1, 2].map(|axis| emit >> axis & 1 != 0),
        size,
        order,
        tile,
    }))
}

/// The inline data: eight dwords, at the beginning of a register.
fn inline_data(packet: &Decoded<'_>) -> [u8; 64] {
    let mut data = [0; 64];
    let (dwords, _) = data.as_chunks_mut::<4>();
    for (index, dword) in dwords.iter_mut().take(8).enumerate() {
        let value = packet.find(compute_walker::INLINE_DATA, index).unwrap_or(0);
        *dword = (value as u32).to_le_bytes();
    }
    data
}

/// Runs a walker and reports what ran.
fn run(cs: &mut Streamer<'_>, packet: &Decoded<'_>, walker: &Walker) -> Result<(), Failure> {
    let device = cs.environment.device;
    let statistics = &device.statistics;
    let before = Counts::of(statistics);
    let started = Instant::now();
    let options = DispatchOptions {
        threads: device.host_threads(),
        hang_timeout: cs.environment.hang_timeout,
        stop: cs.environment.stop,
        programs: &device.programs,
        execution: device.settings.execution,
        findings: device.settings.check.then_some(&device.findings),
        since: cs.since,
    };
    if let Some(findings) = options.findings {
        cs.since.get_or_insert_with(|| findings.next_thread());
    }
    let outcome = dispatch::run(walker, cs.environment.space, &options, statistics, cs.kit);
    let ran = Counts::of(statistics);
    let kernel = walker.bases.instruction.offset(walker.kernel);
    tracing::info!(
        "softgpu: {} EU instructions ran in {} threads of {} groups (SIMD{}, kernel {kernel}) \
         in {:?}",
        ran.instructions - before.instructions,
        ran.threads - before.threads,
        ran.groups - before.groups,
        walker.simd,
        started.elapsed().max(Duration::from_micros(1)),
    );
    cs.quiet_since = Instant::now();
    outcome.map_err(|error| match error {
        DispatchError::Stopped => Failure::Stopped,
        error => Failure::Dispatch {
            error,
            kernel,
            packet: packet.name(),
            address: cs.at,
        },
    })
}

struct Counts {
    instructions: u64,
    threads: u64,
    groups: u64,
}

impl Counts {
    fn of(statistics: &dispatch::Statistics) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        Self {
            instructions: statistics.instructions.load(Relaxed),
            threads: statistics.threads.load(Relaxed),
            groups: statistics.groups_ended.load(Relaxed),
        }
    }
}

/// The groups, in x, y, z: starts from the packet, ends from the packet or, for indirect
/// dispatches, from registers.
fn groups(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    indirect: bool,
    axes: [(&'static Field, &'static Field); 3],
) -> [Range<u32>; 3] {
    [0, 1, 2].map(|axis: u32| {
        let (start, end) = axes[axis as usize];
        let end = match indirect {
            true => cs.state.registers.own(own::DISPATCH_DIM + 4 * axis),
            false => packet.get32(end),
        };
        packet.get32(start)..end
    })
}

/// The registers that threads are loaded with: the walker's indirect data, or the CURBE.
fn thread_data(cs: &Streamer<'_>, packet: &Decoded<'_>, descriptor: &View<'_>) -> ThreadData {
    use gpgpu_walker as gw;
    let cross_thread = descriptor.get32(idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH);
    let per_thread = descriptor.get32(idd::CONSTANT_URB_ENTRY_READ_LENGTH);
    let indirect = packet.get32(gw::INDIRECT_DATA_LENGTH);
    let start = packet.get32(gw::INDIRECT_DATA_START_ADDRESS);
    let (address, bytes, offset) = match indirect {
        0 => {
            let skipped = descriptor.get32(idd::CONSTANT_URB_ENTRY_READ_OFFSET) * REGISTER_BYTES;
            let (address, bytes) = cs.state.curbe;
            let address = address.offset(skipped.into());
            (address, bytes.saturating_sub(skipped), 0)
        }
        bytes => (cs.state.bases.indirect.offset(start.into()), bytes, start),
    };
    ThreadData {
        address,
        cross_thread_bytes: cross_thread * REGISTER_BYTES,
        per_thread_bytes: per_thread * REGISTER_BYTES,
        curbe: indirect == 0,
        bytes,
        offset,
    }
}

/// The SIMD width of a walker's field: 0, 1, 2 for 8, 16, 32.
fn simd(cs: &Streamer<'_>, packet: &Decoded<'_>, field: u64) -> Result<u8, Failure> {
    let width = 8u32 << field.min(3);
    let platform = cs.environment.device.platform;
    match u8::try_from(width) {
        Ok(simd) if platform.has_simd_width(width) => Ok(simd),
        _ => Err(cs.refuse(
            packet,
            format!("SIMD{width} cannot be dispatched on {platform}"),
        )),
    }
}

/// Shared local memory in bytes.
fn slm_bytes(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    descriptor: &View<'_>,
) -> Result<u32, Failure> {
    let code = descriptor.get32(idd::SHARED_LOCAL_MEMORY_SIZE);
    let limit = cs.environment.device.platform.max_slm_bytes;
    match limits::slm_bytes(cs.environment.family(), code) {
        Some(bytes) if bytes <= limit => Ok(bytes),
        _ => Err(cs.refuse(
            packet,
            format!("shared local memory size code {code} (a group has at most {limit} bytes)"),
        )),
    }
}

/// cr0.0 at entry: floating-point mode in bit 0, single program flow in 2, rounding in 5:4 (TGL
/// PRM vol 7, "Control Register"). Denormals are flushed until the kernel changes that.
fn control_register(descriptor: &View<'_>) -> u32 {
    descriptor.get32(idd::FLOATING_POINT_MODE)
        | descriptor.get32(idd::SINGLE_PROGRAM_FLOW) << 2
        | descriptor.get32(idd::ROUNDING_MODE) << 4
}
