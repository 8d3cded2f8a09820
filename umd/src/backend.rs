//! From a device's name to a client of it: of a render node, or of the software GPU in its place, or
//! one without a kernel driver. Above this module nothing knows which it is.

use std::path::Path;
use std::sync::Arc;

use devinfo::Driver;
use kmd_iface::baremetal::tbx::Tbx;
use kmd_iface::baremetal::{BareMetal, Bus, Vfio};
use kmd_iface::{Kmd, KmdError, Node, NodeState, RenderNode, baremetal};

use crate::error::DeviceError;
use crate::spec::{DeviceSpec, OpenOptions};

/// An opened device.
pub(crate) struct Backend {
    pub kmd: Arc<dyn Kmd>,
    pub name: String,
}

impl Backend {
    /// Asks a node which kernel driver answers.
    pub(crate) fn new(node: Arc<dyn Node>, name: String) -> Result<Self, DeviceError> {
        let kmd = kmd_iface::open(node).map_err(refused(&name))?;
        Ok(Self { kmd, name })
    }
}

fn refused(spec: &str) -> impl Fn(KmdError) -> DeviceError {
    move |error| DeviceError::Open {
        spec: spec.to_owned(),
        why: error.to_string(),
    }
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
        DeviceSpec::BareMetal { .. } | DeviceSpec::Function(_) | DeviceSpec::Tbx { .. } => {
            let (bus, limits) = bus(spec, options)?;
            bare_metal(spec.to_string(), bus, limits)
        }
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
    let name = path.display().to_string();
    let node = RenderNode::open(path).map_err(|error| DeviceError::Open {
        spec: name.clone(),
        why: error.to_string(),
    })?;
    Backend::new(Arc::new(node), name)
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

/// The bus of a device without a kernel driver, and how long a batch may make no progress on it.
pub(crate) fn bus(
    spec: &DeviceSpec,
    options: &OpenOptions,
) -> Result<(Arc<dyn Bus>, baremetal::Options), DeviceError> {
    let name = spec.to_string();
    match spec {
        DeviceSpec::BareMetal { platform, revision } => {
            soft_bus(&name, platform, *revision, options)
        }
        DeviceSpec::Function(address) => {
            let bus = Vfio::open(address).map_err(refused(&name))?;
            Ok((Arc::new(bus), limits(options)))
        }
        DeviceSpec::Tbx {
            address,
            platform,
            revision,
        } => {
            let target = target(platform, *revision).map_err(failed(&name))?;
            let bus = Tbx::connect(*address, target).map_err(refused(&name))?;
            Ok((Arc::new(bus), limits(options)))
        }
        DeviceSpec::Auto | DeviceSpec::Node(_) | DeviceSpec::Soft { .. } => {
            Err(DeviceError::Open {
                spec: name,
                why: "it has a kernel driver: baremetal:PLATFORM has none".to_owned(),
            })
        }
    }
}

/// How long a batch may make no progress.
fn limits(options: &OpenOptions) -> baremetal::Options {
    let mut limits = baremetal::Options::default();
    if let Some(timeout) = options.hang_timeout {
        limits.hang_timeout = timeout;
    }
    limits
}

/// Drives a device without a kernel driver.
pub(crate) fn bare_metal(
    name: String,
    bus: Arc<dyn Bus>,
    limits: baremetal::Options,
) -> Result<Backend, DeviceError> {
    let kmd = BareMetal::open(bus, limits).map_err(refused(&name))?;
    Ok(Backend {
        kmd: Arc::new(kmd),
        name,
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
    let name = spec.to_string();
    let failed = failed(&name);
    let target = target(platform, revision).map_err(&failed)?;
    let soft = softgpu::Options {
        driver: driver.unwrap_or(target.platform.usual_driver()),
        scratch_page: options.scratch_page,
        ..soft_options(options)
    };
    let node = softgpu::SoftNode::open(target, soft);
    let node = node.map_err(|error| failed(error.to_string()))?;
    Backend::new(node, name.clone())
}

/// The software GPU's registers, and how long its client waits: the software GPU knows better what is
/// a hang, and says more of it.
#[cfg(feature = "softgpu")]
fn soft_bus(
    spec: &str,
    platform: &str,
    revision: Option<u8>,
    options: &OpenOptions,
) -> Result<(Arc<dyn Bus>, baremetal::Options), DeviceError> {
    let failed = failed(spec);
    let target = target(platform, revision).map_err(&failed)?;
    let softgpu::Options {
        threads,
        hang_timeout,
        check,
        execution,
        ..
    } = soft_options(options);
    let settings = softgpu_bus::Settings {
        threads,
        hang_timeout,
        check,
        execution,
    };
    let bus = softgpu_bus::SoftBus::new(target, settings);
    let bus = bus.map_err(|error| failed(error.to_string()))?;
    let limits = baremetal::Options {
        hang_timeout: hang_timeout.saturating_mul(2),
    };
    Ok((Arc::new(bus), limits))
}

fn failed(spec: &str) -> impl Fn(String) -> DeviceError {
    move |why| DeviceError::Open {
        spec: spec.to_owned(),
        why,
    }
}

fn target(platform: &str, revision: Option<u8>) -> Result<devinfo::Target, String> {
    let target = devinfo::Target::parse(platform).map_err(|error| error.to_string())?;
    let target = match revision {
        Some(revision) => target.with_revision(revision),
        None => Ok(target),
    };
    target.map_err(|error| error.to_string())
}

/// How the software GPU behaves, under a kernel driver or not.
#[cfg(feature = "softgpu")]
fn soft_options(options: &OpenOptions) -> softgpu::Options {
    let mut soft = softgpu::Options {
        threads: options.threads.unwrap_or(0),
        check: options.check,
        execution: options.execution,
        ..softgpu::Options::default()
    };
    if let Some(timeout) = options.hang_timeout {
        soft.hang_timeout = timeout;
    }
    soft
}

#[cfg(not(feature = "softgpu"))]
fn soft_bus(
    spec: &str,
    _platform: &str,
    _revision: Option<u8>,
    _options: &OpenOptions,
) -> Result<(Arc<dyn Bus>, baremetal::Options), DeviceError> {
    Err(absent(spec))
}

#[cfg(not(feature = "softgpu"))]
fn absent(spec: &str) -> DeviceError {
    DeviceError::Open {
        spec: spec.to_owned(),
        why: "this build has no software GPU (the feature \"softgpu\" is off)".to_owned(),
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
    Err(absent(&spec.to_string()))
}
