//! The command sequences of a dispatch and the states of surfaces, against
//! what Intel's OpenCL runtime (22.43) writes for the same thing.

#![cfg(test)]

use batchbuffer::dispatch::{
    ComputeMode, Dispatch, DispatchError, FrontEnd, Heaps, LocalIds, Mocs, PostSync, Scratch,
    Setup, Simd, Tag, ThreadScheduling, commands, slm_bytes, slm_code, walk_order,
};
use batchbuffer::packets::{
    cfe_state, compute_walker, gpgpu_walker, media_interface_descriptor_load, media_vfe_state,
    mi_batch_buffer_end, pipe_control, pipeline_select, state_base_address, state_compute_mode,
};
use batchbuffer::states::SurfaceFormat;
use batchbuffer::states::values::TextureCoordinateMode;
use batchbuffer::states::{interface_descriptor_data as idd, postsync_data};
use batchbuffer::surface::{self, Image, RGBA, RawBuffer, Sampler, Shape, Tiling};
use batchbuffer::{Batch, Decoded, EncodeError, Engine, PacketId};
use devinfo::{Family, GpuAddress, span};

const MEDIA: [Family; 4] = [Family::Gen8, Family::Gen9, Family::Gen11, Family::Gen12Lp];
const COMPUTE: [Family; 4] = [Family::XeHpg, Family::XeHpc, Family::Xe2, Family::Xe3];

fn setup() -> Setup {
    Setup {
        heaps: Heaps {
            general: GpuAddress::new(0x1_0000_0000),
            surface: GpuAddress::new(0x2_0000_0000),
            dynamic: GpuAddress::new(0x3_0000_0000),
            payload: GpuAddress::new(0x4_0000_0000),
            instruction: GpuAddress::new(0x8001_0000_0000),
            ..Heaps::default()
        },
        mocs: Mocs(2),
        front_end: FrontEnd {
            max_threads: 768,
            ..FrontEnd::default()
        },
    }
}

/// The same with another front end.
fn with(change: impl FnOnce(&mut FrontEnd)) -> Setup {
    let mut setup = setup();
    change(&mut setup.front_end);
    setup
}

fn example() -> Dispatch {
    Dispatch {
        kernel: 0x1c0,
        simd: Simd::Simd16,
        threads_per_group: 4,
        groups: [4, 3, 2],
        first_group: [1, 0, 0],
        last_thread_mask: 0x3,
        descriptor: 0x80,
        binding_table: 0x1040,
        slm_bytes: 5000,
        barriers: 1,
        payload: 0x2c0,
        cross_thread_bytes: 128,
        per_thread_bytes: 192,
        ..Dispatch::default()
    }
}

/// A whole batch, checked to be without lies and unknown packets.
fn batch(family: Family, setup: &Setup, dispatch: &Dispatch) -> Vec<u32> {
    let commands = commands(family);
    let mut out = Vec::new();
    commands.preamble(setup, &mut out).expect("a preamble");
    commands.dispatch(dispatch, &mut out).expect("a dispatch");
    let tag = Tag {
        address: GpuAddress::new(0x5_0000_0008),
        value: 7,
    };
    commands.finish(Some(tag), &mut out).expect("an end");
    assert_eq!(out.len() % 2, 0, "batches are whole qwords");
    out
}

fn packets(family: Family, dwords: &[u32]) -> Vec<Decoded<'_>> {
    Batch::new(family, Engine::Render, GpuAddress::default(), dwords)
        .map(|step| step.packet.expect("the batch decodes"))
        .inspect(|packet| assert_eq!(packet.issue, None, "{}", packet.name()))
        .collect()
}

fn only<'a>(packets: &[Decoded<'a>], id: PacketId) -> Decoded<'a> {
    let mut found = packets.iter().filter(|p| p.id == id);
    let packet = found.next().unwrap_or_else(|| panic!("no {id:?}"));
    assert!(found.next().is_none(), "one {id:?}");
    *packet
}

