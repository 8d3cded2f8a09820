//! Devices.

use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use devinfo::Target;
use opencl_sys::*;
use spirv_module::Environment;

use super::handle::{Base, Object};
use super::options;

/// A device of the platform. It lives as long as the process.
#[derive(Debug)]
pub(crate) struct Device {
    base: Base,
    pub umd: umd::Device,
    pub limits: umd::Limits,
    /// What `CL_DEVICE_NAME` says: with the compiler, if that is not Intel's.
    pub name: String,
    /// Whether kernels can take pipes, once that was asked for.
    pipes: OnceLock<bool>,
}

impl Object for Device {
    const INVALID: cl_int = CL_INVALID_DEVICE;
    const NAME: &'static str = "device";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Device {
    pub(crate) fn new(umd: umd::Device) -> Self {
        let target = umd.target();
        let limits = umd.limits();
        let sku = target.platform.sku(limits.pci_id);
        let sku = sku.unwrap_or_else(|| target.platform.default_sku());
        let compiler = compilers::installed().ok();
        let compiler = compiler.and_then(|compiler| compiler.own_name());
        let how = [Some(umd.name()), compiler].into_iter().flatten();
        let how = how.collect::<Vec<_>>().join(", ");
        let name = format!("Intel {} {} ({how})", target.platform.title, sku.name);
        Self {
            base: Base::new(),
            umd,
            limits,
            name,
            pipes: OnceLock::new(),
        }
    }

    /// Whether kernels can take pipes: the compiler gives them one. Intel's 26.27 compiles the functions
    /// of pipes, and leaves the pipe out of what a kernel is passed.
    pub(crate) fn has_pipes(&self) -> bool {
        const READS: &str = "kernel void reads(read_only pipe int from, global int *to) {\n\
                             read_pipe(from, to + get_global_id(0));\n}\n";
        let reads = || {
            let compiler = compilers::installed().ok()?;
            let job = compilers::Job {
                source: compilers::Source::OpenClC(READS.as_bytes()),
                product: compilers::Product::Zebin,
                target: self.target(),
                options: "-cl-std=CL2.0",
                internal: options::INTERNAL,
                folder: None,
                headers: &[],
                checked: false,
            };
            let made = compiler.compile(&job).ok()?;
            let binary = umd::Binary::parse(&made.binary).ok()?;
            Some(binary.kernel("reads").is_some() && binary.unsupported("reads").is_none())
        };
        *self.pipes.get_or_init(|| reads().unwrap_or(false))
    }

    pub(crate) fn target(&self) -> Target {
        self.umd.target()
    }

    /// Names the device to other interfaces: the vendor, the device's PCI number and revision, and
    /// which of the platform's it is (`cl_khr_device_uuid`).
    pub(crate) fn uuid(&self) -> [u8; 16] {
        let mut bytes = [0; 16];
        let numbers = [0x8086, self.limits.pci_id, self.limits.revision.into()];
        for (place, number) in bytes.chunks_exact_mut(2).zip(numbers) {
            place.copy_from_slice(&u16::to_le_bytes(number));
        }
        // FNV-1a, of the name that opens the device.
        let hash = self
            .umd
            .name()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        if let Some(place) = bytes.last_chunk_mut() {
            *place = hash.to_le_bytes();
        }
        bytes
    }

    /// The time of events, in nanoseconds.
    pub(crate) fn now(&self) -> Duration {
        self.umd.now()
    }

    /// The largest buffer. Compilers reach buffers through surfaces, which are limited.
    pub(crate) fn max_allocation(&self) -> u64 {
        self.limits.max_allocation.min(self.limits.max_surface)
    }

    /// What the device takes of SPIR-V. Compilers take the sub-groups' types on all platforms.
    pub(crate) fn spirv_environment(&self) -> Environment {
        Environment::ALL
    }

    /// Bits of the address of a sub-buffer: that of the largest type, `long16`.
    pub(crate) const BASE_ALIGNMENT_BITS: u32 = 1024;
}

/// The time of the host, in nanoseconds since the runtime was first asked.
pub(crate) fn host_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
