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
use nix::unistd::mkdir;

use crate::config::{DEVICE_LIMIT, Wanted};
use crate::held::Held;

/// The PCI addresses of the devices: an integrated GPU's, then those of cards. All lie in one
/// folder of `/sys/devices`, where a real machine has only the first: cards are behind bridges.
const SLOTS: [&str; DEVICE_LIMIT] = [
    "0000:00:02.0",
    "0000:03:00.0",
    "0000:04:00.0",
    "0000:05:00.0",
    "0000:06:00.0",
    "0000:07:00.0",
    "0000:08:00.0",
    "0000:09:00.0",
];
/// Their folder in `/sys/`.
const DEVICES: &str = "devices/pci0000:00";

/// Major number of DRM devices (Linux `Documentation/admin-guide/devices.txt`).
pub const DRM_MAJOR: u32 = 226;
/// Minor number of the first render node. Primary nodes count from 0.
const RENDER_MINOR: u32 = 128;

/// The clock that the device says it has, in MHz. It has none: a round number.
const MEGAHERTZ: &str = "1000\n";

/// The paths that are redirected. Everything below them belongs to the stand-in; the real files of
/// a machine with a GPU are hidden.
const REDIRECTED: [&[u8]; 4] = [
    b"/dev/dri",
    b"/sys/dev/char/226:",
    b"/sys/class/drm",
    b"/sys/bus/pci/devices",
];

/// What the names of trees begin with.
const PREFIX: &str = "intel-gpu-preload-";

/// A stand-in tree.
#[derive(Debug)]
pub struct Tree {
    root: Held,
    /// What [`Tree::nodes`] gives.
    nodes: Vec<(usize, u32, PathBuf)>,
    /// Everything that was made, each entry after its directory.
    made: Vec<CString>,
}

impl Tree {
    /// Makes a tree in a new directory in `place`, which nobody else may enter.
    ///
    /// # Errors
    /// Whatever the file system answers.
    pub fn create(place: &Path, devices: &[Wanted]) -> io::Result<Self> {
        let root = Held::create(place, PREFIX)?;
        let mut tree = Self {
            made: vec![CString::new(root.path().as_os_str().as_bytes())?],
            nodes: Vec::new(),
            root,
        };
        let mut filled = Ok(());
        for (index, (wanted, slot)) in devices.iter().zip(SLOTS).enumerate() {
            filled = filled.and_then(|()| tree.fill(index, wanted, slot));
        }
        match filled {
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

    /// Makes the entries of a device.
    fn fill(&mut self, index: usize, wanted: &Wanted, slot: &str) -> io::Result<()> {
        let folder = format!("sys/{DEVICES}/{slot}");
        let Wanted { target, driver } = wanted;
        let (id, revision) = (target.platform.default_pci_id(), target.revision);

        let small = [
            ("vendor", "0x8086\n".to_owned()),
            ("device", format!("{id:#06x}\n")),
            ("revision", format!("{revision:#04x}\n")),
            ("subsystem_vendor", "0x8086\n".to_owned()),
            ("subsystem_device", "0x0000\n".to_owned()),
            ("class", "0x030000\n".to_owned()),
            ("numa_node", "-1\n".to_owned()),
            (
                "uevent",
                format!(
                    "DRIVER={driver}\nPCI_CLASS=30000\nPCI_ID=8086:{id:04X}\n\
                     PCI_SUBSYS_ID=8086:0000\nPCI_SLOT_NAME={slot}\n"
                ),
            ),
        ];
        for (name, text) in small {
            self.file(&format!("{folder}/{name}"), text)?;
        }
        self.file(&format!("{folder}/config"), config_space(id, revision))?;
        self.link(&format!("{folder}/subsystem"), "../../../bus/pci")?;
        self.link(
            &format!("{folder}/driver"),
            &format!("../../../bus/pci/drivers/{driver}"),
        )?;
        self.directory(Path::new(&format!("sys/bus/pci/drivers/{driver}")))?;
        self.link(
            &format!("sys/bus/pci/devices/{slot}"),
            &format!("../../../{DEVICES}/{slot}"),
        )?;

        let number = u32::try_from(index).unwrap_or(0);
        let render = RENDER_MINOR + number;
        let primary = format!("card{number}");
        self.node(index, number, slot, &primary, "card")?;
        self.node(index, render, slot, &format!("renderD{render}"), "render")?;
        // Where the kernel drivers say how fast the device may run.
        match driver {
            Driver::I915 => {
                let card = format!("{folder}/drm/{primary}");
                for name in ["gt_min_freq_mhz", "gt_max_freq_mhz", "gt_RP0_freq_mhz"] {
                    self.file(&format!("{card}/{name}"), MEGAHERTZ)?;
                }
                for name in ["rps_min_freq_mhz", "rps_max_freq_mhz", "rps_RP0_freq_mhz"] {
                    self.file(&format!("{card}/gt/gt0/{name}"), MEGAHERTZ)?;
                }
            }
            Driver::Xe => {
                for name in ["min_freq", "max_freq", "rp0_freq", "rpn_freq"] {
                    self.file(&format!("{folder}/tile0/gt0/freq0/{name}"), MEGAHERTZ)?;
                }
            }
        }
        Ok(())
    }

    /// Makes the entries of a node.
    fn node(
        &mut self,
        device: usize,
        minor: u32,
        slot: &str,
        name: &str,
        kind: &str,
    ) -> io::Result<()> {
        let folder = format!("sys/{DEVICES}/{slot}/drm/{name}");
        self.file(
            &format!("{folder}/uevent"),
            format!("MAJOR={DRM_MAJOR}\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor\n"),
        )?;
        self.file(&format!("{folder}/dev"), format!("{DRM_MAJOR}:{minor}\n"))?;
        self.link(&format!("{folder}/device"), &format!("../../../{slot}"))?;
        self.link(&format!("{folder}/subsystem"), "../../../../../class/drm")?;
        let node = format!("../../{DEVICES}/{slot}/drm/{name}");
        self.link(&format!("sys/dev/char/{DRM_MAJOR}:{minor}"), &node)?;
        self.link(&format!("sys/class/drm/{name}"), &node)?;
        self.link(
            &format!("dev/dri/by-path/pci-{slot}-{kind}"),
            &format!("../{name}"),
        )?;
        let path = format!("dev/dri/{name}");
        self.file(&path, "")?;
        self.nodes
            .push((device, minor, self.root.path().join(path)));
        Ok(())
    }

    /// The files that stand in for nodes: the device's index, the minor number, the path.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, u32, &Path)> {
        let nodes = self.nodes.iter();
        nodes.map(|(device, minor, path)| (*device, *minor, path.as_path()))
    }

    /// The path to use in place of `path`, if that is redirected.
    pub fn redirect(&self, path: &[u8]) -> Option<PathBuf> {
        let rest = path.strip_prefix(b"/")?;
        is_redirected(path).then(|| self.root.path().join(OsStr::from_bytes(rest)))
    }

    /// The path that a program should see for `path` inside the tree: the inverse of
    /// [`Tree::redirect`].
    pub fn visible<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let rest = path.strip_prefix(self.root.path().as_os_str().as_bytes())?;
        rest.starts_with(b"/").then_some(rest)
    }