#[test]
fn media_families_dispatch_by_gpgpu_walker() {
    for family in MEDIA {
        let dispatch = example();
        let dwords = batch(family, &setup(), &dispatch);
        let packets = packets(family, &dwords);

        let base = only(&packets, PacketId::StateBaseAddress);
        use state_base_address as sba;
        assert_eq!(
            base.get(sba::INSTRUCTION_BASE_ADDRESS),
            0xffff_8001_0000_0000
        );
        assert_eq!(
            base.address(sba::INDIRECT_OBJECT_BASE_ADDRESS),
            setup().heaps.payload
        );
        assert_eq!(
            base.address(sba::GENERAL_STATE_BASE_ADDRESS),
            setup().heaps.general
        );

        let front_end = only(&packets, PacketId::MediaVfeState);
        assert_eq!(
            front_end.get(media_vfe_state::MAXIMUM_NUMBER_OF_THREADS),
            767
        );
        assert_eq!(front_end.get(media_vfe_state::PER_THREAD_SCRATCH_SPACE), 0);

        let load = only(&packets, PacketId::MediaInterfaceDescriptorLoad);
        use media_interface_descriptor_load as idl;
        assert_eq!(load.get(idl::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS), 0x80);

        let walker = only(&packets, PacketId::GpgpuWalker);
        use gpgpu_walker as w;
        assert_eq!(walker.get(w::SIMD_SIZE), 1);
        assert_eq!(walker.get(w::THREAD_WIDTH_COUNTER_MAXIMUM), 3);
        // Dimensions are ends.
        assert_eq!(walker.get(w::THREAD_GROUP_ID_STARTING_X), 1);
        assert_eq!(walker.get(w::THREAD_GROUP_ID_X_DIMENSION), 5);
        assert_eq!(walker.get(w::THREAD_GROUP_ID_Y_DIMENSION), 3);
        assert_eq!(walker.get(w::THREAD_GROUP_ID_Z_DIMENSION), 2);
        // 4 + 4 * 6 registers of 32 bytes, rounded up to 64 bytes.
        assert_eq!(walker.get(w::INDIRECT_DATA_LENGTH), 896);
        assert_eq!(walker.get(w::INDIRECT_DATA_START_ADDRESS), 0x2c0);
        assert_eq!(walker.get(w::RIGHT_EXECUTION_MASK), 3);
        assert_eq!(walker.get(w::BOTTOM_EXECUTION_MASK), 0xffff_ffff);

        let state = commands(family)
            .descriptor(&dispatch)
            .expect("a descriptor");
        let state = idd::view(family, &state);
        assert_eq!(state.get(idd::KERNEL_START_POINTER), 0x1c0);
        assert_eq!(state.get(idd::BINDING_TABLE_POINTER), 0x1040);
        assert_eq!(state.get(idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP), 4);
        assert_eq!(state.get(idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH), 4);
        assert_eq!(state.get(idd::CONSTANT_URB_ENTRY_READ_LENGTH), 6);
        assert!(state.flag(idd::BARRIER_ENABLE));
        let slm = state.get32(idd::SHARED_LOCAL_MEMORY_SIZE);
        assert_eq!(slm_bytes(family, slm), Some(8192));
    }
}

/// Mesa's `gen8_add_cs_stall_workaround_bits`: a stall of Gen8 has another flush, another stall or
/// a write with it.
#[test]
fn stalls_of_gen8_are_never_alone() {
    let dwords = batch(Family::Gen8, &setup(), &example());
    let packets = packets(Family::Gen8, &dwords);
    use pipe_control as pc;
    let stalls = packets.iter().filter(|packet| {
        packet.id == PacketId::PipeControl && packet.flag(pc::COMMAND_STREAMER_STALL_ENABLE)
    });
    let mut count = 0;
    for stall in stalls {
        count += 1;
        let flushes = stall.flag(pc::DC_FLUSH_ENABLE);
        assert!(
            flushes || stall.get(pc::POST_SYNC_OPERATION) != 0,
            "stall {count}"
        );
    }
    assert!(count >= 4, "{count} stalls");
}

