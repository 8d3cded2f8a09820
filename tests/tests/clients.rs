//! Today's drivers of others, unmodified, as clients of the software GPU: the cells of the table in
//! `docs/clients.md`.
//!
//! They are in a root of their own, which `INTEL_GPU_CLIENTS` names; that page says how it is made.
//! Each client compares its own results.

#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use stack_tests::clients::{Call, Root, root};
use stack_tests::{Oracle, require};

/// How long one client may take: runtimes compile its kernels first.
const DEADLINE: Duration = Duration::from_secs(240);

/// The devices, as `PLATFORM@DRIVER`, of the page's rows for `client`.
fn cells(client: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/clients.md");
    let text = fs::read_to_string(page).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        match cells.as_slice() {
            ["", name, _, driver, platforms, ""] if *name == client => Some((*driver, *platforms)),
            _ => None,
        }
    });
    let devices: Vec<_> = rows
        .flat_map(|(driver, platforms)| {
            let driver = driver.trim_matches('`');
            let names = platforms
                .split(',')
                .map(|name| name.trim().trim_matches('`'));
            names.map(move |name| format!("{name}@{driver}"))
        })
        .collect();
    assert!(
        !devices.is_empty(),
        "docs/clients.md has no row for {client}"
    );
    devices
}

/// Builds a program of `tests/`.
fn build(source: &str, folder: &Path, flags: &[String]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let program = folder.join(source.file_stem().unwrap());
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &source])
        .args(flags)
        .output()
        .expect("cc runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

/// Runs a client, which must succeed, on a software GPU that executes something.
fn run(root: &Root, call: &Call<'_>) -> String {
    let (output, log) = root.run(call, DEADLINE);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{call:?}: {}\n{text}\n{}\n{log}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        log.contains("EU instructions ran"),
        "{call:?}: nothing ran:\n{log}"
    );
    text
}

/// The OpenCL programs, and how many tests each passes.
const OPENCL: [(&str, usize); 6] = [
    ("basic", 4),
    ("images", 4),
    ("memory", 8),
    ("programs", 14),
    ("queues", 6),
    ("shapes", 8),
];

/// The platforms that run all programs, the others run the first.
const FULL: [&str; 7] = [
    "tgl@i915", "dg2@i915", "mtl@i915", "tgl@xe", "lnl@xe", "bmg@xe", "ptl@xe",
];

#[test]
fn intels_opencl_runtime() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let spirv = scale(&root, folder.path());
    for (index, (name, tests)) in OPENCL.into_iter().enumerate() {
        let flags = ["-lOpenCL", "-lm"].map(str::to_owned);
        let program = build(&format!("neo/{name}.c"), folder.path(), &flags);
        for device in cells("Intel's OpenCL runtime") {
            if index != 0 && !FULL.contains(&device.as_str()) {
                continue;
            }
            let call = Call {
                devices: &device,
                program: &program,
                arguments: &[],
                variables: &[("CLIENT_SPIRV", &spirv)],
            };
            let text = run(&root, &call);
            assert_eq!(text.matches("PASS ").count(), tests, "{device}: {text}");
        }
    }
}

/// A kernel `scale` as SPIR-V, as the root names its file.
fn scale(root: &Root, folder: &Path) -> String {
    let text = "kernel void scale(global uint *a, uint b) { a[get_global_id(0)] *= b; }\n";
    let source = folder.join("scale.cl");
    fs::write(&source, text).unwrap();
    spirv(root, &source, folder)
}

/// The SPIR-V of a source.
fn spirv(root: &Root, source: &Path, folder: &Path) -> String {
    let name = source.file_stem().unwrap().to_str().unwrap();
    let file = source.to_str().unwrap();
    root.ocloc(
        folder,
        &[
            "-spv_only",
            "-device",
            "tgllp",
            "-file",
            file,
            "-output_no_suffix",
            "-output",
            name,
        ],
    );
    folder.join(format!("{name}.spv")).display().to_string()
}

#[test]
fn level_zero() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let flags = [
        root.headers(),
        root.library("libze_loader.so.1").display().to_string(),
        "-Wl,--allow-shlib-undefined".to_owned(),
    ];
    let program = build("clients/level_zero.c", folder.path(), &flags);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/level_zero.cl");
    let copy = folder.path().join("level_zero.cl");
    fs::copy(source, &copy).unwrap();
    let spirv = spirv(&root, &copy, folder.path());
    for device in cells("Level Zero") {
        let (name, _) = device.split_once('@').unwrap();
        let platform = devinfo::by_name(name).unwrap();
        let target = platform.ocloc.first().unwrap();
        let file = copy.to_str().unwrap();
        root.ocloc(
            folder.path(),
            &[
                "-device",
                target,
                "-file",
                file,
                "-output_no_suffix",
                "-output",
                name,
            ],
        );
        let native = folder
            .path()
            .join(format!("{name}.bin"))
            .display()
            .to_string();
        for (kind, module) in [("spirv", &spirv), ("native", &native)] {
            let call = Call {
                devices: &device,
                program: &program,
                arguments: &[kind, module],
                variables: &[],
            };
            let text = run(&root, &call);
            assert!(text.ends_with("done\n"), "{device}: {text}");
        }
    }
}

