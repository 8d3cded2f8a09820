//! The command line of `run`.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::{ArgSpec, Expect, Extent, Print, number};
use crate::compiler;
use crate::exit::Exit;
use umd::{Execution, HostIsa};

/// What `--device` takes.
const DEVICES: &str = "\
Devices: --device DEV is one of
  auto                   the first Intel render node that works, else the software GPU of the
                         platform that the file was built for (tgl if it names none)
  /dev/dri/renderD128    a render node: an Intel GPU
  soft:PLATFORM[:REVISION][@DRIVER]
                         the software GPU; `intel-gpu-run devices` lists the platforms. It
                         answers as the kernel driver i915 (where that drives the platform)
                         or xe; DRIVER chooses
  baremetal:PLATFORM[:REVISION]
                         the software GPU's registers, without a kernel driver
  baremetal:PCI-ADDRESS  those of a function bound to vfio-pci
  tbx:ADDRESS:PORT:PLATFORM[:REVISION]
                         a simulator that speaks TBX, as `serve` does";

const EXAMPLES: &str = "\
Examples:
  intel-gpu-run run vadd.cl --device soft:tgl --global 64 --arg in=a.bin --arg in=b.bin \\
      --arg out=sum.bin:256 --print 2:i32:8
  intel-gpu-run run kernel.zebin --kernel blur --global 640,480 --arg image=in.png \\
      --arg image-out=out.png:640x480
  intel-gpu-run run kernel.cl --check --global 1024 --arg fill=0:4K";

/// Run one kernel and save, print or compare what it computed
///
/// The content of FILE says what it is: a zebin (also in ocloc's archive for several devices), EU
/// assembly with directives, SPIR-V, OpenCL C (if ocloc or clang is installed), or, with --simd, the
/// bare bytes of EU instructions.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{DEVICES}\n\n{}\n\n{EXAMPLES}\n\n{}", ArgSpec::HELP, Exit::HELP))]
pub struct Args {
    /// The kernel file (`-` is stdin)
    pub file: PathBuf,

    /// Where to run, such as `soft:tgl`; the forms are below
    #[arg(long, value_name = "DEV", default_value = "auto")]
    pub device: String,

    /// The kernel, if the file has several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,

    /// The number of work-items in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub global: Extent,

    /// The work-group size in each dimension; chosen for you if the kernel does not require one
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub local: Option<Extent>,

    /// The global offset in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub offset: Option<Extent>,

    /// One kernel argument, in order; the forms are below
    #[arg(long = "arg", value_name = "SPEC")]
    pub args: Vec<ArgSpec>,

    /// Print the first N elements of a buffer afterwards, such as `2:f32:8`
    #[arg(long, value_name = "ARG:TYPE:N")]
    pub print: Vec<Print>,

    /// Compare a buffer or image, or its first BYTES, with a file of that size afterwards: byte for
    /// byte or, with a TOLERANCE such as `1e-5`, `u8:1` or `f16:2ulp`, element for element:
    /// |got - wanted| <= TOLERANCE * max(1, |wanted|), or so many representable values apart. The
    /// type is the argument's if none is named; a difference is exit code 5
    #[arg(long, value_name = "ARG[:BYTES]=PATH[,TOLERANCE]")]
    pub expect: Vec<Expect>,

    /// Give up on a launch that takes longer. On the software GPU this is processor time, and the error
    /// says where the threads stand
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = number::seconds)]
    pub timeout: Duration,

    /// Launch the kernel this many times in a row
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,

    /// The sub-group size of raw EU instructions: 8, 16 or 32
    #[arg(long, value_name = "N")]
    pub simd: Option<u32>,

    #[command(flatten)]
    pub compiler: compiler::Options,

    /// Host threads of the software GPU; all cores if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,

    /// How the software GPU executes EU code: `interpret` instruction by instruction, `adapt` as host code
    /// once it has run for a while, or `compile` as host code at once. Host code is for all that the host's
    /// processor has; `adapt:avx2` and `compile:avx2` leave AVX-512 aside, and `avx512` insists on it. With
    /// --check and --trace it interprets
    #[arg(long, value_name = "HOW[:ISA]", default_value = "adapt", value_parser = execution)]
    pub exec: Execution,

    /// Report what the kernel's text proves wrong, scoreboard hazards among it, and what silicon leaves
    /// undefined while it runs: data races, missing fences, values that nothing has written, accesses
    /// beyond the size that was asked for, misaligned block accesses, sub-group operations in divergent
    /// flow and the like (software GPU only). If there is something to report, the exit code is 5
    #[arg(long)]
    pub check: bool,

    /// Let accesses to unbound pages read zero and write nowhere, as the i915 driver does,
    /// instead of faulting
    #[arg(long)]
    pub scratch_page: bool,

    /// Print the bytes that each thread finds in its registers, before the run
    #[arg(long)]
    pub dump_payload: bool,

    /// Print the packets of the batch that launches the kernel; with PATH, write its dwords there,
    /// as `decode` takes them. Of several launches the first
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    pub dump_batch: Option<Option<PathBuf>>,

    /// Record what is submitted in an AUB file, for `replay` and `decode`. What the buffers hold after
    /// the run is what the file expects. Needs --device baremetal:PLATFORM; with --aub, `auto` means that
    #[arg(long, value_name = "OUT.aub")]
    pub aub: Option<PathBuf>,

    /// Write a timeline in Chrome's trace format (chrome://tracing, Perfetto)
    #[arg(long, value_name = "OUT.json")]
    pub trace: Option<PathBuf>,

    /// Print one JSON document about the run to stdout
    #[arg(long)]
    pub json: bool,
}

/// How the software GPU executes EU code, and with which of the host's instructions.
fn execution(text: &str) -> Result<Execution, String> {
    let (how, isa) = match text.split_once(':') {
        Some((how, isa)) => (how, Some(isa.parse::<HostIsa>()?)),
        None => (text, None),
    };
    if let Some(isa) = isa.filter(|isa| !isa.is_here()) {
        return Err(format!("this machine's processor has no {isa}"));
    }
    match (how, isa) {
        ("interpret", None) => Ok(Execution::Interpret),
        ("adapt", isa) => Ok(Execution::Adapt(isa)),
        ("compile", isa) => Ok(Execution::Compile(isa)),
        _ => Err("one of interpret, adapt, compile, adapt:ISA, compile:ISA".to_owned()),
    }
}
