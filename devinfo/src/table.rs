//! The table of platforms.
//!
//! Sources: PCI ids and variants from Mesa's `include/pci_ids` and NEO's `devices_base.inl`;
//! topology, thread counts and timestamp frequencies from Mesa's `intel_device_info.c` and NEO's
//! `hw_info_*.cpp`; cache controls from Mesa's `isl.c` and `intel_device_info.c` and the kernel's
//! MOCS and PAT tables; target numbers from IGC's `igfxfmid.h` and from ocloc's output. This
//! project verified none of it on hardware: the kernel driver's description of a real device has
//! precedence.

use crate::Family;
use crate::platform::{Driver, Mocs, Platform, Revision, Sku, ZebinTarget};

/// Name, slices x subslices x EUs, IP version and PCI ids of each variant.
macro_rules! skus {
    ($($name:literal $slices:literal x $subslices:literal x $eus:literal $ip:tt [$($pci:literal)*];)*) => {
        &[$(Sku {
            name: $name,
            pci_ids: &[$($pci),*],
            slices: $slices,
            subslices_per_slice: $subslices,
            eus_per_subslice: $eus,
            ip: $ip,
        }),*]
    };
}

const fn stepping(pci: u8, stepping: &'static str) -> Revision {
    Revision { pci, stepping }
}

const fn zebin(product_family: u32, gfxcore_family: u32) -> ZebinTarget {
    ZebinTarget {
        product_family,
        gfxcore_family,
    }
}

/// What platforms up to Gen12LP have in common; rows replace what differs.
const GEN8: Platform = Platform {
    name: "bdw",
    title: "Broadwell",
    family: Family::Gen8,
    skus: skus! {
        "GT2" 1 x 3 x 8 (8, 0) [0x1616 0x1612 0x161a 0x161b 0x161d 0x161e];
        "GT1" 1 x 2 x 6 (8, 0) [0x1602 0x1606 0x160a 0x160b 0x160d 0x160e];
        "GT3" 2 x 3 x 8 (8, 0) [0x1622 0x1626 0x162a 0x162b 0x162d 0x162e];
    },
    revisions: &[],
    default_revision: 9,
    code_changes: &[],
    threads_per_eu: 7,
    eu_registers: 7 * 128,
    simd_widths: &[8, 16, 32],
    grf_counts: &[128],
    max_slm_bytes: 64 << 10,
    timestamp_frequency: 12_500_000,
    timestamp_bits: 36,
    address_bits: 48,
    // Attributes, not an index: write-back, L3 as the page tables say.
    mocs: Mocs {
        cached: 0x78,
        uncached: 0x18,
    },
    pat_coherent: 0,
    pat_at_creation: false,
    kernel_drivers: &[Driver::I915],
    local_memory: false,
    llc: true,
    ip_revision: Some(0),
    fp64: true,
    systolic: false,
    small_core: false,
    images: true,
    fused_eus: false,
    independent_forward_progress: true,
    zebin: zebin(16, 11),
    ocloc: &["bdw"],
};

const GEN9: Platform = Platform {
    family: Family::Gen9,
    timestamp_frequency: 12_000_000,
    mocs: Mocs {
        cached: 2 << 1,
        uncached: 0,
    },
    ..GEN8
};

const GEN9_LP: Platform = Platform {
    threads_per_eu: 6,
    eu_registers: 6 * 128,
    small_core: true,
    timestamp_frequency: 19_200_000,
    llc: false,
    independent_forward_progress: false,
    ..GEN9
};

const GEN11: Platform = Platform {
    family: Family::Gen11,
    timestamp_frequency: 12_000_000,
    fp64: false,
    mocs: Mocs {
        cached: 2 << 1,
        uncached: 3 << 1,
    },
    ..GEN8
};

const GEN12LP: Platform = Platform {
    family: Family::Gen12Lp,
    timestamp_frequency: 19_200_000,
    fp64: false,
    fused_eus: true,
    independent_forward_progress: false,
    mocs: Mocs {
        cached: 2 << 1,
        uncached: 3 << 1,
    },
    kernel_drivers: &[Driver::I915, Driver::Xe],
    ..GEN8
};

