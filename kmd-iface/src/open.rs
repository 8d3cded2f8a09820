//! From a node to the client of its kernel driver.

use std::sync::Arc;

use devinfo::Driver;

use crate::i915::I915;
use crate::node::Node;
use crate::node_ext::NodeExt;
use crate::uapi::drm;
use crate::xe::Xe;
use crate::{DriverVersion, Kmd, KmdError, KmdResult};

/// Asks the node which kernel driver it belongs to, and makes that driver's client.
///
/// # Errors
/// [`KmdError::UnknownDriver`] for a driver without a client here, and whatever its first ioctls
/// answer.
pub fn open(node: Arc<dyn Node>) -> KmdResult<Arc<dyn Kmd>> {
    let (name, version) = driver(node.as_ref())?;
    match Driver::by_name(&name) {
        Some(Driver::I915) => Ok(Arc::new(I915::new(node, version)?)),
        Some(Driver::Xe) => Ok(Arc::new(Xe::new(node, version)?)),
        None => Err(KmdError::UnknownDriver(name)),
    }
}

/// The kernel driver's name and version.
pub(crate) fn driver(node: &dyn Node) -> KmdResult<(String, DriverVersion)> {
    let mut name = [0u8; 64];
    let mut version = drm::Version {
        name_len: name.len() as u64,
        name: name.as_mut_ptr().expose_provenance() as u64,
        ..drm::Version::default()
    };
    node.call(drm::VERSION, &mut version)?;
    let length = usize::try_from(version.name_len)
        .unwrap_or(usize::MAX)
        .min(name.len());
    let name = String::from_utf8_lossy(&name[..length]);
    Ok((
        name.trim_end_matches('\0').to_owned(),
        DriverVersion {
            major: version.version_major,
            minor: version.version_minor,
            patch: version.version_patchlevel,
        },
    ))
}
