//! `bench isa`: assembler, disassembler and decoder, compared with Intel's `iga64`.

use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use devinfo::{Family, Target};
use flate2::read::GzDecoder;
use isa_encoder::disasm::Format;
use isa_encoder::{Disassembler, Instruction, decode, encode};
use serde_json::json;
use umd::Binary;

use super::median;
use crate::exit::{Error, Exit};
use crate::kernel::{self, Hints};
use crate::kernel_file::KernelFile;
use crate::{files, talk};

/// Measure assembler, disassembler and decoder beside Intel's iga64
///
/// Both tools run as child processes on the same file of 40 000 instructions and write to a file;
/// the time each takes for a file of one instruction is taken off. Both directions are checked:
/// the outputs of both assemblers must be the same bytes. Without iga64 on the PATH only this
/// tool's times are printed. Decoding and encoding are also measured inside of this process.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    /// A kernel file whose instructions are taken, repeated as often as it takes [default: kernels
    /// of the project's corpus as Intel's compiler compiled them for Tiger Lake]
    file: Option<PathBuf>,

    /// Runs of each kind; the median counts
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..1000))]
    runs: u32,

    /// Exit with code 5 if a bar is missed: disassembly 15 and assembly 10 times as fast as iga64,
    /// 20 million instructions decoded a second
    #[arg(long)]
    check: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const INSTRUCTIONS: usize = 40_000;
const DISASSEMBLY_BAR: f64 = 15.0;
const ASSEMBLY_BAR: f64 = 10.0;
const DECODE_BAR: f64 = 20e6;

/// Compiler output with all of the instruction classes: arithmetic of all types, control flow,
/// sends of every kind, and indirect addressing.
const CORPUS: [&[u8]; 6] = [
    include_bytes!("../../../../tests/kernels/tgl/integer.zebin.gz"),
    include_bytes!("../../../../tests/kernels/tgl/sub_group.zebin.gz"),
    include_bytes!("../../../../tests/kernels/tgl/half.zebin.gz"),
    include_bytes!("../../../../tests/kernels/tgl/images.zebin.gz"),
    include_bytes!("../../../../tests/kernels/tgl/private.zebin.gz"),
    include_bytes!("../../../../tests/kernels/tgl/atomics.zebin.gz"),
];

/// Runs the suite.
///
/// # Errors
/// A tool fails, the outputs differ, or a bar is missed.
pub fn run(args: &Args) -> Result<(), Error> {
    let (target, kernels) = match &args.file {
        Some(path) => kernels_of(path)?,
        None => corpus()?,
    };
    let family = target.platform.family;
    let load = Load::new(family, &kernels)?;
    if cfg!(debug_assertions) {
        talk::say("note: this is not a release build; its times say little");
    }
    let runs = args.runs as usize;
    let inside = inside(family, &load, runs)?;
    let folder = tempfile::tempdir()
        .map_err(|e| Error::Failed(format!("cannot make a temporary folder: {e}")))?;
    let outside = outside(&target, &load, folder.path(), runs)?;
    report(args, &target, &inside, &outside)
}

/// The corpus and what it is for.
fn corpus() -> Result<(Target, Vec<Vec<u8>>), Error> {
    let broken = |e: &dyn std::fmt::Display| Error::Failed(format!("built-in kernels: {e}"));
    let mut kernels = Vec::new();
    for packed in CORPUS {
        let mut zebin = Vec::new();
        GzDecoder::new(packed)
            .read_to_end(&mut zebin)
            .map_err(|e| broken(&e))?;
        let binary = Binary::parse(&zebin).map_err(|e| broken(&e))?;
        kernels.extend(codes(&binary));
    }
    let target = Target::parse("tgl").map_err(|e| broken(&e))?;
    Ok((target, kernels))
}

fn kernels_of(path: &Path) -> Result<(Target, Vec<Vec<u8>>), Error> {
    let file = KernelFile::read(path)?;
    let target = kernel::target_of(&file)?
        .ok_or_else(|| file.rejected("it does not say which platform it is for"))?;
    let hints = Hints {
        target: Some(target),
        ..Hints::default()
    };
    Ok((target, codes(&kernel::load(&file, &hints)?)))
}

fn codes(binary: &Binary) -> Vec<Vec<u8>> {
    let kernels = binary.kernels().iter();
    kernels
        .filter_map(|kernel| binary.code(&kernel.name))
        .map(<[u8]>::to_vec)
        .collect()
}

/// The files that both tools read.
struct Load {
    code: Vec<u8>,
    text: String,
    one_code: Vec<u8>,
    one_text: String,
}

