//! `run --check`: each rule is found broken where a kernel breaks it, and only there.

#![cfg(test)]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a kernel of `violations.cl` with a folder for its files.
fn check(kernel: &str, global: &str, local: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in"), [1; 4096]).unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/violations.tgllp.zebin");
    Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
        .args(["run", "--device", "soft:tgl", "--check"])
        .arg(file)
        .args(["--kernel", kernel, "--global", global, "--local", local])
        .args(arguments.iter().flat_map(|argument| ["--arg", argument]))
        .current_dir(folder.path())
        .output()
        .unwrap()
}

#[track_caller]
fn assert_clean(output: &Output) {
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{talk}");
}

/// Exit code 5, and a message that names kernel, instruction and rule, and no other rule.
#[track_caller]
fn assert_violates(output: &Output, kernel: &str, rules: &[&str], instruction: &str) {
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{talk}");
    let found: Vec<&str> = talk
        .lines()
        .filter(|line| line.contains("--check: "))
        .collect();
    for rule in rules {
        let named = |line: &&str| {
            line.contains(&format!("{kernel}+0x"))
                && line.contains(rule)
                && line.contains(instruction)
        };
        assert!(found.iter().any(named), "{rule}: {talk}");
    }
    for line in &found {
        assert!(rules.iter().any(|rule| line.contains(rule)), "{line}");
    }
}

#[test]
fn block_reads_begin_at_dwords() {
    let run = |skew| {
        check(
            "blocks",
            "16",
            "16",
            &["in=in", "out=out:4096", skew, "i32=0"],
        )
    };
    assert_clean(&run("i32=0"));
    assert_clean(&run("i32=4"));
    let skewed = run("i32=2");
    assert_violates(&skewed, "blocks", &["block read alignment"], "send.dc0");
}

/// Writes an OWord at the address in its argument. (Compiled code writes by binding table, in a
/// unit that makes the address a multiple of 16.)
const BLOCK_WRITE: &str = "\
//.platform tgl
//.kernel write
//.simd 16
//.ids none
//.arg out ptr
//.arg skew i32 @8
//.local 16,1,1
(W)     mov (8|M0)    r10.0<1>:ud  0x0:ud
(W)     mov (8|M0)    r11.0<1>:ud  0x7:ud
(W)     add (1|M0)    r10.0<1>:ud  r2.0<0;1,0>:ud  r2.2<0;1,0>:ud  {@2}
(W)     mov (1|M0)    r10.1<1>:ud  r2.1<0;1,0>:ud  {@3}
(W)     send.dc1 (8|M0)  null  r10  r11  0x40  0x020D40FF  {@1,$0}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud
(W)     send.ts (8|M0)   null  r127  null  0x0  0x02000010  {EOT,@1}
";

#[test]
fn block_writes_begin_at_owords() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("write.asm");
    std::fs::write(&file, BLOCK_WRITE).unwrap();
    let run = |skew: &str| {
        Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
            .args(["run", "--device", "soft:tgl", "--check", "write.asm"])
            .args(["--global", "16", "--arg", "out=out:4096", "--arg", skew])
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    assert_clean(&run("i32=0"));
    assert_clean(&run("i32=32"));
    let skewed = run("i32=8");
    assert_violates(&skewed, "write", &["block write alignment"], "send.dc1");
}

#[test]
fn blocks_need_whole_sub_groups() {
    let arguments = ["in=in", "out=out:4096", "i32=0", "i32=0"];
    assert_clean(&check("blocks", "32", "32", &arguments));
    let partial = check("blocks", "24", "24", &arguments);
    let rule = "block access in a partial sub-group";
    assert_violates(&partial, "blocks", &[rule], "send.dc0");
}

#[test]
fn barriers_need_all_channels() {
    let run = |limit| check("divergent", "16", "16", &["in=in", "out=out:4096", limit]);
    assert_clean(&run("i32=16"));
    // A block is in the same flow.
    let rules = [
        "barrier in divergent flow",
        "sub-group operation in divergent flow",
    ];
    assert_violates(&run("i32=5"), "divergent", &rules, "send.");
}

#[test]
fn image_blocks_are_written_at_multiples_of_four_bytes() {
    let run = |x| {
        check(
            "image_block",
            "16",
            "16",
            &["image-raw-out=out:32x1:r32ui", x],
        )
    };
    assert_clean(&run("i32=4"));
    let skewed = run("i32=2");
    assert_violates(&skewed, "image_block", &["image block write x"], "send.dc1");
}

#[test]
fn accesses_stay_inside_their_buffers() {
    let run = |ahead| check("bounds", "1024", "256", &["in=in", "out=out:4096", ahead]);
    assert_clean(&run("i32=0"));
    let beyond = run("i32=1");
    assert_violates(&beyond, "bounds", &["surface bounds"], "send.dc1");
}

