//! The table against the platform table.

use devinfo::{Driver, PLATFORMS};

use crate::{FIRMWARE, Kind, files};

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
        // The oldest that the driver takes.
        assert!(first.minimum >= Some((70, 19, 0)), "{platform}");
    }
}

#[test]
fn no_file_is_listed_twice() {
    for (index, row) in FIRMWARE.iter().enumerate() {
        assert!(!FIRMWARE[index + 1..].contains(row), "{row:?}");
    }
}
