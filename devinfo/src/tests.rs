//! The table against itself.

extern crate std;

use std::collections::{HashMap, HashSet};

use crate::thread::Topology;
use crate::{
    Family, PLATFORMS, Span, Target, TargetError, by_name, by_pci_id, by_product_family, span,
};

#[test]
fn spans_hold_what_they_say() {
    let newest = Family::ALL[Family::COUNT - 1];
    assert_eq!(span!(..).families().count(), Family::COUNT);
    assert!(span!(XeHpg..).contains(newest) && !span!(XeHpg..).contains(Family::Gen12Lp));
    assert!(
        span!(Gen9..=Gen11)
            .families()
            .eq([Family::Gen9, Family::Gen11])
    );
    assert!(span!(..=Gen9).families().eq([Family::Gen8, Family::Gen9]));
    assert!(span!(XeHpc).families().eq([Family::XeHpc]));
    for (span, text) in [
        (span!(XeHpg..), "XeHPG and later"),
        (span!(..=Gen11), "Gen8 to Gen11"),
        (Span::only(Family::Gen12Lp), "Gen12LP"),
    ] {
        assert_eq!(std::format!("{span}"), text);
    }
}

#[test]
fn names_ids_and_targets_are_unique() {
    let mut names = HashSet::new();
    let mut products = HashSet::new();
    let mut ids: HashMap<u16, &str> = HashMap::new();
    for platform in PLATFORMS {
        for name in std::iter::once(&platform.name)
            .chain(platform.ocloc.iter().filter(|o| **o != platform.name))
        {
            assert!(names.insert(*name), "{name} twice");
        }
        assert!(
            products.insert(platform.zebin.product_family),
            "product family of {} twice",
            platform.name
        );
        for sku in platform.skus {
            for &id in sku.pci_ids {
                let other = ids.insert(id, platform.name);
                assert_eq!(other, None, "{id:#06x} of {} twice", platform.name);
            }
        }
    }
}

#[test]
fn every_row_is_found_by_what_it_carries() {
    for platform in PLATFORMS {
        assert_eq!(by_name(platform.name), Some(platform));
        assert_eq!(
            by_product_family(platform.zebin.product_family),
            Some(platform)
        );
        for sku in platform.skus {
            assert!(sku.eus() > 0, "{} {} has no EUs", platform.name, sku.name);
            for &id in sku.pci_ids {
                assert_eq!(by_pci_id(id), Some(platform));
            }
        }
        for &name in platform.ocloc {
            assert_eq!(by_name(name), Some(platform));
        }
        assert!(!platform.kernel_drivers.is_empty());
        assert!(platform.simd_widths.is_sorted());
    }
    assert_eq!(by_pci_id(0xffff), None);
}

#[test]
fn code_of_some_revisions_is_not_for_others() {
    let dg2 = by_name("dg2").unwrap();
    assert!(dg2.shares_code(5, 8));
    assert!(dg2.shares_code(0, 1));
    assert!(!dg2.shares_code(0, 8));
    assert!(!dg2.shares_code(4, 8));
    assert!(by_name("skl").unwrap().shares_code(9, 6));
}

#[test]
fn targets_parse() {
    let dg2 = Target::parse("dg2:8").unwrap();
    assert_eq!((dg2.platform.name, dg2.revision), ("dg2", 8));
    assert_eq!(Target::parse("tgl").unwrap().revision, 1);
    assert_eq!(Target::parse("PVC:0x2f").unwrap().revision, 0x2f);
    assert_eq!(
        Target::parse("z80"),
        Err(TargetError::UnknownPlatform("z80"))
    );
    assert_eq!(
        Target::parse("tgl:256"),
        Err(TargetError::BadRevision("256"))
    );
    assert_eq!(std::format!("{dg2}"), "dg2:8");
}

#[test]
fn revisions_beyond_the_newest_are_none() {
    let error = Target::parse("tgl:77").unwrap_err();
    assert_eq!(
        std::format!("{error}"),
        "tgl has no revision 77 (known: 0 is A0, 1 is B0, 3 is C0)"
    );
    // B1, which the table does not name; a stepping of i915's alone; and what no table lists.
    for (text, revision) in [("tgl:2", 2), ("skl:10", 10), ("bdw:77", 77)] {
        assert_eq!(Target::parse(text).unwrap().revision, revision);
    }
    for platform in PLATFORMS {
        let target = Target::of(platform);
        assert_eq!(target.with_revision(platform.default_revision), Ok(target));
    }
}

