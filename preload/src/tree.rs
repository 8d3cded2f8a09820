//! The stand-in for `/dev/dri` and for the device's entries in `/sys`.
//!
//! Real files and symbolic links in a scratch directory: only the path's beginning is replaced, so
//! directory listing, link resolution and reading are the file system's own work.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use devinfo::Driver;

/// The PCI slot of an integrated Intel GPU; the model's device always has it.
const SLOT: &str = "0000:00:02.0";

/// Major number of DRM devices (Linux `Documentation/admin-guide/devices.txt`).
pub const DRM_MAJOR: u32 = 226;
/// Minor number of the first render node.
pub const RENDER_MINOR: u32 = 128;

/// The paths that are redirected. Everything below them is the stand-in's, the real files of
/// a machine that has a GPU are hidden.
const REDIRECTED: [&[u8]; 5] = [
    b"/dev/dri",
    b"/sys/dev/char/226:",
    b"/sys/class/drm",
    b"/sys/bus/pci/devices",
    b"/sys/devices/pci0000:00/0000:00:02.0",
];

/// What the device's sysfs entries say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PciIdentity {
    /// PCI device id.
    pub device: u16,
    /// PCI revision.
    pub revision: u8,
    /// The kernel driver that answers.
    pub driver: Driver,
}

/// A stand-in tree.
#[derive(Clone, Debug)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Makes the tree below `root`; a tree that is there already is taken as it is.
    ///
    /// # Errors
    /// Whatever the file system answers.
    pub fn create(root: &Path, identity: PciIdentity) -> io::Result<Self> {
        let tree = Self {
            root: root.to_owned(),
        };
        if tree.node().exists() {
            return Ok(tree);
        }
        let device = format!("sys/devices/pci0000:00/{SLOT}");
        let PciIdentity {
            device: id,
            revision,
            driver,
        } = identity;

        tree.file(&format!("{device}/vendor"), "0x8086\n")?;
        tree.file(&format!("{device}/device"), &format!("{id:#06x}\n"))?;
        tree.file(&format!("{device}/revision"), &format!("{revision:#04x}\n"))?;
        tree.file(&format!("{device}/subsystem_vendor"), "0x8086\n")?;
        tree.file(&format!("{device}/subsystem_device"), "0x0000\n")?;
        tree.file(&format!("{device}/class"), "0x030000\n")?;
        tree.file(
            &format!("{device}/uevent"),
            &format!(
                "DRIVER={driver}\nPCI_CLASS=30000\nPCI_ID=8086:{id:04X}\nPCI_SUBSYS_ID=8086:0000\n\
                 PCI_SLOT_NAME={SLOT}\n"
            ),
        )?;
        tree.bytes(&format!("{device}/config"), &config_space(id, revision))?;
        tree.link(&format!("{device}/subsystem"), "../../../bus/pci")?;
        tree.link(
            &format!("{device}/driver"),
            &format!("../../../bus/pci/drivers/{driver}"),
        )?;
        tree.file(
            &format!("{device}/drm/renderD128/uevent"),
            &format!(
                "MAJOR={DRM_MAJOR}\nMINOR={RENDER_MINOR}\nDEVNAME=dri/renderD128\n\
                 DEVTYPE=drm_minor\n"
            ),
        )?;
        tree.file(
            &format!("{device}/drm/renderD128/dev"),
            &format!("{DRM_MAJOR}:{RENDER_MINOR}\n"),
        )?;
        tree.link(
            &format!("{device}/drm/renderD128/device"),
            &format!("../../../{SLOT}"),
        )?;
        tree.link(
            &format!("{device}/drm/renderD128/subsystem"),
            "../../../../../class/drm",
        )?;

        tree.directory(&format!("sys/bus/pci/drivers/{driver}"))?;
        tree.link(
            &format!("sys/bus/pci/devices/{SLOT}"),
            &format!("../../../devices/pci0000:00/{SLOT}"),
        )?;
        let node = format!("../../devices/pci0000:00/{SLOT}/drm/renderD128");
        tree.link(&format!("sys/dev/char/{DRM_MAJOR}:{RENDER_MINOR}"), &node)?;
        tree.link("sys/class/drm/renderD128", &node)?;
        tree.link(
            &format!("dev/dri/by-path/pci-{SLOT}-render"),
            "../renderD128",
        )?;
        // Last: its presence says that the tree is complete.
        tree.file("dev/dri/renderD128", "")?;
        Ok(tree)
    }

    /// The file that stands in for the render node.
    pub fn node(&self) -> PathBuf {
        self.root.join("dev/dri/renderD128")
    }

    /// The path to use in place of `path`, if it is one that is redirected.
    pub fn redirect(&self, path: &[u8]) -> Option<PathBuf> {
        let rest = path.strip_prefix(b"/")?;
        is_redirected(path).then(|| self.root.join(OsStr::from_bytes(rest)))
    }

    /// The path that a program should see for `path` inside the tree: the inverse of
    /// [`Tree::redirect`].
    pub fn visible<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let rest = path.strip_prefix(self.root.as_os_str().as_bytes())?;
        rest.starts_with(b"/").then_some(rest)
    }

    fn directory(&self, path: &str) -> io::Result<()> {
        fs::create_dir_all(self.root.join(path))
    }

    fn file(&self, path: &str, text: &str) -> io::Result<()> {
        self.bytes(path, text.as_bytes())
    }

    fn bytes(&self, path: &str, data: &[u8]) -> io::Result<()> {
        let path = self.root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, data)
    }

    fn link(&self, path: &str, target: &str) -> io::Result<()> {
        let path = self.root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match symlink(target, path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }
}

