//! How a device is named.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use devinfo::Driver;

use crate::error::DeviceError;

/// A device to open: `soft:PLATFORM[:REVISION][@DRIVER]`, the path of a render node, `auto`, or one
/// without a kernel driver: `baremetal:PLATFORM[:REVISION]`, `baremetal:PCI-ADDRESS`,
/// `tbx:ADDRESS:PORT:PLATFORM[:REVISION]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceSpec {
    /// The first render node that works; if there is none, the software GPU of the platform that
    /// [`OpenOptions::fallback`](crate::OpenOptions::fallback) names.
    #[default]
    Auto,
    /// A render node, as `/dev/dri/renderD128`.
    Node(PathBuf),
    /// The software GPU.
    Soft {
        /// The platform's name in the device table (`tgl`, `dg2` …).
        platform: String,
        /// The revision; the platform's production revision if `None`.
        revision: Option<u8>,
        /// The kernel driver that it answers as; if `None`, i915 where that drives the platform,
        /// else xe.
        driver: Option<Driver>,
    },
    /// The software GPU without a kernel driver: its registers and page tables.
    BareMetal {
        /// The platform's name in the device table.
        platform: String,
        /// The revision; the platform's production revision if `None`.
        revision: Option<u8>,
    },
    /// A PCI function bound to vfio-pci, as `0000:00:02.0`, without a kernel driver.
    Function(String),
    /// What a TBX server has, without a kernel driver.
    Tbx {
        /// Where the server listens.
        address: SocketAddr,
        /// The name of its platform in the device table: the server does not say it.
        platform: String,
        /// The revision; the platform's production revision if `None`.
        revision: Option<u8>,
    },
}

impl DeviceSpec {
    /// The software GPU of `platform`, at its production revision.
    pub fn soft(platform: impl Into<String>) -> Self {
        Self::Soft {
            platform: platform.into(),
            revision: None,
            driver: None,
        }
    }
}

impl DeviceSpec {
    /// The render nodes that this driver can use.
    pub fn render_nodes() -> Vec<Self> {
        let nodes = kmd_iface::discover().into_iter();
        nodes
            .filter(|node| matches!(node.state, kmd_iface::NodeState::Usable { .. }))
            .map(|node| Self::Node(node.path))
            .collect()
    }
}

impl FromStr for DeviceSpec {
    type Err = DeviceError;

    fn from_str(text: &str) -> Result<Self, DeviceError> {
        let bad = |why: &str| DeviceError::BadSpec {
            spec: text.to_owned(),
            why: why.to_owned(),
        };
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(device) = text.strip_prefix(BARE_METAL) {
            if is_pci_address(device) {
                return Ok(Self::Function(device.to_owned()));
            }
            let (platform, revision) = platform(device, BARE_METAL).map_err(|why| bad(&why))?;
            return Ok(Self::BareMetal { platform, revision });
        }
        if let Some(server) = text.strip_prefix(TBX) {
            let mut ends = server.match_indices(':');
            let found =
                ends.find_map(|(end, _)| Some((server[..end].parse().ok()?, &server[end + 1..])));
            let (address, device) = found.ok_or_else(|| {
                bad("tbx:ADDRESS:PORT:PLATFORM takes an address in numbers, as 127.0.0.1:4321 and [::1]:4321")
            })?;
            let (platform, revision) = platform(device, TBX).map_err(|why| bad(&why))?;
            return Ok(Self::Tbx {
                address,
                platform,
                revision,
            });
        }
        let Some(soft) = text.strip_prefix(SOFT) else {
            if text.starts_with('/') || text.starts_with('.') {
                return Ok(Self::Node(PathBuf::from(text)));
            }
            return Err(bad(
                "it is none of auto, soft:PLATFORM[:REVISION][@DRIVER], baremetal:PLATFORM[:REVISION], \
                 baremetal:PCI-ADDRESS, tbx:ADDRESS:PORT:PLATFORM[:REVISION] and the path of a render node",
            ));
        };
        let (soft, driver) = match soft.split_once('@') {
            None => (soft, None),
            Some((soft, driver)) => match Driver::by_name(driver) {
                Some(driver) => (soft, Some(driver)),
                None => return Err(bad("the driver is neither i915 nor xe")),
            },
        };
        let (platform, revision) = platform(soft, SOFT).map_err(|why| bad(&why))?;
        Ok(Self::Soft {
            platform,
            revision,
            driver,
        })
    }
}

