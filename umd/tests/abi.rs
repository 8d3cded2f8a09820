//! Kernels that somebody else compiled: described by hand, run on the software GPU.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::time::Duration;

use umd::binary::{
    ArgInfo, ArgKind, LocalIds, PayloadEntry, PayloadValue, SamplerSlot, SamplerSource,
    SurfaceSlot, SurfaceSource, Target,
};
use umd::{
    Arg, Binary, BinaryError, Device, DeviceSpec, KernelAbi, NdRange, Program, QueueOptions,
};

/// Multiplies the 16 integers of a work-group by the first word of the payload, in r2.
const SCALE: &str = "
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     mov (8|M0)    r11.0<1>:ud  r0.0<8;8,1>:ud
(W)     shl (1|M0)    r10.2<1>:ud  r0.1<0;1,0>:ud  6:w  {@2}
(W)     shl (1|M0)    r11.2<1>:ud  r0.1<0;1,0>:ud  2:w  {@2}
(W)     send.dc0 (16|M0)  r12  r10  null  0x0  0x02284300  {@2,$0}
        mul (16|M0)   r14.0<1>:d  r12.0<8;8,1>:d  r2.0<0;1,0>:w  {$0.dst}
(W)     send.dc0 (16|M0)  null  r11  r14  0x80  0x020A0301  {@1,$1}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
";

fn target() -> Target {
    Target::of(devinfo::by_name("tgl").unwrap())
}

fn code() -> Vec<u8> {
    let platform = target().platform;
    let options = isa_encoder::AsmOptions::for_platform(platform);
    isa_encoder::asm::assemble(SCALE, &options).unwrap().code
}

fn scale() -> KernelAbi {
    let value = ArgKind::Value {
        size: 2,
        element: None,
    };
    let mut abi = KernelAbi::new("scale", 16);
    abi.info.args = [ArgKind::Buffer, ArgKind::Buffer, value]
        .map(ArgInfo::new)
        .to_vec();
    abi.surfaces = vec![
        SurfaceSlot::new(0, SurfaceSource::Argument(0)),
        SurfaceSlot::new(1, SurfaceSource::Argument(1)),
    ];
    let factor = PayloadValue::Value { arg: 2, source: 0 };
    abi.payload.push(PayloadEntry::new(0, 2, factor));
    abi.cross_thread_size = 32;
    abi
}

#[test]
fn a_kernel_described_by_hand_runs() {
    let binary = Binary::from_kernels(target(), vec![(scale(), code())]).unwrap();
    assert_eq!(binary.bytes(), code());
    assert_eq!(binary.abi("scale").unwrap().payload, scale().payload);
    let device = Device::open(&DeviceSpec::soft("tgl")).unwrap();
    let queue = device.queue(QueueOptions::default()).unwrap();
    let program = Program::new(&device, binary).unwrap();
    let mut kernel = program.kernel("scale").unwrap();
    let source: Vec<u8> = (0..64).flat_map(i32::to_le_bytes).collect();
    let from = device.buffer(256).unwrap();
    from.write(0, &source).unwrap();
    let to = device.buffer(256).unwrap();
    kernel.set_arg(0, Arg::Buffer(&from)).unwrap();
    kernel.set_arg(1, Arg::Buffer(&to)).unwrap();
    let factor = (-3i16).to_le_bytes();
    kernel.set_arg(2, Arg::Value(&factor)).unwrap();
    let range = NdRange::new(&[64]).unwrap().with_local(&[16]).unwrap();
    let event = queue.enqueue(&kernel, &range, &[]).unwrap();
    event.wait(Duration::from_secs(30)).unwrap();
    let mut out = vec![0; 256];
    to.read(0, &mut out).unwrap();
    let expected: Vec<u8> = (0..64).flat_map(|i: i32| (i * -3).to_le_bytes()).collect();
    assert_eq!(out, expected);
}

