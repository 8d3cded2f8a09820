//! The table against itself.

extern crate std;

use std::collections::{HashMap, HashSet};

use crate::{PLATFORMS, Target, TargetError, by_name, by_pci_id, by_product_family};

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
