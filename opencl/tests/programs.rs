//! C programs, compiled with gcc against the ICD loader and run with this runtime alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod common;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::Runtime;
use compilers::{Compiler, Job, Ocloc, Own, Product, Source};

/// What the programs of a test run on.
const DEVICES: &[&str] = &["soft:tgl", "soft:tgl@xe,soft:dg2"];

/// Compiles and runs `tests/c/NAME.c` on each set of devices; what it printed, unless there is
/// nothing to run it with.
fn run(name: &str) -> Option<Vec<String>> {
    run_with(name, &[])
}

fn run_with(name: &str, environment: &[(&str, &str)]) -> Option<Vec<String>> {
    run_on(DEVICES, name, environment)
}

fn run_on(sets: &[&str], name: &str, environment: &[(&str, &str)]) -> Option<Vec<String>> {
    if !common::has_tools() {
        return None;
    }
    let runtime = Runtime::new();
    let program = runtime.compiled(name);
    let run = |devices: &&str| {
        let mut command = runtime.command(&program, devices);
        let run = command.envs(environment.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        let printed = String::from_utf8_lossy(&run.stdout);
        let good = run.status.success() && printed.ends_with("ok\n");
        assert!(good, "{devices}: {}: {printed}{said}", run.status);
        printed.into_owned()
    };
    Some(sets.iter().map(run).collect())
}

#[test]
fn vadd() {
    run("vadd");
}

/// Launches that come while the device works go to the kernel driver together.
#[test]
fn launches_share_calls() {
    if !common::has_tools() {
        return;
    }
    let runtime = Runtime::new();
    let mut command = runtime.command(runtime.compiled("batches"), "soft:tgl");
    let run = command
        .env("INTEL_GPU_LOG", "kmd_iface=trace")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        "ok\n",
        "{}",
        run.status
    );
    let calls = said
        .lines()
        .filter(|line| line.contains("EXECBUFFER2"))
        .count();
    // 512 launches were awaited, each by itself. Of 512 more at most 32 share a call; some calls are due
    // to time.
    assert!((512..640).contains(&calls), "{calls} calls");
}

#[test]
fn kernels_print_in_their_order() {
    let four = |n: u32| [n, n + 1, n + 2, n + 3].map(|n| format!("{n}\n")).concat() + "-\n";
    let numbers: String = (0..64).step_by(4).map(four).collect();
    for printed in run("prints").unwrap_or_default() {
        assert_eq!(printed, numbers.repeat(3) + "ok\n");
    }
}

#[test]
fn modes_of_floats() {
    run("modes");
}

/// Compilers run beside programs that do not let others know how children end.
#[test]
fn children() {
    for compiler in ["ocloc", "own"] {
        run_on(
            &["soft:tgl"],
            "children",
            &[("INTEL_GPU_COMPILER", compiler)],
        );
    }
}

#[test]
fn handles() {
    run("handles");
}

#[test]
fn events() {
    run("events");
}

#[test]
fn rules() {
    run("rules");
}

#[test]
fn every_command() {
    run("every_command");
}

#[test]
fn lifetimes() {
    run("lifetimes");
}

#[test]
fn usm() {
    run("usm");
}

#[test]
fn rules_of_programs() {
    run("program_rules");
}

#[test]
fn sources() {
    run("sources");
}

#[test]
fn queries() {
    run("queries");
    run_on(&["soft:tgl"], "queries", &[("INTEL_GPU_COMPILER", "own")]);
}

#[test]
fn devices() {
    if !common::has_tools() {
        return;
    }
    let runtime = Runtime::new();
    let names = devinfo::PLATFORMS
        .iter()
        .map(|platform| format!("soft:{}", platform.name));
    let names = names.collect::<Vec<_>>().join(",");
    let run = runtime
        .command(runtime.compiled("devices"), &names)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&run.stdout);
    assert_eq!(printed, "ok\n", "{}", run.status);
}

#[test]
fn subgroups() {
    run("subgroups");
}

#[test]
fn blocks() {
    run("blocks");
}

/// Where code has no surfaces for buffers, and where ours makes it.
#[test]
fn blocks_at_addresses() {
    run_on(&["soft:pvc"], "blocks", &[]);
    let own = [("INTEL_GPU_COMPILER", "own")];
    run_on(&["soft:tgl", "soft:dg2,soft:bmg"], "blocks", &own);
}

/// What modules define twice is found by our linker, too.
#[test]
fn programs_by_the_own_compiler() {
    let own = [("INTEL_GPU_COMPILER", "own")];
    run_on(&["soft:tgl"], "programs", &own);
}

