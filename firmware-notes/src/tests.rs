//! The table against the platform table.

use devinfo::{Driver, PLATFORMS};

use crate::{FIRMWARE, Kind, SUBMISSION_INTERFACES, files, submission_interface};

#[test]
fn every_row_names_a_platform_that_its_driver_drives() {
    for row in FIRMWARE {
        let platform = devinfo::by_name(row.platform).unwrap();
        assert_eq!(platform.name, row.platform);
        assert!(platform.has_driver(row.driver), "{row:?}");
        assert!(row.path.ends_with(".bin"), "{row:?}");
        assert!(
            row.kind != Kind::Guc || row.minimum.is_some(),
            "{row:?} has no version"
        );
        assert!(!row.required || row.kind == Kind::Guc, "{row:?}");
    }
}

#[test]
fn xe_needs_a_guc_everywhere_and_it_comes_first() {
    for platform in PLATFORMS {
        if !platform.has_driver(Driver::Xe) || platform.name == "pvc" {
            continue;
        }
        let first = files(platform, Driver::Xe).next().unwrap();
        assert_eq!(first.kind, Kind::Guc, "{platform}");
        assert!(first.required, "{platform}");
        // The oldest version that the driver accepts.
        assert!(first.minimum >= Some((70, 19, 0)), "{platform}");
    }
}

#[test]
fn no_file_is_listed_twice() {
    for (index, row) in FIRMWARE.iter().enumerate() {
        assert!(!FIRMWARE[index + 1..].contains(row), "{row:?}");
    }
}

#[test]
fn every_guc_that_submits_has_an_interface() {
    assert!(SUBMISSION_INTERFACES.is_sorted());
    for platform in PLATFORMS {
        for driver in [Driver::I915, Driver::Xe] {
            let submits = files(platform, driver).any(|f| f.required);
            let interface = submission_interface(platform, driver);
            assert_eq!(interface.is_some(), submits, "{platform} on {driver}");
        }
    }
    let of = |name, driver| submission_interface(devinfo::by_name(name).unwrap(), driver);
    assert_eq!(of("tgl", Driver::I915), None);
    assert_eq!(of("dg2", Driver::I915), Some((1, 4, 1)));
    assert_eq!(of("dg2", Driver::Xe), Some((1, 9, 0)));
    assert_eq!(of("bmg", Driver::Xe), Some((1, 13, 4)));
    assert_eq!(of("pvc", Driver::Xe), None);
}
