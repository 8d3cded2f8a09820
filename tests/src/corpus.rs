//! The project's corpus of kernels, as compiled for each target.
//!
//! `tests/kernels/*.cl` are the sources, `tests/kernels/SET/*.zebin.gz` what `build.sh` made of
//! them; [`SETS`] says what each folder is for.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use devinfo::{Platform, Target};
use flate2::read::GzDecoder;

/// The corpus as one compiler made it for one target: a folder of `tests/kernels`.
#[derive(Debug)]
pub struct Set {
    /// The folder.
    pub name: &'static str,
    /// Platform and revision to run it on: what stands behind `soft:`.
    pub target: &'static str,
    /// Files that the compiler refuses for the target.
    pub without: &'static [&'static str],
    /// Whether it is run through xe too, where i915 is the usual driver.
    pub on_xe: bool,
}

const fn set(name: &'static str, target: &'static str) -> Set {
    Set {
        name,
        target,
        without: &[],
        on_xe: false,
    }
}

/// One that runs through both kernel drivers.
const fn on_both(name: &'static str, target: &'static str) -> Set {
    Set {
        on_xe: true,
        ..set(name, target)
    }
}

/// What Intel's newer compiler says about Ponte Vecchio: "images should not be used".
const NO_IMAGES: &[&str] = &["images", "block_image"];

/// Every folder.
pub static SETS: &[Set] = &[
    set("bdw", "bdw"),
    set("skl", "skl"),
    set("icl", "icl"),
    on_both("tgl", "tgl"),
    set("tgl-newer", "tgl"),
    set("dg2-0", "dg2:0"),
    on_both("dg2-8", "dg2:8"),
    on_both("mtl-newer", "mtl"),
    Set {
        without: NO_IMAGES,
        ..set("pvc-newer", "pvc")
    },
    set("lnl-newer", "lnl"),
    set("bmg-newer", "bmg"),
];

/// What stands behind the name of a set that is run through xe.
const ON_XE: &str = "@xe";

/// The set of this name, which may say the driver too (`tgl@xe`).
///
/// # Panics
/// If there is none.
pub fn set_named(name: &str) -> &'static Set {
    let name = name.trim_end_matches(ON_XE);
    SETS.iter()
        .find(|set| set.name == name)
        .unwrap_or_else(|| panic!("the corpus has no set {name}"))
}

/// The folder of the sources.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

impl Set {
    /// The folder of its zebins.
    pub fn folder(&self) -> PathBuf {
        folder().join(self.name)
    }

    /// The names of its runs: one, or one a driver.
    pub fn runs(&self) -> impl Iterator<Item = String> {
        let xe = self.on_xe.then(|| format!("{}{ON_XE}", self.name));
        [self.name.to_owned()].into_iter().chain(xe)
    }

    /// The software GPU that a run of it takes.
    pub fn device(&self, run: &str) -> String {
        let driver = if run.ends_with(ON_XE) { ON_XE } else { "" };
        format!("soft:{}{driver}", self.target)
    }

    /// Its platform.
    ///
    /// # Panics
    /// If the device table does not know the target.
    pub fn platform(&self) -> &'static Platform {
        Target::parse(self.target)
            .unwrap_or_else(|error| panic!("{}: {error}", self.name))
            .platform
    }

    /// Whether the compiler takes this file for the target.
    pub fn has(&self, file: &str) -> bool {
        !self.without.contains(&file)
    }

    /// Where the zebin of a source (without folder and extension) lies.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder().join(format!("{file}.zebin.gz"))
    }

    /// The zebin of a source (without folder and extension).
    ///
    /// # Panics
    /// If it cannot be read.
    pub fn zebin(&self, file: &str) -> Vec<u8> {
        unpacked(&self.path(file))
    }
}

/// What a `.gz` file holds.
///
/// # Panics
/// If it cannot be read.
pub fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| GzDecoder::new(file).read_to_end(&mut bytes))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes
}