#[test]
fn faults() {
    let Some(printed) = run_with("faults", &[("INTEL_GPU_HANG_TIMEOUT", "1.5")]) else {
        return;
    };
    for printed in printed {
        assert_eq!(printed, "before\nx is -7, y 2.50\nafter\nok\n");
    }
}

#[test]
fn commands() {
    run("commands");
}

#[test]
fn mutable() {
    run("mutable");
}

#[test]
fn pipes() {
    let Some(printed) = run("pipes") else {
        return;
    };
    assert_eq!(printed, ["pipes\nok\n", "pipes\npipes\nok\n"]);
    let own = run_with("pipes", &[("INTEL_GPU_COMPILER", "own")]).unwrap();
    assert_eq!(own, printed);
}

#[test]
fn variables() {
    run("variables");
}

#[test]
fn fences() {
    run("fences");
}

#[test]
fn threads() {
    run("threads");
}

#[test]
fn kernels_are_of_one_build() {
    run("attached");
}

#[test]
fn extensions() {
    run("extensions");
}

#[test]
fn checks() {
    run_with("checks", &[("INTEL_GPU_CHECK", "1")]);
    let own = [("INTEL_GPU_CHECK", "1"), ("INTEL_GPU_COMPILER", "own")];
    run_on(&["soft:bmg"], "checks", &own);
}

#[test]
fn memory() {
    run("memory");
}

#[test]
fn images() {
    run("images");
}

#[test]
fn pointers() {
    run("pointers");
    let own = [("INTEL_GPU_COMPILER", "own")];
    run_on(&["soft:tgl", "soft:skl,soft:bmg"], "pointers", &own);
}

/// Code that takes multiples of four alone is built again where a pointer is none.
#[test]
fn pointers_at_any_byte() {
    let Some(printed) = run_on(
        &["soft:tgl", "soft:skl", "soft:tgl@xe,soft:dg2"],
        "unaligned",
        &[],
    ) else {
        return;
    };
    assert!(printed.iter().all(|text| text.contains("there is 40\n")));
    let own = [("INTEL_GPU_COMPILER", "own")];
    run_on(&["soft:tgl,soft:bmg"], "unaligned", &own);
}

/// The second code is tried again if the compiler was not there or crashed once. Binaries of Intel's compiler have one, too.
#[test]
fn programs_are_built_a_second_time() {
    if !common::has_tools() {
        return;
    }
    let runtime = Runtime::new();
    let folder = runtime.path().join("compiler");
    let programs = folder.join("bin");
    std::fs::create_dir_all(&programs).unwrap();
    // It counts its calls, and does as it is told.
    let script = format!(
        "#!/bin/sh\nfolder='{}'\nprintf x >> $folder/calls\nread -r what < $folder/what\n\
         case $what in\n\
         crash) kill -9 $$ ;;\n\
         silent) exit 3 ;;\n\
         nothing) exit 0 ;;\n\
         refuse) echo 'error: no'; echo 'Build failed with error code: -11'; exit 1 ;;\n\
         esac\nexec /usr/bin/ocloc \"$@\"\n",
        folder.display(),
    );
    let program = programs.join("ocloc");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let source = "kernel void bytes(global const uchar *in, global uchar *out, uchar add) {\n\
                  size_t i = get_global_id(0);\n\
                  out[i] = in[i] + add;\n\
                  }\n";
    std::fs::write(folder.join("plain.cl"), source).unwrap();
    let target = devinfo::by_name("tgl").unwrap();
    let mut compiler = Command::new("/usr/bin/ocloc");
    compiler
        .current_dir(&folder)
        .args([
            "compile",
            "-file",
            "plain.cl",
            "-output",
            "plain",
            "-output_no_suffix",
        ])
        .args(["-device", target.ocloc[0], "-out_dir", "."])
        .args(["-internal_options", "-cl-intel-allow-zebin"]);
    let compiled = compiler.output().unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    std::fs::write(folder.join("own"), of_own_compiler(target)).unwrap();
    let mut command = runtime.command(runtime.compiled("rebuilt"), "soft:tgl");
    command
        .env("INTEL_GPU_LOG", "info")
        .env("INTEL_GPU_COMPILER", "ocloc")
        .env("COMPILER_FOLDER", &folder)
        .env("PATH", &programs);
    let run = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&run.stdout), "ok\n", "{run:?}");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(said.contains("it is not Intel's compiler's code"), "{said}");
}

