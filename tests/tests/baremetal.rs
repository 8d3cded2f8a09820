//! The driver without a kernel driver, by registers and memory or over TBX: kernels give what they give
//! under i915, a batch that fails costs its queue only, and registers alone tell why.
//!
//! The whole corpus runs so with `INTEL_GPU_DEVICE=baremetal:skl cargo test -p stack-tests --test
//! kernels`, and what a client of any kernel driver may expect is in `kernel_driver`.

#![cfg(test)]

use std::io::{self, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use batchbuffer::packets::{mi_batch_buffer_end, mi_batch_buffer_start, mi_store_data_imm};
use batchbuffer::registers::device::RESET;
use batchbuffer::registers::{base, own};
use devinfo::{GpuAddress, Target};
use kmd_iface::baremetal::{BareMetal, Bus, Options, Setup};
use kmd_iface::{
    AddressSpaceId, BufferDesc, EngineClass, ErrorKind, Kmd, KmdError, KmdResult, Priority,
    QueueDesc, QueueId, Submission, UserMemory,
};
use softgpu_bus::aub::{self, Packets, Recorder, Submissions};
use softgpu_bus::{Machine, SoftBus};
use softgpu_device::{Execution, Settings};
use softgpu_memory::View;
use stack_tests::{Launch, Random, corpus, subject, tbx};
use umd::{Arg, Device, DeviceSpec, NdRange, OpenOptions, Program, QueueOptions};
use zerocopy::IntoBytes;

/// The platforms, with a set of the corpus for each.
const PLATFORMS: [(&str, &str); 5] = [
    ("bdw", "bdw"),
    ("skl", "skl"),
    ("icl", "icl"),
    ("tgl", "tgl"),
    ("dg2:8", "dg2-8"),
];

/// A device that interprets.
fn open(spec: &str) -> Device {
    let options = OpenOptions {
        execution: Execution::Interpret,
        ..OpenOptions::default()
    };
    Device::open_with(&spec.parse().unwrap(), &options).unwrap()
}

/// Kernels with shared local memory, barriers, atomics, mathematics, images and pointers.
fn launches() -> Vec<Launch<'static>> {
    let mut random = Random::new(1);
    let dwords = random.many(384, |bits| bits as u32);
    let bytes = random.many(3001, |bits| bits as u8);
    let floats: Vec<f32> = random.many(24 * 24, |bits| (bits % 64) as f32);
    let points: Vec<f32> = random.many(256, |bits| (bits % 2000) as f32 / 1000.0 - 1.0);
    let file = "algorithms";
    vec![
        Launch::new(file, "bitonic_sort", &[384])
            .local(&[128])
            .buffer(&dwords)
            .local_memory(128 * 4),
        Launch::new(file, "prefix_sums", &[384])
            .local(&[128])
            .buffer(&dwords.repeat(2))
            .out::<u32>(3),
        Launch::new(file, "histogram", &[192])
            .local(&[64])
            .buffer(&bytes)
            .buffer(&[0u32; 256])
            .value(bytes.len() as u32),
        Launch::new(file, "matrix_product", &[24, 24])
            .local(&[8, 8])
            .buffer(&floats)
            .buffer(&floats)
            .out::<f32>(24 * 24)
            .value(24),
        Launch::new(file, "fourier", &[128])
            .local(&[64])
            .buffer(&points)
            .value(6),
    ]
}

#[test]
fn kernels_give_the_same_with_a_kernel_driver_and_without() {
    if !subject::is_software() {
        return;
    }
    for (platform, set) in PLATFORMS {
        let server = tbx::serve(platform);
        let [with, without, far] = [
            format!("soft:{platform}"),
            format!("baremetal:{platform}"),
            format!("tbx:{server}:{platform}"),
        ]
        .map(|spec| open(&spec));
        assert_eq!(without.description().driver, None);
        for launch in launches() {
            let zebin = corpus::set_named(set).zebin(launch.file());
            let contents = |device| launch.observe(device, &zebin).contents.unwrap();
            let expected = contents(&with);
            assert!(!expected.concat().is_empty());
            for device in [&without, &far] {
                let name = device.name();
                assert!(
                    contents(device) == expected,
                    "{} on {name}",
                    launch.kernel()
                );
            }
        }
    }
}

