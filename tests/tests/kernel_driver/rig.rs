//! A device with an address space, a queue and small batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use batchbuffer::packets::{mi_batch_buffer_end, mi_batch_buffer_start, mi_store_data_imm};
use devinfo::{Driver, Family, GpuAddress, Target};
use kmd_iface::baremetal::{self, BareMetal};
use kmd_iface::{
    AddressSpaceId, BufferDesc, BufferHandle, EngineClass, Fence, Kmd, Mapping, Node, Priority,
    QueueDesc, QueueId, RenderNode, Submission,
};
use softgpu::{Options, SoftNode};
use softgpu_bus::{Settings, SoftBus};
use stack_tests::subject;
use umd::{Device, DeviceSpec, OpenOptions};

/// Where a rig binds its batch buffer.
pub const BATCH: GpuAddress = GpuAddress::new(0x1_0000_0000);
/// Where a rig binds its data buffer.
pub const DATA: GpuAddress = GpuAddress::new(0x7fff_8000_0000);
/// The size of both: a page of any region.
pub const SIZE: u64 = 64 << 10;

/// The platforms of the software GPU that these tests run on, with their kernel drivers.
pub fn soft_platforms() -> Vec<(Target, Driver)> {
    ["bdw", "skl", "icl", "tgl", "dg1", "dg2"]
        .into_iter()
        .map(|name| (Target::parse(name).unwrap(), Driver::I915))
        .collect()
}

/// A software node.
pub fn soft_node((target, driver): (Target, Driver)) -> Arc<dyn Node> {
    let options = Options {
        driver,
        threads: 1,
        hang_timeout: Duration::from_millis(300),
        ..Options::default()
    };
    SoftNode::open(target, options).unwrap()
}

/// A software device without a kernel driver.
pub fn bare_metal(target: Target) -> Arc<dyn Kmd> {
    let settings = Settings {
        threads: 1,
        hang_timeout: Duration::from_millis(300),
        check: false,
        execution: softgpu::Execution::default(),
    };
    let bus = SoftBus::new(target, settings).unwrap();
    let options = baremetal::Options {
        hang_timeout: Duration::from_millis(600),
    };
    Arc::new(BareMetal::open(Arc::new(bus), options).unwrap())
}

/// The device that `INTEL_GPU_DEVICE` names.
fn named() -> Option<(String, Arc<dyn Kmd>)> {
    let name = subject::named()?;
    let target = |platform: &str, revision: Option<u8>| {
        let mut target = Target::parse(platform).unwrap();
        target.revision = revision.unwrap_or(target.revision);
        target
    };
    let kmd = match name.parse().unwrap() {
        DeviceSpec::Node(path) => {
            kmd_iface::open(Arc::new(RenderNode::open(&path).unwrap())).unwrap()
        }
        DeviceSpec::Soft {
            platform,
            revision,
            driver,
        } => {
            let target = target(&platform, revision);
            let driver = driver.unwrap_or(target.platform.usual_driver());
            kmd_iface::open(soft_node((target, driver))).unwrap()
        }
        DeviceSpec::BareMetal { platform, revision } => {
            let kmd = bare_metal(target(&platform, revision));
            return Some((format!("soft, {name}"), kmd));
        }
        DeviceSpec::Function(_) | DeviceSpec::Tbx { .. } => {
            let (bus, options) =
                Device::bus(&name.parse().unwrap(), &OpenOptions::default()).unwrap();
            Arc::new(BareMetal::open(bus, options).unwrap())
        }
        DeviceSpec::Auto => panic!("INTEL_GPU_DEVICE names a device, not {name}"),
    };
    Some((name, kmd))
}

/// Every software device, with a kernel driver and without, and every real one; or the device that is
/// named.
pub fn devices() -> Vec<(String, Arc<dyn Kmd>)> {
    if let Some(named) = named() {
        return vec![named];
    }
    let mut devices = kernel_drivers();
    for name in ["bdw", "skl", "icl", "tgl", "dg2"] {
        let kmd = bare_metal(Target::parse(name).unwrap());
        devices.push((format!("soft:{name} without a kernel driver"), kmd));
    }
    devices
}