#[test]
fn the_runtimes_descriptor_of_an_slm_kernel() {
    // 256 bytes of SLM and a barrier, 4 threads: dword 6 on Skylake, dword 5
    // on DG2.
    let mut dispatch = example();
    dispatch.slm_bytes = 256;
    let skl = commands(Family::Gen9)
        .descriptor(&dispatch)
        .expect("a descriptor");
    assert_eq!(skl[6], 0x0021_0004);
    let dg2 = commands(Family::XeHpg)
        .descriptor(&dispatch)
        .expect("a descriptor");
    assert_eq!(dg2[5], 0x1001_0004 | 3 << 26);
}

#[test]
fn compute_families_dispatch_by_compute_walker() {
    for family in COMPUTE {
        let mut dispatch = example();
        dispatch.inline_data = Some([1, 2, 3, 4, 5, 6, 7, 8]);
        dispatch.local_ids = Some(LocalIds {
            size: [32, 2, 1],
            dimensions: 3,
            walk_order: [0, 1, 2],
        });
        dispatch.post_sync = Some(PostSync::Write(Tag {
            address: GpuAddress::new(0xffff_8001_0000_0000),
            value: 0x1234_5678_9abc_def0,
        }));
        dispatch.mocs = Mocs(1);
        let dwords = batch(family, &setup(), &dispatch);
        let packets = packets(family, &dwords);
        let base = only(&packets, PacketId::StateBaseAddress);
        use state_base_address as sba;
        assert_eq!(
            base.address(sba::GENERAL_STATE_BASE_ADDRESS),
            setup().heaps.payload
        );
        let front_end = only(&packets, PacketId::CfeState);
        assert_eq!(front_end.get(cfe_state::MAXIMUM_NUMBER_OF_THREADS), 768);
        only(&packets, PacketId::BindingTablePoolAlloc);

        let walker = only(&packets, PacketId::ComputeWalker);
        use compute_walker as w;
        assert_eq!(
            walker.len(),
            if span!(Xe2..).contains(family) {
                40
            } else {
                39
            }
        );
        assert_eq!(walker.get(w::SIMD_SIZE), 1);
        assert_eq!(walker.get(w::MESSAGE_SIMD), 1);
        assert_eq!(walker.get(w::EXECUTION_MASK), 3);
        assert_eq!(walker.get(w::THREAD_GROUP_ID_X_DIMENSION), 5);
        assert_eq!(walker.get(w::LOCAL_X_MAXIMUM), 31);
        assert_eq!(walker.get(w::LOCAL_Y_MAXIMUM), 1);
        assert_eq!(walker.get(w::EMIT_LOCAL), 7);
        assert!(walker.flag(w::GENERATE_LOCAL_ID));
        assert_eq!(walker.find(w::INLINE_DATA, 7), Some(8));
        assert_eq!(walker.find(w::INLINE_DATA, 8), None);
        // Fields of nested states are found from the packet.
        assert_eq!(walker.get(idd::KERNEL_START_POINTER), 0x1c0);
        assert_eq!(walker.get(idd::NUMBER_OF_BARRIERS), 1);
        assert_eq!(
            walker.get(postsync_data::IMMEDIATE_DATA),
            0x1234_5678_9abc_def0
        );
        assert_eq!(
            walker.address(postsync_data::DESTINATION_ADDRESS),
            GpuAddress::new(0x8001_0000_0000)
        );
        let state = walker.state(w::COMPUTE_WALKER_BODY).expect("the body");
        let state = state
            .state(w::INTERFACE_DESCRIPTOR)
            .expect("the descriptor");
        assert_eq!(
            state.dwords(),
            commands(family)
                .descriptor(&dispatch)
                .expect("the same")
                .as_slice()
        );
    }
}

#[test]
fn walk_orders_are_the_runtimes() {
    // For one dimension that is no power of two the runtime walks y, z, x and
    // writes 4, which the manual calls "Walk 201".
    let mut dispatch = example();
    dispatch.local_ids = Some(LocalIds {
        size: [1000, 1, 1],
        dimensions: 3,
        walk_order: [1, 2, 0],
    });
    let dwords = batch(Family::XeHpg, &setup(), &dispatch);
    let walker = only(&packets(Family::XeHpg, &dwords), PacketId::ComputeWalker);
    assert_eq!(walker.get(compute_walker::WALK_ORDER), 4);
    assert_eq!(walk_order(4), Some([1, 2, 0]));
    assert_eq!(walk_order(6), None);
}

