//! The tool's contract as its callers see it: exit codes, and what the errors name.

#![cfg(test)]

mod common;

use std::time::{Duration, Instant};

use common::{line, root, talk, tool};

const FAULTS: &str = "umd/tests/kernels/faults.tgllp.zebin";
const SOFT: &str = "--device soft:tgl";

#[test]
fn help_is_data_and_a_wrong_command_line_is_usage() {
    let help = tool(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("Exit codes:"));
    assert_eq!(tool(&["no-such-command"]).status.code(), Some(2));
    let run = line(format!("run {FAULTS} --global many"));
    assert_eq!(run.status.code(), Some(2));
}

/// A recorded run is run again on another device, and its buffers are compared; a wrong byte is found.
#[test]
fn what_is_recorded_is_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (input, output, record) = (path("in.bin"), path("out.bin"), path("run.aub"));
    let numbers: Vec<u8> = (0..64i32).flat_map(i32::to_le_bytes).collect();
    std::fs::write(&input, numbers).unwrap();
    let run = line(format!(
        "run examples/scale.asm --global 64 --arg in={input} --arg out={output}:256 --arg i16=3 \
         --aub {record}"
    ));
    assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
    let replay = line(format!("replay {record}"));
    assert_eq!(replay.status.code(), Some(0), "{}", talk(&replay));
    // The recorded product of 20 and 3 where the file expects it.
    let mut bytes = std::fs::read(&record).unwrap();
    let wanted: Vec<u8> = [57i32, 60, 63]
        .into_iter()
        .flat_map(i32::to_le_bytes)
        .collect();
    let places: Vec<_> = (0..bytes.len() - wanted.len())
        .filter(|place| bytes[*place..].starts_with(&wanted))
        .collect();
    assert_eq!(
        places.len(),
        1,
        "the output is there once, as what is expected"
    );
    bytes[places[0] + 4] ^= 1;
    std::fs::write(&record, bytes).unwrap();
    let replay = line(format!("replay {record}"));
    assert_ne!(replay.status.code(), Some(0), "{}", talk(&replay));
}

#[test]
fn blocks_are_read_multiplied_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.bin"), folder.path().join("out.bin"));
    let numbers: Vec<u8> = (0..64i32).flat_map(i32::to_le_bytes).collect();
    std::fs::write(&input, numbers).unwrap();
    let run = line(format!(
        "run examples/scale.asm --global 64 {SOFT} --arg in={} --arg out={}:256 --arg i16=3",
        input.display(),
        output.display()
    ));
    assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
    let scaled: Vec<u8> = (0..64i32)
        .flat_map(|number| (number * 3).to_le_bytes())
        .collect();
    assert_eq!(std::fs::read(&output).unwrap(), scaled);
}

#[test]
fn an_endless_kernel_is_a_hang() {
    let run = line(format!(
        "run {FAULTS} --kernel endless --global 1 --timeout 1 --arg fill=0:64 {SOFT}"
    ));
    assert_eq!(run.status.code(), Some(4), "{}", talk(&run));
    let talk = talk(&run);
    assert!(
        talk.contains("hang") && talk.contains("kernel+0x"),
        "{talk}"
    );
}

#[test]
fn a_kernel_that_goes_on_is_abandoned_at_the_timeout() {
    let begin = Instant::now();
    let run = line(format!(
        "run examples/add.asm --global 4294967280,16,1 --timeout 1 {SOFT} \
         --arg fill=0:64 --arg fill=0:64 --arg fill=0:64"
    ));
    assert_eq!(run.status.code(), Some(4), "{}", talk(&run));
    assert!(talk(&run).contains("--timeout 1 s"), "{}", talk(&run));
    // A dropped queue would have waited for a minute.
    assert!(begin.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_wild_store_names_address_buffer_and_instruction_and_the_next_run_works() {
    let run = line(format!(
        "run {FAULTS} --kernel wild --global 1 --arg fill=0:64 --arg u64=0x123456789000 {SOFT}"
    ));
    assert_eq!(run.status.code(), Some(4), "{}", talk(&run));
    let talk = talk(&run);
    for part in ["0x123456789000", "nearest buffer", "kernel+0x", "send"] {
        assert!(talk.contains(part), "{part} is not in: {talk}");
    }
    blocks_are_read_multiplied_and_written();
}

#[test]
fn broken_files_are_rejected_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let whole = std::fs::read(root().join(FAULTS)).unwrap();
    let truncated = folder.path().join("truncated.zebin");
    std::fs::write(&truncated, &whole[..whole.len() / 2]).unwrap();
    let file = truncated.display();
    let run = line(format!("run {file} --global 1 --arg fill=0:64"));
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    assert!(talk(&run).contains("offset"), "{}", talk(&run));

    let text = std::fs::read_to_string(root().join("examples/scale.asm")).unwrap();
    let broken = folder.path().join("broken.asm");
    std::fs::write(&broken, text.replacen("shl (1|M0)", "shl (3|M0)", 1)).unwrap();
    let run = tool(&["run", broken.to_str().unwrap(), "--global", "16"]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    assert!(
        talk(&run).contains("shl (3|M0)"),
        "the line is shown: {}",
        talk(&run)
    );
}

#[test]
fn a_missing_scoreboard_wait_violates_the_check() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("examples/scale.asm")).unwrap();
    let careless = folder.path().join("careless.asm");
    let without = text.replace("$0.dst", "$9.dst");
    assert_ne!(without, text);
    std::fs::write(&careless, without).unwrap();
    let run = |file: &str, check: bool| {
        let output = folder.path().join("out.bin");
        let check = if check { "--check" } else { "" };
        line(format!(
            "run {file} --global 64 {SOFT} --arg fill=1:256 --arg out={}:256 --arg i16=3 {check}",
            output.display()
        ))
    };
    let careless = careless.to_str().unwrap();
    assert_eq!(run("examples/scale.asm", true).status.code(), Some(0));
    assert_eq!(run(careless, false).status.code(), Some(0));
    let checked = run(careless, true);
    assert_eq!(checked.status.code(), Some(5), "{}", talk(&checked));
    assert!(
        talk(&checked).contains("read after write of r"),
        "{}",
        talk(&checked)
    );
}

#[test]
fn the_doctor_runs_kernels_on_every_platform() {
    let output = tool(&["doctor", "--json"]);
    assert!(output.status.success(), "{}", talk(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for platform in devinfo::PLATFORMS {
        let subject = format!("soft:{platform}");
        let findings = json["findings"].as_array().unwrap();
        let finding = findings.iter().find(|f| f["subject"] == subject.as_str());
        let finding = finding.unwrap_or_else(|| panic!("{subject}: {json}"));
        assert_eq!(finding["verdict"], "PASS", "{finding}");
        let text = finding["text"].as_str().unwrap();
        assert!(text.contains("kernels ran through "), "{text}");
        for driver in platform.kernel_drivers {
            assert!(text.contains(&driver.to_string()), "{text}");
        }
    }
}

/// A file of the host's machine code is not called a zebin.
#[test]
fn programs_of_the_host_are_no_kernels() {
    let program = std::env::current_exe().unwrap();
    for command in ["asm", "info", "disasm"] {
        let run = tool(&[command, program.to_str().unwrap()]);
        let said = talk(&run);
        assert_eq!(run.status.code(), Some(3), "{command}: {said}");
        assert!(said.contains("no GPU code"), "{command}: {said}");
    }
}
