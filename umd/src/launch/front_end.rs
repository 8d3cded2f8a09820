//! What the front end is told of a kernel.

use batchbuffer::dispatch::{ComputeMode, Dispatch, FrontEnd, Scratch, Simd};

use super::error::dispatch_error;
use crate::binary::{KernelAbi, SegmentKind};
use crate::device::DeviceInner;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::memory::NEAR;
use crate::program::ProgramInner;

/// Checks that the platform's front end can start a kernel, and gives the kernel's place from the
/// base of all kernels.
///
/// # Errors
/// It needs what the front end does not have.
pub(crate) fn check_kernel(program: &ProgramInner, entry: &KernelAbi) -> Result<u32, Error> {
    let device = &program.device;
    let failed = |error| dispatch_error(entry, error);
    let code = program.memory(SegmentKind::Code);
    let code = code.map_or(0, |bo| bo.address().get().saturating_sub(NEAR.get()));
    let start = code + program.place(entry.segment);
    let start = u32::try_from(start).map_err(|_| ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!("the kernel begins {start:#x} bytes from its base, beyond 4 GiB"),
    })?;
    let trial = Dispatch {
        simd: simd(entry)?,
        slm_bytes: entry.info.slm_size.min(device.platform().max_slm_bytes),
        barriers: entry.info.barriers,
        ..Dispatch::default()
    };
    let mut words = Vec::new();
    device.commands.descriptor(&trial).map_err(failed)?;
    device
        .commands
        .dispatch(&trial, &mut words)
        .map_err(failed)?;
    let scratch = entry.scratch.iter().max().filter(|&&bytes| bytes > 0);
    let front_end = FrontEnd {
        scratch: scratch.map(|&bytes_per_thread| Scratch {
            bytes_per_thread,
            offset: 0,
        }),
        ..front_end(device, entry)
    };
    device
        .commands
        .front_end(&front_end, &mut words)
        .map_err(failed)?;
    Ok(start)
}

/// What the front end has to know of a kernel, without its scratch.
pub(super) fn front_end(device: &DeviceInner, entry: &KernelAbi) -> FrontEnd {
    FrontEnd {
        max_threads: device.max_threads(),
        scratch: None,
        slm: entry.info.slm_size > 0,
        no_eu_fusion: entry.eu.no_fusion,
        systolic: entry.eu.systolic,
        mode: ComputeMode {
            large_grf: entry.info.grf_count > 128,
            scheduling: entry.eu.scheduling,
        },
    }
}

/// The width of its threads.
pub(super) fn simd(entry: &KernelAbi) -> Result<Simd, ArgumentError> {
    let lanes = entry.info.simd;
    Simd::for_kernel(lanes).ok_or_else(|| ArgumentError::Range {
        kind: ErrorKind::UnsupportedKernel,
        why: format!("SIMD{lanes} is no width of a walker"),
    })
}