/// The memory of a device behind a socket is not this process's: what either writes gets there, and
/// nothing else does.
#[test]
fn work_behind_a_socket_continues_what_earlier_work_left() {
    if !subject::is_software() {
        return;
    }
    for (platform, set) in PLATFORMS {
        let device = open(&format!("tbx:{}:{platform}", tbx::serve(platform)));
        let program = Program::load(&device, &corpus::set_named(set).zebin("algorithms")).unwrap();
        let bytes: Vec<u8> = Random::new(5).many(3000, |bits| bits as u8);
        let mut expected = [0u32; 256];
        let [data, counts] = [3000, 1024].map(|size| device.buffer(size).unwrap());
        data.write(0, &bytes).unwrap();
        counts.write(0, &[0; 1024]).unwrap();
        let mut kernel = program.kernel("histogram").unwrap();
        kernel.set_arg(0, Arg::Buffer(&data)).unwrap();
        kernel.set_arg(1, Arg::Buffer(&counts)).unwrap();
        kernel
            .set_arg(2, Arg::Value(&3000u32.to_le_bytes()))
            .unwrap();
        let queues = [(); 2].map(|()| device.queue(QueueOptions::default()).unwrap());
        let range = NdRange::new(&[192]).unwrap().with_local(&[64]).unwrap();
        // The device adds to what it has, and sees what the process changes between.
        for (round, queue) in queues.iter().cycle().take(4).enumerate() {
            data.write(round as u64, &[7]).unwrap();
            let mut now = bytes.clone();
            now[..=round].fill(7);
            now.iter()
                .for_each(|byte| expected[usize::from(*byte)] += 1);
            let event = queue.enqueue(&kernel, &range, &[]).unwrap();
            event.wait(Duration::from_secs(60)).unwrap();
            let mut found = [0; 1024];
            counts.read(0, &mut found).unwrap();
            assert_eq!(found, expected.as_bytes(), "{platform}, round {round}");
        }
    }
}

