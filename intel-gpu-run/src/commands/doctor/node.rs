//! Intel's devices: their nodes, their kernel drivers, and what keeps a driver from them.

use std::fs;
use std::path::Path;

use devinfo::{Driver, Platform};
use firmware_notes::needs_force_probe;
use kmd_iface::baremetal;
use kmd_iface::{FoundNode, NodeState};

use super::{Finding, Places, Verdict, firmware, software};

/// Where the kernel lists PCI devices, and its modules.
const SYS: &str = "/sys";

/// Every render node, and every Intel GPU without one.
pub(super) fn findings(places: &Places) -> Vec<Finding> {
    let nodes = kmd_iface::discover();
    let mut findings: Vec<_> = nodes
        .iter()
        .flat_map(|node| render_node(node, places))
        .collect();
    let without: Vec<_> = devices(Path::new(SYS))
        .into_iter()
        .filter(|device| !device.has_node)
        .collect();
    if nodes.is_empty() && without.is_empty() {
        findings.push(
            Finding::new(
                Verdict::Skip,
                "render node",
                "there is none in /dev/dri, and no Intel GPU",
            )
            .remedy("kernels run on the software GPU (--device soft:PLATFORM)"),
        );
    }
    let functions = baremetal::functions();
    for device in &without {
        let function = functions
            .iter()
            .find(|function| function.address == device.slot);
        if let Some(function) = function.filter(|_| device.is_bare()) {
            let checked = function.check().map_err(|error| error.to_string());
            findings.push(device.bare_metal(checked));
            continue;
        }
        findings.push(device.without_node());
        if let Some((platform, driver)) = device.known() {
            findings.extend(firmware::findings(platform, driver, places));
        }
    }
    findings
}

fn render_node(node: &FoundNode, places: &Places) -> Vec<Finding> {
    let subject = node.path.display().to_string();
    let found = |verdict| Finding::new(verdict, &subject, node.to_string());
    match &node.state {
        NodeState::Usable {
            driver, platform, ..
        } => {
            let mut findings = vec![found(Verdict::Pass), kernels(&subject)];
            if let Some(driver) = Driver::by_name(driver) {
                findings.extend(firmware::findings(platform, driver, places));
            }
            findings
        }
        NodeState::OtherVendor => vec![found(Verdict::Skip)],
        NodeState::UnknownDriver { .. } => {
            vec![found(Verdict::Warn).remedy("only i915 and xe are supported")]
        }
        NodeState::UnknownPlatform { .. } => {
            let remedy = "please report the PCI id: the platform table lacks it";
            vec![found(Verdict::Warn).remedy(remedy)]
        }
        NodeState::Inaccessible { .. } => {
            let owner = group_of(&node.path).unwrap_or_else(|| "render".to_owned());
            vec![found(Verdict::Warn).remedy(format!(
                "it may be a matter of rights: join the group {owner} (usermod -aG {owner} USER, \
                 then log in again)"
            ))]
        }
    }
}

/// Whether test kernels run on a node.
fn kernels(node: &str) -> Finding {
    let subject = format!("{node} kernels");
    match software::kernels_run(node) {
        Ok(_) => Finding::new(Verdict::Pass, &subject, "test kernels ran"),
        Err(why) => Finding::new(Verdict::Fail, &subject, why).remedy(
            "look at the kernel's log (dmesg | grep -iE 'i915|xe |drm') and the firmware below; \
             `intel-gpu-run report` collects what a report of the fault needs",
        ),
    }
}

/// The name of the group that owns a file.
fn group_of(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let gid = fs::metadata(path).ok()?.gid().to_string();
    let groups = fs::read_to_string("/etc/group").ok()?;
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == gid).then(|| name.to_owned())
    })
}

/// An Intel GPU on the PCI bus.
#[derive(Debug)]
struct Device {
    /// Its address.
    slot: String,
    /// Its PCI id.
    id: u16,
    /// The driver that has it.
    driver: Option<String>,
    /// Whether it has a render node.
    has_node: bool,
    /// Whether the kernel has loaded i915 and xe.
    loaded: Vec<Driver>,
}

/// The Intel GPUs of this machine.
fn devices(sys: &Path) -> Vec<Device> {
    let entries = fs::read_dir(sys.join("bus/pci/devices"));
    let mut folders: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    let loaded: Vec<_> = [Driver::I915, Driver::Xe]
        .into_iter()
        .filter(|driver| sys.join("module").join(driver.to_string()).exists())
        .collect();
    let devices = folders.iter().filter_map(|folder| {
        let number = |name: &str| {
            let text = fs::read_to_string(folder.join(name)).ok()?;
            u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
        };
        // Display controllers are class 3; accelerators without a display (Flex, Max) are 3.80.
        if number("vendor")? != u32::from(kmd_iface::INTEL) || number("class")? >> 16 != 3 {
            return None;
        }
        let driver = fs::read_link(folder.join("driver")).ok();
        let driver = driver.and_then(|link| Some(link.file_name()?.to_string_lossy().into_owned()));
        let mut nodes = fs::read_dir(folder.join("drm"))
            .into_iter()
            .flatten()
            .flatten();
        Some(Device {
            slot: folder.file_name()?.to_string_lossy().into_owned(),
            id: u16::try_from(number("device")?).ok()?,
            driver,
            has_node: nodes.any(|node| node.file_name().to_string_lossy().starts_with("renderD")),
            loaded: loaded.clone(),
        })
    });
    devices.collect()
}

