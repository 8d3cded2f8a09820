//! Lines of a kernel, with labels.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

use devinfo::Family;

use super::comment;
use super::item::item;
use super::ldst;
use super::print::{self, Targets};
use crate::code::traits;
use crate::model::{Branch, Instruction, Opcode};

/// How [`Disassembler`] prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// The offset of each instruction, in a comment.
    pub offsets: bool,
    /// The bytes of each instruction, in a comment.
    pub hex: bool,
    /// No decoded messages in comments.
    pub no_comments: bool,
    /// Sends to the load/store units as `load`, `store` and so on, where these lose nothing.
    pub load_store: bool,
}

/// One line of a disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Bytes from the start.
    pub offset: usize,
    /// The bytes: 8 or 16, or fewer at an end that is cut off.
    pub bytes: Vec<u8>,
    /// The label in front of this instruction, if something jumps here.
    pub label: Option<String>,
    /// The instruction as text; `None` if the bytes are not an instruction.
    pub text: Option<String>,
    /// Bits that the text does not show, as `//.bits` takes them.
    pub bits: Option<String>,
    /// What a send does, or why the bytes are not an instruction.
    pub comment: Option<String>,
}

/// Prints the instructions of a family.
#[derive(Clone, Copy, Debug)]
pub struct Disassembler {
    family: Family,
    format: Format,
}

impl Disassembler {
    /// A disassembler for `family`.
    pub const fn new(family: Family, format: Format) -> Self {
        Self { family, format }
    }

    /// The family.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// The format.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The lines of a kernel. What cannot be decoded becomes a line without text and does not stop
    /// the disassembly.
    pub fn lines(&self, code: &[u8]) -> Vec<Line> {
        let labels = self.labels(code);
        let mut lines = Vec::new();
        for (offset, bytes) in pieces(code) {
            let mut text = String::new();
            let mut comment = String::new();
            let mut bits = None;
            let decoded = item(self.family, bytes);
            match &decoded {
                Ok((instruction, odd)) => {
                    bits = (!odd.is_none()).then(|| alloc::format!("{odd}"));
                    let targets = Labels {
                        at: offset,
                        labels: &labels,
                    };
                    self.instruction(&mut text, instruction, &targets);
                    comment::send(&mut comment, self.family, instruction);
                }
                Err(why) => comment.push_str(why),
            }
            lines.push(Line {
                offset,
                bytes: bytes.to_vec(),
                label: labels.contains(offset).then(|| label(offset)),
                text: decoded.is_ok().then_some(text),
                bits,
                comment: (!comment.is_empty()).then_some(comment),
            });
        }
        lines
    }

    /// A kernel as text that the assembler turns into the same bytes: what is not an instruction
    /// becomes a `//.data` directive.
    pub fn print(&self, code: &[u8]) -> String {
        let listing = self.listing(code);
        listing.print(0..code.len())
    }

    /// A kernel to be printed in parts.
    pub fn listing<'a>(&self, code: &'a [u8]) -> Listing<'a> {
        Listing {
            disassembler: *self,
            code,
            labels: self.labels(code),
        }
    }

    fn instruction(&self, out: &mut String, instruction: &Instruction, targets: &impl Targets) {
        let family = self.family;
        if !self.format.load_store || !ldst::instruction(out, family, instruction) {
            print::instruction(out, family, instruction, targets);
        }
    }

    fn prefix(&self, out: &mut String, offset: usize, bytes: &[u8]) {
        out.push_str("/* ");
        if self.format.offsets {
            let _ = write!(out, "[{offset:08X}] ");
        }
        if self.format.hex {
            for chunk in bytes.rchunks(4) {
                for byte in chunk.iter().rev() {
                    let _ = write!(out, "{byte:02x}");
                }
                out.push(' ');
            }
            if bytes.len() <= 8 {
                out.push_str("                  ");
            }
        }
        out.push_str("*/ ");
    }

    /// The offsets that branches go to.
    fn labels(&self, code: &[u8]) -> Offsets {
        let table = traits(self.family);
        let mut starts = Offsets::of(code);
        let mut labels = Offsets::of(code);
        for (offset, bytes) in pieces(code) {
            starts.insert(offset);
            let code = bytes.first().map_or(0, |byte| byte & 0x7f);
            let opcode = table.opcodes.get(usize::from(code)).copied().flatten();
            // Targets of `calla` are absolute.
            if !opcode.is_some_and(|opcode| opcode.is_branch() && opcode != Opcode::Calla) {
                continue;
            }
            if let Ok((instruction, _)) = item(self.family, bytes)
                && let Some(Branch { jip, uip, .. }) = instruction.branch()
            {
                for distance in [jip, uip].into_iter().flatten() {
                    if let Some(to) = target(offset, *distance) {
                        labels.insert(to);
                    }
                }
            }
        }
        starts.insert(code.len());
        labels.retain(&starts);
        labels
    }
}

