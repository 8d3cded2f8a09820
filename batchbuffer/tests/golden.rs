//! Batches and what they decode to.
//!
//! A file in `tests/golden` holds a batch (family, engine, address, dwords) and
//! after `---` its decoding. `BLESS=1` rewrites the latter.

#![cfg(test)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use batchbuffer::{Batch, DecodeError, Engine, PacketId, Step};
use devinfo::{Family, GpuAddress};

struct Case {
    path: PathBuf,
    head: String,
    family: Family,
    engine: Engine,
    address: GpuAddress,
    dwords: Vec<u32>,
    expected: String,
}

fn load(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).expect("golden files are readable");
    let (head, expected) = text
        .split_once("---\n")
        .expect("a golden file has two parts");
    let mut case = Case {
        path: path.to_owned(),
        head: head.to_owned(),
        family: Family::Gen12Lp,
        engine: Engine::Render,
        address: GpuAddress::default(),
        dwords: Vec::new(),
        expected: expected.to_owned(),
    };
    for line in head.lines().filter(|l| !l.starts_with('#')) {
        match line.split_once(' ') {
            Some(("family", name)) => {
                let named = |f: &Family| format!("{f:?}") == name;
                case.family = Family::ALL
                    .into_iter()
                    .find(named)
                    .expect("a family's name");
            }
            Some(("engine", "render")) => case.engine = Engine::Render,
            Some(("engine", "compute")) => case.engine = Engine::Compute,
            Some(("engine", "blitter")) => case.engine = Engine::Blitter,
            Some(("address", address)) => {
                let address = address.trim_start_matches("0x");
                let address = u64::from_str_radix(address, 16).expect("an address");
                case.address = GpuAddress::new(address);
            }
            _ => case.dwords.extend(
                line.split(' ')
                    .map(|w| u32::from_str_radix(w, 16).expect("dwords in hexadecimal")),
            ),
        }
    }
    case
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is committed")
        .map(|entry| entry.expect("and readable").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| load(path)).collect()
}

fn named(name: &str) -> Case {
    cases()
        .into_iter()
        .find(|case| case.path.file_stem().is_some_and(|stem| stem == name))
        .expect("a golden file of that name")
}

fn steps(case: &Case) -> Vec<Step<'_>> {
    Batch::new(case.family, case.engine, case.address, &case.dwords).collect()
}

#[test]
fn batches_decode_as_committed() {
    let update = std::env::var_os("BLESS").is_some();
    for case in cases() {
        let mut text = String::new();
        for step in steps(&case) {
            write!(text, "{step}").expect("a string takes all");
        }
        if update {
            std::fs::write(&case.path, format!("{}---\n{text}", case.head))
                .expect("golden files are writable");
        } else {
            assert_eq!(text, case.expected, "{}", case.path.display());
        }
    }
}

#[test]
fn a_header_that_lies_is_followed_and_reported() {
    // STATE_BASE_ADDRESS says 16 dwords where the family has 22.
    let case = named("igt-square-tgl");
    let steps = steps(&case);
    let at = steps
        .iter()
        .position(|s| matches!(&s.packet, Ok(p) if p.id == PacketId::StateBaseAddress))
        .expect("the batch has a STATE_BASE_ADDRESS");
    let packet = steps[at].packet.as_ref().expect("it is decoded");
    let issue = packet.issue.expect("and its length is wrong");
    assert_eq!((issue.declared, issue.expected), (16, 22));
    assert_eq!(packet.dwords().len(), 16);
    let next = steps[at + 1]
        .packet
        .as_ref()
        .expect("what follows is decoded");
    assert_eq!(next.id, PacketId::MiNoop);

    // CFE_STATE swallows the header of the command behind it.
    let case = named("igt-square-mtl");
    let steps = self::steps(&case);
    assert!(
        !steps
            .iter()
            .any(|s| matches!(&s.packet, Ok(p) if p.id == PacketId::MiLoadRegisterImm))
    );
}

#[test]
fn an_unknown_command_does_not_end_the_walk() {
    let case = named("mi-gen12");
    let steps = steps(&case);
    let unknown = steps
        .iter()
        .find(|s| s.packet.is_err())
        .expect("the batch has an unknown command");
    assert!(matches!(
        unknown.packet,
        Err(DecodeError::Unknown {
            header: 0x7fff_0001,
            dwords: 3,
            ..
        })
    ));
    let last = steps.last().expect("the batch is not empty");
    assert!(matches!(&last.packet, Ok(p) if p.id == PacketId::MiBatchBufferEnd));
}

#[test]
fn a_packet_that_is_cut_off_ends_the_walk() {
    let case = named("cut-off");
    let steps = steps(&case);
    assert_eq!(steps.len(), 2);
    assert!(matches!(
        steps[1].packet,
        Err(DecodeError::Truncated {
            needed: 15,
            have: 4,
            ..
        })
    ));
}
