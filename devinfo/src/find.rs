//! Looking up platforms.

use core::fmt;

use crate::platform::Platform;
use crate::table::PLATFORMS;

/// The platform with this short name, or one of ocloc's names for it.
pub fn by_name(name: &str) -> Option<&'static Platform> {
    PLATFORMS
        .iter()
        .find(|p| p.name.eq_ignore_ascii_case(name))
        .or_else(|| {
            PLATFORMS
                .iter()
                .find(|p| p.ocloc.iter().any(|o| o.eq_ignore_ascii_case(name)))
        })
}

/// The platform with this PCI device id.
pub fn by_pci_id(pci_id: u16) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|p| p.sku(pci_id).is_some())
}

/// The platform that a zebin with this `PRODUCT_FAMILY` number was built for.
pub fn by_product_family(product_family: u32) -> Option<&'static Platform> {
    PLATFORMS
        .iter()
        .find(|p| p.zebin.product_family == product_family)
}

/// A platform and one of its revisions, written `NAME[:REVISION]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The platform.
    pub platform: &'static Platform,
    /// The PCI revision.
    pub revision: u8,
}

impl Target {
    /// A platform in the revision that its table row calls the default.
    pub const fn of(platform: &'static Platform) -> Self {
        Self {
            platform,
            revision: platform.default_revision,
        }
    }

    /// Parses `NAME[:REVISION]`, the revision decimal or `0x` hexadecimal.
    ///
    /// # Errors
    /// No row has the name; the revision is not a number up to 255, or newer than all of the platform.
    pub fn parse(text: &str) -> Result<Self, TargetError<'_>> {
        let (name, revision) = match text.split_once(':') {
            Some((name, revision)) => (name, Some(revision)),
            None => (text, None),
        };
        let platform = by_name(name).ok_or(TargetError::UnknownPlatform(name))?;
        let Some(text) = revision else {
            return Ok(Self::of(platform));
        };
        let revision = match text.strip_prefix("0x") {
            Some(hex) => u8::from_str_radix(hex, 16),
            None => text.parse(),
        };
        let revision = revision.map_err(|_| TargetError::BadRevision(text))?;
        Self::of(platform).with_revision(revision)
    }

    /// The platform in another revision. Those between the ones that the table names exist, too.
    ///
    /// # Errors
    /// [`TargetError::NoSuchRevision`] for one beyond the newest that the table names, if it names any.
    pub fn with_revision(self, revision: u8) -> Result<Self, TargetError<'static>> {
        let newest = self.platform.revisions.iter().map(|named| named.pci).max();
        match newest.is_some_and(|newest| revision > newest) {
            true => Err(TargetError::NoSuchRevision(self.platform, revision)),
            false => Ok(Self { revision, ..self }),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.platform.name, self.revision)
    }
}

/// Why a text does not name a [`Target`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetError<'a> {
    /// No row has this name.
    UnknownPlatform(&'a str),
    /// Not a number, or too large.
    BadRevision(&'a str),
    /// The platform has no such revision.
    NoSuchRevision(&'static Platform, u8),
}

impl fmt::Display for TargetError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlatform(name) => {
                write!(f, "unknown platform \"{name}\" (known:")?;
                for platform in PLATFORMS {
                    write!(f, " {}", platform.name)?;
                }
                f.write_str(")")
            }
            Self::BadRevision(text) => {
                write!(
                    f,
                    "\"{text}\" is no PCI revision (0 to 255, or 0x hexadecimal)"
                )
            }
            Self::NoSuchRevision(platform, revision) => {
                write!(f, "{} has no revision {revision} (known:", platform.name)?;
                for (index, known) in platform.revisions.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    write!(f, "{comma} {} is {}", known.pci, known.stepping)?;
                }
                f.write_str(")")
            }
        }
    }
}

impl core::error::Error for TargetError<'_> {}
