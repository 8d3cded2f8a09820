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
    /// No row has the name, or the revision is not a number up to 255.
    pub fn parse(text: &str) -> Result<Self, TargetError<'_>> {
        let (name, revision) = match text.split_once(':') {
            Some((name, revision)) => (name, Some(revision)),
            None => (text, None),
        };
        let platform = by_name(name).ok_or(TargetError::UnknownPlatform(name))?;
        let revision = match revision {
            None => platform.default_revision,
            Some(text) => match text.strip_prefix("0x") {
                Some(hex) => u8::from_str_radix(hex, 16),
                None => text.parse(),
            }
            .map_err(|_| TargetError::BadRevision(text))?,
        };
        Ok(Self { platform, revision })
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
        }
    }
}

impl core::error::Error for TargetError<'_> {}
