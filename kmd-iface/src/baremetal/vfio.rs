//! A PCI function bound to vfio-pci: registers and the global GTT are its first BAR, and an IOMMU
//! container lets it reach memory of this process.
//!
//! Sources: Linux `include/uapi/linux/vfio.h`, `Documentation/driver-api/vfio.rst`.

use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::{fmt, io};

use batchbuffer::registers::{END, GLOBAL_GTT_ENTRIES};
use devinfo::Target;
use memmap2::{MmapOptions, MmapRaw};
use volatile::VolatilePtr;

use super::bus::Bus;
use super::client;
use crate::{INTEL, KmdError, KmdResult, UserMemory};

/// The kernel's structures and calls.
mod sys {
    use nix::request_code_none;
    use nix::{ioctl_none_bad, ioctl_readwrite_bad, ioctl_write_int_bad, ioctl_write_ptr_bad};

    const TYPE: u8 = b';';

    /// The version of the interface.
    pub const API_VERSION: i32 = 0;
    /// The IOMMU of the second form of type 1.
    pub const TYPE1V2: i32 = 3;
    pub const GROUP_VIABLE: u32 = 1;
    pub const DMA_READ: u32 = 1;
    pub const DMA_WRITE: u32 = 2;
    /// The regions of a PCI function.
    pub const BAR0: u32 = 0;
    pub const CONFIG: u32 = 7;

    #[repr(C)]
    #[derive(Debug, Default)]
    pub struct GroupStatus {
        pub argsz: u32,
        pub flags: u32,
    }

    #[repr(C)]
    #[derive(Debug, Default)]
    pub struct RegionInfo {
        pub argsz: u32,
        pub flags: u32,
        pub index: u32,
        pub cap_offset: u32,
        pub size: u64,
        pub offset: u64,
    }

    #[repr(C)]
    #[derive(Debug, Default)]
    pub struct DmaMap {
        pub argsz: u32,
        pub flags: u32,
        pub vaddr: u64,
        pub iova: u64,
        pub size: u64,
    }

    #[repr(C)]
    #[derive(Debug, Default)]
    pub struct DmaUnmap {
        pub argsz: u32,
        pub flags: u32,
        pub iova: u64,
        pub size: u64,
    }

    ioctl_none_bad!(get_api_version, request_code_none!(TYPE, 100));
    ioctl_write_int_bad!(check_extension, request_code_none!(TYPE, 101));
    ioctl_write_int_bad!(set_iommu, request_code_none!(TYPE, 102));
    ioctl_readwrite_bad!(group_get_status, request_code_none!(TYPE, 103), GroupStatus);
    ioctl_write_ptr_bad!(group_set_container, request_code_none!(TYPE, 104), i32);
    ioctl_write_ptr_bad!(group_get_device, request_code_none!(TYPE, 106), u8);
    ioctl_readwrite_bad!(region_info, request_code_none!(TYPE, 108), RegionInfo);
    ioctl_readwrite_bad!(map_dma, request_code_none!(TYPE, 113), DmaMap);
    ioctl_readwrite_bad!(unmap_dma, request_code_none!(TYPE, 114), DmaUnmap);
}

/// The bytes of the first BAR: registers, and the global GTT.
const BAR0_BYTES: usize = END as usize + 8 * GLOBAL_GTT_ENTRIES as usize;
/// PCI's command register, and its bits for memory and for reaching memory.
const COMMAND: (u64, u16) = (4, 1 << 1 | 1 << 2);

/// The kernel's driver that leaves a function to a process.
pub const DRIVER: &str = "vfio-pci";

/// A graphics function of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its address, as `0000:00:02.0`.
    pub address: String,
    /// Its PCI device id.
    pub device: u16,
    /// Its PCI revision.
    pub revision: u8,
    /// The driver that it is bound to.
    pub driver: Option<String>,
    /// Its IOMMU group.
    pub group: Option<u32>,
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: 8086:{:04x}", self.address, self.device)?;
        match devinfo::by_pci_id(self.device) {
            Some(platform) => write!(f, " ({platform})")?,
            None => f.write_str(" (unknown platform)")?,
        }
        match &self.driver {
            Some(driver) => write!(f, ", bound to {driver}"),
            None => f.write_str(", bound to no driver"),
        }
    }
}

impl Function {
    /// Whether this process could have it to itself, as far as can be told before it does.
    ///
    /// # Errors
    /// Its platform is not known, or takes work from firmware only; it is not bound to vfio-pci, it has no
    /// IOMMU group, or this user may not open that.
    pub fn check(&self) -> KmdResult<()> {
        self.check_in(&Roots::default())
    }