#[test]
fn a_batch_ends_with_its_tag() {
    for family in Family::ALL {
        let dwords = batch(family, &setup(), &example());
        let packets = packets(family, &dwords);
        let [.., tag, end] = packets.as_slice() else {
            panic!("a batch has packets");
        };
        assert_eq!(end.name(), mi_batch_buffer_end::NAME);
        assert_eq!(tag.id, PacketId::PipeControl);
        assert!(tag.flag(pipe_control::COMMAND_STREAMER_STALL_ENABLE));
        assert!(tag.flag(pipe_control::DC_FLUSH_ENABLE));
        assert_eq!(tag.get(pipe_control::POST_SYNC_OPERATION), 1);
        assert_eq!(tag.get(pipe_control::ADDRESS), 0x5_0000_0008);
        assert_eq!(tag.get(pipe_control::IMMEDIATE_DATA), 7);
    }
}

#[test]
fn what_a_family_lacks_is_an_error() {
    let refused = |family, change: fn(&mut Dispatch)| {
        let mut dispatch = example();
        change(&mut dispatch);
        let mut out = Vec::new();
        let commands = commands(family);
        commands
            .descriptor(&dispatch)
            .and_then(|_| commands.dispatch(&dispatch, &mut out))
            .expect_err("the family cannot do that")
    };
    let limit = |error: DispatchError| match error {
        DispatchError::Limit { limit, .. } => limit,
        other => panic!("{other}"),
    };
    for family in Family::ALL {
        let most = if span!(XeHpc..).contains(family) {
            128
        } else {
            64
        };
        let error = refused(family, |d| d.slm_bytes = 256 << 10);
        assert_eq!(limit(error), most << 10, "{family}");
        let error = refused(family, |d| d.threads_per_group = 1024);
        let fits = matches!(
            &error,
            DispatchError::Encode(EncodeError::DoesNotFit { .. })
        );
        assert!(fits, "{family}: {error}");
        let error = refused(family, |d| d.groups = [u32::MAX, 1, 1]);
        assert_eq!(limit(error), u32::MAX.into(), "{family}");
        let error = refused(family, |d| d.payload = 0x20);
        assert!(error.to_string().contains("multiple of 64"), "{error}");
    }
    assert_eq!(limit(refused(Family::Gen12Lp, |d| d.barriers = 2)), 1);
    assert_eq!(limit(refused(Family::XeHpg, |d| d.barriers = 2)), 1);
    assert_eq!(limit(refused(Family::XeHpc, |d| d.barriers = 33)), 32);
    let error = refused(Family::Xe2, |d| d.simd = Simd::Simd8);
    assert_eq!(error.to_string(), "Xe2 has no SIMD8 walker");
    let error = refused(Family::Gen9, |d| d.inline_data = Some([0; 8]));
    assert_eq!(error.to_string(), "Gen9 has no inline data");
}

#[test]
fn scratch_is_said_to_the_front_end() {
    let scratch = Scratch {
        bytes_per_thread: 64 << 10,
        offset: 0x1000,
    };
    let setup = with(|front_end| front_end.scratch = Some(scratch));
    // 64 KiB a thread at general state base + 1000h: Intel's runtime writes
    // 1066h on Skylake.
    let dwords = batch(Family::Gen9, &setup, &example());
    let vfe = only(&packets(Family::Gen9, &dwords), PacketId::MediaVfeState);
    assert_eq!(vfe.dwords()[1], 0x1066);
    // From XeHPG on it is the offset of a surface state.
    let dwords = batch(Family::XeHpg, &setup, &example());
    let cfe = only(&packets(Family::XeHpg, &dwords), PacketId::CfeState);
    assert_eq!(cfe.dwords()[1], (0x1000 / 64) << 10);
}

