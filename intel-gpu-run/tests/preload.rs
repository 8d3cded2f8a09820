//! `preload`: the stand-in is nobody else's, goes with the program, and says when it cannot work.

#![cfg(test)]

mod common;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use common::{command, talk, tool};

const VENDOR: &str = "/sys/bus/pci/devices/0000:00:02.0/vendor";

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// Starts a program that prints a line when it has seen the node, and then waits.
///
/// Its signals act as usual, even where those of this process are ignored, as under `nohup` or in a shell's background.
fn started(command: &Command, temporary: &Path) -> (Child, String) {
    let mut usual = Command::new("env");
    usual.arg("--default-signal=HUP,INT,TERM");
    for (name, value) in command.get_envs() {
        let value = value.expect("a test sets variables, and removes none");
        usual.arg(format!("{}={}", name.display(), value.display()));
    }
    let mut child = usual
        .arg(command.get_program())
        .args(command.get_args())
        .env("TMPDIR", temporary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    (child, line.trim().to_owned())
}

fn send(signal: &str, process: u32) {
    let mut kill = Command::new("kill");
    kill.args([signal, &process.to_string()]);
    assert!(kill.status().unwrap().success());
}

fn ended(child: &mut Child) -> ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_signal_ends_the_program_too_and_nothing_stays() {
    for (signal, number) in [("-TERM", 15), ("-HUP", 1)] {
        let temporary = tempfile::tempdir().unwrap();
        let script = "[ -e /dev/dri/renderD128 ] && echo $$; read forever";
        let tool = command(&["preload", "--", "sh", "-c", script]);
        let (mut child, shell) = started(&tool, temporary.path());
        let inside = fs::read_dir(temporary.path()).unwrap().flatten().next();
        let mode = inside.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        send(signal, child.id());
        assert_eq!(ended(&mut child).code(), Some(128 + number));
        let alive = Path::new("/proc").join(shell).join("status");
        assert!(!alive.exists(), "the program goes on");
        assert_eq!(names(temporary.path()), [""; 0]);
    }
}

#[test]
fn without_the_tool_nothing_stays_either() {
    let library = tool(&["preload", "--print-library"]).stdout;
    let library = String::from_utf8(library).unwrap();
    for (signal, number) in [("-TERM", 15), ("-INT", 2)] {
        let temporary = tempfile::tempdir().unwrap();
        let mut cat = Command::new("cat");
        cat.args([VENDOR, "-"]).env("LD_PRELOAD", library.trim());
        let (mut child, _) = started(&cat, temporary.path());
        assert_eq!(names(temporary.path()).len(), 1);
        send(signal, child.id());
        assert_eq!(ended(&mut child).signal(), Some(number));
        assert_eq!(names(temporary.path()), [""; 0]);
    }
}

#[test]
fn what_a_killed_program_leaves_goes_with_the_next() {
    let library = tool(&["preload", "--print-library"]).stdout;
    let library = String::from_utf8(library).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let mut cat = Command::new("cat");
    cat.args([VENDOR, "-"]).env("LD_PRELOAD", library.trim());
    let (mut first, _) = started(&cat, temporary.path());
    let (mut second, _) = started(&cat, temporary.path());
    send("-KILL", first.id());
    assert_eq!(ended(&mut first).signal(), Some(9));
    assert_eq!(names(temporary.path()).len(), 2);
    let (mut third, line) = started(&cat, temporary.path());
    assert_eq!(line, "0x8086");
    assert_eq!(names(temporary.path()).len(), 2);
    for child in [&mut second, &mut third] {
        send("-TERM", child.id());
        ended(child);
    }
    assert_eq!(names(temporary.path()), [""; 0]);
}

/// A thousand processes that open a node, ten at a time, one of each ten killed at some point.
/// Shells end by `_exit`, which calls nothing that was registered with `atexit`.
/// The programs' folder stays while one of them lives.
#[test]
fn a_program_outlives_the_tool_that_was_killed() {
    let temporary = tempfile::tempdir().unwrap();
    for arguments in [&["preload", "--platform", "tgl"][..], &["opencl"]] {
        let script = "ls -d $TMPDIR/intel-gpu-run-*; read -r _";
        let mut line = arguments.to_vec();
        line.extend(["--", "sh", "-c", script]);
        let (mut tool, folder) = started(&command(&line), temporary.path());
        send("-KILL", tool.id());
        // The program reads from this pipe, and ends with it.
        let stdin = tool.stdin.take();
        tool.wait().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(
            Path::new(&folder).is_dir(),
            "{arguments:?}: {folder:?} went"
        );
        drop(stdin);
        let deadline = Instant::now() + Duration::from_secs(30);
        while Path::new(&folder).exists() {
            assert!(Instant::now() < deadline, "{arguments:?}: {folder} is left");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_shell_leaves_nothing() {
    let library = String::from_utf8(tool(&["preload", "--print-library"]).stdout).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let script = "exec 3<>/dev/dri/renderD128 && ls $TMPDIR";
    let seen = Command::new("sh")
        .args(["-c", script])
        .env("LD_PRELOAD", library.trim())
        .env("TMPDIR", temporary.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&seen.stdout).contains("intel-gpu-preload-"));
    assert_eq!(names(temporary.path()), [""; 0]);
}

/// A shell gives descriptors from 3 on away itself. What the library has open must not be among them: the
/// next program would take the folder for one that nobody holds.
#[test]
fn descriptors_that_a_program_takes_over_were_not_ours() {
    let library = String::from_utf8(tool(&["preload", "--print-library"]).stdout).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let node = "[ -c /dev/dri/renderD128 ]";
    let take: String = (3..10)
        .map(|number| format!(" {number}</dev/null"))
        .collect();
    let script = format!("{node} && exec{take} && sh -c '{node}' && {node}");
    let status = Command::new("sh")
        .args(["-c", &script])
        .env("LD_PRELOAD", library.trim())
        .env("TMPDIR", temporary.path())
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(names(temporary.path()), [""; 0]);
}

#[test]
fn a_thousand_short_programs_leave_nothing() {
    let library = tool(&["preload", "--print-library"]).stdout;
    let library = String::from_utf8(library).unwrap();
    let temporary = tempfile::tempdir().unwrap();
    let shared = || {
        let mut names = names(Path::new("/dev/shm"));
        names.retain(|name| name.contains("intel-gpu"));
        names
    };
    let before = shared();
    let start = || {
        Command::new("sh")
            .args([
                "-c",
                "exec 3<>/dev/dri/renderD128 && [ -c /dev/dri/renderD128 ]",
            ])
            .env("LD_PRELOAD", library.trim())
            .env("TMPDIR", temporary.path())
            .spawn()
            .unwrap()
    };
    for round in 0..100 {
        let mut running: Vec<_> = (0..10).map(|_| start()).collect();
        std::thread::sleep(Duration::from_micros(round * 300));
        running[0].kill().unwrap();
        running[0].wait().unwrap();
        for child in &mut running[1..] {
            assert!(ended(child).success(), "round {round}");
        }
    }
    // What the last one that was killed has left.
    assert!(ended(&mut start()).success());
    assert_eq!(names(temporary.path()), [""; 0]);
    assert_eq!(shared(), before);
}

#[test]
fn nothing_that_is_there_is_taken() {
    let (root, mine) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = mine.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let planted = root.path().join("sys/devices/pci0000:00/0000:00:02.0");
    fs::create_dir_all(&planted).unwrap();
    std::os::unix::fs::symlink(&precious, planted.join("vendor")).unwrap();
    let library = String::from_utf8(tool(&["preload", "--print-library"]).stdout).unwrap();
    let seen = Command::new("cat")
        .arg(VENDOR)
        .env("LD_PRELOAD", library.trim())
        .env("INTEL_GPU_PRELOAD_ROOT", root.path())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&seen.stdout),
        "0x8086\n",
        "{}",
        talk(&seen)
    );
    assert_eq!(fs::read_to_string(precious).unwrap(), "precious");
    assert_eq!(names(root.path()), ["sys"]);
}

#[test]
fn what_cannot_work_says_so_without_a_log() {
    let library = String::from_utf8(tool(&["preload", "--print-library"]).stdout).unwrap();
    let asked = Command::new("ls")
        .arg("/dev/dri")
        .env("LD_PRELOAD", library.trim())
        .env("INTEL_GPU_PRELOAD_PLATFORM", "bmg@i915")
        .output()
        .unwrap();
    let said = talk(&asked);
    assert!(
        said.contains("the kernel driver i915 does not drive bmg"),
        "{said}"
    );

    // A program without an interpreter is loaded without libraries.
    let folder = tempfile::tempdir().unwrap();
    let (program, script) = (folder.path().join("static"), folder.path().join("script"));
    let mut bytes = fs::read("/proc/self/exe").unwrap();
    bytes.truncate(0x1000);
    let (first, count) = (bytes[32] as usize, bytes[56] as usize);
    for header in (first..).step_by(56).take(count) {
        if bytes[header..header + 4] == [3, 0, 0, 0] {
            bytes[header] = 0;
        }
    }
    fs::write(&program, bytes).unwrap();
    fs::write(&script, format!("#! {}\n", program.display())).unwrap();
    for path in [&program, &script] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        let run = tool(&["preload", "--", path.to_str().unwrap()]);
        let note = "is statically linked and loads no libraries";
        assert!(talk(&run).contains(note), "{}", talk(&run));
    }
    let run = tool(&["preload", "--", "true"]);
    assert_eq!((run.status.code(), talk(&run)), (Some(0), String::new()));
}
