//! The table.

use core::fmt;

use devinfo::{Driver, Platform};

/// The processor that a firmware is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Graphics microcontroller: scheduling.
    Guc,
    /// HEVC microcontroller: video.
    Huc,
    /// Graphics security controller.
    Gsc,
    /// Display microcontroller.
    Dmc,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Guc => "GuC",
            Self::Huc => "HuC",
            Self::Gsc => "GSC",
            Self::Dmc => "DMC",
        })
    }
}

/// What a file is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// The driver runs no compute work without it.
    Compute,
    /// The driver loads it; compute works without it.
    Other,
    /// The driver loads it only if it is asked to, by `i915.enable_guc`.
    OnRequest,
}

/// One file that a kernel driver loads for one platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// The platform's short name, as in [`devinfo::PLATFORMS`].
    pub platform: &'static str,
    /// The kernel driver that loads it.
    pub driver: Driver,
    /// The processor that it is for.
    pub kind: Kind,
    /// Its path below `/lib/firmware`.
    pub path: &'static str,
    /// Paths that the driver tries next, in this order.
    pub fallbacks: &'static [&'static str],
    /// The version that the driver asked for when its entry was written, if any.
    pub minimum: Option<Version>,
    /// The version that the driver of Linux 7.0 asks for, if any.
    pub wanted: Option<Version>,
    /// What it is needed for.
    pub need: Need,
    /// The devices of the platform that load it, if not all do.
    pub only: Option<&'static str>,
}

/// The files that `driver` loads for `platform`; those needed for compute come first.
pub fn files(
    platform: &'static Platform,
    driver: Driver,
) -> impl Iterator<Item = &'static Firmware> {
    let of = move |f: &&Firmware| f.platform == platform.name && f.driver == driver;
    let required = FIRMWARE.iter().filter(|f| f.need == Need::Compute);
    let others = FIRMWARE.iter().filter(|f| f.need != Need::Compute);
    required.chain(others).filter(of)
}

/// A version: major, minor, patch.
pub type Version = (u16, u16, u16);

/// Releases of the GuC, oldest first, with the version of their submission interface. The list is
/// not complete.
///
/// Source: the commits of linux-firmware that add them ("VF API version"), and the CSS headers of
/// the releases.
pub static SUBMISSION_INTERFACES: &[(Version, Version)] = &[
    ((70, 13, 1), (1, 4, 1)),
    ((70, 20, 0), (1, 9, 0)),
    ((70, 29, 2), (1, 13, 4)),
    ((70, 36, 0), (1, 17, 0)),
    ((70, 40, 2), (1, 18, 5)),
    // xe recommends this release for features that need that interface (Linux
    // `vf_migration_init_late`).
    ((70, 54, 0), (1, 27, 0)),
];

/// The version of the GuC's submission interface on a plausible machine: that of the oldest release
/// in [`SUBMISSION_INTERFACES`] that has the `minimum` of `driver` for `platform`.
///
/// `None` where the driver does not submit through a GuC, or no GuC is published.
pub fn submission_interface(platform: &'static Platform, driver: Driver) -> Option<Version> {
    let minimum = files(platform, driver)
        .find(|f| f.kind == Kind::Guc && f.need == Need::Compute)?
        .minimum?;
    let mut rows = SUBMISSION_INTERFACES.iter();
    rows.find(|(release, _)| *release >= minimum)
        .map(|(_, interface)| *interface)
}

const fn file(platform: &'static str, kind: Kind, path: &'static str) -> Firmware {
    Firmware {
        platform,
        driver: Driver::I915,
        kind,
        path,
        fallbacks: &[],
        minimum: None,
        wanted: None,
        need: Need::Other,
        only: None,
    }
}

/// A GuC of the exact version that i915 names in its file.
const fn exact(platform: &'static str, path: &'static str) -> Firmware {
    Firmware {
        minimum: Some((70, 1, 1)),
        wanted: Some((70, 1, 1)),
        ..file(platform, Kind::Guc, path)
    }
}

