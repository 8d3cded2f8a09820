//! Source goes through Intel's compiler: what it says, which one is asked, with which options.
//!
//! Compilers that are not there are played by scripts that answer as they do.

#![cfg(test)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{command, line, root, talk, tool};

const KERNEL: &str = "kernel void k(global int *a) { a[get_global_id(0)] = 7; }\n";

/// A script in a folder, and its path.
fn script(folder: &Path, name: &str, body: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn kernel(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Release 26.27: an extension to any name, no revision but beside a family's name, and no names
/// of older platforms.
fn newer(folder: &Path, zebin: &str, name: &str) -> String {
    let zebin = root().join(zebin).canonicalize().unwrap();
    let body = format!(
        "echo \"$*\" >> {log}\n\
         case \" $* \" in\n\
         *\" -device lnl-m -revision_id \"*) echo 'Cannot get HW Info for device lnl-m.'; exit 223;;\n\
         *\" -device bdw \"*) echo 'Cannot get HW Info for device bdw.'; exit 223;;\n\
         *) for place; do :; done; /bin/cp {zebin} $place/kernel.bin; echo 'Build succeeded.';;\n\
         esac",
        log = folder.join("log").display(),
        zebin = zebin.display(),
    );
    script(folder, name, &body)
}

#[test]
fn what_a_newer_compiler_writes_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let ocloc = newer(folder.path(), "examples/mandelbrot.zebin", "ocloc-new");
    let file = kernel(folder.path(), "k.cl", KERNEL);
    let run = tool(&["info", &file, "-p", "tgl", "--ocloc", &ocloc]);
    assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
    assert!(String::from_utf8_lossy(&run.stdout).contains("mandelbrot"));
    // A zebin for something else is not taken for what was asked.
    let run = tool(&["info", &file, "-p", "lnl", "--ocloc", &ocloc]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let asked: Vec<_> = log.lines().filter(|line| line.contains("lnl")).collect();
    assert!(asked[0].contains("-device lnl-m -revision_id 4"), "{log}");
    assert!(asked[1].contains("-device lnl -revision_id 4"), "{log}");
    assert_eq!(asked.len(), 2, "{log}");
}

#[test]
fn the_next_compiler_is_asked_if_one_does_not_know_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    let file = kernel(folder.path(), "k.cl", KERNEL);
    script(
        folder.path(),
        "ocloc",
        "echo 'Cannot get HW Info for device x.'; exit 223",
    );
    newer(folder.path(), "examples/mandelbrot.zebin", "ocloc-26.27");
    let path = folder.path();
    let run = |platform| {
        let mut command = command(&["info", &file, "-p", platform]);
        command.env("PATH", path).env("INTEL_GPU_CACHE", "off");
        command.env("INTEL_GPU_COMPILER", "ocloc").output().unwrap()
    };
    let found = run("tgl");
    assert_eq!(found.status.code(), Some(0), "{}", talk(&found));
    let run = run("bdw");
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    for part in ["does not know bdw", "device x", "device bdw", "--ocloc"] {
        assert!(talk(&run).contains(part), "{part}: {}", talk(&run));
    }
}

#[test]
fn the_built_in_compiler_knows_what_intels_does_not() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = kernel(folder.path(), "k.cl", KERNEL);
    // A release that knows the languages, and of the platforms those of Debian 12's.
    let knows = "case $* in *bmg*|*e20*) echo 'Cannot get HW Info for device bmg.'; exit 223;; esac; \
                 exec /usr/bin/ocloc \"$@\"";
    script(folder.path(), "ocloc", knows);
    let run = |more: &[&str]| {
        let mut words = vec!["run", &file, "--device", "soft:bmg", "--global", "16"];
        words.extend(["--arg", "fill=0:64", "--print", "0:i32:2"]);
        words.extend(more);
        let mut command = command(&words);
        command
            .env("PATH", folder.path())
            .env("INTEL_GPU_CACHE", "off");
        command.env_remove("INTEL_GPU_COMPILER").output().unwrap()
    };
    let found = run(&[]);
    assert_eq!(found.status.code(), Some(0), "{}", talk(&found));
    assert_eq!(found.stdout, b"0: 7 7\n");
    let who = "does not know bmg: eu-compiler compiles for it";
    assert!(talk(&found).contains(who), "{}", talk(&found));
    let refused = run(&["--compiler", "ocloc"]);
    assert_eq!(refused.status.code(), Some(3), "{}", talk(&refused));
    assert!(
        talk(&refused).contains("use --compiler own"),
        "{}",
        talk(&refused)
    );
}