    fn check_in(&self, roots: &Roots) -> KmdResult<()> {
        let (_, target, group) = roots.usable(&self.address)?;
        client::check_platform(target.platform)?;
        roots.open("vfio")?;
        roots.open(&group.to_string()).map(drop)
    }
}

/// Intel's graphics functions of this machine.
pub fn functions() -> Vec<Function> {
    Roots::default().functions()
}

/// Where the kernel shows devices.
#[derive(Clone, Debug)]
struct Roots {
    sys: PathBuf,
    dev: PathBuf,
}

impl Default for Roots {
    fn default() -> Self {
        Self {
            sys: "/sys".into(),
            dev: "/dev".into(),
        }
    }
}

impl Roots {
    fn functions(&self) -> Vec<Function> {
        let Ok(entries) = fs::read_dir(self.sys.join("bus/pci/devices")) else {
            return Vec::new();
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut found: Vec<_> = paths.filter_map(|path| function(&path)).collect();
        found.sort_by(|a, b| a.address.cmp(&b.address));
        found
    }

    /// The function at an address, if it can be opened.
    fn usable(&self, address: &str) -> KmdResult<(Function, Target, u32)> {
        let path = self.sys.join("bus/pci/devices").join(address);
        let found = function(&path).ok_or_else(|| {
            failed(format!(
                "{address} is no graphics function of Intel's on this machine: `intel-gpu-run devices` \
                 lists them"
            ))
        })?;
        let Some(platform) = devinfo::by_pci_id(found.device) else {
            return Err(failed(format!(
                "{found}: it is not in the table of platforms"
            )));
        };
        if found.driver.as_deref() != Some(DRIVER) {
            return Err(failed(format!(
                "{found}: bind it to vfio-pci, as with driverctl set-override {address} vfio-pci"
            )));
        }
        let Some(group) = found.group else {
            return Err(failed(format!(
                "{found}: it has no IOMMU group: turn the IOMMU on in the firmware, and with \
                 intel_iommu=on for the kernel"
            )));
        };
        let target = Target {
            platform,
            revision: found.revision,
        };
        Ok((found, target, group))
    }

    fn open(&self, name: &str) -> KmdResult<File> {
        let path = self.dev.join("vfio").join(name);
        let opened = OpenOptions::new().read(true).write(true).open(&path);
        opened.map_err(|error| {
            let hint = match error.kind() {
                io::ErrorKind::NotFound => "load the module vfio-pci",
                io::ErrorKind::PermissionDenied => "give this user the right to read and write it",
                _ => "another program may have it open",
            };
            failed(format!("cannot open {}: {error}: {hint}", path.display()))
        })
    }
}

/// Reads what the kernel says of a function, if it is a graphics function of Intel's.
fn function(path: &Path) -> Option<Function> {
    let number = |name: &str| {
        let text = fs::read_to_string(path.join(name)).ok()?;
        u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
    };
    let link = |name: &str| {
        let target = fs::read_link(path.join(name)).ok()?;
        Some(target.file_name()?.to_str()?.to_owned())
    };
    let is_display = number("class")? >> 16 == 3;
    (is_display && number("vendor")? == u32::from(INTEL)).then_some(())?;
    Some(Function {
        address: path.file_name()?.to_str()?.to_owned(),
        device: number("device")?.try_into().ok()?,
        revision: number("revision")?.try_into().ok()?,
        driver: link("driver"),
        group: link("iommu_group").and_then(|group| group.parse().ok()),
    })
}

/// A function that this process has to itself.
pub struct Vfio {
    function: Function,
    target: Target,
    bar: MmapRaw,
    container: File,
    _group: File,
    _device: File,
}

impl fmt::Debug for Vfio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vfio({})", self.function)
    }
}

impl Vfio {
    /// Opens the function at a PCI address, as `0000:00:02.0`.
    ///
    /// # Errors
    /// There is none, it is not bound to vfio-pci, it has no IOMMU group, or the kernel refuses it.
    pub fn open(address: &str) -> KmdResult<Self> {
        Self::open_in(&Roots::default(), address)
    }