#[test]
fn fusion_of_eus_is_ended_on_demand() {
    // Bit 6 of dword 3 in both packets (Intel's compute-runtime, hw_cmds_generated_gen12lp.inl and
    // hw_cmds_generated_xe_hpg_core.inl).
    for (family, id) in [
        (Family::Gen12Lp, PacketId::MediaVfeState),
        (Family::XeHpg, PacketId::CfeState),
    ] {
        for no_eu_fusion in [false, true] {
            let setup = with(|front_end| front_end.no_eu_fusion = no_eu_fusion);
            let dwords = batch(family, &setup, &example());
            let front_end = only(&packets(family, &dwords), id);
            let bit = front_end.dwords()[3] >> 6 & 1;
            assert_eq!(bit, u32::from(no_eu_fusion), "{family}");
        }
    }
}

#[test]
fn systolic_arrays_get_power_on_demand() {
    for (family, systolic, expected) in [
        (Family::XeHpg, true, (0x83, 1)),
        (Family::XeHpg, false, (0x83, 0)),
        (Family::XeHpc, true, (3, 0)),
    ] {
        let setup = with(|front_end| front_end.systolic = systolic);
        let dwords = batch(family, &setup, &example());
        let select = only(&packets(family, &dwords), PacketId::PipelineSelect);
        let mask = select.get(pipeline_select::MASK_BITS);
        assert_eq!((mask, select.dwords()[0] >> 7 & 1), expected, "{family}");
    }
}

#[test]
fn threads_have_a_mode() {
    let mode = |family, mode: &ComputeMode| {
        let mut out = Vec::new();
        let commands = commands(family);
        commands.compute_mode(mode, &mut out)?;
        commands.finish(None, &mut out).map(|()| out)
    };
    let scheduled = ComputeMode {
        large_grf: true,
        scheduling: ThreadScheduling::RoundRobin,
    };
    for family in [Family::XeHpc, Family::Xe2, Family::Xe3] {
        let dwords = mode(family, &scheduled).expect("a mode");
        let packet = only(&packets(family, &dwords), PacketId::StateComputeMode);
        use state_compute_mode as scm;
        assert_eq!(packet.get(scm::EU_THREAD_SCHEDULING_MODE_OVERRIDE), 2);
        assert_eq!(packet.get(scm::EU_THREAD_SCHEDULING_MODE_OVERRIDE_MASK), 3);
        // Xe3 counts a thread's registers in its descriptor.
        let counts = scm::ENABLE_VARIABLE_REGISTER_SIZE_ALLOCATION;
        let counted = counts.row(family).is_some();
        assert_eq!(counted, family == Family::Xe3);
        assert_eq!(packet.get(scm::LARGE_GRF_MODE), u64::from(!counted));
        assert!(!counted || packet.get(counts) == 1);
    }
    let dwords = mode(Family::XeHpg, &scheduled).expect("a mode");
    let packet = only(&packets(Family::XeHpg, &dwords), PacketId::StateComputeMode);
    assert_eq!(packet.dwords()[1], 0x8000_8000);
    for family in MEDIA {
        let error = mode(family, &scheduled).expect_err("no such mode");
        assert!(error.to_string().ends_with("no mode of 256 registers"));
        assert!(mode(family, &ComputeMode::default()).is_ok(), "{family}");
    }
}

#[test]
fn kernels_of_one_lane_take_the_widest_walker() {
    assert_eq!(Simd::for_kernel(1), Some(Simd::Simd32));
    for lanes in [8, 16, 32] {
        assert_eq!(Simd::for_kernel(lanes).map(Simd::lanes), Some(lanes));
    }
    assert_eq!(Simd::for_kernel(4), None);
}

#[test]
fn slm_codes_round_up() {
    assert_eq!(slm_code(Family::Gen8, 1), Ok(1));
    assert_eq!(slm_code(Family::Gen8, 64 << 10), Ok(16));
    assert_eq!(slm_code(Family::Gen12Lp, 0), Ok(0));
    assert_eq!(slm_code(Family::Gen12Lp, 4097), Ok(4));
    assert_eq!(slm_code(Family::Xe2, 100 << 10), Ok(11));
    assert!(slm_code(Family::Gen12Lp, (64 << 10) + 1).is_err());
    assert_eq!(slm_bytes(Family::Gen12Lp, 9), None);
}

