//! From a device's name to its node: a render node, or the software GPU in its place. Above this
//! module nothing knows which it is.

use std::path::Path;
use std::sync::Arc;

use devinfo::Driver;
use kmd_iface::{Kmd, Node, NodeState, RenderNode};

use crate::device::{Execution, OpenOptions};
use crate::error::DeviceError;
use crate::spec::DeviceSpec;

/// An opened node and its kernel driver's client.
pub(crate) struct Backend {
    pub node: Arc<dyn Node>,
    pub kmd: Arc<dyn Kmd>,
    pub name: String,
}

impl Backend {
    /// Asks a node which kernel driver answers.
    pub(crate) fn new(node: Arc<dyn Node>, name: String) -> Result<Self, DeviceError> {
        let kmd = kmd_iface::open(node.clone()).map_err(|error| DeviceError::Open {
            spec: name.clone(),
            why: error.to_string(),
        })?;
        Ok(Self { node, kmd, name })
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

#[cfg(feature = "softgpu")]
fn soft(
    spec: &DeviceSpec,
    platform: &str,
    revision: Option<u8>,
    driver: Option<Driver>,
    options: &OpenOptions,
) -> Result<Backend, DeviceError> {
    let failed = |why: String| DeviceError::Open {
        spec: spec.to_string(),
        why,
    };
    let mut target = devinfo::Target::parse(platform).map_err(|error| failed(error.to_string()))?;
    if let Some(revision) = revision {
        target.revision = revision;
    }
    let mut soft = softgpu::Options {
        driver: driver.unwrap_or(target.platform.usual_driver()),
        threads: options.threads.unwrap_or(0),
        scratch_page: options.scratch_page,
        check: options.check,
        execution: match options.execution {
            Execution::Interpret => softgpu::Execution::Interpret,
            Execution::Adapt => softgpu::Execution::Adapt,
            Execution::Compile => softgpu::Execution::Compile,
        },
        ..softgpu::Options::default()
    };
    if let Some(timeout) = options.hang_timeout {
        soft.hang_timeout = timeout;
    }
    let node = softgpu::SoftNode::open(target, soft).map_err(|error| failed(error.to_string()))?;
    Backend::new(node, spec.to_string())
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
