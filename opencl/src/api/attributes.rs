//! What hardware a device is (`cl_intel_device_attribute_query`).

use opencl_sys::*;

use super::info::{self, Answer};
use crate::core::Device;

/// Answers a query of `clGetDeviceInfo`, if it is one of the extension's.
pub(crate) fn device_info(device: &Device, name: u32) -> Option<Answer> {
    let limits = &device.limits;
    let number = match name {
        CL_DEVICE_IP_VERSION_INTEL => {
            // As Intel's runtimes pack it (NEO `HardwareIpVersion`): 6 bits, 8 that are reserved, 8 and 10.
            let (architecture, release, revision) = limits.ip_version;
            u32::from(architecture) << 22 | u32::from(release) << 14 | u32::from(revision & 0x3f)
        }
        CL_DEVICE_ID_INTEL => limits.pci_id.into(),
        CL_DEVICE_NUM_SLICES_INTEL => limits.slices,
        CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => limits.subslices / limits.slices.max(1),
        CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL => limits.compute_units / limits.subslices.max(1),
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL => limits.threads_per_compute_unit,
        CL_DEVICE_FEATURE_CAPABILITIES_INTEL => {
            let mut all: cl_device_feature_capabilities_intel = 0;
            if limits.byte_products {
                all |= CL_DEVICE_FEATURE_FLAG_DP4A_INTEL;
            }
            if limits.systolic {
                all |= CL_DEVICE_FEATURE_FLAG_DPAS_INTEL;
            }
            return Some(info::value(all));
        }
        _ => return None,
    };
    Some(info::value(number))
}
