//! Which render nodes there are. Nothing is dropped silently.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use devinfo::{Driver, Platform};

use crate::open::driver;
use crate::{DriverVersion, KmdError, RenderNode};

/// Intel's PCI vendor id.
pub const INTEL: u16 = 0x8086;

/// What PCI configuration space says, read from sysfs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PciIdentity {
    /// Vendor id.
    pub vendor: u16,
    /// Device id.
    pub device: u16,
    /// Revision.
    pub revision: u8,
    /// Domain, bus, device and function, e.g. `0000:00:02.0`.
    pub slot: Option<String>,
}

impl fmt::Display for PciIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04x}:{:04x} revision {:#04x}",
            self.vendor, self.device, self.revision
        )?;
        match &self.slot {
            Some(slot) => write!(f, " at {slot}"),
            None => Ok(()),
        }
    }
}

/// Whether a node can be used, and if not, why.
#[derive(Clone, Debug)]
pub enum NodeState {
    /// A kernel driver with a client here, and a platform of the table.
    Usable {
        /// The driver's name.
        driver: String,
        /// Its version.
        version: DriverVersion,
        /// The platform.
        platform: &'static Platform,
    },
    /// An Intel device whose PCI id is in no row of the platform table.
    UnknownPlatform {
        /// The driver's name.
        driver: String,
    },
    /// A kernel driver without a client here.
    UnknownDriver {
        /// Its name.
        driver: String,
    },
    /// Another vendor's device.
    OtherVendor,
    /// It could not be opened or queried.
    Inaccessible {
        /// Why.
        error: KmdError,
    },
}

/// A render node that was found.
#[derive(Clone, Debug)]
pub struct FoundNode {
    /// Its path.
    pub path: PathBuf,
    /// Its PCI identity, if sysfs has one.
    pub pci: Option<PciIdentity>,
    /// Whether it can be used.
    pub state: NodeState,
}

impl FoundNode {
    /// Whether [`open`](crate::open) is expected to work and the platform is known.
    pub fn is_usable(&self) -> bool {
        matches!(self.state, NodeState::Usable { .. })
    }
}

impl fmt::Display for FoundNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        if let Some(pci) = &self.pci {
            write!(f, "{pci}: ")?;
        }
        match &self.state {
            NodeState::Usable {
                driver,
                version,
                platform,
            } => write!(f, "{} ({driver} {version})", platform.title),
            NodeState::UnknownPlatform { driver } => {
                write!(
                    f,
                    "driven by {driver}, but its PCI id is not in the platform table"
                )
            }
            NodeState::UnknownDriver { driver } => {
                write!(f, "kernel driver \"{driver}\" has no client here")
            }
            NodeState::OtherVendor => f.write_str("not an Intel device"),
            NodeState::Inaccessible { error } => write!(f, "{error}"),
        }
    }
}

/// Every render node of this machine, by number. Empty if there is none.
pub fn discover() -> Vec<FoundNode> {
    discover_in(Path::new("/dev/dri"), Path::new("/sys/class/drm"))
}

/// Every node `renderD*` in `dev`, with its PCI identity from `sys`.
fn discover_in(dev: &Path, sys: &Path) -> Vec<FoundNode> {
    let Ok(entries) = fs::read_dir(dev) else {
        return Vec::new();
    };
    let mut numbers: Vec<u32> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            name.to_str()?.strip_prefix("renderD")?.parse().ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
        .into_iter()
        .map(|number| {
            let name = format!("renderD{number}");
            let path = dev.join(&name);
            let pci = pci_identity(&sys.join(&name).join("device"));
            let state = state(&path, pci.as_ref());
            FoundNode { path, pci, state }
        })
        .collect()
}

fn state(path: &Path, pci: Option<&PciIdentity>) -> NodeState {
    if pci.is_some_and(|pci| pci.vendor != INTEL) {
        return NodeState::OtherVendor;
    }
    let asked = RenderNode::open(path).and_then(|node| driver(&node));
    let (name, version) = match asked {
        Ok(answer) => answer,
        Err(error) => return NodeState::Inaccessible { error },
    };
    if Driver::by_name(&name).is_none() {
        return NodeState::UnknownDriver { driver: name };
    }
    match pci.and_then(|pci| devinfo::by_pci_id(pci.device)) {
        Some(platform) => NodeState::Usable {
            driver: name,
            version,
            platform,
        },
        None => NodeState::UnknownPlatform { driver: name },
    }
}

/// Reads a PCI device's folder in sysfs.
fn pci_identity(device: &Path) -> Option<PciIdentity> {
    let number = |name: &str| {
        let text = fs::read_to_string(device.join(name)).ok()?;
        u16::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
    };
    let uevent = fs::read_to_string(device.join("uevent")).unwrap_or_default();
    let slot = uevent
        .lines()
        .find_map(|line| line.strip_prefix("PCI_SLOT_NAME="));
    Some(PciIdentity {
        vendor: number("vendor")?,
        device: number("device")?,
        // Kernels before 4.10 have no such file.
        revision: number("revision").map_or(0, |r| r.to_le_bytes()[0]),
        slot: slot.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with an Intel node that is not a device, an AMD one, and one without sysfs.
    fn machine() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in ["renderD129", "renderD128", "renderD200", "card0"] {
            let path = root.path().join("dev").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        for (name, vendor, device) in [
            ("renderD128", "0x8086", "0x9a49"),
            ("renderD129", "0x1002", "0x73bf"),
        ] {
            let folder = root.path().join("sys").join(name).join("device");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("vendor"), format!("{vendor}\n")).unwrap();
            fs::write(folder.join("device"), format!("{device}\n")).unwrap();
            fs::write(folder.join("revision"), "0x01\n").unwrap();
            fs::write(
                folder.join("uevent"),
                "DRIVER=i915\nPCI_SLOT_NAME=0000:00:02.0\n",
            )
            .unwrap();
        }
        root
    }

    #[test]
    fn every_node_is_reported_with_its_reason() {
        let root = machine();
        let found = discover_in(&root.path().join("dev"), &root.path().join("sys"));
        let names: Vec<_> = found
            .iter()
            .map(|n| n.path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["renderD128", "renderD129", "renderD200"]);

        let pci = found[0].pci.as_ref().unwrap();
        assert_eq!(pci.to_string(), "8086:9a49 revision 0x01 at 0000:00:02.0");
        // A plain file answers no ioctl.
        assert!(matches!(found[0].state, NodeState::Inaccessible { .. }));
        assert!(found[0].to_string().contains("ENOTTY"), "{}", found[0]);
        assert!(matches!(found[1].state, NodeState::OtherVendor));
        assert_eq!(found[2].pci, None);
        assert!(found.iter().all(|n| !n.is_usable()));
    }

    #[test]
    fn a_machine_without_nodes_has_none() {
        assert!(discover_in(Path::new("/nonexistent"), Path::new("/nonexistent")).is_empty());
    }
}
