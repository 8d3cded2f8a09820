//! The stand-in for `/dev/dri` and for the device's entries in `/sys`.
//!
//! Real files and symbolic links in a directory of this process alone: only the beginning of a path
//! is replaced, so the file system itself lists directories, resolves links and reads.

use std::ffi::{CString, OsStr};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use devinfo::Driver;
use nix::errno::Errno;
use nix::sys::stat::Mode;
use nix::unistd::{mkdir, mkdtemp};

/// The PCI slot of an integrated Intel GPU; the model's device always has it.
const SLOT: &str = "0000:00:02.0";

/// Major number of DRM devices (Linux `Documentation/admin-guide/devices.txt`).
pub const DRM_MAJOR: u32 = 226;
/// Minor number of the first render node.
pub const RENDER_MINOR: u32 = 128;

/// The paths that are redirected. Everything below them belongs to the stand-in; the real files of
/// a machine with a GPU are hidden.
const REDIRECTED: [&[u8]; 5] = [
    b"/dev/dri",
    b"/sys/dev/char/226:",
    b"/sys/class/drm",
    b"/sys/bus/pci/devices",
    b"/sys/devices/pci0000:00/0000:00:02.0",
];

/// What the device's sysfs entries say.
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
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// Everything that was made, each entry after its directory.
    made: Vec<CString>,
}

impl Tree {
    /// Makes a tree in a new directory in `place`, which nobody else may enter.
    ///
    /// # Errors
    /// Whatever the file system answers.
    pub fn create(place: &Path, identity: PciIdentity) -> io::Result<Self> {
        let root = mkdtemp(&place.join("intel-gpu-preload-XXXXXX"))?;
        let mut tree = Self {
            made: vec![CString::new(root.as_os_str().as_bytes())?],
            root,
        };
        match tree.fill(identity) {
            Ok(()) => Ok(tree),
            Err(error) => {
                tree.remove();
                Err(error)
            }
        }
    }

    /// Removes what was made, and nothing else. Only system calls: a signal handler may call it.
    pub fn remove(&self) {
        for path in self.made.iter().rev() {
            // SAFETY: the path is NUL-terminated.
            unsafe {
                if libc::unlink(path.as_ptr()) != 0 {
                    libc::rmdir(path.as_ptr());
                }
            }
        }
    }

    fn fill(&mut self, identity: PciIdentity) -> io::Result<()> {
        let device = format!("sys/devices/pci0000:00/{SLOT}");
        let PciIdentity {
            device: id,
            revision,
            driver,
        } = identity;

        self.file(&format!("{device}/vendor"), "0x8086\n")?;
        self.file(&format!("{device}/device"), format!("{id:#06x}\n"))?;
        self.file(&format!("{device}/revision"), format!("{revision:#04x}\n"))?;
        self.file(&format!("{device}/subsystem_vendor"), "0x8086\n")?;
        self.file(&format!("{device}/subsystem_device"), "0x0000\n")?;
        self.file(&format!("{device}/class"), "0x030000\n")?;
        self.file(
            &format!("{device}/uevent"),
            format!(
                "DRIVER={driver}\nPCI_CLASS=30000\nPCI_ID=8086:{id:04X}\nPCI_SUBSYS_ID=8086:0000\n\
                 PCI_SLOT_NAME={SLOT}\n"
            ),
        )?;
        self.file(&format!("{device}/config"), config_space(id, revision))?;
        self.link(&format!("{device}/subsystem"), "../../../bus/pci")?;
        self.link(
            &format!("{device}/driver"),
            &format!("../../../bus/pci/drivers/{driver}"),
        )?;
        self.file(
            &format!("{device}/drm/renderD128/uevent"),
            format!(
                "MAJOR={DRM_MAJOR}\nMINOR={RENDER_MINOR}\nDEVNAME=dri/renderD128\n\
                 DEVTYPE=drm_minor\n"
            ),
        )?;
        self.file(
            &format!("{device}/drm/renderD128/dev"),
            format!("{DRM_MAJOR}:{RENDER_MINOR}\n"),
        )?;
        self.link(
            &format!("{device}/drm/renderD128/device"),
            &format!("../../../{SLOT}"),
        )?;
        self.link(
            &format!("{device}/drm/renderD128/subsystem"),
            "../../../../../class/drm",
        )?;

        self.directory(Path::new(&format!("sys/bus/pci/drivers/{driver}")))?;
        self.link(
            &format!("sys/bus/pci/devices/{SLOT}"),
            &format!("../../../devices/pci0000:00/{SLOT}"),
        )?;
        let node = format!("../../devices/pci0000:00/{SLOT}/drm/renderD128");
        self.link(&format!("sys/dev/char/{DRM_MAJOR}:{RENDER_MINOR}"), &node)?;
        self.link("sys/class/drm/renderD128", &node)?;
        self.link(
            &format!("dev/dri/by-path/pci-{SLOT}-render"),
            "../renderD128",
        )?;
        self.file("dev/dri/renderD128", "")
    }

    /// The file that stands in for the render node.
    pub fn node(&self) -> PathBuf {
        self.root.join("dev/dri/renderD128")
    }

    /// The path to use in place of `path`, if that is redirected.
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

    /// Makes the missing directories of `path`.
    fn directory(&mut self, path: &Path) -> io::Result<()> {
        let above: Vec<&Path> = path.ancestors().collect();
        for part in above.into_iter().rev().skip(1) {
            let whole = self.root.join(part);
            match mkdir(&whole, Mode::S_IRWXU) {
                Ok(()) => self.note(&whole)?,
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &str, data: impl AsRef<[u8]>) -> io::Result<()> {
        let path = self.place(path)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        self.note(&path)?;
        file.write_all(data.as_ref())
    }

    fn link(&mut self, path: &str, target: &str) -> io::Result<()> {
        let path = self.place(path)?;
        symlink(target, &path)?;
        self.note(&path)
    }

    /// Where something is made, with the directories above it.
    fn place(&mut self, path: &str) -> io::Result<PathBuf> {
        let path = Path::new(path);
        self.directory(path.parent().unwrap_or(Path::new("")))?;
        Ok(self.root.join(path))
    }

    /// Records what [`Tree::remove`] removes.
    fn note(&mut self, path: &Path) -> io::Result<()> {
        self.made.push(CString::new(path.as_os_str().as_bytes())?);
        Ok(())
    }
}

/// Whether a tree stands in for `path`.
pub fn is_redirected(path: &[u8]) -> bool {
    REDIRECTED.iter().any(|prefix| is_below(path, prefix))
}

/// Whether `path` is `prefix` or below it. A prefix that ends in a colon matches all names that
/// begin with it.
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
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

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
    fn nobody_else_enters_the_tree_and_nothing_of_it_stays() {
        let place = tempfile::tempdir().unwrap();
        let mine = place.path().join("mine");
        fs::write(&mine, "kept").unwrap();
        let (first, second) = (
            Tree::create(place.path(), IDENTITY).unwrap(),
            Tree::create(place.path(), IDENTITY).unwrap(),
        );
        assert_ne!(first.root, second.root);
        let mode = fs::metadata(&first.root).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        first.remove();
        assert!(!first.root.exists() && second.node().exists());
        second.remove();
        let left: Vec<_> = fs::read_dir(place.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(fs::read_to_string(mine).unwrap(), "kept");
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
