//! `run --check` on faults that Oclgrind does not know: of sub-groups, fences and atomics, compiled by
//! both compilers, and of code that only assembly has.

#![cfg(test)]

mod common;

use std::fs;

use common::{checked, each, numbers, talk, tool};

const ALL: &[&str] = &["skl", "tgl", "dg2:8"];
const BOTH: &[&str] = &["own", "ocloc"];

const INACTIVE: &str = "read of an inactive channel";
const PART: &str = "sub-group operation in divergent flow";

const GROUP: &str = "barrier in divergent flow";

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
    ("shuffle_first_inactive", BOTH, ALL, INACTIVE),
    ("right_broadcast_used_later", BOTH, ALL, ""),
    ("right_gap", BOTH, ALL, ""),
    ("right_tree", BOTH, ALL, ""),
    ("reduce_in_part", BOTH, ALL, PART),
    ("scan_in_part", BOTH, ALL, PART),
    ("vote_in_part", BOTH, ALL, PART),
    ("barrier_in_part", BOTH, ALL, PART),
    ("right_together", BOTH, ALL, ""),
    ("race_of_sub_groups", BOTH, ALL, "data race"),
    ("relaxed_flag", BOTH, ALL, "data race"),
    ("acquire_only", BOTH, ALL, "data race"),
    ("group_flag", BOTH, ALL, "data race"),
    ("release_only", BOTH, ALL, "data race"),
    ("flag_too_early", BOTH, ALL, "data race"),
    ("block_write_misaligned", BOTH, ALL, "block write alignment"),
    ("block_read_misaligned", BOTH, ALL, "block read alignment"),
    ("block_in_part", BOTH, ALL, PART),
    ("texels_block_in_part", BOTH, ALL, PART),
    ("right_blocks", BOTH, ALL, ""),
    ("blocks_race", BOTH, ALL, "data race"),
    ("right_flag", BOTH, ALL, ""),
    ("right_shuffles", BOTH, ALL, ""),
    ("right_sums", BOTH, ALL, ""),
    ("right_peeks", BOTH, ALL, ""),
    ("own_copy_too_early", BOTH, ALL, "data race"),
    ("own_copy_of_unfinished", BOTH, ALL, "data race"),
    ("right_copies", BOTH, ALL, ""),
    ("copy_not_waited_for", BOTH, ALL, "copy not waited for"),
    ("copy_in_part", BOTH, ALL, GROUP),
    ("group_barrier_in_part", BOTH, ALL, GROUP),
    ("neighbour_in_place", &["own"], ALL, "data race"),
    ("one_channel_too_early", BOTH, ALL, "data race"),
    ("store_beside_atomics", BOTH, ALL, "data race"),
    ("right_beside_atomics", BOTH, ALL, ""),
    ("texels", BOTH, ALL, "data race"),
    ("texels_beyond", BOTH, ALL, "surface bounds"),
    ("right_texels", BOTH, ALL, ""),
    ("texels_read_beyond", BOTH, ALL, "a texel whose y is -1"),
    ("texels_sampled_beyond", BOTH, ALL, "a texel whose x is 16"),
    ("texels_sampled_between", BOTH, ALL, "a texel whose x is 16"),
    ("right_texels_read", BOTH, ALL, ""),
    ("texels_exchanged_early", BOTH, ALL, "data race"),
    ("texels_overwritten", BOTH, ALL, "data race"),
    ("texels_of_a_cache", BOTH, ALL, "missing fence"),
    ("texels_of_its_own", BOTH, ALL, "missing fence"),
    ("right_texels_exchanged", BOTH, ALL, ""),
    ("right_texels_of_its_own", BOTH, ALL, ""),
    ("right_long_atomics", BOTH, ALL, ""),
    ("long_atomics_beside_reads", &["own"], ALL, "data race"),
    ("read_beside_atomics", BOTH, ALL, "data race"),
    ("right_most", BOTH, ALL, ""),
    ("scope_has_ended", BOTH, ALL, "uninitialised value"),
    ("before_the_buffer", &["own"], ALL, "offset 0xfffffffc (-4)"),
    ("copy_by_some_sub_groups", BOTH, ALL, GROUP),
    ("right_copies_of_loop", BOTH, ALL, ""),
];

#[test]
fn faults_of_sub_groups_and_fences_are_reported() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/seeded.cl");
    each(KERNELS, |(kernel, compilers, platforms, rule)| {
        for (compiler, platform) in compilers
            .iter()
            .flat_map(|compiler| platforms.iter().map(move |platform| (compiler, platform)))
        {
            let device = format!("soft:{platform}");
            let output = match kernel.contains("texels") {
                true => {
                    let image = folder.path().join(kernel);
                    &format!("image-raw-out={}:16x16:r32ui", image.display())
                }
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
                    let told = text.matches(rule).count();
                    assert!(*rule != PART || told == 1, "{told} reports: {context}");
                }
            }
        }
    });
}

