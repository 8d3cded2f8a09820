//! From walker packets to dispatches.

use std::time::{Duration, Instant};

use batchbuffer::packets::gpgpu_walker;
use batchbuffer::states::interface_descriptor_data::{
    self as idd, SharedLocalMemorySizeGen8, SharedLocalMemorySizeGen9,
};
use batchbuffer::{Decoded, View};
use devinfo::Family;

use super::failure::Failure;
use super::mi;
use super::registers::own;
use super::streamer::Streamer;
use crate::dispatch::{self, DispatchError, DispatchOptions, Scratch, ThreadData, Walker};

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
        grf_count: 128,
        groups: groups(cs, packet),
        threads,
        right_mask: packet.get32(gw::RIGHT_EXECUTION_MASK),
        bottom_mask: packet.get32(gw::BOTTOM_EXECUTION_MASK),
        data: thread_data(cs, packet, &descriptor),
        local_ids: None,
        inline_data: None,
        slm_bytes: slm_bytes(cs, packet, &descriptor)?,
        binding_table: descriptor.get32(idd::BINDING_TABLE_POINTER),
        sampler_state: descriptor.get32(idd::SAMPLER_STATE_POINTER),
        scratch: Scratch {
            // The field has 48 bits, but r0.5 passes 32: bases above do not exist.
            base: cs.state.front_end.scratch_base as u32,
            per_thread: cs.state.front_end.scratch_per_thread,
        },
        thread_slots: cs.environment.device.thread_slots(),
        cr0: control_register(&descriptor),
    };
    run(cs, packet, &walker)
}

/// Runs a walker and says what ran.
fn run(cs: &mut Streamer<'_>, packet: &Decoded<'_>, walker: &Walker) -> Result<(), Failure> {
    let device = cs.environment.device;
    let statistics = &device.statistics;
    let before = Counts::of(statistics);
    let started = Instant::now();
    let options = DispatchOptions {
        threads: device.host_threads(),
        hang_timeout: device.options.hang_timeout,
        stop: cs.environment.stop,
    };
    let outcome = dispatch::run(walker, cs.environment.space, &options, statistics);
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

/// The groups, in x, y, z: from the packet, or for indirect dispatches from registers.
fn groups(cs: &Streamer<'_>, packet: &Decoded<'_>) -> [std::ops::Range<u32>; 3] {
    use gpgpu_walker as gw;
    let axes = [
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
    ];
    let indirect = packet.flag(gw::INDIRECT_PARAMETER_ENABLE);
    [0, 1, 2].map(|axis: usize| {
        let (start, end) = axes[axis];
        let end = match indirect {
            true => cs.state.registers.own(own::DISPATCH_DIM[axis]),
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
    let field = idd::SHARED_LOCAL_MEMORY_SIZE;
    let kib = if cs.environment.family() == Family::Gen8 {
        use SharedLocalMemorySizeGen8 as Size;
        descriptor.named(field).map(|size| match size {
            Size::ENCODES_0K => 0,
            Size::ENCODES_4K => 4,
            Size::ENCODES_8K => 8,
            Size::ENCODES_16K => 16,
            Size::ENCODES_32K => 32,
            Size::ENCODES_64K => 64,
        })
    } else {
        use SharedLocalMemorySizeGen9 as Size;
        descriptor.named(field).map(|size| match size {
            Size::ENCODES_0K => 0,
            Size::ENCODES_1K => 1,
            Size::ENCODES_2K => 2,
            Size::ENCODES_4K => 4,
            Size::ENCODES_8K => 8,
            Size::ENCODES_16K => 16,
            Size::ENCODES_32K => 32,
            Size::ENCODES_64K => 64,
            Size::ENCODES_96K => 96,
            Size::ENCODES_128K => 128,
            Size::ENCODES_192K => 192,
            Size::ENCODES_256K => 256,
            Size::ENCODES_384K => 384,
        })
    };
    let limit = cs.environment.device.platform.max_slm_bytes;
    match kib.map(|kib| kib * 1024) {
        Some(bytes) if bytes <= limit => Ok(bytes),
        _ => Err(cs.refuse(
            packet,
            format!(
                "shared local memory size code {} (the platform has {limit} bytes a group)",
                descriptor.get(field)
            ),
        )),
    }
}

/// cr0.0 at entry: floating-point mode in bit 0, single program flow in 2, rounding in 5:4 (TGL
/// PRM vol 7, "Control Register"). Denormals are flushed until the kernel says otherwise.
fn control_register(descriptor: &View<'_>) -> u32 {
    descriptor.get32(idd::FLOATING_POINT_MODE)
        | descriptor.get32(idd::SINGLE_PROGRAM_FLOW) << 2
        | descriptor.get32(idd::ROUNDING_MODE) << 4
}