#[test]
fn what_is_out_of_its_limits_is_an_error_that_names_the_field() {
    type Change = fn(&mut KernelAbi);
    let cases: &[(&str, Change)] = &[
        ("payload[0].offset", |abi| abi.payload[0].offset = 31),
        ("payload[0].offset", |abi| abi.payload[0].offset = u32::MAX),
        ("payload[0].size", |abi| abi.payload[0].size = 0),
        ("payload[0].value", |abi| {
            abi.payload[0].value = PayloadValue::Value { arg: 3, source: 0 };
        }),
        ("payload[0].value", |abi| {
            abi.payload[0].value = PayloadValue::Value { arg: 2, source: 2 };
        }),
        ("payload[1].value", |abi| {
            let value = PayloadValue::Address { arg: usize::MAX };
            abi.payload.push(PayloadEntry::new(8, 8, value));
        }),
        ("payload[1].value", |abi| {
            let (arg, alignment) = (0, 0);
            let value = PayloadValue::SlmOffset { arg, alignment };
            abi.payload.push(PayloadEntry::new(8, 4, value));
        }),
        ("payload[1].value", |abi| {
            let value = PayloadValue::BindlessInlineSampler { index: u32::MAX };
            abi.payload.push(PayloadEntry::new(8, 4, value));
        }),
        ("cross_thread_size", |abi| abi.cross_thread_size = 33),
        ("cross_thread_size", |abi| abi.cross_thread_size = 1 << 31),
        ("entry_with_ids", |abi| abi.entry_with_ids = 1 << 20),
        ("inline_data", |abi| abi.inline_data = 65),
        ("walk_order", |abi| abi.walk_order = [0, 1, 3]),
        ("scratch[1]", |abi| abi.scratch = [0, 64]),
        ("implicit_block", |abi| abi.implicit_block = true),
        ("eu.systolic", |abi| abi.eu.systolic = true),
        ("info.name", |abi| abi.info.name.clear()),
        ("info.slm_size", |abi| abi.info.slm_size = u32::MAX),
        ("info.required_local_size", |abi| {
            abi.info.required_local_size = Some([16, 0, 1]);
        }),
        ("info.args[0].alignment", |abi| {
            abi.info.args[0].alignment = 0
        }),
        ("surfaces[1]", |abi| abi.surfaces[1].index = 0),
        ("surfaces[0]", |abi| abi.surfaces[0].index = u32::MAX),
        ("surfaces[0]", |abi| {
            abi.surfaces[0].source = SurfaceSource::Argument(2);
        }),
        ("samplers[0]", |abi| {
            let slot = SamplerSlot::new(0, SamplerSource::Argument(7));
            abi.samplers.push(slot);
        }),
        ("local_ids.dimensions", |abi| {
            let family = target().platform.family;
            abi.local_ids = LocalIds::lanes(4, 16, family);
        }),
        ("local_ids.bytes_per_dimension", |abi| {
            let family = target().platform.family;
            abi.local_ids = LocalIds::lanes(3, 32, family);
        }),
    ];
    for (path, change) in cases {
        let mut abi = scale();
        change(&mut abi);
        let error = Binary::from_kernels(target(), vec![(abi, code())]).unwrap_err();
        match &error {
            BinaryError::Abi { path: found, .. } => assert_eq!(found, path, "{error}"),
            _ => assert_eq!("", *path, "{error}"),
        }
    }
    let twice = vec![(scale(), code()), (scale(), code())];
    let error = Binary::from_kernels(target(), twice).unwrap_err();
    assert!(error.to_string().contains("two kernels"), "{error}");
    let cut = vec![(scale(), code()[..20].to_vec())];
    assert!(Binary::from_kernels(target(), cut).is_err());
    let mut wide = scale();
    wide.info.simd = u32::MAX;
    assert!(Binary::from_kernels(target(), vec![(wide, code())]).is_err());
}

#[test]
fn binaries_give_their_bytes_back() {
    let zebin = include_bytes!("kernels/vadd.tgllp.zebin");
    let binary = Binary::parse(zebin).unwrap();
    assert_eq!(binary.bytes(), zebin);
    let text = format!("//.platform tgl\n//.kernel scale\n//.simd 16\n{SCALE}");
    let binary = Binary::assemble(&text, None).unwrap();
    assert!(binary.bytes().starts_with(binary.code("scale").unwrap()));
}