#[test]
fn a_server_that_is_none_is_named() {
    if !subject::is_software() {
        return;
    }
    let refused = |spec: String| {
        let spec: DeviceSpec = spec.parse().unwrap();
        Device::open(&spec).unwrap_err().to_string()
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let silent = thread::spawn(move || drop(listener.accept()));
    let error = refused(format!("tbx:{address}:skl"));
    assert!(error.contains("closed the connection"), "{error}");
    silent.join().unwrap();
    // Nobody listens there any more.
    let error = refused(format!("tbx:{address}:skl"));
    assert!(error.contains("refused"), "{error}");
    let error = refused(format!("tbx:{address}:nothing"));
    assert!(error.contains("nothing"), "{error}");
}

#[test]
fn a_wild_store_costs_its_queue_and_the_device_works_on() {
    if !subject::is_software() {
        return;
    }
    let specs = PLATFORMS.iter().flat_map(|(platform, set)| {
        let far = format!("tbx:{}:{platform}", tbx::serve(platform));
        [format!("baremetal:{platform}"), far].map(|spec| (spec, *set))
    });
    for (spec, set) in specs {
        let device = open(&spec);
        let zebin = corpus::set_named(set).zebin("algorithms");
        let wild = Launch::new("algorithms", "histogram", &[64])
            .local(&[64])
            .buffer(&[0u8; 64])
            .null()
            .value(64);
        let error = wild.run_on(&device, &zebin).unwrap_err().to_string();
        assert!(error.contains("page fault"), "{spec}: {error}");
        let good = launches().remove(0);
        good.run_on(&device, &zebin).unwrap();
    }
}

#[test]
fn platforms_whose_firmware_submits_are_refused_by_name() {
    if !subject::is_software() {
        return;
    }
    for platform in ["pvc", "lnl", "bmg", "ptl"] {
        let spec: DeviceSpec = format!("baremetal:{platform}").parse().unwrap();
        let error = Device::open(&spec).unwrap_err().to_string();
        assert!(error.contains(platform) && error.contains("GuC"), "{error}");
    }
    let spec: DeviceSpec = "baremetal:0000:ff:1f.7".parse().unwrap();
    let error = Device::open(&spec).unwrap_err().to_string();
    assert!(error.contains("no graphics function of Intel's"), "{error}");
}

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Kernels of the corpus are recorded, and the file is replayed on a device that is new.
#[test]
fn what_is_recorded_computes_the_same_when_it_is_replayed() {
    if !subject::is_software() {
        return;
    }
    for (platform, set) in PLATFORMS {
        let spec: DeviceSpec = format!("baremetal:{platform}").parse().unwrap();
        let options = OpenOptions {
            execution: Execution::Interpret,
            ..OpenOptions::default()
        };
        let (bus, limits) = Device::bus(&spec, &options).unwrap();
        let file = Memory::default();
        let recorder = Arc::new(Recorder::new(bus, file.clone()).unwrap());
        let device = Device::of_bus((recorder.clone(), limits), "recorded", &options).unwrap();

        let values: Vec<f32> = Random::new(2).many(24 * 24, |bits| (bits % 64) as f32);
        let program = Program::load(&device, &corpus::set_named(set).zebin("algorithms")).unwrap();
        let mut kernel = program.kernel("matrix_product").unwrap();
        let [matrix, buffer] = [(); 2].map(|()| device.buffer(24 * 24 * 4).unwrap());
        matrix.write(0, values.as_bytes()).unwrap();
        kernel.set_arg(0, Arg::Buffer(&matrix)).unwrap();
        kernel.set_arg(1, Arg::Buffer(&matrix)).unwrap();
        kernel.set_arg(2, Arg::Buffer(&buffer)).unwrap();
        kernel.set_arg(3, Arg::Value(&24u32.to_le_bytes())).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        let range = NdRange::new(&[24, 24])
            .unwrap()
            .with_local(&[8, 8])
            .unwrap();
        let element = |at: usize| -> f32 {
            let (row, column) = (at / 24, at % 24);
            let terms = (0..24).map(|k| values[row * 24 + k] * values[k * 24 + column]);
            terms.sum()
        };
        let product: Vec<f32> = (0..24 * 24).map(element).collect();
        // The second launch begins with what the first has left.
        for _ in 0..2 {
            let event = queue.enqueue(&kernel, &range, &[]).unwrap();
            event.wait(Duration::from_secs(60)).unwrap();
        }
        let (address, bytes) = (buffer.address(), buffer.size());
        recorder.expect(address, bytes);
        recorder.finish().unwrap();
        let recorded = file.0.lock().unwrap().clone();

        let settings = Settings {
            threads: 1,
            hang_timeout: Duration::from_secs(60),
            check: false,
            execution: Execution::Interpret,
        };
        let target = Target::parse(platform).unwrap().platform;
        let machine = Machine::new(target, settings, 1 << 32).unwrap();
        let replayed = aub::replay(&machine, &recorded, Duration::from_secs(60)).unwrap();
        assert!(replayed.compared > 0, "{platform}");
        assert_eq!(replayed.differences, [], "{platform}");
        let space = machine.latest_context().unwrap();
        let mut found = vec![0; bytes as usize];
        View::new(&*space).read(address, &mut found).unwrap();
        assert_eq!(found, product.as_bytes(), "{platform}");

        // The same file, when what it expects is not so.
        let wrong = recorded.len() - 4;
        let mut broken = recorded.clone();
        broken[wrong] ^= 1;
        let machine = Machine::new(target, machine.device().settings.clone(), 1 << 32).unwrap();
        let replayed = aub::replay(&machine, &broken, Duration::from_secs(60)).unwrap();
        assert_eq!(replayed.differences.len(), 1, "{platform}");

        let mut submissions = Submissions::new(target).unwrap();
        let mut text = String::new();
        let mut packets = String::new();
        for packet in Packets::new(&recorded) {
            let packet = packet.unwrap().1;
            text.push_str(&submissions.take(&packet).unwrap());
            packets.push_str(&format!("{}\n", packet.text(Some(target.family))));
        }
        for name in ["RCS_HWS_PGA (0x2080)", "FORCEWAKE_", "PAT"] {
            assert!(
                packets.contains(name),
                "{platform}: no {name} in\n{packets}"
            );
        }
        for part in [
            "submission to the render engine",
            "  ring:",
            "  batch at ",
            "STATE_BASE_ADDRESS",
            "WALKER",
            "    payload at ",
            "Kernel Start Pointer",
            "    surface state 0 at ",
        ] {
            assert!(text.contains(part), "{platform}: no {part} in\n{text}");
        }
        assert!(!text.contains('!'), "{platform}: a complaint in\n{text}");
    }
}

/// A device that tells nothing but by its registers, and remembers which were written.
#[derive(Debug)]
struct Mute {
    bus: Arc<dyn Bus>,
    writes: Mutex<Vec<(u32, u32)>>,
}

impl Bus for Mute {
    fn target(&self) -> Target {
        self.bus.target()
    }

    fn pci_id(&self) -> u16 {
        self.bus.pci_id()
    }

    fn read(&self, offset: u32) -> KmdResult<u32> {
        self.bus.read(offset)
    }

    fn write(&self, offset: u32, value: u32) -> KmdResult<()> {
        self.writes.lock().unwrap().push((offset, value));
        self.bus.write(offset, value)
    }

    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()> {
        self.bus.write_entry(index, entry)
    }

    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()> {
        self.bus.map(address, memory)
    }

    fn unmap(&self, address: u64, bytes: u64) -> KmdResult<()> {
        self.bus.unmap(address, bytes)
    }
}

/// The software GPU, which leaves it to its client to notice hangs.
fn soft_bus(platform: &str) -> Arc<dyn Bus> {
    let settings = Settings {
        threads: 1,
        hang_timeout: Duration::from_secs(600),
        check: false,
        execution: Execution::Interpret,
    };
    Arc::new(SoftBus::new(Target::parse(platform).unwrap(), settings).unwrap())
}

/// A client of such a device, with a page for batches and one for data.
struct Rig {
    bus: Arc<Mute>,
    kmd: BareMetal,
    space: AddressSpaceId,
    batches: kmd_iface::Mapping,
}

const BATCHES: GpuAddress = GpuAddress::new(0x10_0000);
const DATA: GpuAddress = GpuAddress::new(0x7fff_0000_0000);
const HANG: Duration = Duration::from_millis(200);

impl Rig {
    fn new(platform: &str) -> Self {
        Self::on(soft_bus(platform))
    }

    fn on(bus: Arc<dyn Bus>) -> Self {
        let bus = Arc::new(Mute {
            bus,
            writes: Mutex::default(),
        });
        let kmd = BareMetal::open(bus.clone(), Options { hang_timeout: HANG }).unwrap();
        let space = kmd.create_address_space().unwrap();
        let [batches, data] = [BATCHES, DATA].map(|address| {
            let buffer = kmd.create_buffer(&BufferDesc::system(4096)).unwrap();
            kmd.bind(space, address, buffer, 0, 4096).unwrap();
            kmd.map(buffer).unwrap()
        });
        drop(data);
        Self {
            bus,
            kmd,
            space,
            batches,
        }
    }

    fn queue(&self) -> QueueId {
        let desc = QueueDesc {
            engine: EngineClass::Render,
            priority: Priority::Normal,
            address_space: self.space,
        };
        self.kmd.create_queue(&desc).unwrap()
    }

    /// Runs a batch that stores to an address, and then ends or starts again.
    fn run(&self, queue: QueueId, address: GpuAddress, ends: bool) -> KmdResult<()> {
        let family = self.bus.target().platform.family;
        let mut commands: Vec<u32> = Vec::new();
        mi_store_data_imm::packet(family)
            .at_least(4)
            .set(mi_store_data_imm::ADDRESS, address)
            .set(mi_store_data_imm::IMMEDIATE_DATA, 7u32)
            .emit(&mut commands)
            .unwrap();
        let again = mi_batch_buffer_start::packet(family)
            .set(
                mi_batch_buffer_start::ADDRESS_SPACE_INDICATOR,
                mi_batch_buffer_start::AddressSpaceIndicator::PPGTT,
            )
            .set(mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS, BATCHES);
        match ends {
            true => mi_batch_buffer_end::packet(family).emit(&mut commands),
            false => again.emit(&mut commands),
        }
        .unwrap();
        commands.resize(commands.len().next_multiple_of(2), 0);
        for (index, command) in commands.iter().enumerate() {
            let at = self.batches.as_mut_ptr().cast::<u32>().wrapping_add(index);
            // SAFETY: the batch is shorter than the page, and the GPU has ended the last one.
            unsafe { at.write_volatile(*command) };
        }
        let submission = Submission {
            batch: BATCHES,
            length: 4 * commands.len() as u64,
            wait: &[],
        };
        let fence = self.kmd.submit(queue, &submission)?;
        self.kmd
            .wait(fence, Instant::now() + Duration::from_secs(60))
    }

    /// How often the engine was reset.
    fn resets(&self) -> usize {
        let writes = self.bus.writes.lock().unwrap();
        writes.iter().filter(|(offset, _)| *offset == RESET).count()
    }
}

#[test]
fn registers_alone_tell_of_hangs_and_faults() {
    if !subject::is_software() {
        return;
    }
    for (platform, _) in PLATFORMS {
        let rig = Rig::new(platform);
        let report = |outcome: KmdResult<()>| match outcome {
            Err(KmdError::QueueLost { report, .. }) => report,
            other => panic!("{platform}: {other:?}"),
        };
        rig.run(rig.queue(), DATA, true).unwrap();
        assert_eq!(rig.resets(), 0, "{platform}");

        let begin = Instant::now();
        let hang = report(rig.run(rig.queue(), DATA, false));
        assert_eq!(hang.kind, ErrorKind::Hang, "{platform}");
        assert!(hang.summary.contains("no progress for 200ms"), "{hang}");
        assert!(begin.elapsed() >= HANG && rig.resets() == 1, "{platform}");
        rig.run(rig.queue(), DATA, true).unwrap();

        let nowhere = GpuAddress::new(0x1234_5678_9000);
        let fault = report(rig.run(rig.queue(), nowhere, true));
        assert_eq!(fault.kind, ErrorKind::PageFault, "{platform}");
        assert_eq!(fault.address, Some(nowhere), "{platform}");
        assert_eq!(rig.resets(), 2, "{platform}");
        rig.run(rig.queue(), DATA, true).unwrap();
    }
}

#[test]
fn a_file_of_two_batches_stores_what_they_stored() {
    if !subject::is_software() {
        return;
    }
    for (platform, _) in PLATFORMS {
        let file = Memory::default();
        let recorder = Arc::new(Recorder::new(soft_bus(platform), file.clone()).unwrap());
        let rig = Rig::on(recorder.clone());
        let queue = rig.queue();
        rig.run(queue, DATA, true).unwrap();
        rig.run(queue, DATA.offset(4088), true).unwrap();
        recorder.expect(DATA, 4096);
        recorder.finish().unwrap();
        let recorded = file.0.lock().unwrap().clone();
        let settings = Settings {
            threads: 1,
            hang_timeout: Duration::from_secs(60),
            check: false,
            execution: Execution::Interpret,
        };
        let target = Target::parse(platform).unwrap().platform;
        let machine = Machine::new(target, settings, 1 << 32).unwrap();
        let replayed = aub::replay(&machine, &recorded, Duration::from_secs(60)).unwrap();
        assert_eq!(
            (replayed.compared, &replayed.differences[..]),
            (1, &[][..]),
            "{platform}"
        );
        let space = machine.latest_context().unwrap();
        for place in [DATA, DATA.offset(4088)] {
            assert_eq!(View::new(&*space).read_u32(place), Ok(7), "{platform}");
        }
    }
}

#[test]
fn a_device_is_awake_and_set_up_before_it_gets_work() {
    if !subject::is_software() {
        return;
    }
    for (platform, _) in PLATFORMS {
        let rig = Rig::new(platform);
        rig.run(rig.queue(), DATA, true).unwrap();
        let target = rig.bus.target();
        let bus = rig.bus.clone();
        drop(rig);
        let writes = bus.writes.lock().unwrap();
        let row = batchbuffer::execlists::execlists(target.platform.family);
        let place = |wanted: &dyn Fn(&(u32, u32)) -> bool| writes.iter().position(wanted).unwrap();
        let submits = [
            base(batchbuffer::Engine::Render) + own::SUBMIT_PORT,
            base(batchbuffer::Engine::Render) + own::SUBMIT_QUEUE,
        ];
        let work = place(&|write| submits.contains(&write.0));
        for wake in row.force_wake {
            assert_eq!(writes[0].0, row.force_wake[0].request, "{platform}");
            assert!(
                place(&|write| *write == (wake.request, 0x1_0001)) < work,
                "{platform}"
            );
            // The last writes let it sleep again.
            assert!(
                place(&|write| *write == (wake.request, 0x1_0000)) > work,
                "{platform}"
            );
        }
        let kept = Setup::of(target.platform.family)
            .filter(|write| write.scope == kmd_iface::baremetal::Scope::Device);
        for write in kept {
            assert!(
                place(&|other| other.0 == write.register) < work,
                "{write:?}"
            );
        }
    }
}