    fn open_in(roots: &Roots, address: &str) -> KmdResult<Self> {
        let (function, target, number) = roots.usable(address)?;
        let container = roots.open("vfio")?;
        // SAFETY: the call takes no argument.
        let version = check("its version", unsafe {
            sys::get_api_version(container.as_raw_fd())
        })?;
        if version != sys::API_VERSION {
            return Err(failed(format!("VFIO has version {version}, and not 0")));
        }
        // SAFETY: the call takes a number.
        let has = check("its kinds of IOMMU", unsafe {
            sys::check_extension(container.as_raw_fd(), sys::TYPE1V2)
        })?;
        if has == 0 {
            return Err(failed("VFIO has no IOMMU of type 1, version 2".to_owned()));
        }
        let group = roots.open(&number.to_string())?;
        let mut status = sys::GroupStatus {
            argsz: size_of::<sys::GroupStatus>() as u32,
            ..Default::default()
        };
        // SAFETY: `status` is the structure of this call, and lives until it returns.
        check("the group's status", unsafe {
            sys::group_get_status(group.as_raw_fd(), &mut status)
        })?;
        if status.flags & sys::GROUP_VIABLE == 0 {
            return Err(failed(format!(
                "{function}: other devices of IOMMU group {number} have drivers: bind them to \
                 vfio-pci, too"
            )));
        }
        // SAFETY: the argument is the number of an open file, and lives until the call returns.
        check("the group's container", unsafe {
            sys::group_set_container(group.as_raw_fd(), &container.as_raw_fd())
        })?;
        // SAFETY: the call takes a number.
        check("the IOMMU", unsafe {
            sys::set_iommu(container.as_raw_fd(), sys::TYPE1V2)
        })?;
        let name: Vec<u8> = address.bytes().chain([0]).collect();
        // SAFETY: the argument is text that ends in a zero byte, and lives until the call returns.
        let descriptor = check("the device", unsafe {
            sys::group_get_device(group.as_raw_fd(), name.as_ptr())
        })?;
        // SAFETY: the kernel has just made this descriptor for us, and nobody else has it.
        let device = unsafe { File::from_raw_fd(descriptor) };
        let bar = region(&device, sys::BAR0)?;
        if bar.size < BAR0_BYTES as u64 {
            return Err(failed(format!(
                "{function}: its first BAR has {:#x} bytes, and registers and global GTT take \
                 {BAR0_BYTES:#x}",
                bar.size
            )));
        }
        let mapped = MmapOptions::new()
            .offset(bar.offset)
            .len(BAR0_BYTES)
            .map_raw(&device);
        let mapped = mapped.map_err(|error| failed(format!("mapping the first BAR: {error}")))?;
        let config = region(&device, sys::CONFIG)?;
        enable(&device, config.offset)
            .map_err(|error| failed(format!("letting the device reach memory: {error}")))?;
        Ok(Self {
            function,
            target,
            bar: mapped,
            container,
            _group: group,
            _device: device,
        })
    }

    /// An aligned word of the first BAR.
    fn word<T>(&self, offset: usize) -> KmdResult<VolatilePtr<'_, T>> {
        let inside = offset.is_multiple_of(size_of::<T>()) && offset < BAR0_BYTES;
        let at = inside.then(|| self.bar.as_mut_ptr().wrapping_add(offset));
        let at = at.and_then(|at| NonNull::new(at.cast()));
        let at = at.ok_or_else(|| failed(format!("nothing is at {offset:#x} in the first BAR")))?;
        // SAFETY: the word is aligned and lies in the mapping, which lives as long as `self`. Device
        // memory is only accessed by such words, and each of their values is valid.
        Ok(unsafe { VolatilePtr::new(at) })
    }
}

impl Bus for Vfio {
    fn target(&self) -> Target {
        self.target
    }

    fn pci_id(&self) -> u16 {
        self.function.device
    }

    fn read(&self, offset: u32) -> KmdResult<u32> {
        Ok(self.word::<u32>(offset as usize)?.read())
    }

    fn write(&self, offset: u32, value: u32) -> KmdResult<()> {
        self.word(offset as usize)?.write(value);
        Ok(())
    }

    fn write_entry(&self, index: u32, entry: u64) -> KmdResult<()> {
        self.word(END as usize + 8 * index as usize)?.write(entry);
        Ok(())
    }

    fn map(&self, address: u64, memory: &UserMemory) -> KmdResult<()> {
        let rights = match memory.is_writable() {
            true => sys::DMA_READ | sys::DMA_WRITE,
            false => sys::DMA_READ,
        };
        let mut map = sys::DmaMap {
            argsz: size_of::<sys::DmaMap>() as u32,
            flags: rights,
            vaddr: memory.address() as u64,
            iova: address,
            size: memory.len() as u64,
        };
        // SAFETY: `map` is the structure of this call, and lives until it returns. The device writes
        // only to memory whose owner has promised that it may, and which is kept until `unmap`.
        let mapped = unsafe { sys::map_dma(self.container.as_raw_fd(), &mut map) };
        check("memory for the device", mapped).map(drop)
    }

