//! The project's corpus of kernels, as compiled for each target.
//!
//! `tests/kernels/*.cl` are the sources, and `build.sh` compiled them to
//! `tests/kernels/SET/*.zebin.gz`; [`SETS`] says what each folder is for.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::{Platform, Target};
use eu_compiler::{Options, Zebin};
use flate2::read::GzDecoder;

use crate::subject;

/// The corpus as one compiler compiled it for one target: a folder of `tests/kernels`.
#[derive(Debug)]
pub struct Set {
    /// The folder.
    pub name: &'static str,
    /// Platform and revision to run it on: the part after `soft:`.
    pub target: &'static str,
    /// Files that the compiler refuses for the target.
    pub without: &'static [&'static str],
    /// The files that were compiled, if not all.
    pub only: Option<&'static [&'static str]>,
    /// Whether it also runs through xe, where i915 is the usual driver.
    pub on_xe: bool,
    /// The folder of the modules that this project's compiler compiles for it; none if its folder
    /// has what Intel's compiler made.
    pub modules: Option<&'static str>,
}

const fn set(name: &'static str, target: &'static str) -> Set {
    Set {
        name,
        target,
        without: &[],
        only: None,
        on_xe: false,
        modules: None,
    }
}

/// What this project's compiler makes of modules.
const fn own(name: &'static str, target: &'static str, modules: &'static str) -> Set {
    Set {
        without: NO_MATRIX_NO_RECURSION,
        modules: Some(modules),
        ..set(name, target)
    }
}

/// One that runs through both kernel drivers.
const fn on_both(name: &'static str, target: &'static str) -> Set {
    Set {
        on_xe: true,
        ..set(name, target)
    }
}

const FEW: &[&str] = &["vadd", "slm"];

/// A set of a platform that differs from another only in its row of the device table: a few files
/// show that it runs.
const fn row(name: &'static str) -> Set {
    Set {
        only: Some(FEW),
        ..set(name, name)
    }
}

/// Ponte Vecchio has no images, and Intel's newer compiler says so: "images should not be used".
const NO_IMAGES: &[&str] = &["images", "block_image"];

/// Also the file that release 22.43 gets wrong.
const NO_IMAGES_NO_IMPLICIT: &[&str] = &["images", "block_image", "implicit"];

/// This project's compiler knows neither the functions of the systolic array nor functions that
/// call themselves.
const NO_MATRIX_NO_RECURSION: &[&str] = &["matrix", "implicit"];

/// Also without images.
const NOT_FOR_PVC: &[&str] = &["images", "block_image", "matrix", "implicit"];

/// Release 22.43 of Intel's compiler aborts on this file, or (for DG2 and Ponte Vecchio) compiles
/// it to functions that read implicit arguments where the kernel itself expects its payload.
const NO_IMPLICIT: &[&str] = &["implicit"];

/// Also for platforms without a systolic array.
const NO_IMPLICIT_NO_MATRIX: &[&str] = &["implicit", "matrix"];

/// A set of the older compiler.
const fn older(set: Set) -> Set {
    Set {
        without: NO_IMPLICIT,
        ..set
    }
}

/// The same for a platform without a systolic array.
const fn older_scalar(set: Set) -> Set {
    Set {
        without: NO_IMPLICIT_NO_MATRIX,
        ..set
    }
}

/// The folders with the whole corpus.
pub static SETS: &[Set] = &[
    older_scalar(set("bdw", "bdw")),
    older_scalar(set("skl", "skl")),
    older_scalar(set("icl", "icl")),
    older_scalar(on_both("tgl", "tgl")),
    Set {
        without: &["matrix"],
        ..set("tgl-newer", "tgl")
    },
    older(set("dg2-0", "dg2:0")),
    older(on_both("dg2-8", "dg2:8")),
    Set {
        // The compiler takes matrices, but Meteor Lake has no systolic array.
        without: &["matrix"],
        ..on_both("mtl-newer", "mtl")
    },
    Set {
        without: NO_IMAGES_NO_IMPLICIT,
        ..set("pvc", "pvc")
    },
    Set {
        without: NO_IMAGES,
        ..set("pvc-newer", "pvc")
    },
    set("lnl-newer", "lnl"),
    set("bmg-newer", "bmg"),
    set("ptl-newer", "ptl"),
];