/// The PCI ids that NEO lists for each platform (25.x, `devices_base.inl`).
#[rustfmt::skip]
const NEO: &[(&str, &[u16])] = &[
    ("bmg", &[0xe202, 0xe209, 0xe20b, 0xe20c, 0xe20d, 0xe210, 0xe211, 0xe212, 0xe215, 0xe216, 0xe220, 0xe221, 0xe222, 0xe223]),
    ("lnl", &[0x6420, 0x64a0, 0x64b0]),
    ("ptl", &[0xb080, 0xb081, 0xb082, 0xb083, 0xb084, 0xb085, 0xb086, 0xb087, 0xb08f, 0xb0a0, 0xb0b0, 0xb090, 0xfd80, 0xfd81]),
    ("pvc", &[0x0bd0, 0x0bd5, 0x0bd6, 0x0bd7, 0x0bd8, 0x0bd9, 0x0bda, 0x0bdb, 0x0b69, 0x0b6e, 0x0bd4]),
    ("dg2", &[0x4f80, 0x4f81, 0x4f82, 0x4f83, 0x4f84, 0x4f85, 0x4f86, 0x4f87, 0x4f88, 0x5690, 0x5691, 0x5692, 0x5693, 0x5694, 0x5695, 0x5696, 0x5697, 0x56a3, 0x56a4, 0x56b0, 0x56b1, 0x56b2, 0x56b3, 0x56ba, 0x56bb, 0x56bc, 0x56bd, 0x56be, 0x56bf, 0x56a0, 0x56a1, 0x56a2, 0x56a5, 0x56a6, 0x56af, 0x56c0, 0x56c1, 0x56c2]),
    ("mtl", &[0x7d40, 0x7d55, 0x7dd5, 0x7d45]),
    ("arl", &[0x7d67, 0x7d51, 0x7dd1, 0x7d41]),
    ("tgl", &[0x9a49, 0x9a40, 0x9a59, 0x9a60, 0x9a68, 0x9a70, 0x9a78]),
    ("dg1", &[0x4905, 0x4906, 0x4907, 0x4908, 0x4909]),
    ("rkl", &[0x4c80, 0x4c8a, 0x4c8b, 0x4c8c, 0x4c90, 0x4c9a]),
    ("adls", &[0x4680, 0x4682, 0x4688, 0x468a, 0x468b, 0x4690, 0x4692, 0x4693, 0xa780, 0xa781, 0xa782, 0xa783, 0xa788, 0xa789, 0xa78a, 0xa78b]),
    ("adln", &[0x46d0, 0x46d1, 0x46d2, 0x46d3, 0x46d4]),
    ("adlp", &[0x46a0, 0x46b0, 0x46a1, 0x46a3, 0x46a6, 0x46a8, 0x46aa, 0x462a, 0x4626, 0x4628, 0x46b1, 0x46b3, 0x46c0, 0x46c1, 0x46c3, 0xa7a0, 0xa720, 0xa7a8, 0xa7a1, 0xa721, 0xa7a9, 0xa7aa, 0xa7ab, 0xa7ac, 0xa7ad]),
];

/// Engineering samples that only NEO lists.
const SAMPLES: &[u16] = &[
    0x4c80, 0x4f80, 0x4f81, 0x4f82, 0x4f83, 0x4f84, 0x4f85, 0x4f86, 0x4f87, 0x4f88,
];

#[test]
fn ids_are_those_of_neo() {
    for (name, ids) in NEO {
        let platform = by_name(name).unwrap();
        for id in ids.iter().filter(|id| !SAMPLES.contains(id)) {
            assert_eq!(by_pci_id(*id), Some(platform), "{name} {id:#06x}");
        }
    }
}