const XEHPG: Platform = Platform {
    family: Family::XeHpg,
    threads_per_eu: 8,
    eu_registers: 8 * 128,
    grf_counts: &[128, 256],
    timestamp_frequency: 19_200_000,
    mocs: Mocs {
        cached: 3 << 1,
        uncached: 1 << 1,
    },
    kernel_drivers: &[Driver::I915, Driver::Xe],
    llc: false,
    ip_revision: None,
    fp64: false,
    systolic: true,
    fused_eus: true,
    independent_forward_progress: false,
    ..GEN8
};

const XEHPC: Platform = Platform {
    family: Family::XeHpc,
    address_bits: 57,
    pat_coherent: 3,
    fp64: true,
    images: false,
    fused_eus: false,
    independent_forward_progress: true,
    timestamp_frequency: 12_500_000,
    simd_widths: &[16, 32],
    max_slm_bytes: 128 << 10,
    mocs: Mocs {
        cached: 2 << 1,
        uncached: 1 << 1,
    },
    kernel_drivers: &[Driver::Xe],
    ..XEHPG
};

const XE2: Platform = Platform {
    family: Family::Xe2,
    pat_coherent: 1,
    fp64: true,
    fused_eus: false,
    independent_forward_progress: true,
    timestamp_bits: 64,
    simd_widths: &[16, 32],
    max_slm_bytes: 128 << 10,
    mocs: Mocs {
        cached: 1 << 1,
        uncached: 3 << 1,
    },
    kernel_drivers: &[Driver::Xe],
    ..XEHPG
};

const XE3: Platform = Platform {
    family: Family::Xe3,
    threads_per_eu: 10,
    grf_counts: &[32, 64, 96, 128, 160, 192, 256],
    ..XE2
};