impl Load {
    /// Whole kernels in order, repeated until the next does not fit; then instructions that are not
    /// branches, so that no target lies outside the file.
    fn new(family: Family, kernels: &[Vec<u8>]) -> Result<Self, Error> {
        let split: Vec<Vec<&[u8]>> = kernels
            .iter()
            .map(|code| instructions(family, code))
            .collect();
        let straight: Vec<&[u8]> = split
            .iter()
            .flatten()
            .copied()
            .filter(|bytes| decode(family, bytes).is_ok_and(|(i, _)| !i.opcode.is_branch()))
            .collect();
        let first = straight
            .first()
            .ok_or_else(|| Error::Rejected("there are no instructions in it".to_owned()))?;
        let mut chosen: Vec<&[u8]> = Vec::with_capacity(INSTRUCTIONS);
        for kernel in split.iter().filter(|kernel| !kernel.is_empty()).cycle() {
            if chosen.len() + kernel.len() > INSTRUCTIONS {
                break;
            }
            chosen.extend(kernel);
        }
        let rest = INSTRUCTIONS - chosen.len();
        chosen.extend(straight.iter().cycle().take(rest));
        let code = chosen.concat();
        let print = |code: &[u8]| Disassembler::new(family, Format::default()).print(code);
        Ok(Self {
            text: print(&code),
            one_text: print(first),
            one_code: first.to_vec(),
            code,
        })
    }
}

/// The instructions of a kernel, without the padding after its end.
fn instructions(family: Family, code: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Ok((instruction, length)) = decode(family, rest)
        && instruction.opcode != isa_encoder::Opcode::Illegal
    {
        let (bytes, more) = rest.split_at(length);
        found.push(bytes);
        rest = more;
    }
    found
}

/// Instructions a second, measured inside this process.
struct Inside {
    decode: f64,
    encode: f64,
}

fn inside(family: Family, load: &Load, runs: usize) -> Result<Inside, Error> {
    let mut decoded: Vec<Instruction> = Vec::with_capacity(INSTRUCTIONS);
    let mut rest = load.code.as_slice();
    while !rest.is_empty() {
        let (instruction, length) = decode(family, rest)
            .map_err(|e| Error::Failed(format!("what was decoded before is refused: {e}")))?;
        decoded.push(instruction);
        rest = &rest[length..];
    }
    let mut decoding = Vec::with_capacity(runs);
    let mut encoding = Vec::with_capacity(runs);
    for _ in 0..runs {
        let start = Instant::now();
        let mut rest = black_box(load.code.as_slice());
        while let Ok((instruction, length)) = decode(family, rest) {
            black_box(&instruction);
            rest = &rest[length..];
        }
        decoding.push(start.elapsed());
        let start = Instant::now();
        for instruction in black_box(&decoded) {
            let _ = black_box(encode(family, instruction));
        }
        encoding.push(start.elapsed());
    }
    let rate = |times: &mut [Duration]| decoded.len() as f64 / median(times).as_secs_f64();
    Ok(Inside {
        decode: rate(&mut decoding),
        encode: rate(&mut encoding),
    })
}

/// The times of one tool for the whole file, without start-up.
#[derive(Clone, Copy, Default)]
struct Times {
    disassembly: Duration,
    assembly: Duration,
}

struct Outside {
    ours: Times,
    /// `None` without iga64.
    iga: Option<Times>,
}

/// One direction of one tool: a command that reads `input` and writes `output`.
type Tool = dyn Fn(&Path, &Path) -> Result<Command, Error>;

fn outside(target: &Target, load: &Load, folder: &Path, runs: usize) -> Result<Outside, Error> {
    let path = |name: &str| folder.join(name);
    let put = |name: &str, bytes: &[u8]| files::write(&path(name), bytes);
    put("all.bin", &load.code)?;
    put("one.bin", &load.one_code)?;
    put("all.asm", load.text.as_bytes())?;
    put("one.asm", load.one_text.as_bytes())?;

    let this = env::current_exe()
        .map_err(|e| Error::Failed(format!("cannot find this program's file: {e}")))?;
    let platform = target.platform.name;
    let ours = |subcommand: &'static str| {
        let this = this.clone();
        move |input: &Path, output: &Path| {
            let mut command = Command::new(&this);
            command.arg(subcommand).arg(input).args(["-p", platform]);
            if subcommand == "asm" {
                command.arg("-o").arg(output);
            } else {
                let file = fs::File::create(output).map_err(|e| Error::unwritable(output, e))?;
                command.stdout(file);
            }
            Ok(command)
        }
    };
    let iga = |mode: &'static str| {
        let name = iga_platform(target.platform.family);
        move |input: &Path, output: &Path| {
            let mut command = Command::new("iga64");
            command.arg(mode).arg(format!("-p={}", name.unwrap_or("")));
            command.arg(input).arg("-o").arg(output);
            Ok(command)
        }
    };
    let has_iga = iga_platform(target.platform.family).is_some()
        && Command::new("iga64")
            .arg("-h")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok();
    let (our_asm, our_disasm) = (ours("asm"), ours("disasm"));
    let (iga_asm, iga_disasm) = (iga("-a"), iga("-d"));
    let mut tools: Vec<(&Tool, &str)> = vec![(&our_disasm, "bin"), (&our_asm, "asm")];
    if has_iga {
        tools.extend([(&iga_disasm as &Tool, "bin"), (&iga_asm as &Tool, "asm")]);
    } else {
        talk::say(format_args!(
            "note: no iga64 that knows {platform} on the PATH (Debian package libigc-tools): no ratios"
        ));
    }
    let mut times = vec![(Vec::new(), Vec::new()); tools.len()];
    for _ in 0..runs {
        for (index, ((tool, kind), (all, one))) in tools.iter().zip(&mut times).enumerate() {
            let output = path(&format!("{index}.out"));
            one.push(time(*tool, &path(&format!("one.{kind}")), &output)?);
            all.push(time(*tool, &path(&format!("all.{kind}")), &output)?);
        }
    }
    // The assemblers' last output is the whole file's code.
    for (index, (_, kind)) in tools.iter().enumerate() {
        let written = fs::read(path(&format!("{index}.out")))
            .map_err(|e| Error::Failed(format!("an output is missing: {e}")))?;
        if *kind == "asm" && written != load.code {
            return Err(Error::Failed(format!(
                "{} assembles its input to other bytes",
                if index < 2 { "this tool" } else { "iga64" }
            )));
        }
    }
    let mut net = times
        .iter_mut()
        .map(|(all, one)| median(all).saturating_sub(median(one)));
    let mut next = || {
        Some(Times {
            disassembly: net.next()?,
            assembly: net.next()?,
        })
    };
    Ok(Outside {
        ours: next().unwrap_or_default(),
        iga: next(),
    })
}