#[test]
fn buffer_surfaces_are_the_runtimes() {
    let buffer = |mocs| RawBuffer {
        address: GpuAddress::new(0x7f6a_c942_f000),
        bytes: 1024,
        mocs: Mocs(mocs),
    };
    let skl = surface::raw_buffer(Family::Gen9, &buffer(3)).expect("a buffer");
    assert_eq!(
        skl[..6],
        [0x87fd_4000, 0x0600_0000, 0x0007_007f, 0, 0, 0x4000]
    );
    assert_eq!(skl[8..10], [0xc942_f000, 0x7f6a]);
    let tgl = surface::raw_buffer(Family::Gen12Lp, &buffer(2)).expect("a buffer");
    assert_eq!(tgl[..2], [0x87fd_4000, 0x0400_0000]);
    let dg2 = surface::raw_buffer(Family::XeHpg, &buffer(3)).expect("a buffer");
    assert_eq!(dg2[..2], [0x87fd_c000, 0x0600_0000]);
    assert_eq!(dg2[5], 0x0002_0000);
    for family in Family::ALL {
        let largest = RawBuffer {
            bytes: 1 << 32,
            ..buffer(0)
        };
        let state = surface::raw_buffer(family, &largest).expect("4 GiB fit");
        assert_eq!(state[2], 0x3fff_007f);
        assert_eq!(state[3] >> 21, 0x7ff);
        let larger = RawBuffer {
            bytes: (1 << 32) + 1,
            ..largest
        };
        assert!(surface::raw_buffer(family, &larger).is_err());
        let misaligned = RawBuffer {
            address: GpuAddress::new(2),
            ..buffer(0)
        };
        assert!(surface::raw_buffer(family, &misaligned).is_err());
    }
}

#[test]
fn image_surfaces_say_their_layout() {
    let image = Image {
        address: GpuAddress::new(0x10_0000),
        shape: Shape::D2,
        format: SurfaceFormat::R32_UINT,
        tiling: Tiling::Y,
        width: 64,
        height: 64,
        depth: 1,
        array: false,
        pitch: 256,
        qpitch: 64,
        channels: RGBA,
        mocs: Mocs(2),
    };
    let tgl = surface::image(Family::Gen12Lp, &image).expect("an image");
    // Type 2D, R32_UINT, Y-major, 4x4 alignment: as in the runtime's.
    assert_eq!(tgl[0], 1 << 29 | 0xd7 << 18 | 1 << 16 | 1 << 14 | 3 << 12);
    assert_eq!(tgl[2], 63 << 16 | 63);
    assert_eq!(tgl[3], 255);
    assert!(
        surface::image(Family::XeHpg, &image).is_err(),
        "no Y tiling"
    );
    let tile64 = Image {
        tiling: Tiling::Tile64,
        ..image
    };
    assert!(surface::image(Family::Gen12Lp, &tile64).is_err());
    let dg2 = surface::image(Family::XeHpg, &tile64).expect("an image");
    assert_eq!(dg2[0] >> 12 & 3, 1);
    assert_eq!(dg2[5] >> 8 & 15, 15);
    for wrong in [
        Image { width: 0, ..image },
        Image {
            width: 16385,
            ..image
        },
        Image {
            depth: 2049,
            ..image
        },
        Image { qpitch: 2, ..image },
        Image {
            address: GpuAddress::new(0x10_0040),
            ..image
        },
    ] {
        assert!(
            surface::image(Family::Gen12Lp, &wrong).is_err(),
            "{wrong:?}"
        );
    }
}

#[test]
fn samplers_and_null_surfaces() {
    for family in Family::ALL {
        let sampler = Sampler {
            linear: true,
            normalized: false,
            address_mode: [TextureCoordinateMode::CLAMP_BORDER; 3],
            border_color: 0x40,
        };
        let state = surface::sampler(family, &sampler).expect("a sampler");
        assert_eq!(state[0] >> 14 & 7, 1);
        assert_eq!(state[2] & 0xff_ffc0, 0x40);
        assert_eq!(state[3] & 0x5ff, 4 << 6 | 4 << 3 | 4 | 1 << 10);
        let null = surface::null(family).expect("a null surface");
        assert_eq!(null[0] >> 29, 7);
        assert_eq!(surface::binding_table_entry(family, 0x1040), Ok(0x1040));
        assert!(surface::binding_table_entry(family, 0x1020).is_err());
    }
}
