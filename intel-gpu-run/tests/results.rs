//! What becomes of results: all are saved, compared and reported, whatever else went wrong.

#![cfg(test)]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{command, line, root, talk, tool};

const FAULTS: &str = "umd/tests/kernels/faults.tgllp.zebin";
/// Scales by 3.
const SCALE: &str = "run examples/scale.asm --global 64 --device soft:tgl";
const ARGS: &str = "--arg fill=1:256 --arg fill=0:256 --arg i16=3";

/// Scales 64 ones by 3.
fn scale(options: &str) -> Output {
    line(format!("{SCALE} {ARGS} {options}"))
}

fn in_folder(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.display().to_string()
}

#[test]
fn expectations_compare_everything_that_they_name() {
    let folder = tempfile::tempdir().unwrap();
    let whole = in_folder(folder.path(), "whole", &[3; 256]);
    let half = in_folder(folder.path(), "half", &[3; 128]);
    let empty = in_folder(folder.path(), "empty", &[]);
    let expect = |text: String| scale(&format!("--expect {text}"));
    assert_eq!(expect(format!("1={whole}")).status.code(), Some(0));
    assert_eq!(expect(format!("1:128={half}")).status.code(), Some(0));
    for wrong in [
        format!("1={half}"),
        format!("1={empty}"),
        format!("1:64={half}"),
    ] {
        let run = expect(wrong);
        assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
        let after = talk(&run).contains("EU instructions");
        assert!(!after, "before the launch: {}", talk(&run));
    }
    // Assembly does not say the type of a buffer's elements.
    assert_eq!(expect(format!("1={whole},1e-5")).status.code(), Some(2));
    assert_eq!(expect(format!("1={whole},i32:0")).status.code(), Some(0));
    let three = in_folder(folder.path(), "three", &[4; 256]);
    let run = expect(format!("1={three},i32:1e-5"));
    assert_eq!(run.status.code(), Some(5), "{}", talk(&run));
}

#[test]
fn the_counts_of_prints_are_checked_before_the_launch() {
    let run = scale("--print 1:i32:65");
    assert_eq!(run.status.code(), Some(2), "{}", talk(&run));
    assert!(!talk(&run).contains("EU instructions"), "{}", talk(&run));
}

#[test]
fn a_hang_loses_no_results() {
    let folder = tempfile::tempdir().unwrap();
    let (out, trace) = (folder.path().join("out"), folder.path().join("trace.json"));
    let wanted = in_folder(folder.path(), "wanted", &[1; 64]);
    let run = line(format!(
        "run {FAULTS} --kernel endless --global 1 --timeout 1 --device soft:tgl --json \
         --arg out={}:64 --expect 0={wanted} --trace {}",
        out.display(),
        trace.display()
    ));
    let talk = talk(&run);
    assert_eq!(run.status.code(), Some(4), "{talk}");
    assert_eq!(fs::read(&out).unwrap(), [0; 64]);
    let said = format!("wrote {}, as the failed launch left it", out.display());
    assert!(talk.contains(&said), "{talk}");
    assert!(fs::read_to_string(&trace).unwrap().contains("traceEvents"));
    assert!(
        talk.contains("hang") && talk.contains("64 of 64 elements differ"),
        "{talk}"
    );
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(
        json["errors"][0].as_str().unwrap().contains("hang"),
        "{json}"
    );
    assert!(json["expect"][0]["difference"].is_string(), "{json}");
}

#[test]
fn a_refused_run_has_a_document_of_its_errors() {
    for (options, code, why) in [
        ("--print 1:i32:65", 2, "65 elements"),
        ("--expect 1=/nowhere", 3, "/nowhere"),
        ("--device soft:tgl:77", 4, "tgl has no revision 77"),
        ("--local 0", 2, "--local"),
    ] {
        let line_of = format!("{SCALE} {ARGS} --json {options}");
        let run = match options.contains("--device") {
            true => line(line_of.replacen("--device soft:tgl ", "", 1)),
            false => line(line_of),
        };
        assert_eq!(run.status.code(), Some(code), "{}", talk(&run));
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let error = json["errors"][0].as_str().unwrap();
        assert!(error.contains(why), "{json}");
        assert!(talk(&run).contains(error), "{}", talk(&run));
    }
    // Without it, stdout is for results.
    assert!(scale("--print 1:i32:65").stdout.is_empty());
}

#[test]
fn sizes_beyond_all_memory_are_the_callers_fault() {
    for spec in [
        "out=/dev/null:18446744073709551615",
        "fill=0:1000000000000000",
    ] {
        let run = line(format!(
            "run examples/scale.asm --global 64 --device soft:tgl --arg fill=1:256 --arg {spec} --arg i16=3"
        ));
        let talk = talk(&run);
        assert_eq!(run.status.code(), Some(2), "{talk}");
        assert!(
            talk.contains("argument 1") && talk.contains("all memory for buffers has"),
            "{talk}"
        );
    }
}