const SOFT: &str = "soft:";
const BARE_METAL: &str = "baremetal:";
const TBX: &str = "tbx:";

/// A platform's name and a revision: what follows `prefix`.
fn platform(text: &str, prefix: &str) -> Result<(String, Option<u8>), String> {
    let (platform, revision) = match text.split_once(':') {
        None => (text, None),
        Some((platform, revision)) => {
            let revision = revision.parse();
            let revision =
                revision.map_err(|_| "the revision is not a number from 0 to 255".to_owned())?;
            (platform, Some(revision))
        }
    };
    match platform.is_empty() {
        true => Err(format!("the platform is missing after \"{prefix}\"")),
        false => Ok((platform.to_owned(), revision)),
    }
}

/// Whether `text` is a PCI address: domain, bus, device and function.
fn is_pci_address(text: &str) -> bool {
    let hex = |part: &str, digits| {
        part.len() == digits && part.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    match text.split([':', '.']).collect::<Vec<_>>()[..] {
        [domain, bus, device, function] => {
            hex(domain, 4) && hex(bus, 2) && hex(device, 2) && hex(function, 1)
        }
        _ => false,
    }
}

impl fmt::Display for DeviceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Node(path) => path.display().fmt(f),
            Self::Soft {
                platform,
                revision,
                driver,
            } => {
                write!(f, "{SOFT}{platform}")?;
                if let Some(revision) = revision {
                    write!(f, ":{revision}")?;
                }
                driver.map_or(Ok(()), |driver| write!(f, "@{driver}"))
            }
            Self::BareMetal { platform, revision } => {
                write!(f, "{BARE_METAL}{platform}")?;
                revision.map_or(Ok(()), |revision| write!(f, ":{revision}"))
            }
            Self::Function(address) => write!(f, "{BARE_METAL}{address}"),
            Self::Tbx {
                address,
                platform,
                revision,
            } => {
                write!(f, "{TBX}{address}:{platform}")?;
                revision.map_or(Ok(()), |revision| write!(f, ":{revision}"))
            }
        }
    }
}

/// How a device is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// What [`DeviceSpec::Auto`] opens when no render node works; `tgl` if `None`.
    pub fallback: Option<(String, Option<u8>)>,
    /// Host threads of the software GPU; as many as there are cores if `None`.
    pub threads: Option<usize>,
    /// Points accesses to unbound pages at a scratch page instead of failing. i915 on silicon does
    /// so always.
    pub scratch_page: bool,
    /// Makes the software GPU report what silicon leaves undefined.
    pub check: bool,
    /// How the software GPU executes EU code. What is checked is interpreted.
    #[cfg(feature = "softgpu")]
    pub execution: softgpu::Execution,
    /// After what time the software GPU calls a kernel hung; its default if `None`.
    pub hang_timeout: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::DeviceSpec;

    #[test]
    fn specs_round_trip() {
        for text in [
            "auto",
            "soft:tgl",
            "soft:dg2:8",
            "soft:tgl@xe",
            "soft:dg2:8@i915",
            "/dev/dri/renderD128",
            "baremetal:skl",
            "baremetal:dg2:8",
            "baremetal:0000:03:00.0",
            "tbx:127.0.0.1:4321:skl",
            "tbx:[::1]:4321:dg2:8",
        ] {
            assert_eq!(text.parse::<DeviceSpec>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn bad_specs_say_why() {
        for (text, why) in [
            ("tgl", "it is none of auto"),
            ("soft:", "the platform is missing"),
            ("soft:tgl:x", "the revision is not a number"),
            ("soft:tgl:256", "from 0 to 255"),
            ("soft:tgl@nouveau", "neither i915 nor xe"),
            ("soft:@xe", "the platform is missing"),
            ("baremetal:", "missing after \"baremetal:\""),
            ("baremetal:0000:03:00", "the revision is not a number"),
            ("tbx:4321:skl", "takes an address in numbers"),
            ("tbx:127.0.0.1:4321", "takes an address in numbers"),
            ("tbx:127.0.0.1:4321:", "missing after \"tbx:\""),
        ] {
            let error = text.parse::<DeviceSpec>().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