/// Whether `path` is one that a tree stands in for.
pub fn is_redirected(path: &[u8]) -> bool {
    REDIRECTED.iter().any(|prefix| is_below(path, prefix))
}

/// Whether `path` is `prefix` or lies below it. A prefix that ends in a colon stands for all
/// names that begin so.
fn is_below(path: &[u8], prefix: &[u8]) -> bool {
    path.strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || prefix.ends_with(b":"))
}

/// The first 64 bytes of PCI configuration space, as far as libdrm reads them
/// (PCI Local Bus Specification 3.0, figure 6-1).
fn config_space(device: u16, revision: u8) -> [u8; 64] {
    let mut space = [0; 64];
    space[0..2].copy_from_slice(&0x8086u16.to_le_bytes());
    space[2..4].copy_from_slice(&device.to_le_bytes());
    space[8] = revision;
    space[11] = 0x03; // class: display controller
    space[44..46].copy_from_slice(&0x8086u16.to_le_bytes());
    space
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: PciIdentity = PciIdentity {
        device: 0x9a49,
        revision: 1,
        driver: Driver::I915,
    };

    #[test]
    fn the_tree_leads_from_the_node_to_its_pci_device() {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::create(root.path(), IDENTITY).unwrap();
        let node = tree.redirect(b"/sys/dev/char/226:128").unwrap();
        let link = fs::read_link(&node).unwrap();
        assert!(link.ends_with("0000:00:02.0/drm/renderD128"), "{link:?}");
        assert_eq!(
            fs::read_to_string(node.join("device/device")).unwrap(),
            "0x9a49\n"
        );
        let subsystem = fs::read_link(node.join("device/subsystem")).unwrap();
        assert_eq!(subsystem.file_name().unwrap(), "pci");
        let by_path = tree
            .redirect(b"/dev/dri/by-path/pci-0000:00:02.0-render")
            .unwrap();
        assert_eq!(
            fs::canonicalize(by_path).unwrap(),
            fs::canonicalize(tree.node()).unwrap()
        );
    }

    #[test]
    fn only_the_devices_own_paths_are_redirected() {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::create(root.path(), IDENTITY).unwrap();
        for other in [
            "/dev/drive",
            "/dev",
            "/sys/class/drmx",
            "dev/dri",
            "/etc/passwd",
            "",
            "/",
        ] {
            assert_eq!(tree.redirect(other.as_bytes()), None, "{other}");
        }
        for ours in [
            "/dev/dri",
            "/dev/dri/",
            "/dev/dri/card0",
            "/sys/dev/char/226:0/device",
        ] {
            let inside = tree.redirect(ours.as_bytes()).unwrap();
            assert_eq!(
                tree.visible(inside.as_os_str().as_bytes()),
                Some(ours.as_bytes())
            );
        }
    }
}