/// A GuC that submits for i915.
const fn guc(
    platform: &'static str,
    path: &'static str,
    minimum: Version,
    wanted: Version,
) -> Firmware {
    Firmware {
        minimum: Some(minimum),
        wanted: Some(wanted),
        need: Need::Compute,
        ..file(platform, Kind::Guc, path)
    }
}

/// A GuC for xe.
const fn xe_guc(
    platform: &'static str,
    path: &'static str,
    minimum: Version,
    wanted: Version,
) -> Firmware {
    xe(guc(platform, path, minimum, wanted))
}

const fn huc(platform: &'static str, path: &'static str) -> Firmware {
    file(platform, Kind::Huc, path)
}

/// A GSC. The version is that of its interface, which only the running GSC tells.
const fn gsc(platform: &'static str, path: &'static str) -> Firmware {
    Firmware {
        minimum: Some((1, 0, 0)),
        wanted: Some((1, 0, 0)),
        ..file(platform, Kind::Gsc, path)
    }
}

const fn dmc(platform: &'static str, path: &'static str) -> Firmware {
    file(platform, Kind::Dmc, path)
}

const fn or(fallbacks: &'static [&'static str], firmware: Firmware) -> Firmware {
    Firmware {
        fallbacks,
        ..firmware
    }
}

const fn only(devices: &'static str, firmware: Firmware) -> Firmware {
    Firmware {
        only: Some(devices),
        ..firmware
    }
}

const fn on_request(firmware: Firmware) -> Firmware {
    Firmware {
        need: Need::OnRequest,
        ..firmware
    }
}

const fn xe(firmware: Firmware) -> Firmware {
    Firmware {
        driver: Driver::Xe,
        ..firmware
    }
}

/// The platforms that a driver of Linux 7.0 leaves alone unless `force_probe` names the device.
///
/// Source: `require_force_probe` of `i915_pci.c` and `xe_pci.c`. Kernels before 6.12 also have Lunar
/// Lake and Battlemage here. Of i915 there is only the server variant of DG2, ATS-M.
pub static FORCE_PROBE: &[(&str, Driver)] = &[
    ("tgl", Driver::Xe),
    ("rkl", Driver::Xe),
    ("adls", Driver::Xe),
    ("adlp", Driver::Xe),
    ("adln", Driver::Xe),
    ("dg1", Driver::Xe),
    ("dg2", Driver::Xe),
    ("mtl", Driver::Xe),
    ("arl", Driver::Xe),
];

const COMET_LAKE: &str = "Comet Lake, revision 5 and later";
const WILDCAT_LAKE: &str = "Wildcat Lake";

/// The names of the GuC before it was named after its major version.
const TGL_GUC: &[&str] = &["i915/tgl_guc_70.1.1.bin", "i915/tgl_guc_69.0.3.bin"];
const ADLP_GUC: &[&str] = &["i915/adlp_guc_70.1.1.bin", "i915/adlp_guc_69.0.3.bin"];
const TGL_HUC: &[&str] = &["i915/tgl_huc_7.9.3.bin"];
const ADLP_DMC: &[&str] = &["i915/adlp_dmc_ver2_16.bin"];

