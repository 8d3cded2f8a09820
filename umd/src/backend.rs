//! From a device's name to its kernel driver client: a render node, or the software GPU in its
//! place. Above this module nothing knows which it is.

use std::path::Path;
use std::sync::Arc;

use devinfo::Driver;
#[cfg(feature = "softgpu")]
use devinfo::GpuAddress;
use kmd_iface::{Kmd, Node, NodeState, RenderNode};

use crate::device::{OpenOptions, Statistics, Violation};
use crate::error::DeviceError;
use crate::memory::Extents;
use crate::spec::DeviceSpec;

/// Reads what a software GPU has done.
pub(crate) type StatisticsHook = Box<dyn Fn() -> Statistics + Send + Sync>;

/// Takes the rules that kernels on a software GPU have broken.
pub(crate) type ViolationsHook = Box<dyn Fn() -> Vec<Violation> + Send + Sync>;

/// An opened node.
pub(crate) struct Backend {
    pub kmd: Arc<dyn Kmd>,
    pub name: String,
    pub statistics: Option<StatisticsHook>,
    pub violations: Option<ViolationsHook>,
    pub extents: Option<Box<dyn Extents>>,
}

/// Opens what `spec` names.
pub(crate) fn open(spec: &DeviceSpec, options: &OpenOptions) -> Result<Backend, DeviceError> {
    match spec {
        DeviceSpec::Node(path) => render_node(path),
        DeviceSpec::Soft {
            platform,
            revision,
            driver,
        } => soft(spec, platform, *revision, *driver, options),
        DeviceSpec::Auto => match first_render_node() {
            Some(backend) => Ok(backend),
            None => {
                let fallback = options.fallback.clone();
                let (platform, revision) = fallback.unwrap_or_else(|| ("tgl".to_owned(), None));
                let spec = DeviceSpec::Soft {
                    platform: platform.clone(),
                    revision,
                    driver: None,
                };
                tracing::info!("no usable render node, taking {spec}");
                soft(&spec, &platform, revision, None, options)
            }
        },
    }
}

fn render_node(path: &Path) -> Result<Backend, DeviceError> {
    let failed = |error: kmd_iface::KmdError| DeviceError::Open {
        spec: path.display().to_string(),
        why: error.to_string(),
    };
    let node: Arc<dyn Node> = Arc::new(RenderNode::open(path).map_err(failed)?);
    let kmd = kmd_iface::open(node).map_err(failed)?;
    Ok(Backend {
        name: path.display().to_string(),
        kmd,
        statistics: None,
        violations: None,
        extents: None,
    })
}

/// The first render node that opens and has a platform of the table.
fn first_render_node() -> Option<Backend> {
    kmd_iface::discover().into_iter().find_map(|node| {
        if !matches!(node.state, NodeState::Usable { .. }) {
            tracing::info!("{}: {:?}", node.path.display(), node.state);
            return None;
        }
        match render_node(&node.path) {
            Ok(backend) if backend.kmd.description().platform.is_some() => Some(backend),
            Ok(_) => None,
            Err(error) => {
                tracing::info!("{error}");
                None
            }
        }
    })
}

#[cfg(feature = "softgpu")]
fn soft(
    spec: &DeviceSpec,
    platform: &str,
    revision: Option<u8>,
    driver: Option<Driver>,
    options: &OpenOptions,
) -> Result<Backend, DeviceError> {
    use std::sync::atomic::Ordering::Relaxed;

    let failed = |why: String| DeviceError::Open {
        spec: spec.to_string(),
        why,
    };
    let mut target = devinfo::Target::parse(platform).map_err(|error| failed(error.to_string()))?;
    if let Some(revision) = revision {
        target.revision = revision;
    }
    // Where both drive a platform, i915 is the older one.
    let usual = match target.platform.has_driver(Driver::I915) {
        true => Driver::I915,
        false => Driver::Xe,
    };
    let mut soft = softgpu::Options {
        driver: driver.unwrap_or(usual),
        threads: options.threads.unwrap_or(0),
        scratch_page: options.scratch_page,
        check: options.check,
        ..softgpu::Options::default()
    };
    if let Some(timeout) = options.hang_timeout {
        soft.hang_timeout = timeout;
    }
    let node = softgpu::SoftNode::open(target, soft).map_err(|error| failed(error.to_string()))?;
    let kmd = kmd_iface::open(node.clone()).map_err(|error| failed(error.to_string()))?;
    let checked = node.clone();
    let extents = options
        .check
        .then(|| -> Box<dyn Extents> { Box::new(SoftExtents(node.clone())) });
    Ok(Backend {
        kmd,
        name: spec.to_string(),
        extents,
        violations: Some(Box::new(move || {
            let found = checked.device().engines.findings.take().into_iter();
            found
                .map(|one| Violation {
                    rule: one.rule.to_string(),
                    offset: one.offset(),
                    instruction: one.text.trim().to_owned(),
                    detail: one.detail,
                })
                .collect()
        })),
        statistics: Some(Box::new(move || {
            let counters = node.statistics();
            Statistics {
                threads: counters.threads.load(Relaxed),
                instructions: counters.instructions.load(Relaxed),
                lanes: counters.channels.load(Relaxed),
                groups_done: counters.groups_ended.load(Relaxed),
                groups_total: counters.groups.load(Relaxed),
            }
        })),
    })
}

/// Tells a software GPU that checks accesses what was asked for.
#[cfg(feature = "softgpu")]
#[derive(Debug)]
struct SoftExtents(Arc<softgpu::SoftNode>);

#[cfg(feature = "softgpu")]
impl Extents for SoftExtents {
    fn bound(&self, address: GpuAddress, size: u64, mapped: u64) {
        self.0
            .device()
            .engines
            .findings
            .bound(address, size, mapped);
    }

    fn unbound(&self, address: GpuAddress, size: u64) {
        self.0.device().engines.findings.unbound(address, size);
    }

    fn local_bytes(&self, kernel: GpuAddress, bytes: u64) {
        self.0.device().engines.findings.local_bytes(kernel, bytes);
    }
}

#[cfg(not(feature = "softgpu"))]
fn soft(
    spec: &DeviceSpec,
    _platform: &str,
    _revision: Option<u8>,
    _driver: Option<Driver>,
    _options: &OpenOptions,
) -> Result<Backend, DeviceError> {
    Err(DeviceError::Open {
        spec: spec.to_string(),
        why: "this build has no software GPU (the feature \"softgpu\" is off)".to_owned(),
    })
}
