//! `run --check` on local arguments and on parts of buffers: what leaves one, and what does not. Compilers and
//! hardware see one shared local memory, and the surface of a part may begin with its buffer.

#![cfg(test)]

mod common;

use common::{numbers, talk, tool};

/// The kernels of `places.cl`, and what is said; nothing if they are right.
const LOCALS: &[(&str, &str)] = &[
    ("local_behind", "local memory bounds"),
    ("local_before", "local memory bounds"),
    ("static_behind", "array bounds"),
    ("right_locals", ""),
];

const PARTS: &[(&str, &str)] = &[
    ("before_part", "before the part of a buffer"),
    ("right_part", ""),
];

fn run(compiler: &str, device: &str, kernel: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/places.cl");
    let mut line = vec![
        "run",
        "--check",
        "--device",
        device,
        "--compiler",
        compiler,
        "--kernel",
        kernel,
        "--global",
        "128",
        "--local",
        "128",
    ];
    line.extend(arguments.iter().flat_map(|one| ["--arg", *one]));
    line.push(source);
    let run = tool(&line);
    (run.status.code(), talk(&run))
}

fn judge(rows: &[(&str, &str)], arguments: &[&str], devices: &[&str]) {
    let mut wrong = Vec::new();
    for compiler in ["own", "ocloc"] {
        for device in devices {
            for (kernel, said) in rows {
                let (code, text) = run(compiler, device, kernel, arguments);
                let wanted = if said.is_empty() { 0 } else { 5 };
                if code != Some(wanted) || !text.contains(said) {
                    wrong.push(format!("{compiler} {device} {kernel}: {text}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn accesses_stay_inside_their_local_argument() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let arguments = [&input, "fill=0:512", "local=512", "local=512"];
    judge(LOCALS, &arguments, &["soft:skl", "soft:tgl", "soft:dg2:8"]);
}

/// By a surface, a part is told from another argument that ends where it does only if that begins behind it.
#[test]
fn accesses_do_not_come_before_their_part_of_a_buffer() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let arguments = [&input, "fill=0:1024", "sub=1:256:512"];
    judge(PARTS, &arguments, &["soft:skl", "soft:tgl", "soft:dg2:8"]);
    let arguments = [&input, "fill=0:1024", "sub=1:512:512"];
    let (code, text) = run("own", "soft:pvc", "right_part", &arguments);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run("own", "soft:pvc", "before_part", &arguments);
    assert!(text.contains("pointer beyond its buffer"), "{text}");
    assert_eq!(code, Some(5), "{text}");
}

/// Where pointers have no surface, other memory is reported with the instruction that got there, also where a page
/// fault ends the launch.
#[test]
fn pointers_do_not_lead_to_other_memory() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    for (elements, code) in [("u32=0", 0), ("u32=268435456", 5), ("u32=1073741824", 4)] {
        let (ended, text) = run("own", "soft:bmg", "far", &[&input, "fill=0:512", elements]);
        assert_eq!(ended, Some(code), "{elements}: {text}");
        let told = text.contains("pointer beyond its buffer");
        assert_eq!(told, code != 0, "{elements}: {text}");
    }
}