/// Every file, by platform, oldest first.
pub static FIRMWARE: &[Firmware] = &[
    // Gen9. Broadwell has no processor that i915 loads firmware for.
    on_request(exact("skl", "i915/skl_guc_70.1.1.bin")),
    on_request(huc("skl", "i915/skl_huc_2.0.0.bin")),
    dmc("skl", "i915/skl_dmc_ver1_27.bin"),
    on_request(exact("kbl", "i915/kbl_guc_70.1.1.bin")),
    on_request(huc("kbl", "i915/kbl_huc_4.0.0.bin")),
    dmc("kbl", "i915/kbl_dmc_ver1_04.bin"),
    on_request(exact("cfl", "i915/kbl_guc_70.1.1.bin")),
    on_request(huc("cfl", "i915/kbl_huc_4.0.0.bin")),
    only(
        COMET_LAKE,
        on_request(exact("cfl", "i915/cml_guc_70.1.1.bin")),
    ),
    only(COMET_LAKE, on_request(huc("cfl", "i915/cml_huc_4.0.0.bin"))),
    dmc("cfl", "i915/kbl_dmc_ver1_04.bin"),
    on_request(exact("apl", "i915/bxt_guc_70.1.1.bin")),
    on_request(huc("apl", "i915/bxt_huc_2.0.0.bin")),
    dmc("apl", "i915/bxt_dmc_ver1_07.bin"),
    on_request(exact("glk", "i915/glk_guc_70.1.1.bin")),
    on_request(huc("glk", "i915/glk_huc_4.0.0.bin")),
    dmc("glk", "i915/glk_dmc_ver1_04.bin"),
    // Gen11. Elkhart Lake loads Ice Lake's DMC.
    on_request(exact("icl", "i915/icl_guc_70.1.1.bin")),
    on_request(huc("icl", "i915/icl_huc_9.0.0.bin")),
    dmc("icl", "i915/icl_dmc_ver1_09.bin"),
    on_request(exact("ehl", "i915/ehl_guc_70.1.1.bin")),
    on_request(huc("ehl", "i915/ehl_huc_9.0.0.bin")),
    dmc("ehl", "i915/icl_dmc_ver1_09.bin"),
    // Gen12LP.
    on_request(exact("tgl", "i915/tgl_guc_70.1.1.bin")),
    on_request(huc("tgl", "i915/tgl_huc_7.9.3.bin")),
    dmc("tgl", "i915/tgl_dmc_ver2_12.bin"),
    xe_guc("tgl", "i915/tgl_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(huc("tgl", "i915/tgl_huc.bin")),
    xe(dmc("tgl", "i915/tgl_dmc_ver2_12.bin")),
    on_request(exact("rkl", "i915/tgl_guc_70.1.1.bin")),
    on_request(huc("rkl", "i915/tgl_huc_7.9.3.bin")),
    dmc("rkl", "i915/rkl_dmc_ver2_03.bin"),
    xe_guc("rkl", "i915/tgl_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(huc("rkl", "i915/tgl_huc.bin")),
    xe(dmc("rkl", "i915/rkl_dmc_ver2_03.bin")),
    // i915 submits through the GuC on Raptor Lake-S, but not on Alder Lake-S.
    or(
        TGL_GUC,
        guc("adls", "i915/tgl_guc_70.bin", (70, 12, 1), (70, 44, 1)),
    ),
    or(TGL_HUC, huc("adls", "i915/tgl_huc.bin")),
    dmc("adls", "i915/adls_dmc_ver2_01.bin"),
    xe_guc("adls", "i915/tgl_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(huc("adls", "i915/tgl_huc.bin")),
    xe(dmc("adls", "i915/adls_dmc_ver2_01.bin")),
    or(
        ADLP_GUC,
        guc("adlp", "i915/adlp_guc_70.bin", (70, 12, 1), (70, 44, 1)),
    ),
    or(TGL_HUC, huc("adlp", "i915/tgl_huc.bin")),
    or(ADLP_DMC, dmc("adlp", "i915/adlp_dmc.bin")),
    xe_guc("adlp", "i915/adlp_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(huc("adlp", "i915/tgl_huc.bin")),
    xe(or(ADLP_DMC, dmc("adlp", "i915/adlp_dmc.bin"))),
    // Alder Lake-N has no table for the GuC to pass on: both drivers load Alder Lake-S's GuC.
    or(
        TGL_GUC,
        guc("adln", "i915/tgl_guc_70.bin", (70, 12, 1), (70, 44, 1)),
    ),
    or(TGL_HUC, huc("adln", "i915/tgl_huc.bin")),
    or(ADLP_DMC, dmc("adln", "i915/adlp_dmc.bin")),
    xe_guc("adln", "i915/tgl_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(or(ADLP_DMC, dmc("adln", "i915/adlp_dmc.bin"))),
    guc("dg1", "i915/dg1_guc_70.bin", (70, 5, 1), (70, 5, 1)),
    huc("dg1", "i915/dg1_huc.bin"),
    dmc("dg1", "i915/dg1_dmc_ver2_02.bin"),
    xe_guc("dg1", "i915/dg1_guc_70.bin", (70, 19, 2), (70, 44, 1)),
    xe(huc("dg1", "i915/dg1_huc.bin")),
    xe(dmc("dg1", "i915/dg1_dmc_ver2_02.bin")),
    // XeHPG. DG2's security controller loads the HuC, through mei.
    guc("dg2", "i915/dg2_guc_70.bin", (70, 12, 1), (70, 53, 0)),
    huc("dg2", "i915/dg2_huc_gsc.bin"),
    dmc("dg2", "i915/dg2_dmc_ver2_08.bin"),
    xe_guc("dg2", "i915/dg2_guc_70.bin", (70, 19, 2), (70, 53, 0)),
    xe(dmc("dg2", "i915/dg2_dmc_ver2_08.bin")),
    guc("mtl", "i915/mtl_guc_70.bin", (70, 12, 1), (70, 53, 0)),
    huc("mtl", "i915/mtl_huc_gsc.bin"),
    gsc("mtl", "i915/mtl_gsc_1.bin"),
    dmc("mtl", "i915/mtl_dmc.bin"),
    xe_guc("mtl", "i915/mtl_guc_70.bin", (70, 19, 2), (70, 53, 0)),
    xe(huc("mtl", "i915/mtl_huc_gsc.bin")),
    xe(gsc("mtl", "i915/mtl_gsc_1.bin")),
    xe(dmc("mtl", "i915/mtl_dmc.bin")),
    // Both drivers treat Arrow Lake as Meteor Lake.
    guc("arl", "i915/mtl_guc_70.bin", (70, 12, 1), (70, 53, 0)),
    huc("arl", "i915/mtl_huc_gsc.bin"),
    gsc("arl", "i915/mtl_gsc_1.bin"),
    dmc("arl", "i915/mtl_dmc.bin"),
    xe_guc("arl", "i915/mtl_guc_70.bin", (70, 19, 2), (70, 53, 0)),
    xe(huc("arl", "i915/mtl_huc_gsc.bin")),
    xe(gsc("arl", "i915/mtl_gsc_1.bin")),
    xe(dmc("arl", "i915/mtl_dmc.bin")),
    // XeHPC and Xe2. Ponte Vecchio's GuC is not published.
    xe_guc("lnl", "xe/lnl_guc_70.bin", (70, 19, 2), (70, 53, 0)),
    xe(huc("lnl", "xe/lnl_huc.bin")),
    xe(gsc("lnl", "xe/lnl_gsc_1.bin")),
    xe(dmc("lnl", "i915/xe2lpd_dmc.bin")),
    xe_guc("bmg", "xe/bmg_guc_70.bin", (70, 29, 2), (70, 54, 0)),
    xe(huc("bmg", "xe/bmg_huc.bin")),
    xe(dmc("bmg", "i915/bmg_dmc.bin")),
    // Xe3.
    xe_guc("ptl", "xe/ptl_guc_70.bin", (70, 54, 0), (70, 54, 0)),
    xe(huc("ptl", "xe/ptl_huc.bin")),
    xe(gsc("ptl", "xe/ptl_gsc_1.bin")),
    xe(dmc("ptl", "i915/xe3lpd_dmc.bin")),
    xe(only(WILDCAT_LAKE, dmc("ptl", "i915/xe3lpd_3002_dmc.bin"))),
];
