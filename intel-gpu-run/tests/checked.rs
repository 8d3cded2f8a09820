//! Programs under `opencl --check` and `preload --check`: what is reported, with source lines, and the
//! exit codes.

#![cfg(test)]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{command, line, root, talk, tool};
use tempfile::TempDir;

/// A folder with the program `launch`, if what it takes to make and run it is here.
fn program() -> Option<TempDir> {
    program_of("launch")
}

fn program_of(name: &str) -> Option<TempDir> {
    let tools = oracles::debian("gcc") && oracles::debian("ocloc");
    let folder = tools.then(|| tempfile::tempdir().unwrap())?;
    let compiled = Command::new("gcc")
        .args(["-Wall", "-Werror", "-o"])
        .arg(folder.path().join(name))
        .arg(file(&format!("{name}.c")))
        .arg("-lOpenCL")
        .status()
        .unwrap();
    assert!(compiled.success());
    Some(folder)
}

fn file(name: &str) -> PathBuf {
    root().join("intel-gpu-run/tests/programs").join(name)
}

/// Runs a kernel of the file of its name, with a first buffer that is full or empty.
fn run(words: &[&str], folder: &Path, kernel: &str, content: &str) -> Output {
    let source = file(&format!("{kernel}.cl"));
    let mut run = launch(words, folder, &source, [kernel, "-g", content]);
    // The loader finds Intel's runtime; `opencl` names its own.
    run.env("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/intel.icd");
    run.output().unwrap()
}

fn launch(
    words: &[&str],
    folder: &Path,
    source: &Path,
    [kernel, options, content]: [&str; 3],
) -> Command {
    let mut run = command(words);
    run.arg("--")
        .arg(folder.join("launch"))
        .arg(source)
        .args([kernel, options, "256", "128", content]);
    run
}

/// Exit code 5, and one report with all these words in it.
#[track_caller]
fn assert_reported(output: &Output, words: &[&str]) {
    let talk = talk(output);
    assert_eq!(output.status.code(), Some(5), "{talk}");
    let mut lines = talk.lines().filter(|line| line.contains("--check: "));
    let all = |line: &str| words.iter().all(|word| line.contains(word));
    assert!(lines.any(all), "{words:?}: {talk}");
}

#[track_caller]
fn assert_clean(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", talk(output));
}

#[test]
fn a_program_of_this_runtime_is_checked() {
    let Some(folder) = program() else {
        return;
    };
    for device in ["soft:skl", "soft:tgl", "soft:dg2"] {
        let words = ["opencl", "--check", "--devices", device];
        let run = |kernel, content| run(&words, folder.path(), kernel, content);
        assert_clean(&run("scale", "full"));
        let empty = ["scale+0x", "(kernel.cl:7)", "uninitialised value", "stores"];
        assert_reported(&run("scale", "empty"), &empty);
        let race = ["race+0x", "(kernel.cl:7)", "data race"];
        assert_reported(&run("race", "full"), &race);
        let array = [
            "beyond+0x",
            "(kernel.cl:9)",
            "array bounds",
            "variable tile",
        ];
        assert_reported(&run("beyond", "full"), &array);
    }
}