/// Every software device with a kernel driver, and every real one; or the device that is named, if it
/// has one.
pub fn kernel_drivers() -> Vec<(String, Arc<dyn Kmd>)> {
    if let Some(named) = named() {
        let has_driver = named.1.description().driver.is_some();
        return has_driver.then_some(named).into_iter().collect();
    }
    let mut devices: Vec<(String, Arc<dyn Kmd>)> = soft_platforms()
        .into_iter()
        .map(|soft| {
            let name = format!("soft:{} on {}", soft.0, soft.1);
            (name, kmd_iface::open(soft_node(soft)).unwrap())
        })
        .collect();
    for found in kmd_iface::discover() {
        println!("{found}");
        if found.is_usable() {
            let node = RenderNode::open(&found.path).unwrap();
            let name = node.driver_by_drm_crate().unwrap();
            let kmd = kmd_iface::open(Arc::new(node)).unwrap();
            // Our VERSION against the drm crate's.
            assert_eq!(kmd.description().driver.unwrap().to_string(), name);
            devices.push((found.path.display().to_string(), kmd));
        }
    }
    devices
}

/// A time in the future.
pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// A device with a queue, a batch buffer and a data buffer.
pub struct Rig {
    pub kmd: Arc<dyn Kmd>,
    pub family: Family,
    pub space: AddressSpaceId,
    pub queue: QueueId,
    pub data: BufferHandle,
    batch_map: Mapping,
    data_map: Mapping,
}

impl Rig {
    pub fn new(kmd: &Arc<dyn Kmd>) -> Self {
        let kmd = Arc::clone(kmd);
        let space = kmd.create_address_space().unwrap();
        let batch = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        let data = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        assert_eq!(kmd.buffer_size(data).unwrap(), SIZE);
        kmd.bind(space, BATCH, batch, 0, SIZE).unwrap();
        kmd.bind(space, DATA, data, 0, SIZE).unwrap();
        let family = kmd.description().platform.unwrap().family;
        let mut rig = Self {
            batch_map: kmd.map(batch).unwrap(),
            data_map: kmd.map(data).unwrap(),
            kmd,
            family,
            space,
            queue: QueueId::new(0),
            data,
        };
        rig.queue = rig.new_queue();
        rig
    }

    /// A further queue in the same address space.
    pub fn new_queue(&self) -> QueueId {
        let engine = match self.family {
            Family::XeHpc => EngineClass::Compute,
            _ => EngineClass::Render,
        };
        self.kmd
            .create_queue(&QueueDesc {
                engine,
                priority: Priority::Normal,
                address_space: self.space,
            })
            .unwrap()
    }

    /// The dword `index` of the data buffer.
    pub fn read(&self, index: usize) -> u32 {
        word(&self.data_map, index).load(Ordering::Acquire)
    }

    /// Commands that store `values` (dword index, value) and end.
    pub fn stores(&self, values: &[(u64, u32)]) -> Vec<u32> {
        let mut commands = Vec::new();
        for &(index, value) in values {
            self.store(&mut commands, DATA.offset(index * 4), value);
        }
        mi_batch_buffer_end::packet(self.family)
            .emit(&mut commands)
            .unwrap();
        commands
    }

    /// A store to any address.
    pub fn store(&self, commands: &mut Vec<u32>, address: GpuAddress, value: u32) {
        mi_store_data_imm::packet(self.family)
            .at_least(4)
            .set(mi_store_data_imm::ADDRESS, address)
            .set(mi_store_data_imm::IMMEDIATE_DATA, u64::from(value))
            .emit(commands)
            .unwrap();
    }

    /// Commands that never end: a batch that starts itself.
    pub fn endless(&self, at: u64) -> Vec<u32> {
        let mut commands = Vec::new();
        mi_batch_buffer_start::packet(self.family)
            .set(
                mi_batch_buffer_start::ADDRESS_SPACE_INDICATOR,
                mi_batch_buffer_start::AddressSpaceIndicator::PPGTT,
            )
            .set(
                mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS,
                BATCH.offset(at),
            )
            .emit(&mut commands)
            .unwrap();
        commands
    }

    /// Submits commands, put at byte `at` of the batch buffer.
    pub fn submit(&self, queue: QueueId, at: u64, commands: &[u32], wait: &[Fence]) -> Fence {
        let first = usize::try_from(at / 4).unwrap();
        let mut commands = commands.to_vec();
        if !commands.len().is_multiple_of(2) {
            commands.push(0);
        }
        for (index, command) in commands.iter().enumerate() {
            word(&self.batch_map, first + index).store(*command, Ordering::Release);
        }
        let submission = Submission {
            batch: BATCH.offset(at),
            length: commands.len() as u64 * 4,
            wait,
        };
        self.kmd.submit(queue, &submission).unwrap()
    }
}

/// A dword of a mapping.
pub fn word(mapping: &Mapping, index: usize) -> &AtomicU32 {
    assert!(index < mapping.len() / 4);
    let pointer = mapping.as_mut_ptr().cast::<u32>().wrapping_add(index);
    // SAFETY: within the page-aligned mapping, and every access is atomic.
    unsafe { AtomicU32::from_ptr(pointer) }
}