/// The text of a kernel, whose parts different threads may print: joined in order, they are what
/// [`Disassembler::print`] returns.
#[derive(Debug)]
pub struct Listing<'a> {
    disassembler: Disassembler,
    code: &'a [u8],
    labels: Offsets,
}

impl Listing<'_> {
    /// Cuts the kernel into at most `count` parts of about the same size, between instructions.
    pub fn parts(&self, count: usize) -> Vec<Range<usize>> {
        let size = self.code.len().div_ceil(count.max(1)).max(1);
        let mut parts: Vec<Range<usize>> = Vec::with_capacity(count);
        for (offset, bytes) in pieces(self.code) {
            let end = offset + bytes.len();
            match parts.last_mut() {
                Some(part) if offset - part.start < size => part.end = end,
                _ => parts.push(offset..end),
            }
        }
        parts
    }

    /// The text of one part; the last part includes a label at the kernel's end.
    pub fn print(&self, part: Range<usize>) -> String {
        self.print_noted(part, |_| None)
    }

    /// The same, with a comment above an instruction, by its offset, for which there is a `note`.
    pub fn print_noted(
        &self,
        part: Range<usize>,
        note: impl Fn(usize) -> Option<String>,
    ) -> String {
        let Disassembler { family, format } = self.disassembler;
        let code = self.code.get(part.clone()).unwrap_or_default();
        let mut out = String::with_capacity(code.len() * 6);
        for (offset, bytes) in pieces(code) {
            let at = part.start + offset;
            if self.labels.contains(at) {
                let _ = writeln!(out, "{}:", label(at));
            }
            if let Some(note) = note(at) {
                let _ = writeln!(out, "// {note}");
            }
            if format.offsets || format.hex {
                self.disassembler.prefix(&mut out, at, bytes);
            }
            match &item(family, bytes) {
                Ok((instruction, odd)) => {
                    let targets = Labels {
                        at,
                        labels: &self.labels,
                    };
                    self.disassembler
                        .instruction(&mut out, instruction, &targets);
                    if !odd.is_none() {
                        let _ = write!(out, " //.bits {odd}");
                    }
                    if !format.no_comments && instruction.opcode.is_send() {
                        out.push_str(" // ");
                        comment::send(&mut out, family, instruction);
                    }
                }
                Err(why) => {
                    out.push_str("//.data ");
                    for byte in bytes {
                        let _ = write!(out, "{byte:02x}");
                    }
                    let _ = write!(out, " // {why}");
                }
            }
            out.push('\n');
        }
        if part.end == self.code.len() && self.labels.contains(part.end) {
            let _ = writeln!(out, "{}:", label(part.end));
        }
        out
    }
}

fn label(offset: usize) -> String {
    alloc::format!("L{offset}")
}

fn target(at: usize, distance: i32) -> Option<usize> {
    at.checked_add_signed(isize::try_from(distance).ok()?)
}

/// Targets as labels, where an instruction begins there.
struct Labels<'a> {
    at: usize,
    labels: &'a Offsets,
}

impl Targets for Labels<'_> {
    fn write(&self, out: &mut String, distance: i32) {
        match target(self.at, distance).filter(|to| self.labels.contains(*to)) {
            Some(to) => {
                let _ = write!(out, "L{to}");
            }
            None => print::Distances.write(out, distance),
        }
    }
}

/// A kernel cut into the bytes of its instructions, with their offsets. Bit 29 gives the length of
/// each, even if it is not an instruction.
fn pieces(code: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut offset = 0;
    core::iter::from_fn(move || {
        let rest = code.get(offset..).filter(|rest| !rest.is_empty())?;
        let short = rest.get(3).is_some_and(|byte| byte & 0x20 != 0);
        let bytes = rest.get(..if short { 8 } else { 16 }).unwrap_or(rest);
        let at = offset;
        offset += bytes.len();
        Some((at, bytes))
    })
}

/// A set of offsets into a kernel, one bit for every eighth byte: instructions begin nowhere else.
#[derive(Debug)]
struct Offsets(Vec<u64>);

impl Offsets {
    /// An empty set.
    fn of(code: &[u8]) -> Self {
        Self(alloc::vec![0; code.len() / 512 + 1])
    }

    fn insert(&mut self, offset: usize) {
        if offset.is_multiple_of(8)
            && let Some(word) = self.0.get_mut(offset / 512)
        {
            *word |= 1 << (offset / 8 % 64);
        }
    }

    fn contains(&self, offset: usize) -> bool {
        let word = self.0.get(offset / 512).copied().unwrap_or(0);
        offset.is_multiple_of(8) && word >> (offset / 8 % 64) & 1 != 0
    }

    /// Keeps only what is also in `other`.
    fn retain(&mut self, other: &Offsets) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }
}