    /// Makes the missing directories of `path`.
    fn directory(&mut self, path: &Path) -> io::Result<()> {
        let above: Vec<&Path> = path.ancestors().collect();
        for part in above.into_iter().rev().skip(1) {
            let whole = self.root.path().join(part);
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
        Ok(self.root.path().join(path))
    }

    /// Records what [`Tree::remove`] removes.
    fn note(&mut self, path: &Path) -> io::Result<()> {
        self.made.push(CString::new(path.as_os_str().as_bytes())?);
        Ok(())
    }
}

/// Whether a tree stands in for `path`.
pub fn is_redirected(path: &[u8]) -> bool {
    let device = path.strip_prefix(b"/sys/");
    let device = device.and_then(|rest| rest.strip_prefix(DEVICES.as_bytes()));
    let slot = device.and_then(|rest| rest.strip_prefix(b"/"));
    REDIRECTED.iter().any(|prefix| is_below(path, prefix))
        || slot.is_some_and(|rest| SLOTS.iter().any(|slot| is_below(rest, slot.as_bytes())))
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

    fn create(place: &Path) -> Tree {
        Tree::create(place, &Wanted::parse_list("tgl,bmg").unwrap()).unwrap()
    }

    #[test]
    fn the_tree_leads_from_the_node_to_its_pci_device() {
        let root = tempfile::tempdir().unwrap();
        let tree = create(root.path());
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
            fs::canonicalize(tree.redirect(b"/dev/dri/renderD128").unwrap()).unwrap()
        );
    }

    #[test]
    fn each_device_has_its_address_and_two_nodes() {
        let root = tempfile::tempdir().unwrap();
        let tree = create(root.path());
        let minors: Vec<_> = tree
            .nodes()
            .map(|(device, minor, _)| (device, minor))
            .collect();
        assert_eq!(minors, [(0, 0), (0, 128), (1, 1), (1, 129)]);
        for (node, slot, driver) in [
            ("226:1", "0000:03:00.0", "xe"),
            ("226:129", "0000:03:00.0", "xe"),
            ("226:0", "0000:00:02.0", "i915"),
        ] {
            let node = tree
                .redirect(format!("/sys/dev/char/{node}").as_bytes())
                .unwrap();
            let device = fs::canonicalize(node.join("device")).unwrap();
            assert!(device.ends_with(slot), "{device:?}");
            assert!(
                fs::read_link(device.join("driver"))
                    .unwrap()
                    .ends_with(driver)
            );
            let inside = device.as_os_str().as_bytes();
            assert!(is_redirected(tree.visible(inside).unwrap()));
        }
    }

    #[test]
    fn nobody_else_enters_the_tree_and_nothing_of_it_stays() {
        let place = tempfile::tempdir().unwrap();
        let mine = place.path().join("mine");
        fs::write(&mine, "kept").unwrap();
        let (first, second) = (create(place.path()), create(place.path()));
        assert_ne!(first.root.path(), second.root.path());
        let mode = fs::metadata(first.root.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        first.remove();
        assert!(!first.root.path().exists() && second.root.path().join("dev/dri/card1").exists());
        second.remove();
        let left: Vec<_> = fs::read_dir(place.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(fs::read_to_string(mine).unwrap(), "kept");
    }

    #[test]
    fn only_the_devices_own_paths_are_redirected() {
        let root = tempfile::tempdir().unwrap();
        let tree = create(root.path());
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