/// Only Mesa's Rusticl on iris.
const RUSTICL: [(&str, &str); 3] = [
    ("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/rusticl.icd"),
    ("RUSTICL_ENABLE", "iris"),
    ("MESA_SHADER_CACHE_DISABLE", "1"),
];

#[test]
fn mesas_opencl_runtime() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = build("clients/rusticl.c", folder.path(), &["-lOpenCL".to_owned()]);
    for device in cells("Mesa's Rusticl on iris") {
        let call = Call {
            devices: &device,
            program: &program,
            arguments: &[],
            variables: &RUSTICL,
        };
        let text = run(&root, &call);
        assert!(text.ends_with("done\n"), "{device}: {text}");
    }
}

/// On these platforms iris reads a buffer by a draw. It is refused by name, and the runtime learns that
/// its context is lost: the read is `CL_OUT_OF_RESOURCES`, and nothing waits for ever.
#[test]
fn a_draw_is_refused_by_name_and_its_client_is_told() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = build("clients/rusticl.c", folder.path(), &["-lOpenCL".to_owned()]);
    for device in ["dg1@i915", "dg2@i915", "dg2@xe", "mtl@i915", "bmg@xe"] {
        let call = Call {
            devices: device,
            program: &program,
            arguments: &["-5"],
            variables: &RUSTICL,
        };
        let (output, log) = root.run(&call, DEADLINE);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.ends_with("done\n"),
            "{device}: {output:?}"
        );
        assert!(log.contains("EU instructions ran"), "{device}: {log}");
        let refused = log
            .lines()
            .any(|line| line.contains("3DPRIMITIVE at 0x") && line.contains("it does not draw"));
        assert!(refused, "{device}: {log}");
    }
}

/// Only Mesa's Vulkan driver.
const ANV: [(&str, &str); 2] = [
    ("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/intel_icd.json"),
    ("MESA_SHADER_CACHE_DISABLE", "1"),
];

/// Shaders of ncnn, by Mesa's Vulkan driver.
#[test]
fn mesas_vulkan_driver() {
    let Some(root) = root() else { return };
    let Some(packages) = root.python("ncnn") else {
        return oracles::skipped("the root with today's drivers has no ncnn in /opt/python");
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/network.py");
    let script = Root::host(&script).display().to_string();
    for device in cells("Mesa's ANV, by ncnn") {
        let call = Call {
            devices: &device,
            program: Path::new("python3"),
            arguments: &[&script],
            variables: &[ANV[0], ANV[1], ("PYTHONPATH", packages)],
        };
        let text = run(&root, &call);
        assert!(text.ends_with("done\n"), "{device}: {text}");
    }
}

/// The program in C for Vulkan, and its shaders beside it in `folder`; none without their compiler.
fn compute(root: &Root, folder: &Path) -> Option<PathBuf> {
    if !require(Oracle::Vulkan) {
        return None;
    }
    let library = root.library("libvulkan.so.1").display().to_string();
    let flags = [library, "-Wl,--allow-shlib-undefined".to_owned()];
    let program = build("clients/vulkan/compute.c", folder, &flags);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("clients/vulkan");
    for source in fs::read_dir(sources).unwrap() {
        let source = source.unwrap().path();
        if source.extension().is_none_or(|kind| kind != "comp") {
            continue;
        }
        let module = folder.join(source.file_stem().unwrap());
        let output = Command::new("glslangValidator")
            .args(["-V", "--target-env", "vulkan1.2", "-o"])
            .args([&module.with_extension("spv"), &source])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    Some(program)
}

/// Shaders of this project's, by Mesa's Vulkan driver: a program in C, for each device of its row.
fn each_computing(client: impl Fn(&Root, &Call<'_>)) {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compute(&root, folder.path()) else {
        return;
    };
    let modules = folder.path().display().to_string();
    for device in cells("Mesa's ANV, by a program in C") {
        let call = Call {
            devices: &device,
            program: &program,
            arguments: &[&modules],
            variables: &ANV,
        };
        client(&root, &call);
    }
}

#[test]
fn mesas_vulkan_driver_computes() {
    each_computing(|root, call| {
        let text = run(root, call);
        assert!(text.ends_with("done\n"), "{}: {text}", call.devices);
    });
}

/// What a checked client says on stderr, where the rules are that its kernels broke, and its exit code.
fn checked(root: &Root, call: &Call<'_>) -> (Option<i32>, String) {
    let output = root.run_checked(call, DEADLINE);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), talk)
}

