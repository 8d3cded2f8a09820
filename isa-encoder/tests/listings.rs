//! The listings of Intel's compiler assemble as it writes them.
//!
//! `listings/NAME.asm` is such a listing, and `NAME.hex` holds the bytes that the compiler wrote
//! beside it (`.dat`). Made from `tests/kernels/vadd.cl` with ocloc 22.43:
//!
//! ```text
//! IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=DIR/ ocloc compile -file vadd.cl -device tgllp \
//!     -options -cl-std=CL2.0 -internal_options -cl-intel-allow-zebin -out_dir DIR/out
//! ```
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use devinfo::Family;
use isa_encoder::{AsmOptions, Validation, assemble};
use oracles::iga;

fn options() -> AsmOptions {
    AsmOptions {
        validation: Validation::Off,
        ..AsmOptions::default()
    }
}

#[test]
fn a_listing_assembles_to_its_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listings");
    let text = fs::read_to_string(folder.join("tgl.asm")).unwrap();
    let hex = fs::read_to_string(folder.join("tgl.hex")).unwrap();
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes: Vec<u8> = digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect();
    let assembly = assemble(&text, &options()).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(assembly.code, bytes);
    assert_eq!(assembly.target.unwrap().platform, "tgl");
    let kernel = &assembly.kernels[0].directives;
    assert_eq!((kernel.name.as_str(), kernel.grf), ("increment", Some(128)));
}

/// A listing may name a family; unknown names are still misspellings.
#[test]
fn comments_of_listings_are_no_directives_and_others_are_errors() {
    let text = "//.kernel k\n//.platform XE2\n\
                //.thread_config numGRF=256, numAcc=8, numSWSB=32\n\
                //.options_string \"-a\"\n//.RA type\tTRIVIAL\n\
                //.declare V1 (0)  rf=r size=64 type=ud align=32 words (r0.0)\n\
                _main:\n(W) mov (16|M0) r200.0<1>:ud r0.0<1;1,0>:ud // $1\n\
                //.BankConflicts: 0\n";
    let assembly = assemble(text, &AsmOptions::default()).unwrap();
    assert_eq!(assembly.family, Family::Xe2);
    assert_eq!(assembly.target, None);
    assert_eq!(assembly.kernels[0].directives.grf, Some(256));
    for (line, message) in [
        ("//.declared V1", "`declared` is no directive"),
        ("//.BankConflict: 0", "`BankConflict:` is no directive"),
        (
            "//.thread_config numAcc=8",
            "`thread_config` needs `numGRF=`",
        ),
    ] {
        let errors = assemble(&format!("{text}{line}\n"), &AsmOptions::default()).unwrap_err();
        assert!(errors[0].message.contains(message), "{}", errors[0].message);
    }
}

/// The listings and bytes that a compiler writes for a source: `(name, listing, bytes)`.
fn listings(compiler: &[&str], device: &str, source: &str) -> Vec<(String, String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut dump = folder.path().as_os_str().to_owned();
    dump.push("/");
    let done = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["compile", "-q", "-file"])
        .arg(corpus.join(format!("{source}.cl")))
        .args(["-device", device, "-options", "-cl-std=CL2.0"])
        .args(["-internal_options", "-cl-intel-allow-zebin", "-out_dir"])
        .arg(folder.path().join("out"))
        .env("IGC_ShaderDumpEnable", "1")
        .env("IGC_DumpToCustomDir", dump)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(done.status.success(), "{source} for {device}");
    let entries = fs::read_dir(folder.path()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let texts: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "asm"))
        .collect();
    let one = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let bytes = fs::read(path.with_extension("dat")).unwrap();
        (path.file_name().unwrap().display().to_string(), text, bytes)
    };
    texts.into_iter().map(one).collect()
}

/// The bits of an instruction that a listing shows. To Gen11 it omits the region of the address of
/// `ret`, and bit 28 of `while`, the accumulator write.
fn said(family: Family, bytes: &[u8]) -> u128 {
    let unsaid = match (family, bytes[0] & 0x7f) {
        (Family::Gen8 | Family::Gen9 | Family::Gen11, 0x27) => 1 << 28,
        (Family::Gen8 | Family::Gen9 | Family::Gen11, 0x2d) => 0x1ff << 80,
        _ => 0,
    };
    iga::defined_bits(family, bytes) & !unsaid
}

/// Sources of the corpus. The first has kernels of 8 lanes, which not all platforms take.
const SOURCES: [&str; 6] = [
    "sub_group",
    "atomics",
    "control",
    "images",
    "slm",
    "integer",
];

/// Assembles the listings of some sources and returns how many instructions there were.
fn compare(compiler: &[&str], device: &str, family: Family, sources: &[&str]) -> usize {
    let mut instructions = 0;
    for source in sources {
        for (name, text, bytes) in listings(compiler, device, source) {
            let place = format!("{device} {source} {name}");
            let assembly = assemble(&text, &options())
                .unwrap_or_else(|errors| panic!("{place}: {}", errors[0].message));
            assert_eq!(assembly.family, family, "{place}");
            assert_eq!(assembly.code.len(), bytes.len(), "{place}");
            for line in &assembly.kernels[0].lines {
                let (ours, theirs) = (&assembly.code[line.offset()..], &bytes[line.offset()..]);
                let size = if theirs[3] & 0x20 != 0 { 8 } else { 16 };
                let span = line.span();
                assert_eq!(
                    said(family, &ours[..size]),
                    said(family, &theirs[..size]),
                    "{place}: {}",
                    &text[span.start..span.end]
                );
                instructions += 1;
            }
        }
    }
    eprintln!("{device}: {instructions} instructions");
    instructions
}

#[test]
fn listings_of_debians_compiler_assemble_to_their_bytes() {
    if !oracles::debian("ocloc") {
        return;
    }
    for (device, family) in [
        ("bdw", Family::Gen8),
        ("skl", Family::Gen9),
        ("icllp", Family::Gen11),
        ("tgllp", Family::Gen12Lp),
    ] {
        let instructions = compare(&["ocloc"], device, family, &SOURCES);
        assert!(instructions > 1000, "{device}");
    }
}

#[test]
fn listings_of_the_newer_compiler_assemble_to_their_bytes() {
    let Some(command) = oracles::variable("NEWER_OCLOC", "newer ocloc") else {
        return;
    };
    let compiler: Vec<&str> = command.split_whitespace().collect();
    for (device, family, sources) in [
        ("tgllp", Family::Gen12Lp, &SOURCES[..]),
        ("ptl-h", Family::Xe3, &SOURCES[1..]),
    ] {
        let instructions = compare(&compiler, device, family, sources);
        assert!(instructions > 1000, "{device}");
    }
}
