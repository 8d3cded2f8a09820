//! The headers of firmware: of files that these tests make, and of Intel's own, if this machine has
//! them or `FIRMWARE_DIR` names a folder such as `/lib/firmware`.

#![cfg(test)]

mod make;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use firmware_notes::blob::{self, BlobError, Header, Layout};
use firmware_notes::{FIRMWARE, Kind, SUBMISSION_INTERFACES, Version};

const fn header(layout: Layout, version: Version) -> Header {
    Header {
        layout,
        version,
        build: None,
        submission: None,
        programs: 1,
    }
}

#[test]
fn each_layout_tells_its_version() {
    let guc = |submission| Header {
        submission: Some(submission),
        ..header(Layout::Css, (70, 36, 1))
    };
    let gsc = Header {
        build: Some(1655),
        ..header(Layout::Partitions, (102, 0, 10))
    };
    let dmc = |programs, version| Header {
        programs,
        ..header(Layout::Package, version)
    };
    for (kind, file, expected) in [
        (
            Kind::Guc,
            make::css((70, 36, 1), (1, 17, 0)),
            guc((1, 17, 0)),
        ),
        (
            Kind::Huc,
            make::css((7, 9, 3), (0, 0, 0)),
            header(Layout::Css, (7, 9, 3)),
        ),
        (
            Kind::Huc,
            make::huc_of_dg2((7, 10, 16)),
            header(Layout::Directory, (7, 10, 16)),
        ),
        (
            Kind::Huc,
            make::huc((8, 5, 4)),
            header(Layout::Directory, (8, 5, 4)),
        ),
        (Kind::Gsc, make::gsc((102, 0, 10), 1655), gsc),
        (
            Kind::Dmc,
            make::dmc(1, 27, 1, &[0, 0, 0]),
            dmc(3, (1, 27, 0)),
        ),
        (
            Kind::Dmc,
            make::dmc(2, 20, 2, &[0, 1, 4]),
            dmc(3, (2, 20, 0)),
        ),
        // A processor that nobody knows is left out, as by the driver.
        (Kind::Dmc, make::dmc(2, 20, 2, &[0, 5]), dmc(1, (2, 20, 0))),
    ] {
        assert_eq!(blob::read(kind, &file), Ok(expected), "{kind}");
    }
}

#[test]
fn old_gucs_have_the_interface_of_their_time() {
    for (release, interface) in [
        ((62, 0, 0), (0, 1, 0)),
        ((69, 0, 3), (0, 10, 0)),
        ((70, 1, 1), (1, 0, 0)),
        ((70, 5, 1), (1, 1, 0)),
        ((70, 6, 0), (9, 9, 9)),
    ] {
        let file = make::css(release, (9, 9, 9));
        let header = blob::read(Kind::Guc, &file).unwrap();
        assert_eq!(header.submission, Some(interface), "{release:?}");
    }
}