    fn unmap(&self, address: u64, bytes: u64) -> KmdResult<()> {
        let mut unmap = sys::DmaUnmap {
            argsz: size_of::<sys::DmaUnmap>() as u32,
            flags: 0,
            iova: address,
            size: bytes,
        };
        // SAFETY: `unmap` is the structure of this call, and lives until it returns.
        let unmapped = unsafe { sys::unmap_dma(self.container.as_raw_fd(), &mut unmap) };
        check("taking memory from the device", unmapped).map(drop)
    }
}

/// A region of the device's file.
fn region(device: &File, index: u32) -> KmdResult<sys::RegionInfo> {
    let mut info = sys::RegionInfo {
        argsz: size_of::<sys::RegionInfo>() as u32,
        index,
        ..Default::default()
    };
    // SAFETY: `info` is the structure of this call, and lives until it returns.
    check("a region", unsafe {
        sys::region_info(device.as_raw_fd(), &mut info)
    })?;
    Ok(info)
}

/// Lets the device answer, and reach memory.
fn enable(device: &File, config: u64) -> io::Result<()> {
    let (offset, bits) = COMMAND;
    let mut command = [0; 2];
    device.read_exact_at(&mut command, config + offset)?;
    let command = u16::from_le_bytes(command) | bits;
    device.write_all_at(&command.to_le_bytes(), config + offset)
}

fn check(what: &str, outcome: nix::Result<i32>) -> KmdResult<i32> {
    outcome.map_err(|errno| failed(format!("VFIO refuses {what}: {errno}")))
}

fn failed(why: String) -> KmdError {
    KmdError::BareMetal(why)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A machine with one Tiger Lake, and what it lacks.
    fn machine(driver: Option<&str>, group: Option<&str>) -> (tempfile::TempDir, Roots) {
        let root = tempfile::tempdir().unwrap();
        let roots = Roots {
            sys: root.path().join("sys"),
            dev: root.path().join("dev"),
        };
        let function = roots.sys.join("bus/pci/devices/0000:00:02.0");
        fs::create_dir_all(&function).unwrap();
        for (name, text) in [
            ("class", "0x030000\n"),
            ("vendor", "0x8086\n"),
            ("device", "0x9a49\n"),
            ("revision", "0x01\n"),
        ] {
            fs::write(function.join(name), text).unwrap();
        }
        let links = [("driver", driver), ("iommu_group", group)];
        for (name, target) in links {
            if let Some(target) = target {
                symlink(root.path().join(target), function.join(name)).unwrap();
            }
        }
        (root, roots)
    }

    fn refused(driver: Option<&str>, group: Option<&str>, address: &str) -> String {
        let (_root, roots) = machine(driver, group);
        Vfio::open_in(&roots, address).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_said() {
        let at = "0000:00:02.0";
        let none = refused(None, None, "0000:03:00.0");
        assert!(none.contains("no graphics function of Intel's"), "{none}");
        let other = refused(Some("i915"), Some("7"), at);
        assert!(
            other.contains("8086:9a49 (tgl), bound to i915: bind it to vfio-pci"),
            "{other}"
        );
        let alone = refused(None, Some("7"), at);
        assert!(alone.contains("bound to no driver: bind it"), "{alone}");
        let open = refused(Some("vfio-pci"), None, at);
        assert!(open.contains("no IOMMU group: turn the IOMMU on"), "{open}");
        let module = refused(Some("vfio-pci"), Some("7"), at);
        assert!(module.contains("load the module vfio-pci"), "{module}");
    }

    #[test]
    fn a_check_says_what_opening_would() {
        let (_root, roots) = machine(Some("vfio-pci"), Some("7"));
        let [function] = &roots.functions()[..] else {
            panic!("{:?}", roots.functions())
        };
        let why = |roots| function.check_in(roots).unwrap_err().to_string();
        assert!(why(&roots).contains("load the module vfio-pci"));
        let folder = roots.dev.join("vfio");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("vfio"), "").unwrap();
        assert!(why(&roots).contains("vfio/7"));
        fs::write(folder.join("7"), "").unwrap();
        function.check_in(&roots).unwrap();
        // Battlemage: only its firmware submits.
        let id = roots.sys.join("bus/pci/devices/0000:00:02.0/device");
        fs::write(id, "0xe20b\n").unwrap();
        assert!(why(&roots).contains("GuC"));
    }

    #[test]
    fn a_file_that_is_no_container_is_refused() {
        let (_root, roots) = machine(Some("vfio-pci"), Some("7"));
        fs::create_dir_all(roots.dev.join("vfio")).unwrap();
        fs::write(roots.dev.join("vfio/vfio"), "").unwrap();
        let error = Vfio::open_in(&roots, "0000:00:02.0")
            .unwrap_err()
            .to_string();
        assert!(error.contains("VFIO refuses its version"), "{error}");
        assert_eq!(roots.functions().len(), 1);
    }
}
