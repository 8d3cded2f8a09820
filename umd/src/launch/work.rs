//! What a queue is given to do.

use std::sync::Arc;

use super::check::Launch;
use super::heap::Heap;
use super::recorded::Recording;
use crate::device::DeviceInner;
use crate::error::{ArgumentError, ErrorKind};
use crate::memory::NEAR;

/// What a queue is given to do.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// It runs a kernel.
    Kernel(Launch),
    /// It runs kernels, each after what the one before wrote.
    Sequence(Arc<[Launch]>),
    /// Nothing: it only ends after those before it.
    Marker,
    /// It runs what was recorded.
    Replay(Arc<Recording>),
}

impl Work {
    /// Whether it may use memory of this process that is not the driver's.
    pub(crate) fn uses_host_memory(&self) -> bool {
        match self {
            Self::Kernel(launch) => launch.kernel.uses_host_memory(),
            _ => {
                let mut launches = self.launches().iter();
                launches.any(|launch| launch.kernel.uses_host_memory())
            }
        }
    }

    /// The kernels that it runs.
    pub(crate) fn launches(&self) -> &[Launch] {
        match self {
            Self::Kernel(launch) => std::slice::from_ref(launch),
            Self::Sequence(launches) => launches,
            Self::Marker => &[],
            Self::Replay(recording) => recording.launches(),
        }
    }

    /// Tells a node that looks for broken rules which buffers and which shared local memory the kernels of
    /// programs get.
    pub(super) fn announce_arguments(&self, device: &DeviceInner) {
        if let Some(extents) = device.registry.extents() {
            device.registry.look_at_watched();
            let kernels = self.launches().iter().map(|launch| &launch.kernel);
            let of_programs = kernels.filter(|kernel| !kernel.program.binary.is_own());
            for kernel in of_programs {
                for (address, size) in kernel.buffers() {
                    extents.passes(address, size);
                }
                let first = NEAR.offset(kernel.start.into());
                extents.shares(first, &kernel.slm.parts);
            }
        }
    }

    /// Kernels that are written anew each time.
    ///
    /// # Errors
    /// They take more memory than there is for a command.
    pub(crate) fn sequence(launches: Vec<Launch>) -> Result<Self, ArgumentError> {
        let sizes = launches
            .iter()
            .map(|launch| u64::from(launch.template.layout.size));
        let (size, most) = (sizes.sum::<u64>(), u64::from(Heap::most_together()));
        if size > most {
            return Err(ArgumentError::Range {
                kind: ErrorKind::OutOfResources,
                why: format!(
                    "states and payloads of {} kernels have {size} bytes, the limit of a sequence is \
                     {most}: record them",
                    launches.len()
                ),
            });
        }
        Ok(match launches.is_empty() {
            true => Self::Marker,
            false => Self::Sequence(launches.into()),
        })
    }
}