/// A committed zebin of the corpus, unpacked.
fn corpus(folder: &Path, set: &str, name: &str) -> String {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/kernels")
        .join(set)
        .join(format!("{name}.zebin.gz"));
    let packed = std::fs::File::open(packed).unwrap();
    let mut zebin = Vec::new();
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut zebin)
        .unwrap();
    let path = folder.join(format!("{set}-{name}.zebin"));
    std::fs::write(&path, zebin).unwrap();
    path.display().to_string()
}

/// Pages are larger than most buffers, and stateless accesses have no surface that ends.
#[test]
fn accesses_stay_inside_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for (set, device) in [
        ("skl", "soft:skl"),
        ("tgl", "soft:tgl"),
        ("mtl-newer", "soft:mtl"),
        ("pvc-newer", "soft:pvc"),
        ("lnl-newer", "soft:lnl"),
        ("bmg-newer", "soft:bmg"),
        ("ptl-newer", "soft:ptl"),
    ] {
        let file = corpus(folder.path(), set, "vadd");
        let run = |bytes: u32, global: &str| {
            Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
                .args(["run", "--check", "--device", device, &file])
                .args(["--kernel", "copy_bytes", "--global", global])
                .args(["--arg", "fill=1:256"])
                .args(["--arg", &format!("fill=0:{bytes}")])
                .output()
                .unwrap()
        };
        assert_clean(&run(256, "256"));
        // In the page of the buffer; the sizes of surfaces are multiples of 4.
        assert_violates(&run(252, "256"), "copy_bytes", &["bounds: "], "send");
        assert_violates(&run(256, "257"), "copy_bytes", &["bounds: "], "send");
        assert_listed(&file, &run(256, "257"));
    }
}

/// A part of a buffer has an end of its own, where pointers have no surface, too. The copy is of the buffer's
/// first bytes.
#[test]
fn accesses_stay_inside_their_sub_buffer() {
    let folder = tempfile::tempdir().unwrap();
    for (set, device, rule) in [
        ("tgl", "soft:tgl", "surface bounds"),
        ("pvc-newer", "soft:pvc", "pointer beyond its buffer"),
        ("lnl-newer", "soft:lnl", "pointer beyond its buffer"),
        ("bmg-newer", "soft:bmg", "pointer beyond its buffer"),
        ("ptl-newer", "soft:ptl", "pointer beyond its buffer"),
    ] {
        let file = corpus(folder.path(), set, "vadd");
        let run = |global: &str, part: &str| {
            Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
                .args(["run", "--check", "--device", device, &file])
                .args(["--kernel", "copy_bytes", "--global", global])
                .args(["--arg", "fill=1:1024", "--arg", part])
                .output()
                .unwrap()
        };
        assert_clean(&run("64", "sub=0:256:64"));
        assert_violates(&run("65", "sub=0:256:64"), "copy_bytes", &[rule], "send");
    }
}

/// `disasm` says the same of the instruction at a violation's offset, whether the walker made the
/// local ids and so skipped the code that loads them, or not.
#[track_caller]
fn assert_listed(file: &str, violates: &Output) {
    let talk = String::from_utf8_lossy(&violates.stderr);
    let line = talk
        .lines()
        .find_map(|line| line.split_once("copy_bytes+0x"));
    let (offset, text) = line.and_then(|(_, rest)| rest.split_once(": ")).unwrap();
    let offset = u32::from_str_radix(offset, 16).unwrap();
    let listing = Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
        .args(["disasm", "--json", "--kernel", "copy_bytes", file])
        .output()
        .unwrap();
    let listing: serde_json::Value = serde_json::from_slice(&listing.stdout).unwrap();
    let lines = listing["kernels"][0]["lines"].as_array().unwrap();
    let at = lines.iter().find(|line| line["offset"] == offset).unwrap();
    let listed = at["text"].as_str().unwrap().trim();
    assert!(text.ends_with(listed), "{text}: {listed}");
}

#[test]
fn shared_local_memory_is_what_was_asked_for() {
    const KERNEL: &str = "\
//.platform tgl
//.kernel local
//.simd 16
//.ids none
//.arg numbers local
//.local 16,1,1
(W)     mov (16|M0)   r10.0<1>:ud  0x1C:ud
(W)     send.dc1 (16|M0)  r12  r10  null  0x0  0x04205EFE  {@1,$0}
(W)     mov (8|M0)    r127.0<1>:ud  r0.0<8;8,1>:ud  {$0.dst}
(W)     send.ts (8|M0)    null  r127  null  0x0  0x02000010  {EOT,@1}
";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("local.asm");
    std::fs::write(&file, KERNEL).unwrap();
    let run = |bytes: &str| {
        Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"))
            .args(["run", "--check", "--device", "soft:tgl", "--global", "16"])
            .arg(&file)
            .args(["--arg", &format!("local={bytes}")])
            .output()
            .unwrap()
    };
    assert_clean(&run("32"));
    // Groups have at least 1024 bytes, whatever is asked for.
    assert_violates(&run("28"), "local", &["local memory bounds"], "send.dc1");
}
