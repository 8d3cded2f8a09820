//! Firmware files: whether they are there, and what their headers say.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use devinfo::{Driver, Platform};
use firmware_notes::blob::{self, Header};
use firmware_notes::{Firmware, Kind, Need, Verdict as Judged, files, pairing, verdict};

use super::{Finding, Verdict};

/// The most bytes of a file, packed or unpacked: several times Intel's largest.
const LIMIT: u64 = 32 << 20;

/// What a `.xz` file may need to be unpacked, in KiB.
const XZ_MEMORY: u32 = 96 << 10;

/// Where a `.xz` file says how its content is checked, and the checks that the kernel knows: none
/// and CRC32 (The .xz File Format, 2.1.1.2; `lib/xz` of Linux).
const XZ_CHECK: usize = 7;
const XZ_KNOWN: [u8; 2] = [0, 1];

/// Folders with firmware, in the order in which the kernel searches them.
#[derive(Debug)]
pub(super) struct Places(Vec<PathBuf>);

/// How a file is packed. The kernel looks for the plain name in all folders first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packed {
    Not,
    Zstd,
    Xz,
}

impl Packed {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Not, ""), (Self::Zstd, ".zst"), (Self::Xz, ".xz")];
}

impl Places {
    /// The kernel's (`fw_path` of `drivers/base/firmware_loader/main.c`).
    pub(super) fn of_kernel() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let own = read("/sys/module/firmware_class/parameters/path");
        let release = read("/proc/sys/kernel/osrelease");
        let usual = ["updates/RELEASE", "updates", "RELEASE", ""];
        let usual = usual.map(|folder| {
            Path::new("/lib/firmware").join(folder.replace("RELEASE", release.trim()))
        });
        let own = Some(own.trim()).filter(|own| !own.is_empty());
        Self(own.map(PathBuf::from).into_iter().chain(usual).collect())
    }

    /// One folder.
    pub(super) fn only(folder: &Path) -> Self {
        Self(vec![folder.to_owned()])
    }

    /// The file that the kernel would take for a path.
    fn locate(&self, path: &str) -> Option<(PathBuf, Packed)> {
        Packed::ALL.into_iter().find_map(|(packed, suffix)| {
            let names = self
                .0
                .iter()
                .map(|folder| folder.join(format!("{path}{suffix}")));
            let mut there = names.filter(|file| file.is_file());
            there.next().map(|file| (file, packed))
        })
    }

    fn names(&self) -> String {
        let names: Vec<_> = self
            .0
            .iter()
            .map(|place| place.display().to_string())
            .collect();
        names.join(", ")
    }
}

/// What is to be said of the files that a driver loads for a platform.
pub(super) fn findings(
    platform: &'static Platform,
    driver: Driver,
    places: &Places,
) -> Vec<Finding> {
    let mut rows = files(platform, driver).peekable();
    if rows.peek().is_none() {
        let subject = format!("firmware of {platform} for {driver}");
        return vec![Finding::new(Verdict::Skip, &subject, "no file is known")];
    }
    let (mut findings, mut versions) = (Vec::new(), Vec::new());
    for row in rows {
        let (finding, header) = file(row, places);
        findings.push(finding);
        versions.extend(header.map(|header| (row.kind, header.version)));
    }
    let of = |kind| {
        versions
            .iter()
            .find(|(found, _)| *found == kind)
            .map(|(_, version)| *version)
    };
    let has_gsc = files(platform, driver).any(|row| row.kind == Kind::Gsc);
    if let (Driver::I915, true, Some(guc), Some(huc)) =
        (driver, has_gsc, of(Kind::Guc), of(Kind::Huc))
        && !pairing(guc, huc)
    {
        let text = format!(
            "i915 does not load HuC {} with GuC {}",
            dots(huc),
            dots(guc)
        );
        let finding = Finding::new(Verdict::Warn, &format!("HuC of {platform} for i915"), text);
        findings.push(finding.remedy(format!("take both from one release. {UPDATE}")));
    }
    findings
}

/// What updates firmware.
const UPDATE: &str = "Install or update firmware-intel-graphics or firmware-misc-nonfree (Debian, \
                      component non-free-firmware), linux-firmware (elsewhere), then run \
                      update-initramfs -u (or dracut -f) and restart";