#[test]
fn compile_takes_source_and_shows_its_module() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = kernel(
        folder.path(),
        "k.cl",
        "kernel void k(global int *a) { a[get_global_id(0)] = SEVEN; }\n",
    );
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (module, zebins) = (path("k.spv"), [path("of-text"), path("of-module")]);
    let compile = |file: &str, more: &[&str]| {
        let words = [&["compile", file, "-p", "bmg"], more].concat();
        let run = tool(&words);
        (run.status.code(), talk(&run), run.stdout)
    };
    let options = ["--build-options", "-DSEVEN=7"];
    let with = |more: &[&'static str]| [&options, more].concat();
    let (code, said, shown) = compile(&file, &with(&["--emit", "spirv"]));
    assert_eq!((code, &shown[..4]), (Some(0), &[3, 2, 35, 7][..]), "{said}");
    fs::write(&module, shown).unwrap();
    for (file, zebin) in [&file, &module].into_iter().zip(&zebins) {
        let (code, said, _) = compile(file, &[&options[..], &["-o", zebin]].concat());
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("k: SIMD"), "{said}");
    }
    assert_eq!(fs::read(&zebins[0]).unwrap(), fs::read(&zebins[1]).unwrap());
    let (code, _, listing) = compile(&file, &with(&["--emit", "asm"]));
    assert_eq!(code, Some(0));
    assert!(String::from_utf8_lossy(&listing).contains("//.kernel k\n"));
    // What the compiler of the text says, and what is no source.
    let (code, said, _) = compile(&file, &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("SEVEN"), "{said}");
    let (code, said, _) = compile(&zebins[0], &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("takes SPIR-V and OpenCL C"), "{said}");
    let (code, said, _) = compile(&file, &["--emit", "spv"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("there are zebin, asm, spirv,"), "{said}");
}

/// SPIR-V has a packed structure as any other: a pointer to it promises no alignment.
#[test]
fn a_packed_structure_begins_anywhere() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "typedef struct __attribute__((packed)) { uint a, b, c, d; } packed;\n\
                kernel void k(global const packed *in, global uint *out) {\n\
                packed one = in[get_global_id(0)]; out[get_global_id(0)] = one.a ^ one.b ^ one.c ^ one.d; }\n";
    let file = kernel(folder.path(), "k.cl", text);
    let bytes: Vec<u8> = (0..256u32).map(|n| ((n * 37) >> 2) as u8).collect();
    let input = folder.path().join("in").display().to_string();
    fs::write(&input, &bytes).unwrap();
    let dwords: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|bytes| u32::from_le_bytes(*bytes))
        .collect();
    let mixed = dwords
        .chunks(4)
        .map(|four| four.iter().fold(0, |a, b| a ^ b));
    let want: Vec<String> = mixed.map(|number| number.to_string()).collect();
    // The buffer begins a byte behind a page.
    let input = format!("userptr={input}:1");
    for device in ["soft:skl", "soft:tgl", "soft:bmg"] {
        let words = ["run", &file, "--compiler", "own", "--device", device];
        let more = ["--global", "16", "--arg", &input, "--arg", "fill=0:64"];
        let run = tool(&[&words[..], &more, &["--print", "1:u32:16"]].concat());
        assert_eq!(run.status.code(), Some(0), "{device}: {}", talk(&run));
        let printed = String::from_utf8_lossy(&run.stdout);
        assert_eq!(printed, format!("1: {}\n", want.join(" ")), "{device}");
    }
}

