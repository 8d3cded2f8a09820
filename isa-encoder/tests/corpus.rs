//! The instruction set against the output of Intel's compilers: every instruction of the corpus
//! decodes, encodes to the same bytes and survives the way through text.

#![cfg(test)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use devinfo::Family;
use flate2::read::GzDecoder;
use isa_encoder::asm::Validation;
use isa_encoder::disasm::Format;
use isa_encoder::{AsmOptions, Disassembler, Opcode, assemble, decode, encode};
use object::{Object, ObjectSection};
use oracles::iga::{self, defined_bits};

/// Code that does not belong to its family: (set, file, opcode field, why).
const FOREIGN: &[(&str, &str, u8, &str)] = &[(
    "bdw",
    "calls",
    0x33,
    "the compiler emits `sends` for stack calls, which Gen9 introduced",
)];

/// `tests/kernels`: sources, and a folder of zebins for each compiler and target.
fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels")
}

/// The folders of zebins with their families. A name is a platform, then a revision or `newer`.
fn sets() -> Vec<(String, Family)> {
    let mut sets: Vec<_> = fs::read_dir(corpus())
        .unwrap()
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let (platform, kind) = name.split_once('-').unwrap_or((&name, ""));
            let family = devinfo::by_name(platform)?.family;
            // What zebins are made of lies in folders of its own.
            (kind != "spirv").then_some((name, family))
        })
        .collect();
    sets.sort_by(|a, b| a.0.cmp(&b.0));
    sets
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).unwrap();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Every `.text` section of a zebin: kernels, functions, and the symbol table's stand-in, without
/// the zeros that pad it to 64 bytes.
fn texts(zebin: &[u8]) -> Vec<(String, Vec<u8>)> {
    let file = object::File::parse(zebin).unwrap();
    let mut texts = Vec::new();
    for section in file.sections() {
        let name = section.name().unwrap();
        if name.starts_with(".text") {
            let code = section.data().unwrap();
            let mut end = 0;
            while code[end..].iter().any(|byte| *byte != 0) {
                end += if code[end + 3] & 0x20 != 0 { 8 } else { 16 };
            }
            texts.push((name.to_owned(), code[..end].to_vec()));
        }
    }
    texts
}

/// Counts of what was seen.
#[derive(Default)]
struct Seen {
    instructions: usize,
    compacted: usize,
    foreign: usize,
}

/// Decodes each instruction and encodes it again.
fn check_code(seen: &mut Seen, family: Family, place: &str, code: &[u8], foreign: Option<u8>) {
    let mut offset = 0;
    while offset < code.len() {
        let rest = &code[offset..];
        if foreign == Some(rest[0] & 0x7f) {
            seen.foreign += 1;
            offset += 16;
            continue;
        }
        let (instruction, length) = decode(family, rest).unwrap_or_else(|e| {
            panic!(
                "{place}+{offset:#x}: {e}: {:02x?}",
                &rest[..16.min(rest.len())]
            )
        });
        let again = encode(family, &instruction)
            .unwrap_or_else(|e| panic!("{place}+{offset:#x}: {e}: {instruction:?}"));
        assert_eq!(
            &again.0[..again.1],
            &rest[..length],
            "{place}+{offset:#x}: {instruction:?}"
        );
        assert_ne!(instruction.opcode, Opcode::Illegal, "{place}+{offset:#x}");
        seen.instructions += 1;
        seen.compacted += usize::from(length == 8);
        offset += length;
    }
}

/// Prints and assembles a whole section.
fn check_text(family: Family, place: &str, code: &[u8]) -> String {
    let text = Disassembler::new(family, Format::default()).print(code);
    assert!(!text.contains("//.data"), "{place} has data\n{text}");
    let options = AsmOptions::for_family(family).validated(Validation::Off);
    let assembly =
        assemble(&text, &options).unwrap_or_else(|errors| panic!("{place}: {}", errors[0].message));
    assert!(assembly.code == code, "{place} assembles to other bytes");
    text
}

fn foreign(set: &str, file: &str) -> Option<u8> {
    let mut all = FOREIGN.iter();
    all.find(|row| row.0 == set && row.1 == file)
        .map(|row| row.2)
}

#[test]
fn everything_that_the_compilers_emit_decodes_and_encodes_to_itself() {
    let mut total = 0;
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for (set, family) in sets() {
        let seen = seen.entry(set.clone()).or_default();
        let mut files: Vec<PathBuf> = fs::read_dir(corpus().join(&set))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        for path in files {
            let file = path.file_name().unwrap().to_str().unwrap();
            let file = file.strip_suffix(".zebin.gz").unwrap();
            let foreign = foreign(&set, file);
            for (name, code) in texts(&unpacked(&path)) {
                let place = format!("{set} {file} {name}");
                check_code(seen, family, &place, &code, foreign);
                if foreign.is_none() {
                    check_text(family, &place, &code);
                }
            }
        }
    }
    for (set, seen) in seen {
        eprintln!(
            "{set}: {} instructions, {} of them compacted, {} not of the family",
            seen.instructions, seen.compacted, seen.foreign
        );
        assert!(seen.foreign == 0 || FOREIGN.iter().any(|row| row.0 == set));
        total += seen.instructions;
    }
    eprintln!("{total} instructions in all");
    assert!(total >= 100_000);
}