impl Device {
    /// Its platform, and the driver that has it or usually takes it.
    fn known(&self) -> Option<(&'static Platform, Driver)> {
        let platform = devinfo::by_pci_id(self.id)?;
        let bound = self.driver.as_deref().and_then(Driver::by_name);
        Some((platform, bound.unwrap_or_else(|| platform.usual_driver())))
    }

    /// Whether it is left to a process.
    fn is_bare(&self) -> bool {
        self.driver.as_deref() == Some(baremetal::DRIVER)
    }

    /// Whether a process can have it.
    fn bare_metal(&self, checked: Result<(), String>) -> Finding {
        match checked {
            Ok(()) => Finding::new(
                Verdict::Pass,
                &self.slot,
                format!(
                    "an Intel GPU, 8086:{:04x}, is bound to {}",
                    self.id,
                    baremetal::DRIVER
                ),
            )
            .remedy(format!(
                "kernels run there with --device baremetal:{}",
                self.slot
            )),
            Err(why) => Finding::new(Verdict::Warn, &self.slot, why)
                .remedy("or unbind it, and give it back to its kernel driver"),
        }
    }

    /// Why it may have no render node.
    fn without_node(&self) -> Finding {
        let what = format!("an Intel GPU, 8086:{:04x}, has no render node", self.id);
        let finding = |text: String| Finding::new(Verdict::Fail, &self.slot, text);
        let Some((platform, driver)) = self.known() else {
            return Finding::new(
                Verdict::Warn,
                &self.slot,
                format!("{what}; its PCI id is unknown"),
            )
            .remedy("please report the PCI id: the platform table lacks it");
        };
        let what = format!("{what} ({})", platform.title);
        match &self.driver {
            Some(name) if Driver::by_name(name).is_none() => {
                finding(format!("{what}: the driver {name} has it")).remedy(format!(
                    "give it to {driver}: unbind it from {name} in /sys/bus/pci/drivers"
                ))
            }
            Some(name) => finding(format!("{what}, though {name} has it")).remedy(format!(
                "see why {name} stopped (dmesg | grep -i {name}); the firmware is below"
            )),
            None if !self.loaded.contains(&driver) => {
                finding(format!("{what}: the module {driver} is not loaded")).remedy(format!(
                    "modprobe {driver}; {}",
                    probe(platform, driver, self.id)
                ))
            }
            None => {
                finding(format!("{what}: {driver} is loaded and has not taken it")).remedy(format!(
                    "see dmesg | grep -i {driver}; {}",
                    probe(platform, driver, self.id)
                ))
            }
        }
    }
}

/// What a driver may need to be told before it takes a device.
fn probe(platform: &Platform, driver: Driver, id: u16) -> String {
    match needs_force_probe(platform, driver) {
        true => format!(
            "{driver} takes it only with the kernel parameter {driver}.force_probe={id:04x}"
        ),
        false => format!(
            "older kernels take it only with the kernel parameter {driver}.force_probe={id:04x}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A device in a stand-in for `/sys`.
    fn device(sys: &Path, slot: &str, id: &str, driver: Option<&str>, node: Option<&str>) {
        let folder = sys.join("bus/pci/devices").join(slot);
        fs::create_dir_all(folder.join("drm")).unwrap();
        for (name, text) in [
            ("vendor", "0x8086\n"),
            ("class", "0x038000\n"),
            ("device", id),
        ] {
            fs::write(folder.join(name), text).unwrap();
        }
        if let Some(driver) = driver {
            symlink(format!("../../drivers/{driver}"), folder.join("driver")).unwrap();
        }
        if let Some(node) = node {
            fs::create_dir(folder.join("drm").join(node)).unwrap();
        }
    }

    #[test]
    fn a_device_without_a_node_is_explained() {
        let root = tempfile::tempdir().unwrap();
        let sys = root.path();
        fs::create_dir_all(sys.join("module/i915")).unwrap();
        device(sys, "0000:00:02.0", "0x9a49\n", None, None);
        device(sys, "0000:03:00.0", "0xe20b\n", None, None);
        device(sys, "0000:04:00.0", "0x56a0\n", Some("vfio-pci"), None);
        device(sys, "0000:05:00.0", "0xe20b\n", Some("xe"), Some("card0"));
        device(
            sys,
            "0000:06:00.0",
            "0x56a0\n",
            Some("i915"),
            Some("renderD128"),
        );
        device(sys, "0000:07:00.0", "0xffff\n", None, None);
        let found = devices(sys);
        assert_eq!(found.len(), 6);
        let texts: Vec<_> = found
            .iter()
            .filter(|device| !device.has_node)
            .map(|device| device.without_node().lines())
            .collect();
        let expected = [
            "i915 is loaded and has not taken it",
            "the module xe is not loaded",
            "the driver vfio-pci has it",
            "though xe has it",
            "its PCI id is unknown",
        ];
        assert_eq!(texts.len(), expected.len());
        for (text, expected) in texts.iter().zip(expected) {
            assert!(text.contains(expected), "{text}");
        }
        let bare: Vec<_> = found.iter().filter(|device| device.is_bare()).collect();
        assert_eq!(bare.len(), 1);
        let usable = bare[0].bare_metal(Ok(())).lines();
        assert!(
            usable.contains("--device baremetal:0000:04:00.0"),
            "{usable}"
        );
        let refused = bare[0].bare_metal(Err("cannot open".to_owned())).lines();
        assert!(refused.contains("cannot open"), "{refused}");
        let probed = probe(devinfo::by_name("tgl").unwrap(), Driver::Xe, 0x9a49);
        assert!(probed.starts_with("xe takes it only with") && probed.ends_with("=9a49"));
    }
}
