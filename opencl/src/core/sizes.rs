//! Index spaces of kernels.

use opencl_sys::*;
use umd::NdRange;

use super::kernel::Kernel;
use super::queue::Queue;
use crate::error::{Result, ensure};

/// An index space with the numbers read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub offset: Vec<u64>,
    pub global: Vec<u64>,
    pub local: Option<Vec<u64>>,
}

impl Sizes {
    /// Checks what needs no kernel.
    pub(crate) fn check(&self) -> Result<()> {
        for (&size, &start) in self.global.iter().zip(&self.offset) {
            // "CL_INVALID_GLOBAL_WORK_SIZE if any of the values specified in global_work_size …
            // exceed the maximum value representable by size_t on the device": walkers count in 32
            // bits.
            ensure(
                u32::try_from(size).is_ok(),
                CL_INVALID_GLOBAL_WORK_SIZE,
                format!("the global size {size} is beyond 32 bits"),
            )?;
            // "CL_INVALID_GLOBAL_OFFSET if the value specified in global_work_size + the
            // corresponding values in global_work_offset for any dimensions is greater than the
            // maximum value representable by size t on the device"
            let last = start.checked_add(size.saturating_sub(1));
            ensure(
                last.is_some_and(|last| u32::try_from(last).is_ok()),
                CL_INVALID_GLOBAL_OFFSET,
                format!("work-items {start} + {size} are beyond 32 bits"),
            )?;
        }
        Ok(())
    }

    /// Whether all groups have one size.
    pub(crate) fn is_uniform(&self) -> bool {
        let divides = |(&global, &local): (&u64, &u64)| local > 0 && global.is_multiple_of(local);
        let mut locals = self.local.iter();
        locals.all(|local| self.global.iter().zip(local).all(divides))
    }

    /// The driver's index space, for a kernel on the queue's device.
    pub(crate) fn range(&self, queue: &Queue, kernel: &Kernel) -> Result<NdRange> {
        let range = NdRange::new(&self.global).and_then(|range| range.with_offset(&self.offset));
        let mut range = range.map_err(umd::Error::from)?;
        // "CL_INVALID_WORK_GROUP_SIZE if the work-group size must be uniform and the local work
        // size is not a divisor of the global work size"; "if the work-group size must be uniform,
        // the OpenCL runtime must choose a uniform work-group size".
        let builds = kernel.program.builds();
        if builds
            .get(queue.place)
            .is_some_and(|build| build.is_uniform)
        {
            range = range.uniform();
        }
        drop(builds);
        let Some(local) = &self.local else {
            return Ok(range);
        };
        let most = queue.device.limits.max_work_group_size;
        for &size in local {
            // "CL_INVALID_WORK_ITEM_SIZE if the number of work-items specified in any of
            // local_work_size … is greater than the corresponding values specified by
            // CL_DEVICE_MAX_WORK_ITEM_SIZES"
            ensure(
                size <= u64::from(most),
                CL_INVALID_WORK_ITEM_SIZE,
                format!("the local size {size}; {most} is possible"),
            )?;
        }
        let local: Vec<u32> = local.iter().map(|&size| size as u32).collect();
        Ok(range.with_local(&local).map_err(umd::Error::from)?)
    }
}