fn dots((major, minor, patch): firmware_notes::Version) -> String {
    format!("{major}.{minor}.{patch}")
}

/// What is to be said of one file, and what its headers say.
fn file(row: &Firmware, places: &Places) -> (Finding, Option<Header>) {
    let subject = format!("{} of {} for {}", row.kind, row.platform, row.driver);
    // How bad it is if the file cannot be loaded.
    let (bad, effect) = match (row.need, row.only) {
        (Need::Compute, _) => (Verdict::Fail, "nothing computes without it"),
        (Need::OnRequest, _) => (
            Verdict::Skip,
            "the driver loads it only with i915.enable_guc",
        ),
        (Need::Other, Some(_)) => (Verdict::Skip, "compute works without it"),
        (Need::Other, None) => (Verdict::Warn, "compute works without it"),
    };
    let whose = row
        .only
        .map(|devices| format!(" ({devices} only)"))
        .unwrap_or_default();
    let mut paths = [row.path].into_iter().chain(row.fallbacks.iter().copied());
    let Some((path, packed)) = paths.find_map(|path| places.locate(path)) else {
        let text = format!("{}{whose} is not in {}; {effect}", row.path, places.names());
        return (
            Finding::new(bad, &subject, text).remedy(format!("{UPDATE}.")),
            None,
        );
    };
    let shown = format!("{}{whose}", path.display());
    let content = match unpack(&path, packed) {
        Ok(content) => content,
        Err(why) => {
            let text = format!("{shown} cannot be read: {why}; {effect}");
            return (
                Finding::new(bad, &subject, text).remedy(format!("{UPDATE}.")),
                None,
            );
        }
    };
    let header = match blob::read(row.kind, &content) {
        Ok(header) => header,
        Err(why) => {
            let text = format!("{shown} is no such firmware: {why}; {effect}");
            return (
                Finding::new(bad, &subject, text).remedy(format!("{UPDATE}.")),
                None,
            );
        }
    };
    let mut text = format!("{shown}, version {}", dots(header.version));
    if let Some(build) = header.build {
        text.push_str(&format!(" build {build}"));
    }
    if let Some(interface) = header.submission {
        text.push_str(&format!(", submission interface {}", dots(interface)));
    }
    let finding = match verdict(row, header.version) {
        Judged::Loads => Finding::new(Verdict::Pass, &subject, text),
        Judged::Old(wanted) => {
            let text = format!("{text}; Linux 7.0 asks for {}", dots(wanted));
            let old = if row.need == Need::Compute {
                Verdict::Warn
            } else {
                Verdict::Skip
            };
            Finding::new(old, &subject, text).remedy(format!("It loads. {UPDATE}."))
        }
        Judged::Refused(floor) => {
            let text = format!(
                "{text}; {} takes {} and later versions {}.x; {effect}",
                row.driver,
                dots(floor),
                floor.0
            );
            Finding::new(bad, &subject, text).remedy(format!("{UPDATE}."))
        }
    };
    (finding, Some(header))
}

/// The content of a file.
fn unpack(path: &Path, packed: Packed) -> Result<Vec<u8>, String> {
    let say = |error: io::Error| error.to_string();
    let raw = bounded(File::open(path).map_err(say)?)?;
    match packed {
        Packed::Not => Ok(raw),
        Packed::Zstd => {
            let reader = ruzstd::decoding::StreamingDecoder::new(raw.as_slice());
            bounded(reader.map_err(|error| error.to_string())?)
        }
        Packed::Xz => match raw.get(XZ_CHECK) {
            Some(check) if !XZ_KNOWN.contains(check) => Err(format!(
                "its check is number {check}, and the kernel knows CRC32 only (xz --check=crc32)"
            )),
            _ => bounded(lzma_rust2::XzReader::new_mem_limit(
                raw.as_slice(),
                false,
                XZ_MEMORY,
            )),
        },
    }
}

/// All that a reader gives, up to the limit.
fn bounded(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = reader.take(LIMIT + 1).read_to_end(&mut content);
    read.map_err(|error| error.to_string())?;
    match content.len() as u64 <= LIMIT {
        true => Ok(content),
        false => Err(format!("it has more than {LIMIT} bytes")),
    }
}
