//! The driver without a kernel driver: kernels give what they give under i915, a batch that fails
//! costs its queue only, and registers alone tell why.
//!
//! The whole corpus runs so with `INTEL_GPU_DEVICE=baremetal:skl cargo test -p stack-tests --test
//! kernels`, and what a client of any kernel driver may expect is in `kernel_driver`.

#![cfg(test)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use batchbuffer::packets::{mi_batch_buffer_end, mi_batch_buffer_start, mi_store_data_imm};
use batchbuffer::registers::{RESET, base, own};
use devinfo::{GpuAddress, Target};
use kmd_iface::baremetal::{BareMetal, Bus, Options, Setup};
use kmd_iface::{
    AddressSpaceId, BufferDesc, EngineClass, ErrorKind, Kmd, KmdError, KmdResult, Priority,
    QueueDesc, QueueId, Submission, UserMemory,
};
use softgpu_bus::SoftBus;
use softgpu_device::{Execution, Settings};
use stack_tests::launch::compiling_device;
use stack_tests::{Launch, Random, corpus};
use umd::{Device, DeviceSpec};

/// The platforms, with a set of the corpus for each.
const PLATFORMS: [(&str, &str); 5] = [
    ("bdw", "bdw"),
    ("skl", "skl"),
    ("icl", "icl"),
    ("tgl", "tgl"),
    ("dg2:8", "dg2-8"),
];

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
    for (platform, set) in PLATFORMS {
        let devices =
            ["soft:", "baremetal:"].map(|kind| compiling_device(&format!("{kind}{platform}")));
        assert_eq!(devices[1].description().driver, None);
        for launch in launches() {
            let zebin = corpus::set_named(set).zebin(launch.file());
            let [with, without] = devices
                .each_ref()
                .map(|device| launch.observe(device, &zebin).contents.unwrap());
            assert!(!with.concat().is_empty());
            assert!(with == without, "{} on {platform}", launch.kernel());
        }
    }
}

#[test]
fn a_wild_store_costs_its_queue_and_the_device_works_on() {
    for (platform, set) in PLATFORMS {
        let device = compiling_device(&format!("baremetal:{platform}"));
        let zebin = corpus::set_named(set).zebin("algorithms");
        let wild = Launch::new("algorithms", "histogram", &[64])
            .local(&[64])
            .buffer(&[0u8; 64])
            .null()
            .value(64);
        let error = wild.run_on(&device, &zebin).unwrap_err().to_string();
        assert!(error.contains("page fault"), "{platform}: {error}");
        let good = launches().remove(0);
        good.run_on(&device, &zebin).unwrap();
    }
}

#[test]
fn platforms_whose_firmware_submits_are_refused_by_name() {
    for platform in ["pvc", "lnl", "bmg", "ptl"] {
        let spec: DeviceSpec = format!("baremetal:{platform}").parse().unwrap();
        let error = Device::open(&spec).unwrap_err().to_string();
        assert!(error.contains(platform) && error.contains("GuC"), "{error}");
    }
    let spec: DeviceSpec = "baremetal:0000:ff:1f.7".parse().unwrap();
    let error = Device::open(&spec).unwrap_err().to_string();
    assert!(error.contains("no graphics function of Intel's"), "{error}");
}

/// A device that tells nothing but by its registers, and remembers which were written.
#[derive(Debug)]
struct Mute {
    bus: SoftBus,
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
        let settings = Settings {
            threads: 1,
            // The client must notice by itself.
            hang_timeout: Duration::from_secs(600),
            check: false,
            execution: Execution::default(),
        };
        let bus = SoftBus::new(Target::parse(platform).unwrap(), settings).unwrap();
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
fn a_device_is_awake_and_set_up_before_it_gets_work() {
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
