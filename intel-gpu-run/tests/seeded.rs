//! `run --check` on faults that Oclgrind does not know: of sub-groups, fences and atomics, compiled by
//! both compilers, and of code that only assembly has.

#![cfg(test)]

mod common;

use std::fs;

use common::{checked, talk, tool};

/// Platforms whose sub-slices have caches of what others write, and platforms whose do not.
const CACHES: &[&str] = &["dg2:8"];
const NO_CACHES: &[&str] = &["skl", "tgl"];
const ALL: &[&str] = &["skl", "tgl", "dg2:8"];
const BOTH: &[&str] = &["own", "ocloc"];

const INACTIVE: &str = "read of an inactive channel";
const PART: &str = "sub-group operation in divergent flow";

/// A kernel of `seeded.cl`, compilers, platforms, and what is reported; nothing if it is clean.
type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
);

const KERNELS: &[Row] = &[
    ("shuffle_inactive", BOTH, ALL, "uninitialised value"),
    ("shuffle_beyond", BOTH, ALL, INACTIVE),
    ("shuffle_one_beyond", BOTH, ALL, INACTIVE),
    ("shuffle_xor_beyond", BOTH, ALL, INACTIVE),
    ("shuffle_down_beyond", BOTH, ALL, INACTIVE),
    ("shuffle_up_beyond", BOTH, ALL, INACTIVE),
    ("broadcast_beyond", BOTH, ALL, INACTIVE),
    ("broadcast_inactive", BOTH, ALL, INACTIVE),
    ("reduce_in_part", BOTH, ALL, PART),
    ("scan_in_part", BOTH, ALL, PART),
    ("vote_in_part", BOTH, ALL, PART),
    ("barrier_in_part", BOTH, ALL, PART),
    ("right_together", BOTH, ALL, ""),
    ("race_of_sub_groups", BOTH, ALL, "data race"),
    ("relaxed_flag", BOTH, ALL, "data race"),
    ("acquire_only", BOTH, ALL, "data race"),
    // The other compiler's fence reaches farther than the program asks for.
    ("group_flag", &["own"], CACHES, "data race"),
    ("release_only", BOTH, CACHES, "missing fence"),
    ("release_only", BOTH, NO_CACHES, ""),
    ("flag_too_early", BOTH, ALL, "data race"),
    ("blocks_race", BOTH, ALL, "data race"),
    ("right_flag", BOTH, ALL, ""),
    ("right_shuffles", BOTH, ALL, ""),
    ("right_sums", BOTH, ALL, ""),
    ("texels", BOTH, ALL, "data race"),
    ("right_texels", BOTH, ALL, ""),
];

#[test]
fn faults_of_sub_groups_and_fences_are_reported() {
    if !oracles::program(
        "ocloc",
        &["--help"],
        "ocloc (Debian package intel-opencl-icd)",
    ) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let numbers: Vec<u8> = (1..=256i32).flat_map(i32::to_le_bytes).collect();
    fs::write(folder.path().join("in"), numbers).unwrap();
    let input = format!("in={}", folder.path().join("in").display());
    let image = folder.path().join("out");
    let image = format!("image-raw-out={}:16x16:r32ui", image.display());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/seeded.cl");
    for (kernel, compilers, platforms, rule) in KERNELS {
        for (compiler, platform) in compilers
            .iter()
            .flat_map(|compiler| platforms.iter().map(move |platform| (compiler, platform)))
        {
            let device = format!("soft:{platform}");
            let output = match kernel.contains("texels") {
                true => &image,
                false => "fill=0:1024",
            };
            let more = [
                "--compiler",
                compiler,
                "--arg",
                &input,
                "--arg",
                output,
                source,
            ];
            let run = checked(&device, kernel, &more);
            let text = talk(&run);
            let context = format!("{kernel} {compiler} {platform}: {text}");
            match rule.is_empty() {
                true => assert_eq!(run.status.code(), Some(0), "{context}"),
                false => {
                    assert_eq!(run.status.code(), Some(5), "{context}");
                    assert!(text.contains(rule), "{context}");
                }
            }
        }
    }
}

/// A thread reads its message's response in the register that a0 names. `wait` is what it does
/// first; `at` the byte of the register file.
fn indirect(wait: &str, at: u32) -> String {
    format!(
        "\
//.platform tgl
//.kernel read
//.simd 16
//.ids none
//.arg in buf:0
//.arg out buf:1
//.local 16,1,1
(W)     mov (8|M0)    r10.0<1>:ud  r0.0<8;8,1>:ud
(W)     mov (1|M0)    a0.0<1>:uw  {at}:uw
(W)     mov (1|M0)    r10.2<1>:ud  0x0:ud  {{@2}}
(W)     send.dc0 (16|M0)  r12  r10  null  0x0  0x02284300  {{@1,$0}}
{wait}
(W)     mov (16|M0)   r16.0<1>:ud  r[a0.0]<8;8,1>:ud  {{@1}}
(W)     send.dc0 (16|M0)  null  r10  r16  0x80  0x020A0301  {{@1,$2}}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {{EOT,@1}}
"
    )
}

#[test]
fn registers_that_a0_names_are_waited_for_and_exist() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("read.asm");
    let run = |text: String| {
        fs::write(&file, text).unwrap();
        let file = file.display().to_string();
        let run = tool(&[
            "run",
            "--check",
            "--device",
            "soft:tgl",
            "--global",
            "16",
            "--arg",
            "fill=1:64",
            "--arg",
            "fill=0:64",
            &file,
        ]);
        (run.status.code(), talk(&run))
    };
    let (code, text) = run(indirect("(W)     sync.nop      null  {$0.dst}", 12 * 32));
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(indirect("", 12 * 32));
    assert_eq!(code, Some(5), "{text}");
    assert!(
        text.contains("scoreboard hazard") && text.contains("r12"),
        "{text}"
    );
    let (code, text) = run(indirect("(W)     sync.nop      null  {$0.dst}", 127 * 32));
    assert_eq!(code, Some(5), "{text}");
    assert!(text.contains("register bounds"), "{text}");
}
