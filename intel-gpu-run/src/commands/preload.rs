//! `preload`: run a program with a render node that the software GPU answers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use object::read::ReadCache;
use object::read::elf::{FileHeader, ProgramHeader};

use super::client::{self, Client};
use crate::exit::Error;
use crate::folder::Folder;
use crate::talk;

// The library itself must not be linked here: it would take the place of this program's own
// `open` and `ioctl`. It is a dependency so that it is built, and only its names are shared.
#[path = "../../../preload/src/config.rs"]
#[allow(dead_code, reason = "the library reads what this program sets")]
mod config;

/// The library's file name.
const LIBRARY: &str = "libintel_gpu_preload.so";

/// Run a program and the GPU drivers that it brings on the software GPU, by fake nodes in /dev/dri
///
/// For programs on drivers of others: Intel's OpenCL and Level Zero runtimes, Mesa's Rusticl and Vulkan
/// driver. Neither program nor driver is changed. They find a node, /dev/dri/renderD128, that answers as
/// i915 or xe does, and what they submit runs on the software GPU. With several platforms there are as
/// many devices: renderD128, renderD129 and so on. (`opencl` runs a program on this project's own OpenCL
/// runtime.) The program's exit code becomes this tool's; Ctrl-C and SIGTERM end the program, too.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  intel-gpu-run preload --platform tgl -- clinfo --list
  intel-gpu-run preload --platform dg2:8@xe,lnl -- clinfo --list
  intel-gpu-run preload --log softgpu=info --log-file gpu.log -- ./program

With --log softgpu=info, each kernel that ran is logged with the number of its EU instructions, and each ioctl
that is refused with the reason. A program that is linked statically, or is set-user-ID, does not see the node.")]
pub struct Args {
    /// The devices that the program sees, as `NAME[:REVISION][@DRIVER]`, with commas between them.
    /// `intel-gpu-run devices` lists the names. DRIVER is i915 or xe; if not given, i915 where it drives the
    /// platform, else xe
    #[arg(short, long, default_value = config::DEFAULT_PLATFORM, value_name = "PLATFORM")]
    platform: String,

    /// Append the log to this file instead of stderr
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,

    #[command(flatten)]
    client: Client,
}

/// Runs the program. Returns its exit code.
///
/// # Errors
/// [`Error::Usage`] for an unknown platform or program, [`Error::Failed`] if the library is not in
/// its place.
pub fn run(args: &Args, log: Option<&str>) -> Result<u8, Error> {
    let Some((library, mut command)) = args.client.program(LIBRARY, "preload")? else {
        return Ok(0);
    };
    config::Wanted::parse_list(&args.platform)
        .map_err(|error| Error::Usage(format!("--platform {}: {error}", args.platform)))?;
    let program = command.get_program();
    if let Some(why) = find(program).as_deref().and_then(deaf) {
        talk::say(format_args!(
            "note: {} {why}: it will not find the fake render node, though programs that it \
             starts may",
            Path::new(program).display()
        ));
    }
    // For the stand-in's files.
    let root = Folder::create("intel-gpu-run-preload-")?;
    command
        .env("LD_PRELOAD", preload_list(&library))
        .env(config::PLATFORM_VARIABLE, &args.platform)
        .env(config::ROOT_VARIABLE, root.path());
    if let Some(filter) = log {
        command.env(config::LOG_VARIABLE, filter);
    }
    if let Some(file) = &args.log_file {
        command.env(config::LOG_FILE_VARIABLE, file);
    }
    let reports = root.path().join("reports");
    if args.client.check {
        command.env(config::CHECK_VARIABLE, &reports);
    }
    client::run(&mut command, &reports)
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