/// The name of a family in iga64 1.1.
fn iga_platform(family: Family) -> Option<&'static str> {
    match family {
        Family::Gen8 => Some("8"),
        Family::Gen9 => Some("9"),
        Family::Gen11 => Some("11"),
        Family::Gen12Lp => Some("12p1"),
        Family::XeHpg => Some("12p71"),
        Family::XeHpc => Some("12p72"),
        Family::Xe2 | Family::Xe3 => None,
    }
}

/// How long a tool runs, start to end.
fn time(tool: &Tool, input: &Path, output: &Path) -> Result<Duration, Error> {
    let mut command = tool(input, output)?;
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status();
    let elapsed = start.elapsed();
    match status {
        Ok(status) if status.success() => Ok(elapsed),
        Ok(status) => Err(Error::Failed(format!("{command:?} failed: {status}"))),
        Err(error) => Err(Error::Failed(format!("{command:?} cannot be run: {error}"))),
    }
}

fn report(args: &Args, target: &Target, inside: &Inside, outside: &Outside) -> Result<(), Error> {
    let ours = &outside.ours;
    let ratio = |ours: Duration, iga: Duration| iga.as_secs_f64() / ours.as_secs_f64().max(1e-6);
    let rows = [
        (
            "disassembly",
            ours.disassembly,
            outside.iga.map(|t| t.disassembly),
            DISASSEMBLY_BAR,
        ),
        (
            "assembly",
            ours.assembly,
            outside.iga.map(|t| t.assembly),
            ASSEMBLY_BAR,
        ),
    ];
    if args.json {
        let seconds = |time: Duration| time.as_secs_f64();
        let row = |(_, ours, iga, bar): (&str, Duration, Option<Duration>, f64)| {
            json!({
                "seconds": seconds(ours),
                "iga64_seconds": iga.map(seconds),
                "ratio": iga.map(|iga| ratio(ours, iga)),
                "bar": bar,
            })
        };
        files::print_json(&json!({
            "platform": target.platform.name,
            "instructions": INSTRUCTIONS,
            "runs": args.runs,
            "disassembly": row(rows[0]),
            "assembly": row(rows[1]),
            "decode_per_second": inside.decode,
            "encode_per_second": inside.encode,
        }))?;
    } else {
        let mut out = format!(
            "{INSTRUCTIONS} instructions of {}, median of {} runs\n",
            target.platform.name, args.runs
        );
        for (name, ours, iga, bar) in rows {
            out += &format!("{name:<12} {:>10}", talk::span(ours));
            if let Some(iga) = iga {
                let times = ratio(ours, iga);
                out += &format!(
                    "   iga64 {:>10}   {times:6.1} times (bar: {bar})",
                    talk::span(iga)
                );
            }
            out.push('\n');
        }
        let millions = |rate: f64| format!("{:.1} M/s", rate / 1e6);
        out += &format!(
            "{:<12} {:>10}   in process (bar: {})\n",
            "decode",
            millions(inside.decode),
            millions(DECODE_BAR)
        );
        out += &format!(
            "{:<12} {:>10}   in process\n",
            "encode",
            millions(inside.encode)
        );
        files::print(&out)?;
    }
    if !args.check {
        return Ok(());
    }
    let mut missed = Vec::new();
    for (name, ours, iga, bar) in rows {
        match iga {
            Some(iga) if ratio(ours, iga) < bar => missed.push(name),
            Some(_) => {}
            None => {
                return Err(Error::Failed(
                    "without iga64 there is nothing to check".to_owned(),
                ));
            }
        }
    }
    if inside.decode < DECODE_BAR {
        missed.push("decode");
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(Error::Violated(format!(
            "below the bar: {}",
            missed.join(", ")
        )))
    }
}
