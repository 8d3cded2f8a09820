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
    /// The version that the driver requires, if any.
    pub minimum: Option<Version>,
    /// Whether the driver runs no compute work without it.
    pub required: bool,
}

/// The files that `driver` loads for `platform`; those needed for compute come first.
pub fn files(
    platform: &'static Platform,
    driver: Driver,
) -> impl Iterator<Item = &'static Firmware> {
    let of = move |f: &&Firmware| f.platform == platform.name && f.driver == driver;
    let required = FIRMWARE.iter().filter(|f| f.required);
    let optional = FIRMWARE.iter().filter(|f| !f.required);
    required.chain(optional).filter(of)
}

/// A version: major, minor, patch.
pub type Version = (u16, u16, u16);

/// Releases of the GuC, oldest first, with the version of their submission interface. The list is
/// not complete.
///
/// Source: the commits of linux-firmware that add them ("VF API version").
pub static SUBMISSION_INTERFACES: &[(Version, Version)] = &[
    ((70, 13, 1), (1, 4, 1)),
    ((70, 20, 0), (1, 9, 0)),
    ((70, 29, 2), (1, 13, 4)),
    // xe recommends this release for features that need that interface (Linux
    // `vf_migration_init_late`).
    ((70, 54, 0), (1, 27, 0)),
];

/// The version of the GuC's submission interface on a plausible machine: that of the oldest release
/// in [`SUBMISSION_INTERFACES`] that `driver` accepts for `platform`.
///
/// `None` where the driver does not submit through a GuC, or no GuC is published.
pub fn submission_interface(platform: &'static Platform, driver: Driver) -> Option<Version> {
    let minimum = files(platform, driver)
        .find(|f| f.kind == Kind::Guc && f.required)?
        .minimum?;
    let mut rows = SUBMISSION_INTERFACES.iter();
    rows.find(|(release, _)| *release >= minimum)
        .map(|(_, interface)| *interface)
}

const fn guc(platform: &'static str, path: &'static str, minimum: Version) -> Firmware {
    Firmware {
        platform,
        driver: Driver::I915,
        kind: Kind::Guc,
        path,
        minimum: Some(minimum),
        required: false,
    }
}

const fn huc(platform: &'static str, path: &'static str) -> Firmware {
    Firmware {
        kind: Kind::Huc,
        minimum: None,
        ..guc(platform, path, (0, 0, 0))
    }
}

const fn gsc(platform: &'static str, path: &'static str) -> Firmware {
    Firmware {
        kind: Kind::Gsc,
        ..guc(platform, path, (1, 0, 0))
    }
}

const fn dmc(platform: &'static str, path: &'static str) -> Firmware {
    Firmware {
        kind: Kind::Dmc,
        ..huc(platform, path)
    }
}

const fn required(firmware: Firmware) -> Firmware {
    Firmware {
        required: true,
        ..firmware
    }
}

const fn xe(firmware: Firmware) -> Firmware {
    Firmware {
        driver: Driver::Xe,
        ..firmware
    }
}

