//! Disassembly in IGA syntax.

mod comment;
pub(crate) mod float;
pub(crate) mod print;

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use devinfo::Family;

use crate::code::{decode, encode, undefined};
use crate::model::{Branch, Instruction, Opcode};
use print::Targets;

/// How [`Disassembler`] prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// The offset of each instruction, in a comment.
    pub offsets: bool,
    /// The bytes of each instruction, in a comment.
    pub hex: bool,
    /// No decoded messages in comments.
    pub no_comments: bool,
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
    /// The instruction as text; `None` if the bytes are none.
    pub text: Option<String>,
    /// What a send does, or why the bytes are no instruction.
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

    /// The lines of a kernel. What cannot be decoded is a line without text and does not stop
    /// the disassembly.
    pub fn lines(&self, code: &[u8]) -> Vec<Line> {
        let labels = self.labels(code);
        let mut lines = Vec::new();
        for item in Items::new(self.family, code) {
            let mut text = String::new();
            let mut comment = String::new();
            match &item.decoded {
                Ok(instruction) => {
                    let targets = Labels {
                        at: item.offset,
                        labels: &labels,
                    };
                    print::instruction(&mut text, self.family, instruction, &targets);
                    comment::send(&mut comment, self.family, instruction);
                }
                Err(why) => comment.push_str(why),
            }
            lines.push(Line {
                offset: item.offset,
                bytes: item.bytes.to_vec(),
                label: labels.contains(&item.offset).then(|| label(item.offset)),
                text: item.decoded.is_ok().then_some(text),
                comment: (!comment.is_empty()).then_some(comment),
            });
        }
        lines
    }

    /// A kernel as text that the assembler turns into the same bytes: what is no
    /// instruction is a `//.data` directive.
    pub fn print(&self, code: &[u8]) -> String {
        let labels = self.labels(code);
        let mut out = String::with_capacity(code.len() * 6);
        for item in Items::new(self.family, code) {
            if labels.contains(&item.offset) {
                let _ = writeln!(out, "{}:", label(item.offset));
            }
            if self.format.offsets || self.format.hex {
                self.prefix(&mut out, &item);
            }
            match &item.decoded {
                Ok(instruction) => {
                    let targets = Labels {
                        at: item.offset,
                        labels: &labels,
                    };
                    print::instruction(&mut out, self.family, instruction, &targets);
                    if !self.format.no_comments && instruction.opcode.is_send() {
                        out.push_str(" // ");
                        comment::send(&mut out, self.family, instruction);
                    }
                }
                Err(why) => {
                    out.push_str("//.data ");
                    for byte in item.bytes {
                        let _ = write!(out, "{byte:02x}");
                    }
                    let _ = write!(out, " // {why}");
                }
            }
            out.push('\n');
        }
        if labels.contains(&code.len()) {
            let _ = writeln!(out, "{}:", label(code.len()));
        }
        out
    }

    fn prefix(&self, out: &mut String, item: &Item<'_>) {
        out.push_str("/* ");
        if self.format.offsets {
            let _ = write!(out, "[{:08X}] ", item.offset);
        }
        if self.format.hex {
            for chunk in item.bytes.rchunks(4) {
                for byte in chunk.iter().rev() {
                    let _ = write!(out, "{byte:02x}");
                }
                out.push(' ');
            }
            if item.bytes.len() <= 8 {
                out.push_str("                  ");
            }
        }
        out.push_str("*/ ");
    }

    /// The offsets that branches go to.
    fn labels(&self, code: &[u8]) -> BTreeSet<usize> {
        let mut labels = BTreeSet::new();
        let mut starts = BTreeSet::new();
        for item in Items::new(self.family, code) {
            starts.insert(item.offset);
            let Ok(instruction) = &item.decoded else {
                continue;
            };
            let absolute = instruction.opcode == Opcode::Calla;
            if let Some(Branch { jip, uip, .. }) = instruction.branch()
                && !absolute
            {
                for distance in [jip, uip].into_iter().flatten() {
                    labels.extend(target(item.offset, *distance));
                }
            }
        }
        starts.insert(code.len());
        labels.retain(|at| starts.contains(at));
        labels
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
    labels: &'a BTreeSet<usize>,
}

impl Targets for Labels<'_> {
    fn write(&self, out: &mut String, distance: i32) {
        match target(self.at, distance).filter(|to| self.labels.contains(to)) {
            Some(to) => {
                let _ = write!(out, "L{to}");
            }
            None => print::Distances.write(out, distance),
        }
    }
}

/// `instruction`, if it encodes to the `bytes` that it was decoded from; else what it looks like
/// and why its text would not give these bytes.
fn assembles(
    family: Family,
    instruction: Instruction,
    bytes: &[u8],
) -> Result<Instruction, String> {
    let why = match encode(family, &instruction) {
        Ok((again, length)) if again.get(..length) == Some(bytes) => return Ok(instruction),
        Ok((again, _)) if undefined::differ_there_only(family, &again, bytes) => {
            return Ok(instruction);
        }
        Ok(_) => String::from("reserved bits are set"),
        Err(error) => alloc::format!("{error}"),
    };
    let mut text = String::new();
    print::instruction(&mut text, family, &instruction, &print::Distances);
    Err(alloc::format!("{text}: {why}"))
}

/// The instructions of a kernel, and what is none.
struct Items<'a> {
    family: Family,
    code: &'a [u8],
    offset: usize,
}

struct Item<'a> {
    offset: usize,
    bytes: &'a [u8],
    decoded: Result<Instruction, String>,
}

impl<'a> Items<'a> {
    fn new(family: Family, code: &'a [u8]) -> Self {
        Self {
            family,
            code,
            offset: 0,
        }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let rest = self.code.get(self.offset..)?;
        if rest.is_empty() {
            return None;
        }
        let offset = self.offset;
        let (decoded, length) = match decode(self.family, rest) {
            Ok((instruction, length)) => {
                let bytes = rest.get(..length).unwrap_or_default();
                (assembles(self.family, instruction, bytes), length)
            }
            Err(error) => {
                // Bit 29 says how long it would be.
                let short = rest.get(3).is_some_and(|byte| byte & 0x20 != 0);
                let length = if short { 8 } else { 16 };
                (Err(alloc::format!("{error}")), length.min(rest.len()))
            }
        };
        self.offset += length;
        Some(Item {
            offset,
            bytes: &rest[..length],
            decoded,
        })
    }
}