/// A binary of the built-in compiler, whose kernel takes multiples of four alone.
fn of_own_compiler(platform: &'static devinfo::Platform) -> Vec<u8> {
    let text = "kernel void fives(global int *out) { out[get_global_id(0)] = 5; }";
    let job = Job {
        source: Source::OpenClC(text.as_bytes()),
        product: Product::Module,
        target: devinfo::Target::parse(platform.name).unwrap(),
        options: "",
        internal: "",
        folder: None,
        headers: &[],
        checked: false,
    };
    let intel = Ocloc {
        program: Some("/usr/bin/ocloc".into()),
    };
    let module = intel.compile(&job).unwrap().binary;
    let modules = [module.as_slice()];
    let job = Job {
        source: Source::Modules(&modules),
        product: Product::Zebin,
        ..job
    };
    Own::new(None).compile(&job).unwrap().binary
}

#[test]
fn dmabuf() {
    run("dmabuf");
}

#[test]
fn programs() {
    run("programs");
}

/// Without Intel's compilers ours is taken, and devices say so; the log says what source needs.
#[test]
fn the_own_compiler_stands_in() {
    let clang = || oracles::debian("clang-14") && oracles::debian("llvm-spirv-14");
    if !common::has_tools() || !clang() {
        return;
    }
    let runtime = Runtime::new();
    let program = runtime.compiled("compiler");
    // A library that cannot be loaded, and a PATH without programs.
    let (libraries, programs) = (runtime.path().join("lib"), runtime.path().join("bin"));
    std::fs::create_dir(&libraries).unwrap();
    std::fs::create_dir(&programs).unwrap();
    std::fs::write(libraries.join("libocloc.so"), "").unwrap();
    let run = || {
        let mut command = runtime.command(&program, "soft:tgl");
        command
            .env("LD_LIBRARY_PATH", &libraries)
            .env("PATH", &programs);
        let run = command.env_remove("INTEL_GPU_COMPILER").output().unwrap();
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let without = run();
    for part in [
        "(soft:tgl, eu-compiler): 0\n",
        "-3: ",
        "intel-opencl-icd",
        "clang-14",
        "llvm-spirv-14",
    ] {
        assert!(without.contains(part), "{part}: {without}");
    }
    for name in ["clang-14", "llvm-spirv-14"] {
        let place = Path::new("/usr/bin").join(name);
        std::os::unix::fs::symlink(place, programs.join(name)).unwrap();
    }
    let with = run();
    assert!(with.contains("(soft:tgl, eu-compiler): 1\n0: \n"), "{with}");
    assert!(with.ends_with("42 3\nok\n"), "{with}");
}

/// Programs that are killed at any point leave no process, no file of a call, and a cache that is whole
/// to the next one.
#[test]
fn killed() {
    if !common::has_tools() {
        return;
    }
    let runtime = Runtime::new();
    let (victim, next) = (runtime.compiled("vadd"), runtime.compiled("variables"));
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    for compiler in ["libocloc", "ocloc"] {
        let place = runtime.path().join(compiler);
        let (files, cache) = (place.join("tmp"), place.join("cache"));
        std::fs::create_dir_all(&files).unwrap();
        let command = |program| {
            let mut command = runtime.command(program, "soft:tgl");
            command
                .env("INTEL_GPU_COMPILER", compiler)
                .env("INTEL_GPU_CACHE", &cache)
                .env("TMPDIR", &files);
            command
        };
        for step in 0..16 {
            let mut child = command(&victim).stdout(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(step * step * 4));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let run = command(&next).output().unwrap();
        assert!(run.status.success(), "{compiler}: {run:?}");
        assert_eq!(names(&files), [""; 0], "{compiler}");
        let cached = names(&cache);
        assert!(
            !cached.is_empty() && cached.iter().all(|name| name.len() == 64),
            "{cached:?}"
        );
        // Compilers that they had started end with them.
        let mine = format!("TMPDIR={}", files.display());
        let is_mine = |process: &String| {
            let environment = std::fs::read(format!("/proc/{process}/environ"));
            let environment = environment.unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|text| text == mine.as_bytes())
        };
        let left: Vec<_> = names(Path::new("/proc"))
            .into_iter()
            .filter(is_mine)
            .collect();
        assert!(left.is_empty(), "{compiler}: processes {left:?}");
    }
}

#[test]
fn nothreads() {
    run_with("nothreads", &[("INTEL_GPU_COMPILER", "libocloc")]);
}

/// Those of the process stay: only while it compiles has the library its own.
#[test]
fn handlers_of_signals() {
    run_with("signals", &[("INTEL_GPU_COMPILER", "libocloc")]);
}