/// Every platform, oldest first.
pub static PLATFORMS: &[Platform] = &[
    GEN8,
    Platform {
        name: "skl",
        title: "Skylake",
        skus: skus! {
            "GT2" 1 x 3 x 8 (9, 0) [0x1912 0x1916 0x191a 0x191b 0x191d 0x191e 0x1921];
            "GT1" 1 x 2 x 6 (9, 0) [0x1902 0x1906 0x190a 0x190b 0x190e];
            "GT2F" 1 x 3 x 6 (9, 0) [0x1913 0x1915 0x1917];
            "GT3" 2 x 3 x 8 (9, 0) [0x1923 0x1926 0x1927 0x192b 0x192d];
            "GT4" 3 x 3 x 8 (9, 0) [0x192a 0x1932 0x193a 0x193b 0x193d];
        },
        revisions: &[
            stepping(6, "G0"),
            stepping(7, "H0"),
            stepping(9, "J0"),
            stepping(0xa, "I1"),
        ],
        ip_revision: Some(9),
        default_revision: 6,
        zebin: zebin(18, 12),
        ocloc: &["skl"],
        ..GEN9
    },
    Platform {
        name: "kbl",
        title: "Kaby Lake, Amber Lake",
        skus: skus! {
            "GT2" 1 x 3 x 8 (9, 1) [
                0x5912 0x5916 0x5917 0x591a 0x591b 0x591c 0x591d 0x591e 0x5921 0x87c0
            ];
            "GT1" 1 x 2 x 6 (9, 1) [0x5902 0x5906 0x5908 0x590a 0x590b 0x590e];
            "GT1.5" 1 x 3 x 6 (9, 1) [0x5913 0x5915];
            "GT3" 2 x 3 x 8 (9, 1) [0x5923 0x5926 0x5927];
            "GT4" 3 x 3 x 8 (9, 1) [0x593b];
        },
        ip_revision: Some(9),
        default_revision: 4,
        zebin: zebin(19, 12),
        ocloc: &["kbl", "aml"],
        ..GEN9
    },
    Platform {
        name: "cfl",
        title: "Coffee Lake, Whiskey Lake, Comet Lake",
        skus: skus! {
            "GT2" 1 x 3 x 8 (9, 2) [
                0x3e92 0x3e91 0x3e94 0x3e96 0x3e98 0x3e9a 0x3e9b 0x3ea0 0x3ea3 0x3ea9 0x87ca 0x9b41
                0x9bc0 0x9bc2 0x9bc4 0x9bc5 0x9bc6 0x9bc8 0x9bca 0x9bcb 0x9bcc 0x9be6 0x9bf6
            ];
            "GT1" 1 x 2 x 6 (9, 2) [
                0x3e90 0x3e93 0x3e99 0x3e9c 0x3ea1 0x3ea4 0x9b21 0x9ba0 0x9ba2 0x9ba4 0x9ba5 0x9ba8
                0x9baa 0x9bab 0x9bac
            ];
            "GT3" 2 x 3 x 8 (9, 2) [0x3ea5 0x3ea2 0x3ea6 0x3ea7 0x3ea8];
        },
        ip_revision: Some(9),
        default_revision: 0,
        zebin: zebin(20, 12),
        ocloc: &["cfl", "whl", "cml"],
        ..GEN9
    },
    Platform {
        name: "apl",
        title: "Apollo Lake (Broxton)",
        skus: skus! {
            "3x6" 1 x 3 x 6 (9, 3) [0x5a84 0x0a84 0x1a84];
            "2x6" 1 x 2 x 6 (9, 3) [0x5a85 0x1a85];
        },
        default_revision: 0xb,
        zebin: zebin(22, 12),
        ocloc: &["apl", "bxt"],
        ..GEN9_LP
    },
    Platform {
        name: "glk",
        title: "Gemini Lake",
        skus: skus! {
            "3x6" 1 x 3 x 6 (9, 4) [0x3184];
            "2x6" 1 x 2 x 6 (9, 4) [0x3185];
        },
        default_revision: 3,
        zebin: zebin(23, 12),
        ocloc: &["glk"],
        ..GEN9_LP
    },
    Platform {
        name: "icl",
        title: "Ice Lake",
        skus: skus! {
            "GT2" 1 x 8 x 8 (11, 0) [0x8a52 0x8a50 0x8a51 0x8a53];
            "GT1.5" 1 x 6 x 8 (11, 0) [0x8a5a 0x8a54 0x8a57 0x8a59 0x8a5c];
            "GT1" 1 x 4 x 8 (11, 0) [0x8a56 0x8a58 0x8a5b 0x8a5d];
            "GT0.5" 1 x 1 x 8 (11, 0) [0x8a71];
        },
        revisions: &[stepping(7, "D0")],
        default_revision: 7,
        zebin: zebin(26, 15),
        ocloc: &["icllp"],
        ..GEN11
    },
    Platform {
        name: "ehl",
        title: "Elkhart Lake, Jasper Lake",
        skus: skus! {
            "4x8" 1 x 4 x 8 (11, 2) [0x4571 0x4570 0x4e71];
            "4x6" 1 x 4 x 6 (11, 2) [0x4e61];
            "4x5" 1 x 4 x 5 (11, 2) [0x4557 0x4e57];
            "4x4" 1 x 4 x 4 (11, 2) [0x4551 0x4e51];
            "2x8" 1 x 2 x 8 (11, 2) [0x4555 0x4e55];
            "2x4" 1 x 2 x 4 (11, 2) [0x4541];
        },
        default_revision: 1,
        llc: false,
        independent_forward_progress: false,
        zebin: zebin(28, 15),
        ocloc: &["ehl", "jsl"],
        ..GEN11
    },
    Platform {
        name: "tgl",
        title: "Tiger Lake",
        skus: skus! {
            "GT2" 1 x 6 x 16 (12, 0) [0x9a49 0x9a40 0x9a59 0x9a78 0x9ac0 0x9ac9 0x9ad9 0x9af8];
            "GT1" 1 x 2 x 16 (12, 0) [0x9a60 0x9a68 0x9a70];
        },
        revisions: &[stepping(0, "A0"), stepping(1, "B0"), stepping(3, "C0")],
        default_revision: 1,
        zebin: zebin(29, 18),
        ocloc: &["tgllp", "tgl"],
        ..GEN12LP
    },
    Platform {
        name: "rkl",
        title: "Rocket Lake",
        skus: skus! {
            "GT1" 1 x 2 x 16 (12, 1) [0x4c8a 0x4c8b 0x4c90 0x4c9a];
            "GT0.5" 1 x 1 x 16 (12, 1) [0x4c8c];
        },
        revisions: &[stepping(0, "A0"), stepping(1, "B0"), stepping(4, "C0")],
        default_revision: 4,
        zebin: zebin(30, 18),
        ocloc: &["rkl"],
        ..GEN12LP
    },
    Platform {
        name: "adls",
        title: "Alder Lake-S, Raptor Lake-S",
        skus: skus! {
            "GT1" 1 x 2 x 16 (12, 2) [
                0x4680 0x4682 0x4688 0x468a 0x4690 0x4692 0x4693 0xa780 0xa781 0xa782 0xa783 0xa788
                0xa789 0xa78a 0xa78b
            ];
            "GT0.5" 1 x 1 x 16 (12, 2) [0x468b];
        },
        revisions: &[stepping(0, "A0"), stepping(4, "B0"), stepping(0xc, "D0")],
        default_revision: 0xc,
        zebin: zebin(31, 18),
        ocloc: &["adl-s", "rpl-s"],
        ..GEN12LP
    },
    Platform {
        name: "adlp",
        title: "Alder Lake-P, Raptor Lake-P",
        skus: skus! {
            "GT2" 1 x 6 x 16 (12, 3) [
                0x46a6 0x4626 0x4628 0x462a 0x46a0 0x46a1 0x46a2 0x46a3 0x46a8 0x46aa 0x46b0 0x46b1
                0x46b2 0x46b3 0x46c0 0x46c1 0x46c2 0x46c3 0xa720 0xa721 0xa7a0 0xa7a1 0xa7a8 0xa7a9
                0xa7aa 0xa7ab 0xa7ac 0xa7ad
            ];
        },
        revisions: &[stepping(0, "A0"), stepping(4, "B0"), stepping(0xc, "C0")],
        default_revision: 0xc,
        zebin: zebin(32, 18),
        ocloc: &["adl-p", "rpl-p"],
        ..GEN12LP
    },
    Platform {
        name: "adln",
        title: "Alder Lake-N, Twin Lake",
        skus: skus! {
            "GT1" 1 x 2 x 16 (12, 4) [0x46d0 0x46d1 0x46d2 0x46d3 0x46d4];
        },
        revisions: &[stepping(0, "A0")],
        default_revision: 0,
        zebin: zebin(33, 18),
        ocloc: &["adl-n"],
        ..GEN12LP
    },
    Platform {
        name: "dg1",
        title: "DG1, SG1",
        skus: skus! {
            "GT2" 1 x 6 x 16 (12, 10) [0x4905 0x4906 0x4907 0x4908 0x4909];
        },
        revisions: &[stepping(0, "A0"), stepping(1, "B0")],
        default_revision: 1,
        mocs: Mocs {
            cached: 5 << 1,
            uncached: 1 << 1,
        },
        local_memory: true,
        llc: false,
        zebin: zebin(1210, 18),
        ocloc: &["dg1"],
        ..GEN12LP
    },
    Platform {
        name: "dg2",
        title: "Alchemist (Arc A-series, Flex)",
        skus: skus! {
            "G10" 8 x 4 x 16 (12, 55) [
                0x56a0 0x5690 0x5691 0x5692 0x56a1 0x56a2 0x56be 0x56bf 0x56c0 0x56c2
            ];
            "G11" 2 x 4 x 16 (12, 56) [
                0x56a5 0x5693 0x5694 0x5695 0x56a6 0x56af 0x56b0 0x56b1 0x56ba 0x56bb 0x56bc 0x56bd
                0x56c1
            ];
            "G12" 4 x 4 x 16 (12, 57) [0x56a3 0x5696 0x5697 0x56a4 0x56b2 0x56b3];
        },
        revisions: &[
            stepping(0, "A0"),
            stepping(1, "A1"),
            stepping(4, "B0"),
            stepping(8, "C0"),
        ],
        default_revision: 8,
        // ocloc 22.43: A0 and B0 access memory through HDC messages with different fences, B1 of
        // G11 and C0 of G10 through LSC.
        code_changes: &[4, 5],
        local_memory: true,
        zebin: zebin(1270, 0x0c07),
        ocloc: &[
            "dg2", "dg2-g10", "acm-g10", "ats-m150", "dg2-g11", "acm-g11", "ats-m75", "dg2-g12",
            "acm-g12",
        ],
        ..XEHPG
    },
    Platform {
        name: "mtl",
        title: "Meteor Lake",
        skus: skus! {
            "H" 2 x 4 x 16 (12, 71) [0x7d55 0x7dd5];
            "U" 1 x 4 x 16 (12, 70) [0x7d45 0x7d40 0x7d60];
        },
        revisions: &[stepping(0, "A0"), stepping(4, "B0")],
        default_revision: 4,
        pat_coherent: 3,
        pat_at_creation: true,
        fp64: true,
        systolic: false,
        mocs: Mocs {
            cached: 1 << 1,
            uncached: 5 << 1,
        },
        zebin: zebin(1272, 0x0c07),
        ocloc: &["mtl", "mtl-u", "mtl-h", "mtl-m", "mtl-p", "mtl-s"],
        ..XEHPG
    },
    Platform {
        name: "arl",
        title: "Arrow Lake",
        skus: skus! {
            "H" 2 x 4 x 16 (12, 74) [0x7d51 0x7dd1];
            "U" 1 x 4 x 16 (12, 70) [0x7d41 0x7d67 0xb640];
        },
        revisions: &[],
        default_revision: 3,
        pat_coherent: 3,
        pat_at_creation: true,
        fp64: true,
        mocs: Mocs {
            cached: 1 << 1,
            uncached: 5 << 1,
        },
        zebin: zebin(1273, 0x0c07),
        ocloc: &["arl-h", "arl-u"],
        ..XEHPG
    },
    Platform {
        name: "pvc",
        title: "Ponte Vecchio (Data Center GPU Max)",
        skus: skus! {
            "XT" 8 x 8 x 8 (12, 60) [
                0x0bd5 0x0b69 0x0b6e 0x0bd0 0x0bd4 0x0bd6 0x0bd7 0x0bd8 0x0bd9 0x0bda 0x0bdb
            ];
        },
        revisions: &[
            stepping(3, "A0"),
            stepping(5, "B0"),
            stepping(6, "B1"),
            stepping(7, "C0"),
            stepping(0x2f, "C0"),
        ],
        default_revision: 0x2f,
        local_memory: true,
        zebin: zebin(1271, 0x0c08),
        ocloc: &["pvc"],
        ..XEHPC
    },
    Platform {
        name: "lnl",
        title: "Lunar Lake",
        skus: skus! {
            "LNL" 2 x 4 x 8 (20, 4) [0x64a0 0x6420 0x64b0];
        },
        revisions: &[stepping(0, "A0"), stepping(4, "B0")],
        default_revision: 4,
        zebin: zebin(1275, 0x0c09),
        ocloc: &["lnl-m"],
        ..XE2
    },
    Platform {
        name: "bmg",
        title: "Battlemage (Arc B-series)",
        skus: skus! {
            "G21" 5 x 4 x 8 (20, 1) [
                0xe20b 0xe202 0xe209 0xe20c 0xe20d 0xe210 0xe211 0xe212 0xe215 0xe216
            ];
            // The IP is from ocloc and xe. The number of Xe cores, 32, is from reports; they are
            // divided into slices as on G21.
            "G31" 8 x 4 x 8 (20, 2) [0xe220 0xe221 0xe222 0xe223];
        },
        revisions: &[stepping(0, "A0")],
        default_revision: 0,
        local_memory: true,
        zebin: zebin(1274, 0x0c09),
        ocloc: &["bmg", "bmg-g21", "bmg-g31"],
        ..XE2
    },
    Platform {
        name: "ptl",
        title: "Panther Lake, Wildcat Lake",
        skus: skus! {
            // 12 Xe cores in two slices, as Intel presented it.
            "H" 2 x 6 x 8 (30, 0) [
                0xb080 0xb081 0xb082 0xb083 0xb084 0xb085 0xb086 0xb087 0xb08f 0xb0a0 0xb0b0
            ];
            "U" 1 x 4 x 8 (30, 1) [0xb090];
            "WCL" 1 x 2 x 8 (30, 3) [0xfd80 0xfd81];
        },
        revisions: &[stepping(0, "A0"), stepping(4, "B0")],
        default_revision: 4,
        zebin: zebin(1300, 0x1e00),
        ocloc: &["ptl-h", "ptl-u", "wcl"],
        ..XE3
    },
];