/// One kind of file, and a changed field of it.
type Change = (Kind, Vec<u8>, usize, u32, &'static str);

#[test]
fn what_is_wrong_is_said() {
    let (css, dmc) = (
        make::css((70, 36, 0), (1, 17, 0)),
        make::dmc(2, 20, 2, &[0]),
    );
    let (huc, gsc) = (make::huc((8, 5, 4)), make::gsc((1, 2, 3), 4));
    let program = 128 + 16 + 12 * 32;
    let changes: [Change; 11] = [
        (Kind::Guc, css.clone(), 4, 33, "CSS header's size in dwords"),
        (Kind::Guc, css.clone(), 24, 160, "no less than the header's"),
        (Kind::Guc, css.clone(), 24, u32::MAX, "cut off"),
        (Kind::Huc, huc.clone(), 4, 1, "no module huc_fw"),
        (Kind::Huc, huc.clone(), 4, 0, "no manifest HUCP.man"),
        (
            Kind::Huc,
            huc,
            32,
            0x00ff_fff0,
            "cut off: its manifest HUCP.man",
        ),
        (Kind::Gsc, gsc.clone(), 0x1000, 0x55ab, "must be 0x55aa"),
        (Kind::Gsc, gsc, 0x1024, 2, "no code partition directory"),
        (Kind::Dmc, dmc.clone(), 4, 31, "must be 32"),
        (Kind::Dmc, dmc.clone(), program, 0, "must be 0x40403e3e"),
        (Kind::Dmc, dmc, program + 12, 9, "cut off: its program"),
    ];
    for (kind, mut file, at, value, expected) in changes {
        file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let said = blob::read(kind, &file).unwrap_err().to_string();
        assert!(said.contains(expected), "{kind}: {said}");
    }
}

/// Skylake's file has entries for the first steppings, and no programs for them.
#[test]
fn a_stepping_may_have_no_program() {
    let mut file = make::dmc(1, 27, 1, &[0, 0]);
    file[148..152].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(blob::read(Kind::Dmc, &file).unwrap().programs, 1);
    file[160..164].copy_from_slice(&u32::MAX.to_le_bytes());
    let what = "program for the main processor";
    assert_eq!(
        blob::read(Kind::Dmc, &file),
        Err(BlobError::Missing { what })
    );
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    for (kind, file) in [
        (Kind::Guc, make::css((70, 36, 0), (1, 17, 0))),
        (Kind::Gsc, make::gsc((1, 2, 3), 4)),
        (Kind::Dmc, make::dmc(2, 20, 2, &[0, 1])),
        (Kind::Dmc, make::dmc(1, 9, 1, &[0])),
    ] {
        for length in 0..file.len() {
            let error = blob::read(kind, &file[..length]).unwrap_err();
            assert!(
                matches!(error, BlobError::Truncated { .. }),
                "{kind}: {error}"
            );
        }
    }
}

/// The version in a file's name, as far as it is there: `70.1.1`, `ver2_12`, `70`.
fn named(path: &str) -> Vec<u16> {
    let name = path.trim_end_matches(".bin");
    let tail = match name.rsplit_once("_ver") {
        Some((_, tail)) => tail,
        None => name.rsplit('_').next().unwrap_or(""),
    };
    let numbers = tail.split(['.', '_']).map(str::parse);
    numbers.collect::<Result<_, _>>().unwrap_or_default()
}

#[test]
fn intels_files_are_read() {
    let folder = env::var_os("FIRMWARE_DIR").map_or("/lib/firmware".into(), PathBuf::from);
    let paths = FIRMWARE
        .iter()
        .flat_map(|row| [row.path].into_iter().chain(row.fallbacks.iter().copied()))
        .zip(
            FIRMWARE
                .iter()
                .flat_map(|row| std::iter::repeat_n(row.kind, 1 + row.fallbacks.len())),
        );
    let mut read = BTreeMap::new();
    for (path, kind) in paths {
        let Ok(file) = std::fs::read(folder.join(path)) else {
            continue;
        };
        let header = blob::read(kind, &file).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (major, minor, patch) = header.version;
        let version = [major, minor, patch];
        // The GSC's file is named after the version of its interface.
        if kind != Kind::Gsc {
            assert!(version.starts_with(&named(path)), "{path}: {version:?}");
        }
        let known = SUBMISSION_INTERFACES
            .iter()
            .find(|(release, _)| *release == header.version);
        if let (Kind::Guc, Some((_, interface))) = (kind, known) {
            assert_eq!(header.submission, Some(*interface), "{path}");
        }
        read.insert(path, header.version);
    }
    match read.len() {
        0 => oracles::skipped(format_args!(
            "there is no firmware in {} (Debian package firmware-intel-graphics or firmware-misc-nonfree, \
             component non-free-firmware)",
            folder.display()
        )),
        count => eprintln!("{count} files read: {read:?}"),
    }
}