/// The corpus by this project's compiler. Modules for Skylake have doubles, those for Ponte Vecchio
/// no sub-groups of eight.
pub static OWN: &[Set] = &[
    own("bdw-own", "bdw", "skl-spirv"),
    own("skl-own", "skl", "skl-spirv"),
    own("icl-own", "icl", "tgl-spirv"),
    own("tgl-own", "tgl", "tgl-spirv"),
    own("dg2-0-own", "dg2:0", "tgl-spirv"),
    own("dg2-8-own", "dg2:8", "tgl-spirv"),
    own("mtl-own", "mtl", "skl-spirv"),
    Set {
        without: NOT_FOR_PVC,
        ..own("pvc-own", "pvc", "pvc-spirv")
    },
    own("lnl-own", "lnl", "pvc-spirv"),
    own("bmg-own", "bmg", "pvc-spirv"),
    own("ptl-own", "ptl", "pvc-spirv"),
];

/// The folders with a few files.
pub static ROWS: &[Set] = &[
    row("kbl"),
    row("cfl"),
    row("apl"),
    row("glk"),
    row("ehl"),
    row("rkl"),
    row("adls"),
    row("adlp"),
    row("adln"),
    row("dg1"),
    Set {
        only: Some(FEW),
        ..set("arl-newer", "arl")
    },
];

/// The suffix of the name of a set that runs through xe.
const ON_XE: &str = "@xe";

/// The set of this name, which may include the driver (`tgl@xe`).
///
/// # Panics
/// If there is none.
pub fn set_named(name: &str) -> &'static Set {
    let name = name.trim_end_matches(ON_XE);
    let mut all = SETS.iter().chain(ROWS).chain(OWN);
    all.find(|set| set.name == name)
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

    /// The names of its runs: one, or one per driver. None, if another device is under test.
    ///
    /// # Panics
    /// If the device under test cannot be opened.
    pub fn runs(&self) -> impl Iterator<Item = String> + use<> {
        let fits = subject::runs(self.target);
        let xe = self.on_xe && subject::named().is_none();
        let xe = xe.then(|| format!("{}{ON_XE}", self.name));
        let runs = [self.name.to_owned()].into_iter().chain(xe);
        runs.filter(move |_| fits)
    }

    /// The device that a run of it uses.
    pub fn device(&self, run: &str) -> String {
        let driver = if run.ends_with(ON_XE) { ON_XE } else { "" };
        subject::device(&format!("{}{driver}", self.target))
    }

    fn built_for(&self) -> Target {
        Target::parse(self.target).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Its platform.
    ///
    /// # Panics
    /// If the device table does not know the target.
    pub fn platform(&self) -> &'static Platform {
        self.built_for().platform
    }

    /// Whether it has this file.
    pub fn has(&self, file: &str) -> bool {
        let compiled = self.only.is_none_or(|files| files.contains(&file));
        let compiles = file != "double" || self.platform().fp64;
        compiled && compiles && !self.without.contains(&file)
    }

    /// The names of its files, in order.
    ///
    /// # Panics
    /// If the folder of the sources cannot be read.
    pub fn files(&self) -> Vec<String> {
        let sources = std::fs::read_dir(folder()).expect("the folder of the sources");
        let mut files: Vec<_> = sources
            .map(|entry| entry.expect("a source").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .filter(|file| self.has(file))
            .collect();
        files.sort_unstable();
        files
    }

    /// The path of the zebin or module of a source (without folder and extension).
    pub fn path(&self, file: &str) -> PathBuf {
        match self.modules {
            Some(modules) => folder().join(modules).join(format!("{file}.spv.gz")),
            None => self.folder().join(format!("{file}.zebin.gz")),
        }
    }

    /// The zebin of a source (without folder and extension).
    ///
    /// # Panics
    /// If it cannot be read or compiled.
    pub fn zebin(&self, file: &str) -> Vec<u8> {
        match self.modules {
            Some(_) => self.compiled(file).bytes.clone(),
            None => unpacked(&self.path(file)),
        }
    }

    /// What this project's compiler makes of a source's module.
    ///
    /// # Panics
    /// If it cannot be read or compiled.
    pub fn compiled(&self, file: &str) -> Arc<Zebin> {
        static ALL: Mutex<BTreeMap<(&str, String), Arc<Zebin>>> = Mutex::new(BTreeMap::new());
        let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self.name, file.to_owned());
        if let Some(zebin) = all().get(&key) {
            return Arc::clone(zebin);
        }
        let target = self.built_for();
        let options = Options {
            revision: Some(target.revision),
            ..Options::new(target.platform)
        };
        let zebin = eu_compiler::compile(&unpacked(&self.path(file)), &options);
        let zebin = zebin.unwrap_or_else(|error| panic!("{file} for {}: {error}", self.name));
        Arc::clone(all().entry(key).or_insert_with(|| Arc::new(zebin)))
    }
}

/// The content of a `.gz` file.
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