/// Some sources, compiled now by Debian's ocloc: also for its Ponte Vecchio, which no fixture
/// covers.
#[test]
fn freshly_compiled_code_decodes_and_encodes_to_itself() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut seen = Seen::default();
    for (device, options) in [("pvc", "-DNO_SIMD8"), ("tgllp", "")] {
        for source in [
            "integer",
            "sub_group",
            "slm",
            "vectors",
            "atomics",
            "block_buffer",
        ] {
            let Some(zebin) = compile(folder.path(), source, device, options) else {
                oracles::skipped(format_args!("ocloc does not compile {source} for {device}"));
                continue;
            };
            let family = match device {
                "pvc" => Family::XeHpc,
                _ => Family::Gen12Lp,
            };
            for (name, code) in texts(&zebin) {
                let place = format!("{device} {source} {name}");
                check_code(&mut seen, family, &place, &code, None);
                check_text(family, &place, &code);
            }
        }
    }
    eprintln!("{} instructions compiled now", seen.instructions);
    assert!(seen.instructions > 10_000);
}

fn compile(folder: &Path, source: &str, device: &str, options: &str) -> Option<Vec<u8>> {
    let output = format!("{source}-{device}");
    let status = Command::new("ocloc")
        .args(["compile", "-q", "-file"])
        .arg(corpus().join(format!("{source}.cl")))
        .args(["-device", device, "-exclude_ir", "-output_no_suffix"])
        .args(["-options", &format!("-cl-std=CL2.0 {options}")])
        .args(["-internal_options", "-cl-intel-allow-zebin"])
        .args(["-output", &output])
        .current_dir(folder)
        .output()
        .unwrap();
    let path = folder.join(&output);
    let path = if path.is_file() {
        path
    } else {
        path.with_extension("bin")
    };
    status.status.success().then(|| fs::read(path).ok())?
}

/// Intel's assembler turns the text of compiled kernels into the same bytes.
#[test]
fn intels_assembler_takes_the_text_of_compiled_kernels() {
    for set in [
        "bdw",
        "skl",
        "icl",
        "tgl",
        "dg2-8",
        "pvc-newer",
        "bmg-newer",
        "ptl-newer",
    ] {
        let (_, family) = sets().into_iter().find(|(name, _)| name == set).unwrap();
        let Some(iga) = iga::find(family) else {
            continue;
        };
        for file in ["sub_group", "atomics"] {
            let (mut code, mut text) = (Vec::new(), String::new());
            let zebin = unpacked(&corpus().join(set).join(format!("{file}.zebin.gz")));
            for (index, (name, part)) in texts(&zebin).into_iter().enumerate() {
                let printed = check_text(family, &format!("{set} {file} {name}"), &part);
                // Labels are offsets in the section and must differ between sections.
                text += &relabelled(&printed, index);
                code.extend(part);
            }
            match iga.assemble(&text) {
                Ok(theirs) => {
                    let (theirs, code) = (defined(family, &theirs), defined(family, &code));
                    let differs = theirs.iter().zip(&code).position(|(a, b)| a != b);
                    assert!(
                        theirs == code,
                        "{set} {file}: iga64 gives another instruction, number {differs:?}"
                    );
                }
                Err(messages) => panic!("{set} {file}: {messages}"),
            }
        }
    }
}

/// The instructions of `code`, without the bits that are undefined.
fn defined(family: Family, code: &[u8]) -> Vec<u128> {
    let (mut rest, mut all) = (code, Vec::new());
    while !rest.is_empty() {
        let is_compacted = rest.get(3).is_some_and(|byte| byte & 0x20 != 0);
        let (one, more) = rest.split_at(rest.len().min(if is_compacted { 8 } else { 16 }));
        all.push(defined_bits(family, one));
        rest = more;
    }
    all
}

/// `L16` as `K3_L16`, wherever a word is a label.
fn relabelled(text: &str, index: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        for (n, word) in code.split(' ').enumerate() {
            if n > 0 {
                out.push(' ');
            }
            let digits = word
                .strip_prefix('L')
                .map(|rest| rest.trim_end_matches(':'));
            if digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())) {
                out += &format!("K{index}_");
            }
            out += word;
        }
        if !comment.is_empty() {
            out += &format!("//{comment}");
        }
        out.push('\n');
    }
    out
}