/// Every file, by platform, oldest first.
pub static FIRMWARE: &[Firmware] = &[
    // Gen9. Broadwell has no processor that i915 loads firmware for.
    guc("skl", "i915/skl_guc_70.1.1.bin", (70, 1, 1)),
    huc("skl", "i915/skl_huc_2.0.0.bin"),
    dmc("skl", "i915/skl_dmc_ver1_27.bin"),
    guc("kbl", "i915/kbl_guc_70.1.1.bin", (70, 1, 1)),
    huc("kbl", "i915/kbl_huc_4.0.0.bin"),
    dmc("kbl", "i915/kbl_dmc_ver1_04.bin"),
    guc("cfl", "i915/kbl_guc_70.1.1.bin", (70, 1, 1)),
    huc("cfl", "i915/kbl_huc_4.0.0.bin"),
    dmc("cfl", "i915/kbl_dmc_ver1_04.bin"),
    guc("apl", "i915/bxt_guc_70.1.1.bin", (70, 1, 1)),
    huc("apl", "i915/bxt_huc_2.0.0.bin"),
    dmc("apl", "i915/bxt_dmc_ver1_07.bin"),
    guc("glk", "i915/glk_guc_70.1.1.bin", (70, 1, 1)),
    huc("glk", "i915/glk_huc_4.0.0.bin"),
    dmc("glk", "i915/glk_dmc_ver1_04.bin"),
    // Gen11. Elkhart Lake loads Ice Lake's DMC.
    guc("icl", "i915/icl_guc_70.1.1.bin", (70, 1, 1)),
    huc("icl", "i915/icl_huc_9.0.0.bin"),
    dmc("icl", "i915/icl_dmc_ver1_09.bin"),
    guc("ehl", "i915/ehl_guc_70.1.1.bin", (70, 1, 1)),
    huc("ehl", "i915/ehl_huc_9.0.0.bin"),
    dmc("ehl", "i915/icl_dmc_ver1_09.bin"),
    // Gen12LP.
    guc("tgl", "i915/tgl_guc_70.1.1.bin", (70, 1, 1)),
    huc("tgl", "i915/tgl_huc.bin"),
    dmc("tgl", "i915/tgl_dmc_ver2_12.bin"),
    xe(required(guc("tgl", "i915/tgl_guc_70.bin", (70, 19, 2)))),
    xe(huc("tgl", "i915/tgl_huc.bin")),
    xe(dmc("tgl", "i915/tgl_dmc_ver2_12.bin")),
    guc("rkl", "i915/tgl_guc_70.1.1.bin", (70, 1, 1)),
    huc("rkl", "i915/tgl_huc.bin"),
    dmc("rkl", "i915/rkl_dmc_ver2_03.bin"),
    xe(required(guc("rkl", "i915/tgl_guc_70.bin", (70, 19, 2)))),
    xe(huc("rkl", "i915/tgl_huc.bin")),
    xe(dmc("rkl", "i915/rkl_dmc_ver2_03.bin")),
    // i915 also submits through the GuC on Raptor Lake-S, but not on Alder Lake-S.
    required(guc("adls", "i915/tgl_guc_70.bin", (70, 12, 1))),
    huc("adls", "i915/tgl_huc.bin"),
    dmc("adls", "i915/adls_dmc_ver2_01.bin"),
    xe(required(guc("adls", "i915/tgl_guc_70.bin", (70, 19, 2)))),
    xe(huc("adls", "i915/tgl_huc.bin")),
    xe(dmc("adls", "i915/adls_dmc_ver2_01.bin")),
    required(guc("adlp", "i915/adlp_guc_70.bin", (70, 12, 1))),
    huc("adlp", "i915/tgl_huc.bin"),
    dmc("adlp", "i915/adlp_dmc.bin"),
    xe(required(guc("adlp", "i915/adlp_guc_70.bin", (70, 19, 2)))),
    xe(huc("adlp", "i915/tgl_huc.bin")),
    xe(dmc("adlp", "i915/adlp_dmc.bin")),
    required(guc("adln", "i915/adlp_guc_70.bin", (70, 12, 1))),
    huc("adln", "i915/tgl_huc.bin"),
    dmc("adln", "i915/adlp_dmc.bin"),
    xe(required(guc("adln", "i915/tgl_guc_70.bin", (70, 19, 2)))),
    xe(dmc("adln", "i915/adlp_dmc.bin")),
    required(guc("dg1", "i915/dg1_guc_70.bin", (70, 5, 1))),
    huc("dg1", "i915/dg1_huc.bin"),
    dmc("dg1", "i915/dg1_dmc_ver2_02.bin"),
    xe(required(guc("dg1", "i915/dg1_guc_70.bin", (70, 19, 2)))),
    xe(huc("dg1", "i915/dg1_huc.bin")),
    xe(dmc("dg1", "i915/dg1_dmc_ver2_02.bin")),
    // XeHPG. DG2's security controller loads the HuC, through mei.
    required(guc("dg2", "i915/dg2_guc_70.bin", (70, 12, 1))),
    huc("dg2", "i915/dg2_huc_gsc.bin"),
    dmc("dg2", "i915/dg2_dmc_ver2_08.bin"),
    xe(required(guc("dg2", "i915/dg2_guc_70.bin", (70, 19, 2)))),
    xe(dmc("dg2", "i915/dg2_dmc_ver2_08.bin")),
    required(guc("mtl", "i915/mtl_guc_70.bin", (70, 12, 1))),
    huc("mtl", "i915/mtl_huc_gsc.bin"),
    gsc("mtl", "i915/mtl_gsc_1.bin"),
    dmc("mtl", "i915/mtl_dmc.bin"),
    xe(required(guc("mtl", "i915/mtl_guc_70.bin", (70, 19, 2)))),
    xe(huc("mtl", "i915/mtl_huc_gsc.bin")),
    xe(gsc("mtl", "i915/mtl_gsc_1.bin")),
    xe(dmc("mtl", "i915/mtl_dmc.bin")),
    // Both drivers treat Arrow Lake as Meteor Lake.
    required(guc("arl", "i915/mtl_guc_70.bin", (70, 12, 1))),
    huc("arl", "i915/mtl_huc_gsc.bin"),
    gsc("arl", "i915/mtl_gsc_1.bin"),
    dmc("arl", "i915/mtl_dmc.bin"),
    xe(required(guc("arl", "i915/mtl_guc_70.bin", (70, 19, 2)))),
    xe(huc("arl", "i915/mtl_huc_gsc.bin")),
    xe(gsc("arl", "i915/mtl_gsc_1.bin")),
    xe(dmc("arl", "i915/mtl_dmc.bin")),
    // XeHPC and Xe2. Ponte Vecchio's GuC is not published.
    xe(required(guc("lnl", "xe/lnl_guc_70.bin", (70, 19, 2)))),
    xe(huc("lnl", "xe/lnl_huc.bin")),
    xe(gsc("lnl", "xe/lnl_gsc_1.bin")),
    xe(dmc("lnl", "i915/xe2lpd_dmc.bin")),
    xe(required(guc("bmg", "xe/bmg_guc_70.bin", (70, 29, 2)))),
    xe(huc("bmg", "xe/bmg_huc.bin")),
    xe(dmc("bmg", "i915/bmg_dmc.bin")),
    // Xe3.
    xe(required(guc("ptl", "xe/ptl_guc_70.bin", (70, 54, 0)))),
    xe(huc("ptl", "xe/ptl_huc.bin")),
    xe(gsc("ptl", "xe/ptl_gsc_1.bin")),
    xe(dmc("ptl", "i915/xe3lpd_dmc.bin")),
];