#[test]
fn a_violation_hides_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let wanted = in_folder(folder.path(), "wanted", &[9; 256]);
    let text = fs::read_to_string(root().join("examples/scale.asm")).unwrap();
    let careless = text.replace("$0.dst", "$9.dst");
    let careless = in_folder(folder.path(), "careless.asm", careless.as_bytes());
    let run = line(format!(
        "run {careless} --check --global 64 --device soft:tgl --json --dump-payload --dump-batch \
         --arg fill=1:64 --arg fill=0:256 --arg i16=3 --expect 1={wanted}"
    ));
    let talk = talk(&run);
    assert_eq!(run.status.code(), Some(5), "{talk}");
    for part in ["surface bounds", "--expect 1=", "a scoreboard hazard"] {
        assert!(talk.contains(part), "{part}: {talk}");
    }
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(json["local"], serde_json::json!([16, 1, 1]));
    let violations = json["violations"].to_string();
    assert!(violations.contains("surface bounds"), "{violations}");
    assert_eq!(json["scoreboard"]["complete"], true);
    assert!(!json["scoreboard"]["hazards"].as_array().unwrap().is_empty());
    assert!(json["payload"]["cross_thread"].is_string(), "{json}");
    let packets = json["packets"].as_array().unwrap();
    assert!(packets.iter().any(|p| p["name"] == "GPGPU_WALKER"));
}

/// As text, and as a file that `decode` reads alike: on both kinds of walker.
#[test]
fn the_batch_is_what_decode_prints() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("batch.bin");
    let file = file.to_str().unwrap();
    let run = |option: &str| {
        let run = scale(option);
        assert!(run.status.success(), "{}", talk(&run));
        String::from_utf8(run.stdout).unwrap()
    };
    let printed = run("--dump-batch");
    for packet in ["STATE_BASE_ADDRESS", "GPGPU_WALKER", "MI_BATCH_BUFFER_END"] {
        assert!(printed.contains(packet), "{packet}: {printed}");
    }
    assert_eq!(run(&format!("--dump-batch={file}")), "");
    let (address, _) = printed.split_once(':').unwrap();
    let decoded = tool(&["decode", file, "-p", "tgl", "--address", address]);
    assert_eq!(String::from_utf8(decoded.stdout).unwrap(), printed);
}

#[test]
fn memory_that_the_host_does_not_have_is_an_error() {
    let tool = command(&[]).get_program().to_owned();
    let run = Command::new("sh")
        .args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\""])
        .arg(tool)
        .args(SCALE.split(' '))
        .args(["--arg", "fill=1:256", "--arg", "out=/dev/null:4G"])
        .args(["--arg", "i16=3"])
        .current_dir(root())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1), "{}", talk(&run));
}

#[test]
fn assembly_is_the_same_code_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join("code");
    for report in ["--json", "--map"] {
        let code = code.display().to_string();
        let run = tool(&["asm", "examples/scale.asm", report, "-o", &code]);
        assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
        assert!(!run.stdout.is_empty());
        let to_stdout = tool(&["asm", "examples/scale.asm", report, "-o", "-"]);
        assert_eq!(to_stdout.status.code(), Some(2));
        let info = tool(&["info", "examples/scale.asm", "--json"]);
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
        let bytes = fs::read(&code).unwrap();
        fs::remove_file(&code).unwrap();
        assert_eq!(info["kernels"][0]["code_bytes"], bytes.len());
        assert!(bytes.len().is_multiple_of(16), "nothing is compacted");
    }
}

#[test]
fn the_assembler_warns_once_and_shows_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("examples/scale.asm")).unwrap();
    let text = text.replace("r127", "r20");
    let file = in_folder(folder.path(), "early.asm", text.as_bytes());
    for text in [
        format!("run {file} --global 64 {ARGS}"),
        format!("disasm {file}"),
        format!("info {file}"),
    ] {
        let run = line(text);
        let talk = talk(&run);
        assert_eq!(run.status.code(), Some(0), "{talk}");
        assert_eq!(talk.matches("warning: ").count(), 1, "{talk}");
        assert!(
            talk.contains("early.asm:") && talk.contains("send.ts"),
            "{talk}"
        );
    }
}

#[test]
fn a_comment_about_a_directive_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let text = "/* no //.platform here */\nnop\n";
    let file = in_folder(folder.path(), "comment.asm", text.as_bytes());
    let run = tool(&["disasm", &file, "-p", "tgl"]);
    assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
    // And a directive is not overruled.
    let run = tool(&["disasm", "examples/scale.asm", "-p", "dg2"]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
}

/// An archive as ocloc makes it.
fn archive(members: &[&[u8]]) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (index, member) in members.iter().enumerate() {
        let header = format!(
            "{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            format!("{index}/"),
            0,
            0,
            0,
            644,
            member.len()
        );
        out.extend(header.as_bytes());
        out.extend(*member);
        out.extend(std::iter::repeat_n(b'\n', member.len() % 2));
    }
    out
}

#[test]
fn every_zebin_of_an_archive_is_listed_and_one_is_picked() {
    let folder = tempfile::tempdir().unwrap();
    let kernels = root().join("umd/src/transfer/kernels");
    let [tgl, dg2] = ["gen12lp", "xe_hpg"]
        .map(|name| fs::read(kernels.join(name).with_extension("zebin")).unwrap());
    let fat = in_folder(folder.path(), "fat.ar", &archive(&[&tgl, &dg2]));
    let all = tool(&["info", &fat]);
    let all = String::from_utf8_lossy(&all.stdout).into_owned();
    assert!(
        all.contains("zebin for tgl") && all.contains("zebin for dg2"),
        "{all}"
    );
    let json = tool(&["info", &fat, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["binaries"].as_array().unwrap().len(), 2);
    let one = tool(&["info", &fat, "-p", "dg2"]);
    let one = String::from_utf8_lossy(&one.stdout).into_owned();
    assert!(
        !one.contains("zebin for tgl") && one.contains("zebin for dg2"),
        "{one}"
    );
    for command in ["info", "disasm"] {
        let none = tool(&[command, &fat, "-p", "skl"]);
        assert_eq!(none.status.code(), Some(3), "{}", talk(&none));
        assert!(talk(&none).contains("tgl"), "{}", talk(&none));
    }
}
