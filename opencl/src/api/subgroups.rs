//! Sub-groups of kernels (specification, section 5.9.4; `cl_intel_subgroups`;
//! `cl_intel_required_subgroup_size`).

use opencl_sys::*;

use super::abi::{Bytes, Out};
use super::info;
use super::kernel::device_place;
use crate::core::{Handle, Kernel, Memory};
use crate::error::{Error, Result, ensure};

/// `CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL` (`cl_intel_required_subgroup_size`).
const COMPILE_SUB_GROUP_SIZE_INTEL: cl_kernel_sub_group_info = 0x410A;

pub(crate) fn info(
    kernel: Handle,
    device: Handle,
    name: u32,
    input_size: usize,
    Bytes(input): Bytes,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Result<()> {
    let kernel = kernel.get::<Kernel>()?;
    let place = device_place(&kernel, device)?;
    let state = kernel.state();
    let own = state.told(place);
    let own =
        own.ok_or_else(|| Error::new(CL_INVALID_DEVICE, "the program was not built for it"))?;
    let answer = match name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
            local_size(input_size, input)?;
            info::value(own.sub_group_size() as usize)
        }
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
            let local = local_size(input_size, input)?;
            info::value(own.sub_groups(local) as usize)
        }
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            let count = inputs(input_size, input, 1..=1)?;
            let count = count.first().copied().unwrap_or(0);
            // The size of the answer says how many dimensions are asked for; "if there is no work
            // group size … returns 0 for each".
            let dimensions = match value.is_null() {
                true => 3,
                false => dimensions(size, "the room for the answer")?,
            };
            let local = u32::try_from(count).ok();
            let local = local.and_then(|count| own.local_size_for_sub_groups(count));
            let local = local.filter(|local| local.iter().skip(dimensions).all(|&size| size == 1));
            let local = local.unwrap_or([0; 3]).map(|size| size as usize);
            info::list(local.get(..dimensions).unwrap_or_default())
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => info::value(own.max_sub_groups() as usize),
        // The number that the source requires: no attribute of OpenCL C can, and modules of SPIR-V that
        // do are refused.
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => info::value(0usize),
        COMPILE_SUB_GROUP_SIZE_INTEL => {
            info::value(own.info().required_sub_group_size.unwrap_or(0) as usize)
        }
        _ => return Err(info::unknown("a kernel's sub-groups", name)),
    };
    info::give(&answer, size, value, size_ret)
}

/// The numbers of the input.
///
/// "CL_INVALID_VALUE if param_name is CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE and the size in bytes
/// specified by input_value_size is not valid or if input_value is NULL"
fn inputs(
    size: usize,
    input: Memory,
    counts: std::ops::RangeInclusive<usize>,
) -> Result<Vec<usize>> {
    ensure(!input.is_null(), CL_INVALID_VALUE, "the input is null")?;
    let is_whole = size.is_multiple_of(size_of::<usize>());
    ensure(
        is_whole && counts.contains(&(size / size_of::<usize>())),
        CL_INVALID_VALUE,
        format!("an input of {size} bytes"),
    )?;
    let bytes = input.read(size);
    let numbers = bytes.chunks_exact(size_of::<usize>());
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, usize::from_ne_bytes);
    Ok(numbers.map(number).collect())
}

fn dimensions(size: usize, what: &str) -> Result<usize> {
    let count = size / size_of::<usize>();
    ensure(
        size.is_multiple_of(size_of::<usize>()) && (1..=3).contains(&count),
        CL_INVALID_VALUE,
        format!("{what} has {size} bytes"),
    )?;
    Ok(count)
}

/// A local size of one to three dimensions.
fn local_size(size: usize, input: Memory) -> Result<[u32; 3]> {
    let given = inputs(size, input, 1..=3)?;
    Ok(std::array::from_fn(|dimension| {
        let size = given.get(dimension).copied().unwrap_or(1);
        u32::try_from(size).unwrap_or(u32::MAX)
    }))
}
