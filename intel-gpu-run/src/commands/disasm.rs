//! `disasm`: print EU instructions as text.

use isa_encoder::Disassembler;
use isa_encoder::disasm::{Format, Line};
use serde_json::{Value, json};
use umd::Binary;

use crate::commands::check::source;
use crate::exit::{Error, Exit};
use crate::selection::{Code, Selection};
use crate::{files, parallel};

/// Print the EU instructions of a kernel file in IGA syntax
///
/// FILE is a zebin, an archive of zebins, assembly (which is assembled first), source (which is
/// compiled first, for -p), or bare EU instructions together with -p. Bits that an instruction's
/// text does not say stand behind it as `//.bits`; bytes that are no instruction are printed as
/// data. The text assembles to the same bytes again.
#[derive(Debug, clap::Args)]
#[command(after_help = Exit::HELP)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,

    /// Print the bytes of each instruction
    #[arg(long)]
    hex: bool,

    /// Print the offset of each instruction
    #[arg(long)]
    offsets: bool,

    /// Print loads, stores, atomics and fences of XeHPG and later as such, where a send says no more
    #[arg(long)]
    ldst: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Code to print, with the kernel's name if it has one.
struct Section<'a> {
    name: Option<&'a str>,
    code: &'a [u8],
    binary: Option<&'a Binary>,
}

impl Section<'_> {
    /// Where an instruction comes from, as `FILE:LINE`.
    fn source(&self, offset: usize) -> Option<String> {
        source(self.binary?, self.name?, offset)
    }

    /// The same, unless the instruction before it comes from there.
    fn new_source(&self, offset: usize) -> Option<String> {
        let before = offset.checked_sub(1).and_then(|before| self.source(before));
        self.source(offset)
            .filter(|line| before.as_ref() != Some(line))
    }
}

/// Runs the sub-command.
///
/// # Errors
/// The file is rejected, or its instruction set is not known.
pub fn run(args: &Args) -> Result<(), Error> {
    let (name, code) = args.selection.open()?;
    let (family, sections) = match &code {
        Code::Bare(target, code) => {
            let section = Section {
                name: None,
                code,
                binary: None,
            };
            (target.platform.family, vec![section])
        }
        Code::Binary(binary) => {
            let kernels = args.selection.kernels(&name, binary)?.into_iter();
            let sections = kernels.map(|kernel| Section {
                name: Some(&kernel.name),
                code: binary.code(&kernel.name).unwrap_or_default(),
                binary: Some(binary),
            });
            (binary.target().platform.family, sections.collect())
        }
    };
    let format = Format {
        offsets: args.offsets,
        hex: args.hex,
        no_comments: false,
        load_store: args.ldst,
    };
    let disassembler = Disassembler::new(family, format);
    if args.json {
        let kernels: Vec<_> = sections.iter().map(|s| as_json(&disassembler, s)).collect();
        return files::print_json(&json!({ "family": family.to_string(), "kernels": kernels }));
    }
    for section in &sections {
        if let Some(name) = section.name {
            files::print(&format!("//.kernel {name}\n"))?;
        }
        for text in in_parallel(&disassembler, section) {
            files::print(&text)?;
        }
    }
    Ok(())
}

/// The least code that is worth its own part, in bytes.
const WORTH_A_PART: usize = 64 << 10;

/// The text of a kernel, in pieces that were printed in parallel.
fn in_parallel(disassembler: &Disassembler, section: &Section<'_>) -> Vec<String> {
    let code = section.code;
    let listing = disassembler.listing(code);
    let parts = listing.parts(parallel::pieces(code.len(), WORTH_A_PART));
    let note = |offset| section.new_source(offset);
    parallel::map(&parts, |part| listing.print_noted(part.clone(), note))
}

fn as_json(disassembler: &Disassembler, section: &Section<'_>) -> Value {
    let line = |line: Line| {
        let hex: String = line
            .bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        json!({
            "offset": line.offset,
            "bytes": hex,
            "label": line.label,
            "text": line.text,
            "bits": line.bits,
            "comment": line.comment,
            "source": section.source(line.offset),
        })
    };
    let lines: Vec<_> = disassembler
        .lines(section.code)
        .into_iter()
        .map(line)
        .collect();
    json!({ "name": section.name, "bytes": section.code.len(), "lines": lines })
}