#[test]
fn an_option_without_its_value_is_the_callers_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = kernel(folder.path(), "k.cl", KERNEL);
    for (options, why) in [
        ("-D", "--build-options \"-D\": -D lacks its macro"),
        ("-DN=4 -I", "-I lacks its folder"),
        ("-D 'N", "' is not closed"),
    ] {
        let words = ["run", &file, "--global", "16", "--build-options", options];
        let run = tool(&[&words[..], &["--device", "soft:tgl", "--arg", "fill=0:64"]].concat());
        assert_eq!(run.status.code(), Some(2), "{}", talk(&run));
        assert!(talk(&run).contains(why), "{}", talk(&run));
    }
}

#[test]
fn options_and_the_folder_of_the_source_are_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!(
        "echo \"$*\" > {log}; for word in $*; do case $word in */source) ls $word >> {log};; esac; done; \
         exit 1",
        log = folder.path().join("log").display()
    );
    let ocloc = script(folder.path(), "ocloc", &body);
    let sources = folder.path().join("some sources");
    fs::create_dir(&sources).unwrap();
    kernel(&sources, "body.h", KERNEL);
    let file = kernel(&sources, "k.cl", "#include \"body.h\"\n");
    let options = "-DN=4 -cl-std=CL3.0";
    let run = tool(&[
        "info",
        &file,
        "-p",
        "tgl",
        "--ocloc",
        &ocloc,
        "--build-options",
        options,
    ]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("/source -DN=4 -cl-std=CL3.0"), "{log}");
    assert!(!log.contains("CL2.0") && log.contains("body.h"), "{log}");
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = kernel(folder.path(), "k.cl", KERNEL);
    let run = tool(&["info", &file, "-p", "tgl", "--ocloc", "no-such-ocloc"]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    assert!(talk(&run).contains("no-such-ocloc"), "{}", talk(&run));
}

#[test]
fn the_compilers_own_words_are_shown() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let wrong = kernel(folder.path(), "wrong.cl", &KERNEL.replace('7', "unknown"));
    let run = tool(&["run", &wrong, "--global", "16", "--arg", "fill=0:64"]);
    assert_eq!(run.status.code(), Some(3), "{}", talk(&run));
    let words = "1:1:54: error: use of undeclared identifier 'unknown'";
    assert!(talk(&run).contains(words), "{}", talk(&run));
    assert!(!talk(&run).contains("Command was"), "{}", talk(&run));
}

#[test]
fn source_runs_on_every_platform_that_the_compiler_knows() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    kernel(folder.path(), "body.h", KERNEL);
    let file = kernel(folder.path(), "k.cl", "#include \"body.h\"\n");
    assert_runs(
        &file,
        "ocloc",
        &["bdw", "skl", "icl", "tgl", "dg2", "dg2:0", "pvc"],
    );
    let newer = oracles::variable("NEWER_OCLOC", "ocloc 26.27 for mtl, arl, lnl and bmg");
    if let Some(newer) = newer {
        let ocloc = script(folder.path(), "newer", &format!("exec {newer} \"$@\""));
        assert_runs(&file, &ocloc, &["tgl", "mtl", "arl", "pvc", "lnl", "bmg"]);
    }
}

#[track_caller]
fn assert_runs(file: &str, ocloc: &str, platforms: &[&str]) {
    for platform in platforms {
        let run = line(format!(
            "run {file} --device soft:{platform} --ocloc {ocloc} --global 16 --arg fill=0:64 \
             --print 0:i32:2"
        ));
        assert_eq!(run.status.code(), Some(0), "{platform}: {}", talk(&run));
        assert_eq!(run.stdout, b"0: 7 7\n", "{platform}");
    }
}