#[test]
fn races_in_variables_of_a_program_are_reported() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/variables.cl");
    for (kernel, code) in [
        ("variable_race", 5),
        ("variable_neighbour", 5),
        ("right_variable", 0),
    ] {
        for (compiler, platform) in BOTH.iter().flat_map(|c| ALL.iter().map(move |p| (c, p))) {
            let options = ["--compiler", compiler, "--build-options=-cl-std=CL3.0"];
            let arguments = ["--arg", &input, "--arg", "fill=0:1024", source];
            let more = [&options[..], &arguments].concat();
            let run = checked(&format!("soft:{platform}"), kernel, &more);
            let text = talk(&run);
            let context = format!("{kernel} {compiler} {platform}: {text}");
            assert_eq!(run.status.code(), Some(code), "{context}");
            assert!(code == 0 || text.contains("data race"), "{context}");
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

/// A thread computes what it then reads in the register that a0 names, after it has waited as `wait` says.
/// So does another, which writes it there again, in another pipe.
fn by_distance(platform: &str, first: &str, wait: &str, last: &str) -> String {
    let (width, end) = match platform {
        "tgl" => (8, "send.ts (8|M0) null r127 null 0x0 0x02000010"),
        "dg2" => (8, "send.gtwy (8|M0) null r127 null:0 0x0 0x02000010"),
        _ => (16, "send.gtwy (16|M0) null r127 null:0 0x0 0x02000010"),
    };
    let at = 12 * if width == 8 { 32 } else { 64 };
    format!(
        "\
//.platform {platform}
//.kernel distance
//.simd 16
//.ids none
//.local 16,1,1
(W)     mov ({width}|M0)    r127.0<1>:ud  r0.0<1;1,0>:ud
(W)     mov ({width}|M0)    r14.0<1>:f  1.0:f
(W)     mov ({width}|M0)    r12.0<1>:f  1.0:f
(W)     mov (1|M0)    a0.0<1>:uw  {at}:uw
(W)     sync.nop null {{{all}@1}}
(W)     {first}
(W)     {last} {wait}
(W)     sync.nop null {{{all}@1}}
(W)     {end} {{EOT}}
",
        all = if platform == "tgl" { "" } else { "A" },
    )
}

#[test]
fn distances_to_registers_that_a0_names_are_waited_for() {
    const READ: &str = "mov (8|M0) r16.0<1>:ud r[a0.0]<8;8,1>:ud";
    const WRITE: &str = "mov (8|M0) r[a0.0]<1>:f r14.0<1;1,0>:f";
    const INT: &str = "mov (8|M0) r12.0<1>:ud 0x1:ud";
    const READS_FLOAT: &str = "add (8|M0) r17.0<1>:f r12.0<1;1,0>:f r14.0<1;1,0>:f";
    const WRITE_INT: &str = "mov (8|M0) r[a0.0]<1>:ud 0x1:ud";
    const OTHER: &str = "mov (8|M0) r13.0<1>:ud 0x1:ud";
    // Platform, instructions, the wait that they need, and one that is for something else.
    let rows = [
        ("tgl", INT, READ, "{@1}", ""),
        ("dg2", INT, READ, "{I@1}", "{F@1}"),
        ("dg2", INT, WRITE, "{I@1}", "{F@1}"),
        ("dg2", READS_FLOAT, WRITE_INT, "{F@1}", "{I@1}"),
        ("pvc", INT, READ, "{I@1}", "{F@1}"),
        ("bmg", INT, READ, "{A@1}", "{F@1}"),
        ("bmg", INT, WRITE, "{I@1}", ""),
        ("bmg", READS_FLOAT, WRITE_INT, "{F@1}", "{M@1}"),
        ("ptl", INT, READ, "{I@1}", ""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("distance.asm");
    let run = |text: &str, platform| {
        fs::write(&file, text).unwrap();
        let (device, file) = (format!("soft:{platform}"), file.display().to_string());
        let line = [
            "run", "--check", "--device", &device, "--global", "16", &file,
        ];
        let run = tool(&line);
        (run.status.code(), talk(&run))
    };
    for (platform, first, last, wait, other) in rows {
        let (code, text) = run(&by_distance(platform, first, wait, last), platform);
        assert_eq!(code, Some(0), "{platform} {first} {last}: {text}");
        let (code, text) = run(&by_distance(platform, first, other, last), platform);
        assert_eq!(code, Some(5), "{platform} {first} {last}: {text}");
        let found = text.contains("scoreboard hazard") && text.contains("r12 is touched");
        assert!(found, "{platform}: {text}");
        // Another register needs no wait.
        let (code, text) = run(&by_distance(platform, OTHER, "", last), platform);
        assert_eq!(code, Some(0), "{platform} {last}: {text}");
    }
}
