//! Checks that a kernel can run over an index space.

use std::sync::Arc;

use super::geometry::geometry;
use super::layout::BlockLayout;
use super::payload::{self, Late, SlmLayout};
use super::states;
use super::template::Template;
use crate::binary::KernelAbi;
use crate::device::DeviceInner;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::kernel::{Kernel, KernelState, Payload};
use crate::range::NdRange;

/// A kernel with its arguments, checked to run over an index space.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(super) kernel: Arc<KernelState>,
    pub(super) template: Arc<Template>,
}

impl Launch {
    /// Whether its kernel may print.
    pub(crate) fn prints(&self) -> bool {
        self.kernel.entry.info.has_printf
    }
}

/// Checks that a kernel can be run over an index space; `None` if that is empty.
///
/// # Errors
/// An argument that is not set; a range or shared local memory that the platform does not have.
pub(crate) fn check(kernel: &Kernel, range: &NdRange) -> Result<Option<Launch>, Error> {
    let kernel = kernel.state();
    let launch = |template| {
        Ok(Some(Launch {
            kernel: kernel.clone(),
            template,
        }))
    };
    if let Some(template) = kernel.templates.find(range, kernel.slm.total) {
        kernel.check_args()?;
        return launch(template);
    }
    let device = &kernel.program.device;
    let geometry = geometry(
        &kernel.entry,
        range,
        device.platform(),
        device.subslice_eus(),
    )?;
    kernel.check_args()?;
    check_slm(&kernel.entry, &kernel.slm, device)?;
    if geometry.walks().next().is_none() {
        return Ok(None);
    }
    let layout = BlockLayout::new(kernel, &geometry)?;
    let template = Arc::new(Template::new(kernel, (range, geometry), layout)?);
    kernel.templates.keep(&template);
    launch(template)
}

/// The payload of the first group's threads.
pub(crate) fn payload(kernel: &Kernel, range: &NdRange) -> Result<Payload, Error> {
    let launch = match check(kernel, range)? {
        Some(launch) => launch,
        None => {
            let local = range.local().or(kernel.info().required_local_size);
            return Ok(Payload {
                local: local.unwrap_or([1; 3]),
                ..Payload::default()
            });
        }
    };
    let (kernel, geometry) = (&launch.kernel, &launch.template.geometry);
    let entry = &kernel.entry;
    let Some(walk) = &geometry.walks().next() else {
        return Ok(Payload::default());
    };
    let mut cross_thread = kernel.payload.clone();
    payload::range_fields(entry, geometry, walk, &mut cross_thread)?;
    for (place, value) in payload::late_fields(entry, &kernel.layout) {
        if let Late::State(offset) = value {
            let bytes = u64::from(offset).to_le_bytes();
            let bytes = bytes.get(..place.len()).unwrap_or(&bytes);
            states::put_bytes(&mut cross_thread, place.start as u32, bytes)?;
        }
    }
    let per_thread = (0..walk.threads)
        .map(|thread| {
            let mut ids = vec![0; entry.local_ids.bytes() as usize];
            payload::local_ids(
                entry.local_ids,
                entry.info.simd,
                entry.walk_order,
                walk.local,
                thread,
                &mut ids,
            );
            ids
        })
        .collect();
    Ok(Payload {
        local: geometry.local,
        cross_thread,
        per_thread,
    })
}

fn check_slm(
    entry: &KernelAbi,
    slm: &SlmLayout,
    device: &DeviceInner,
) -> Result<(), ArgumentError> {
    let platform = device.platform();
    if slm.total <= platform.max_slm_bytes {
        return Ok(());
    }
    Err(ArgumentError::Range {
        kind: ErrorKind::OutOfResources,
        why: format!(
            "kernel {} needs {} bytes of shared local memory a group, {} of them for its local \
             arguments; {platform} has {}",
            entry.info.name,
            slm.total,
            slm.total - entry.info.slm_size.min(slm.total),
            platform.max_slm_bytes
        ),
    })
}