#[test]
fn what_todays_drivers_run_breaks_no_rule() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let spirv = scale(&root, folder.path());
    let flags = ["-lOpenCL", "-lm"].map(str::to_owned);
    let clean = |source: &str, devices: &[&str], variables: &[(&str, &str)]| {
        let program = build(source, folder.path(), &flags);
        for device in devices {
            let call = Call {
                devices: device,
                program: &program,
                arguments: &[],
                variables,
            };
            let (code, talk) = checked(&root, &call);
            assert_eq!(code, Some(0), "{source} on {device}: {talk}");
        }
    };
    for (name, _) in OPENCL {
        let source = format!("neo/{name}.c");
        let devices = ["tgl@i915", "dg2@i915", "bmg@xe"];
        clean(&source, &devices, &[("CLIENT_SPIRV", &spirv)]);
    }
    clean("clients/rusticl.c", &["skl@i915", "tgl@i915"], &RUSTICL);
}

#[test]
fn what_mesas_vulkan_driver_runs_breaks_no_rule() {
    each_computing(|root, call| {
        let (code, talk) = checked(root, call);
        assert_eq!(code, Some(0), "{}: {talk}", call.devices);
    });
}

/// The kernel driver gets code without a name; the runtime has the zebin in its memory.
#[test]
fn kernels_that_break_a_rule_have_their_names_and_lines() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let programs = "../intel-gpu-run/tests/programs";
    let launch = format!("{programs}/launch.c");
    let program = build(&launch, folder.path(), &["-lOpenCL".to_owned()]);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(programs);
    let copy = folder.path().join("race.cl");
    fs::copy(source.join("race.cl"), &copy).unwrap();
    for (device, content) in [
        ("tgl@i915", "full"),
        ("dg2@i915", "full, left"),
        ("bmg@xe", "full, left"),
    ] {
        let call = Call {
            devices: device,
            program: &program,
            arguments: &[copy.to_str().unwrap(), "race", "-g", "256", "128", content],
            variables: &[("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/intel.icd")],
        };
        let (code, talk) = checked(&root, &call);
        assert_eq!(code, Some(5), "{device}: {talk}");
        let named = |line: &str| {
            let words = ["--check: race+0x", ":7)", "data race"];
            words.iter().all(|word| line.contains(word))
        };
        assert!(talk.lines().any(named), "{device}: {talk}");
    }
}

#[test]
fn one_process_has_two_devices() {
    let Some(root) = root() else { return };
    let call = Call {
        devices: "tgl,bmg",
        program: Path::new("clinfo"),
        arguments: &["--raw"],
        variables: &[],
    };
    let (output, log) = root.run(&call, DEADLINE);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let addresses: BTreeSet<_> = text
        .lines()
        .filter(|line| line.contains("CL_DEVICE_PCI_BUS_INFO_KHR"))
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    let expected = ["0000:00:02.0", "0000:03:00.0"].map(|slot| format!("PCI-E, {slot}"));
    assert!(
        addresses.len() == 2,
        "{addresses:?} are not {expected:?}:\n{text}\n{log}"
    );
}

/// Clients that end, and some that are killed with the tool, leave nothing.
#[test]
fn short_clients_leave_nothing() {
    let Some(root) = root() else { return };
    let folder = tempfile::tempdir().unwrap();
    let flags = ["-lOpenCL", "-lm"].map(str::to_owned);
    let program = build("neo/basic.c", folder.path(), &flags);
    let place = tempfile::tempdir().unwrap();
    let call = Call {
        devices: "tgl",
        program: &program,
        arguments: &[],
        variables: &[("TMPDIR", place.path().to_str().unwrap())],
    };
    let left = || fs::read_dir(place.path()).unwrap().count();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| run(&root, &call));
        }
    });
    assert_eq!(left(), 0);
    for moment in [0, 1, 2, 3, 4, 6, 8, 12, 20, 50, 100, 200, 400] {
        let mut tool = root.preload(&call).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(moment));
        tool.kill().unwrap();
        tool.wait().unwrap();
    }
    // The programs end later than their tool. What none of them could remove, the next one does.
    let deadline = Instant::now() + Duration::from_secs(60);
    while left() != 0 {
        assert!(Instant::now() < deadline, "{} folders are left", left());
        run(&root, &call);
    }
}