/// NEO's `bmgG21DeviceIds` and `bmgG31DeviceIds`.
#[test]
fn battlemage_has_two_chips() {
    let bmg = by_name("bmg").unwrap();
    let [g21, g31] = bmg.skus else {
        panic!("two variants");
    };
    assert_eq!(g31.pci_ids, [0xe220, 0xe221, 0xe222, 0xe223]);
    assert!(g21.pci_ids.iter().all(|id| (0xe202..=0xe216).contains(id)));
    assert_eq!((g21.ip, g31.ip), ((20, 1), (20, 2)));
}

/// What `ocloc ids` prints (26.27; 22.43 before Gen12LP).
#[test]
fn ip_versions_are_those_of_intels_tools() {
    for (name, version) in [
        ("bdw", (8, 0, 0)),
        ("skl", (9, 0, 9)),
        ("kbl", (9, 1, 9)),
        ("cfl", (9, 2, 9)),
        ("apl", (9, 3, 0)),
        ("glk", (9, 4, 0)),
        ("ehl", (11, 2, 0)),
        ("tgl", (12, 0, 0)),
        ("dg1", (12, 10, 0)),
        ("dg2", (12, 55, 8)),
        ("pvc", (12, 60, 7)),
        ("mtl", (12, 71, 4)),
        ("lnl", (20, 4, 4)),
        ("bmg", (20, 1, 0)),
        ("ptl", (30, 0, 4)),
    ] {
        let platform = by_name(name).unwrap();
        let (id, revision) = (platform.default_pci_id(), platform.default_revision);
        assert_eq!(platform.ip_version(id, revision), version, "{name}");
    }
}

/// NEO's `calculateAvailableThreadCount`.
#[test]
fn registers_limit_the_threads_of_an_eu() {
    for (name, registers, threads) in [
        ("skl", 128, 7),
        ("dg2", 128, 8),
        ("pvc", 256, 4),
        ("ptl", 32, 10),
        ("ptl", 96, 10),
        ("ptl", 128, 8),
        ("ptl", 160, 6),
        ("ptl", 192, 5),
        ("ptl", 256, 4),
    ] {
        let platform = by_name(name).unwrap();
        assert_eq!(platform.threads_of(1, registers), threads, "{name}");
    }
}

/// The expected values of each family's usual variant and the small Elkhart Lakes.
#[test]
fn groups_fit_a_subslice() {
    for (name, eus, most) in [
        ("bdw", 8, 256),
        ("bdw", 6, 256),
        ("apl", 6, 256),
        ("ehl", 8, 256),
        ("ehl", 4, 128),
        ("tgl", 16, 512),
        ("dg2", 16, 1024),
        ("pvc", 8, 1024),
        ("lnl", 8, 1024),
        ("ptl", 8, 1024),
        ("bmg", 0, 0),
    ] {
        let platform = by_name(name).unwrap();
        assert_eq!(platform.max_work_group_size(eus), most, "{name} {eus}");
    }
}

#[test]
fn slots_are_found_again_in_sr0() {
    assert_eq!(
        Topology::of(Family::XeHpg, 0b1_0111_0101).state,
        0b101_1010_0101
    );
    // As IGC's code does: takes bit ranges out of a number, highest first.
    let join = |mut id: u32, ranges: &[(u32, u32)]| {
        for &(first, count) in ranges {
            let low = id & ((1 << first) - 1);
            id = id >> (first + count) << first | low;
        }
        id
    };
    for slot in 0..2048 {
        let of = |family| Topology::of(family, slot);
        assert_eq!(
            join(of(Family::XeHpg).state & 0x3fff, &[(6, 1), (3, 1)]),
            slot
        );
        assert_eq!(
            join(of(Family::XeHpc).state & 0x7fff, &[(6, 2), (3, 1)]),
            slot
        );
        let xe2 = of(Family::Xe2);
        let ranges = [(10, 1), (7, 1), (3, 1)];
        assert_eq!(join(xe2.state & 0xffff, &ranges), slot);
        assert_eq!(xe2.message << 6 | join(xe2.state & 0x7f, &[(3, 1)]), slot);
        let xe3 = of(Family::Xe3);
        let eu = (xe3.message & 0xff) << 3 | (xe3.state & 0x7f) >> 4;
        assert_eq!(eu * 10 + (xe3.state & 0xf), slot);
    }
}
