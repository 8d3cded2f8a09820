//! `preload`: run a program with a render node that the software GPU answers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};

use crate::exit::Error;
use crate::folder::Folder;
use crate::{process, talk};

// The library itself must not be linked here: it would take the place of this program's own
// `open` and `ioctl`. It is a dependency so that it is built, and only its names are shared.
#[path = "../../../preload/src/config.rs"]
#[allow(dead_code, reason = "the library reads what this program sets")]
mod config;

/// The library's file name.
const LIBRARY: &str = "libintel_gpu_preload.so";

/// Run a program with a fake /dev/dri/renderD128 that the software GPU answers.
///
/// The program is not changed: it finds the node, and whatever it submits (for example through
/// Intel's OpenCL runtime) runs on the software GPU. With more than one platform there are as many
/// devices: renderD128, renderD129 and so on. Its exit code becomes this tool's, and what
/// asks this tool to end (Ctrl-C, SIGTERM) ends the program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  intel-gpu-run preload --platform tgl -- clinfo --list
  intel-gpu-run preload --platform dg2:8@xe,lnl -- clinfo --list

With --log softgpu=info, each walker is logged with the EU instructions it ran, and each ioctl that
is refused with the reason.")]
pub struct Args {
    /// The platforms to answer for, as `NAME[:REVISION][@DRIVER]`, with commas between them; the
    /// driver is i915 or xe
    #[arg(short, long, default_value = config::DEFAULT_PLATFORM, value_name = "PLATFORM")]
    platform: String,

    /// Append the log to this file instead of stderr
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,

    /// Report what kernels do that silicon leaves undefined, as `run --check` does. Then the exit
    /// code is 5 if there is something to report
    #[arg(long)]
    check: bool,

    /// Print the path of the library for LD_PRELOAD, and run nothing
    #[arg(long)]
    print_library: bool,

    /// The program and its arguments
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required_unless_present = "print_library",
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
}

/// Runs the program. Returns its exit code.
///
/// # Errors
/// [`Error::Usage`] for an unknown platform or program, [`Error::Failed`] if the library is not in
/// its place.
pub fn run(args: &Args, log: Option<&str>) -> Result<u8, Error> {
    let library = library(LIBRARY, "preload")?;
    if args.print_library {
        crate::files::print(&format!("{}\n", library.display()))?;
        return Ok(0);
    }
    config::Wanted::parse_list(&args.platform)
        .map_err(|error| Error::Usage(format!("--platform {}: {error}", args.platform)))?;
    let [program, arguments @ ..] = args.command.as_slice() else {
        return Err(Error::Usage("no command to run was given".into()));
    };
    if let Some(why) = find(program).as_deref().and_then(deaf) {
        talk::say(format_args!(
            "note: {} {why}: it will not find the fake render node, though programs that it \
             starts may",
            Path::new(program).display()
        ));
    }
    // For the stand-in's files.
    let root = Folder::create("intel-gpu-run-preload-")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_PRELOAD", preload_list(&library))
        .env(config::PLATFORM_VARIABLE, &args.platform)
        .env(config::ROOT_VARIABLE, root.path());
    if let Some(filter) = log {
        command.env(config::LOG_VARIABLE, filter);
    }
    if let Some(file) = &args.log_file {
        command.env(config::LOG_FILE_VARIABLE, file);
    }
    let violations = root.path().join("violations");
    if args.check {
        command.env(config::CHECK_VARIABLE, &violations);
    }
    let status = process::run_in_place(&mut command).map_err(|error| {
        Error::Usage(format!(
            "cannot run {}: {error}",
            Path::new(program).display()
        ))
    })?;
    broken(&violations)?;
    Ok(exit_code(status))
}

/// The rules that kernels of a program have broken, which its libraries wrote to a file.
///
/// # Errors
/// [`Error::Violated`] if there are any.
pub(super) fn broken(file: &Path) -> Result<(), Error> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match text.is_empty() {
        true => Ok(()),
        false => {
            let lines: Vec<_> = text
                .lines()
                .map(|line| format!("--check: {line}"))
                .collect();
            Err(Error::Violated(lines.join("\n")))
        }
    }
}

/// As shells report it: 128 plus the signal's number for a program that a signal ended.
pub(super) fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The file of a program, as `execvp` finds it.
fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// Why a program would not load the library, if so. For a script its interpreter counts.
fn deaf(program: &Path) -> Option<&'static str> {
    let mut file = BufReader::new(File::open(program).ok()?);
    let mode = file.get_ref().metadata().ok()?.mode();
    let mut line = Vec::new();
    if file.fill_buf().ok()?.starts_with(b"#!") {
        file.read_until(b'\n', &mut line).ok()?;
        let words = String::from_utf8_lossy(&line);
        let interpreter = words.trim_start_matches("#!").split_whitespace().next()?;
        // An interpreter may itself be a script; the kernel follows four levels.
        let interpreter = Path::new(interpreter);
        return (interpreter != program)
            .then(|| deaf(interpreter))
            .flatten();
    }
    let data = ReadCache::new(file);
    let header = object::elf::FileHeader64::<object::Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let parts = header.program_headers(endian, &data).ok()?;
    if !parts
        .iter()
        .any(|part| part.p_type(endian) == object::elf::PT_INTERP)
    {
        return Some("is statically linked and loads no libraries");
    }
    (mode & 0o6000 != 0).then_some("runs as another user, for whom no libraries are preloaded")
}

/// The library, before those that the environment already preloads.
fn preload_list(library: &Path) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// Finds a library of a package where a build or an installation puts it.
pub(super) fn library(file: &str, package: &str) -> Result<PathBuf, Error> {
    let program = env::current_exe()
        .map_err(|error| Error::Failed(format!("cannot find this program's file: {error}")))?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = [
        folder.join(file),
        folder.join("deps").join(file),
        folder.join("../lib").join(file),
    ];
    // Cargo leaves a library in more than one of them: the latest build counts.
    let built = |place: &&PathBuf| place.metadata().and_then(|file| file.modified()).ok();
    places
        .iter()
        .filter(|place| place.is_file())
        .max_by_key(built)
        .cloned()
        .ok_or_else(|| {
            let looked: Vec<_> = places
                .iter()
                .map(|place| place.display().to_string())
                .collect();
            Error::Failed(format!(
                "{file} is not beside this program (looked for {}); build it with \
             `cargo build -p {package}`",
                looked.join(", ")
            ))
        })
}
