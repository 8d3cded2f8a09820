//! The table against the platform table.

use devinfo::{Driver, PLATFORMS};

use crate::{
    FIRMWARE, FORCE_PROBE, Kind, Need, SUBMISSION_INTERFACES, Verdict, files, needs_force_probe,
    pairing, submission_interface, verdict,
};

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
        assert!(
            row.need != Need::Compute || row.kind == Kind::Guc,
            "{row:?}"
        );
        assert!(row.wanted >= row.minimum, "{row:?}");
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
        assert_eq!(first.need, Need::Compute, "{platform}");
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
            let submits = files(platform, driver).any(|f| f.need == Need::Compute);
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

#[test]
fn versions_are_judged_as_the_drivers_do() {
    let guc = |name, driver| {
        files(devinfo::by_name(name).unwrap(), driver)
            .next()
            .unwrap()
    };
    let (i915, xe) = (guc("dg2", Driver::I915), guc("dg2", Driver::Xe));
    let wanted = i915.wanted.unwrap();
    for (row, found, expected) in [
        (i915, (69, 0, 3), Verdict::Refused((70, 0, 0))),
        (i915, (71, 0, 0), Verdict::Refused((70, 0, 0))),
        (i915, (70, 1, 2), Verdict::Old(wanted)),
        (i915, wanted, Verdict::Loads),
        (xe, (70, 1, 2), Verdict::Refused((70, 19, 0))),
        (xe, (70, 19, 0), Verdict::Old(wanted)),
        (xe, (70, 99, 0), Verdict::Loads),
    ] {
        assert_eq!(verdict(row, found), expected, "{row:?} {found:?}");
    }
    for row in FIRMWARE.iter().filter(|row| row.kind != Kind::Guc) {
        assert_eq!(verdict(row, (0, 0, 1)), Verdict::Loads, "{row:?}");
    }
    assert!(pairing((70, 7, 0), (8, 5, 1)) && pairing((70, 6, 4), (8, 4, 3)));
    assert!(!pairing((70, 6, 9), (8, 5, 1)) && !pairing((70, 12, 1), (8, 5, 0)));
}

#[test]
fn what_needs_force_probe_is_driven() {
    for (name, driver) in FORCE_PROBE {
        let platform = devinfo::by_name(name).unwrap();
        assert!(platform.has_driver(*driver), "{name} on {driver}");
        assert!(needs_force_probe(platform, *driver));
    }
    assert!(!needs_force_probe(
        devinfo::by_name("lnl").unwrap(),
        Driver::Xe
    ));
}
