//! What the kernel drivers make of a version.

use devinfo::{Driver, Platform};

use crate::{FORCE_PROBE, Firmware, Kind, Version};

/// The oldest GuC that xe takes (`guc_read_css_info` of `xe_uc_fw.c`).
const XE_GUC: Version = (70, 19, 0);

/// What a kernel driver makes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It loads the file.
    Loads,
    /// It loads the file, and its log recommends this newer version.
    Old(Version),
    /// It refuses the file: it takes versions with this major number, from this one on.
    Refused(Version),
}

/// What the kernel driver makes of a version in the file of a row.
pub fn verdict(row: &Firmware, found: Version) -> Verdict {
    // The GSC's version in the file is that of the release. Drivers look at another, which the GSC
    // tells when it runs.
    let (Some(wanted), Kind::Guc) = (row.wanted, row.kind) else {
        return Verdict::Loads;
    };
    let floor = match row.driver {
        Driver::Xe => XE_GUC,
        Driver::I915 => (wanted.0, 0, 0),
    };
    if found.0 != wanted.0 || found < floor {
        return Verdict::Refused(floor);
    }
    match found < wanted {
        true => Verdict::Old(wanted),
        false => Verdict::Loads,
    }
}

/// Whether i915 loads a HuC with a GuC on Meteor Lake: its authentication changed with HuC 8.5.1
/// and GuC 70.7.0 (`check_mtl_huc_guc_compatibility` of `intel_uc_fw.c`). Other platforms have no
/// such rule.
pub fn pairing(guc: Version, huc: Version) -> bool {
    (huc >= (8, 5, 1)) == (guc >= (70, 7, 0))
}

/// Whether the driver leaves a platform alone unless its `force_probe` parameter names the device.
pub fn needs_force_probe(platform: &Platform, driver: Driver) -> bool {
    FORCE_PROBE.contains(&(platform.name, driver))
}