/// The zebins of the built-in compiler have line tables, too: for what was included as well.
#[test]
fn reports_about_code_of_the_own_compiler_have_lines() {
    let Some(folder) = program() else {
        return;
    };
    for (name, text) in [
        (
            "kernel.cl",
            "#include \"more.h\"\nkernel void race(global const int *in, global int *out) {\n  store(in, out);\n}\n",
        ),
        (
            "more.h",
            "void store(global const int *in, global int *out)\n{\n  int x = in[get_global_id(0)];\n  *out = x;\n}\n",
        ),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let input = common::numbers(folder.path());
    let place = |name: &str| folder.path().join(name).display().to_string();
    let race = place("race.cl");
    std::fs::copy(file("race.cl"), &race).unwrap();
    for platform in ["skl", "tgl", "dg2", "bmg"] {
        for (source, line) in [
            (&race, "(kernel.cl:7)"),
            (&place("kernel.cl"), "/more.h:4)"),
        ] {
            let device = format!("soft:{platform}");
            let more = ["--compiler", "own", "--build-options=-g", "--arg", &input];
            let more = [&more[..], &["--arg", "fill=0:1024", source.as_str()]].concat();
            let run = common::checked(&device, "race", &more);
            assert_reported(&run, &["race+0x", line, "data race"]);
        }
    }
}

/// Code shows nothing of it, but for marks of the built-in compiler.
#[test]
fn sub_groups_that_are_not_complete_are_found_in_code_of_the_own_compiler() {
    let Some(folder) = program() else {
        return;
    };
    let source = file("own.cl");
    for device in ["soft:skl", "soft:tgl", "soft:dg2", "soft:bmg"] {
        let words = ["opencl", "--check", "--devices", device];
        let run = |kernel| {
            let what = [kernel, "-cl-std=CL2.0", "full"];
            let mut run = launch(&words, folder.path(), &source, what);
            run.env("INTEL_GPU_COMPILER", "own").output().unwrap()
        };
        for clean in ["all_of_them", "rounds"] {
            assert_clean(&run(clean));
        }
        for apart in ["reduces", "votes", "meets"] {
            let name = format!("{apart}+0x");
            let rule = "sub-group operation in divergent flow: 4 of the sub-group's ";
            assert_reported(&run(apart), &[&name, rule]);
        }
    }
}

#[test]
fn a_program_of_intels_runtime_is_checked() {
    let Some(folder) = program() else {
        return;
    };
    for platform in ["skl", "tgl"] {
        let words = ["preload", "--check", "--platform", platform];
        let run = |kernel, content| run(&words, folder.path(), kernel, content);
        assert_clean(&run("scale", "full"));
        // The compiler's older format, which this runtime asks for, has no names that are found.
        let race = ["kernel+0x", "data race", "the other is +0x"];
        for content in ["full", "full, left"] {
            assert_reported(&run("race", content), &race);
        }
    }
}

/// Exit code 4, and one line with all these words in it, whatever the program makes of its errors.
#[track_caller]
fn assert_failed(output: &Output, words: &[&str]) {
    let talk = talk(output);
    assert_eq!(output.status.code(), Some(4), "{talk}");
    let all = |line: &str| words.iter().all(|word| line.contains(word));
    let found = talk.lines().filter(|line| all(line)).count();
    assert_eq!(found, 1, "{words:?}: {talk}");
}

#[test]
fn launches_that_fail_are_reported() {
    let Some(folder) = program() else {
        return;
    };
    let words = ["opencl", "--check", "--devices", "soft:tgl"];
    let run_ignored = |words, kernel| {
        let source = file(&format!("{kernel}.cl"));
        let mut run = launch(
            words,
            folder.path(),
            &source,
            [kernel, "-g", "full, ignored"],
        );
        run.env("INTEL_GPU_HANG_TIMEOUT", "0.5");
        run.env("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/intel.icd");
        run.output().unwrap()
    };
    let fault = ["a launch failed: ", "page fault", "0x1234"];
    let own_fault = [&fault[..], &["in kernel wild"]].concat();
    assert_failed(&run_ignored(&words, "wild"), &own_fault);
    let hang = [
        "a launch failed: ",
        "the GPU hangs",
        "in kernel spin",
        "(kernel.cl:7)",
    ];
    assert_failed(&run_ignored(&words, "spin"), &hang);
    let words = ["preload", "--check", "--platform", "tgl"];
    assert_failed(&run_ignored(&words, "wild"), &fault);
}

/// What the flags of a buffer and its maps keep kernels from.
#[test]
fn accesses_of_what_is_not_a_kernels_are_reported() {
    let Some(folder) = program() else {
        return;
    };
    for device in ["soft:skl", "soft:dg2"] {
        let words = ["opencl", "--check", "--devices", device];
        let run = |kernel, content| run(&words, folder.path(), kernel, content);
        let place = "of the buffer of 0x400 bytes";
        let flags = [
            (
                "writes_in",
                "writes",
                "which was made with CL_MEM_READ_ONLY",
            ),
            (
                "reads_out",
                "reads",
                "which was made with CL_MEM_WRITE_ONLY",
            ),
        ];
        for (kernel, verb, why) in flags {
            let words = [kernel, "forbidden access", "channel 0", verb, place, why];
            assert_reported(&run(kernel, "full"), &words);
        }
        for (content, verb, why) in [
            (
                "full, in mapped W",
                "reads",
                "which the program has mapped for writing",
            ),
            (
                "full, out mapped R",
                "writes",
                "which the program has mapped for reading",
            ),
            (
                "full, out mapped W",
                "writes",
                "which the program has mapped for writing",
            ),
        ] {
            let words = ["scale+0x", "forbidden access", verb, place, why];
            assert_reported(&run("scale", content), &words);
        }
        for content in [
            "full, in mapped R",
            "full, in unmapped W",
            "full, out unmapped W",
        ] {
            assert_clean(&run("scale", content));
        }
    }
}

/// Arguments keep their memory, so that no page fault tells of it.
#[test]
fn memory_that_was_freed_is_reported() {
    let Some(folder) = program_of("freed") else {
        return;
    };
    for kernel in ["argument", "pointer"] {
        let run = |when| {
            let mut run = command(&["opencl", "--check", "--devices", "soft:tgl", "--"]);
            let run = run.arg(folder.path().join("freed")).args([kernel, when]);
            run.output().unwrap()
        };
        let said = [
            "forbidden access",
            "reads byte",
            "which the program has freed",
        ];
        assert_reported(&run("freed"), &[&[kernel], &said[..]].concat());
        assert_clean(&run("behind"));
        match kernel {
            "pointer" => assert_reported(
                &run("unnamed"),
                &[kernel, "forbidden access", "which no launch has named"],
            ),
            _ => assert_clean(&run("unnamed")),
        }
    }
}

/// Pointers in memory keep what they are to, from one launch to the next.
#[test]
fn pointers_that_an_earlier_launch_has_stored_are_known() {
    let Some(folder) = program_of("linked") else {
        return;
    };
    for (device, compiler) in [
        ("soft:tgl", "own"),
        ("soft:dg2", "ocloc"),
        ("soft:bmg", "own"),
    ] {
        let run = |how| {
            let mut run = command(&["opencl", "--check", "--devices", device, "--"]);
            let run = run.arg(folder.path().join("linked")).arg(how);
            run.env("INTEL_GPU_COMPILER", compiler).output().unwrap()
        };
        assert_clean(&run("right"));
        let said = [
            "pointer beyond its buffer",
            "computed from the pointer to 0x100 bytes",
        ];
        assert_reported(&run("beyond"), &said);
    }
}

/// Packets of pipes, and functions on pipes that a whole work-group must reach.
#[test]
fn packets_are_those_of_their_reservation() {
    let Some(folder) = program_of("packets") else {
        return;
    };
    for (device, compiler) in [("soft:tgl", "own"), ("soft:dg2", "ocloc")] {
        let run = |how| {
            let mut run = command(&["opencl", "--check", "--devices", device, "--"]);
            let run = run.arg(folder.path().join("packets")).arg(how);
            run.env("INTEL_GPU_COMPILER", compiler).output().unwrap()
        };
        assert_clean(&run("right"));
        let beyond = [
            "put",
            "array bounds",
            "it writes packet 32 of a reservation that has 32",
        ];
        assert_reported(&run("beyond"), &beyond);
        let divergent = run("divergent");
        let said = talk(&divergent);
        let at = format!("{device} {compiler}: {said}");
        assert_ne!(divergent.status.code(), Some(0), "{at}");
        assert!(said.contains("barrier in divergent flow"), "{at}");
    }
}

/// The host writes such memory without a word: each launch looks at what it has written.
#[test]
fn memory_by_pointers_that_nothing_has_written_is_reported() {
    let Some(folder) = program_of("fresh") else {
        return;
    };
    for device in ["soft:tgl", "soft:dg2"] {
        let run = |how| {
            let mut run = command(&["opencl", "--check", "--devices", device, "--"]);
            let run = run.arg(folder.path().join("fresh")).arg(how);
            run.output().unwrap()
        };
        for fresh in ["nothing", "device"] {
            let said = ["fresh", "uninitialised value", "nothing has written"];
            assert_reported(&run(fresh), &said);
        }
        let said = ["writes", "forbidden access", "CL_MEM_READ_ONLY"];
        assert_reported(&run("read-only"), &said);
        for full in [
            "host",
            "zeros",
            "filled",
            "copied",
            "kernel",
            "late",
            "device, filled",
        ] {
            assert_clean(&run(full));
        }
    }
}

/// What is found is said once, not in the runtime's log as well.
#[test]
fn each_report_is_there_once() {
    let Some(folder) = program() else {
        return;
    };
    let words = ["opencl", "--check", "--devices", "soft:tgl"];
    let run = run(&words, folder.path(), "race", "full");
    let talk = talk(&run);
    assert_eq!(talk.matches("data race").count(), 1, "{talk}");
}

#[test]
fn a_programs_own_exit_code_stays() {
    let Some(folder) = program() else {
        return;
    };
    for words in [
        ["opencl", "--check", "--devices", "soft:tgl"],
        ["preload", "--check", "--platform", "tgl"],
    ] {
        let refused = run(&words, folder.path(), "missing", "full");
        assert_eq!(refused.status.code(), Some(2), "{}", talk(&refused));
        // Without the option nothing is reported.
        let plain: Vec<&str> = words
            .into_iter()
            .filter(|word| *word != "--check")
            .collect();
        assert_clean(&run(&plain, folder.path(), "race", "full"));
    }
}

/// `disasm` and `check` say the lines of a zebin that has them.
#[test]
fn listings_say_the_lines() {
    let Some(folder) = program() else {
        return;
    };
    let compiled = Command::new("ocloc")
        .args(["compile", "-q", "-device", "tgllp", "-options", "-g"])
        .args(["-internal_options", "-cl-intel-allow-zebin"])
        .args(["-output", "scale", "-output_no_suffix", "-file"])
        .arg(file("scale.cl"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(compiled.status.success());
    let zebin = folder.path().join("scale").display().to_string();
    let listing = tool(&["disasm", &zebin]);
    let text = String::from_utf8(listing.stdout).unwrap();
    // From a line's comment to the next: the load is of line 6, the store of line 7.
    let of = |number: u32| {
        let from = text.split_once(&format!("scale.cl:{number}\n")).unwrap().1;
        from.split("\n// ").next().unwrap().to_owned()
    };
    assert!(of(6).contains("surface read"), "{text}");
    assert!(of(7).contains("surface write"), "{text}");
    // A comment changes nothing of the code.
    let listed = folder.path().join("scale.asm").display().to_string();
    std::fs::write(&listed, &text).unwrap();
    let json = |file: &str| {
        let printed = tool(&["disasm", "--json", "-p", "tgl", file]).stdout;
        let listing: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        listing["kernels"][0]["lines"].clone()
    };
    let (lines, again) = (json(&zebin), json(&listed));
    assert!(lines[3]["source"].as_str().unwrap().contains("scale.cl:"));
    let bytes = |lines: &serde_json::Value| -> Vec<String> {
        let lines = lines.as_array().unwrap().iter();
        lines.map(|line| line["bytes"].to_string()).collect()
    };
    assert_eq!(bytes(&lines), bytes(&again));
}

/// The last work-groups of a range that is no multiple of their size are a walker of their own, which hardware runs beside
/// the others.
#[test]
fn smaller_groups_race_with_whole_ones() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("race.cl");
    let text = "kernel void one(global int *out) { if (get_local_id(0) == 0) out[0] = get_group_id(0); }\n\
                kernel void own(global int *out) { out[get_global_id(0)] = get_group_id(0); }\n";
    std::fs::write(&source, text).unwrap();
    for device in ["soft:skl", "soft:tgl", "soft:dg2", "soft:bmg"] {
        for (kernel, range, code) in [
            ("one", "128", 5),
            ("one", "100", 5),
            ("own", "100", 0),
            ("one", "64", 0),
        ] {
            let run = line(format!(
                "run --check --compiler own --device {device} --kernel {kernel} --global {range} --local 64 \
                 --arg fill=0:1024 {}",
                source.display()
            ));
            let text = talk(&run);
            let context = format!("{device} {kernel} {range}: {text}");
            assert_eq!(run.status.code(), Some(code), "{context}");
            assert!(code == 0 || text.contains("data race"), "{context}");
        }
    }
}
