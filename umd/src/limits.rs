//! What a device is and what it can do: what runtimes answer `clGetDeviceInfo` with.

use kmd_iface::RegionKind;

use crate::binary::MAX_SAMPLERS;
use crate::device::Device;
use crate::image::limits as image;
use crate::launch::MAX_RAW;
use crate::printf;

/// What a device is and what it can do. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// PCI device id; the vendor is 0x8086.
    pub pci_id: u16,
    /// PCI revision.
    pub revision: u8,
    /// EUs that are not fused off: `CL_DEVICE_MAX_COMPUTE_UNITS`.
    pub compute_units: u32,
    /// Hardware threads of each, with 128 registers.
    pub threads_per_compute_unit: u32,
    /// The version of the graphics IP: architecture, release, revision.
    pub ip_version: (u8, u8, u8),
    /// Slices.
    pub slices: u32,
    /// Subslices, of all slices.
    pub subslices: u32,
    /// The most work-items of a group; a kernel may take fewer
    /// ([`Kernel::max_local_size`](crate::Kernel::max_local_size)).
    pub max_work_group_size: u32,
    /// The sizes that sub-groups can have.
    pub sub_group_sizes: &'static [u8],
    /// The most sub-groups of a group.
    pub max_sub_groups: u32,
    /// Whether sub-groups of a group make progress independently of each other.
    pub independent_forward_progress: bool,
    /// Shared local memory of a group.
    pub local_memory: u64,
    /// Memory for buffers: the device's own, or the host's where it has none.
    pub global_memory: u64,
    /// The largest buffer.
    pub max_allocation: u64,
    /// The largest buffer that kernels reach through a surface; beyond it they need pointers.
    pub max_surface: u64,
    /// Whether buffers lie in the host's memory.
    pub unified_memory: bool,
    /// What the origin of a sub-buffer is a multiple of.
    pub sub_buffer_alignment: u32,
    /// Whether EUs compute in double precision.
    pub fp64: bool,
    /// Whether EUs multiply and add four bytes at once: `dp4a`.
    pub byte_products: bool,
    /// Whether EUs multiply matrices: `dpas`.
    pub systolic: bool,
    /// What images can be; `None` where there are none.
    pub images: Option<ImageLimits>,
    /// The most samplers of a kernel.
    pub max_samplers: u32,
    /// What `printf` can write in one launch.
    pub printf_buffer: u64,
    /// Ticks of the profiling timer in a second.
    pub timer_frequency: u64,
    /// Bits of an address.
    pub address_bits: u32,
}

/// What images can be. Sizes are in texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageLimits {
    /// Width and height of 2D images.
    pub across: u32,
    /// Width and height of a 3D image's slice.
    pub volume_across: u32,
    /// Slices of a 3D image.
    pub depth: u32,
    /// Layers of an array.
    pub layers: u32,
    /// Width of a 1D image made of a buffer.
    pub buffer: u32,
}

impl Device {
    /// What the device is and what it can do.
    pub fn limits(&self) -> Limits {
        let platform = self.inner().platform();
        let description = self.description();
        let topology = &description.topology;
        let (kind, global_memory) = self.inner().memory();
        let narrowest = platform.simd_widths.first().copied().unwrap_or(8);
        let max_work_group_size = platform.max_work_group_size(self.inner().subslice_eus());
        Limits {
            pci_id: description.pci_id,
            revision: description.revision,
            compute_units: self.inner().max_threads() / u32::from(platform.threads_per_eu),
            threads_per_compute_unit: platform.threads_per_eu.into(),
            ip_version: platform.ip_version(description.pci_id, description.revision),
            slices: topology.slice_count(),
            subslices: topology.subslice_count(),
            max_work_group_size,
            sub_group_sizes: platform.simd_widths,
            max_sub_groups: max_work_group_size / u32::from(narrowest),
            independent_forward_progress: platform.independent_forward_progress,
            local_memory: platform.max_slm_bytes.into(),
            global_memory,
            max_allocation: global_memory,
            max_surface: MAX_RAW.min(global_memory),
            unified_memory: kind == RegionKind::System,
            sub_buffer_alignment: crate::buffer::SUB_BUFFER_ALIGNMENT as u32,
            fp64: platform.fp64,
            byte_products: isa_encoder::has_opcode(platform.family, isa_encoder::Opcode::Dp4a),
            systolic: platform.systolic,
            images: platform.images.then_some(ImageLimits {
                across: image::ACROSS,
                volume_across: image::volume_across(platform.family),
                depth: image::DEEP,
                layers: image::DEEP,
                buffer: image::BUFFER,
            }),
            max_samplers: MAX_SAMPLERS,
            printf_buffer: printf::BUFFER_SIZE,
            timer_frequency: description.timestamp_frequency,
            address_bits: 64,
        }
    }
}
