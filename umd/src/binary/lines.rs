//! Source lines: the line table of a zebin that was compiled with `-g`.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gimli::{
    AttributeValue, DebugLine, DebugLineOffset, FileEntry, LineProgramHeader, LittleEndian,
};

use kmd_iface::SourceLines;

type Slice<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// Where an instruction comes from in the source of its kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The line table of a zebin. What cannot be read of it is as if it were not there.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    files: Vec<String>,
    /// By address.
    rows: Vec<Row>,
}

/// The instructions from an address to that of the next row.
#[derive(Clone, Copy, Debug)]
struct Row {
    address: u64,
    file: usize,
    /// 0 for instructions of no line.
    line: u64,
}

/// The address that the line table has for a place in a segment: code is not loaded yet.
pub(crate) fn address(segment: usize, offset: u64) -> u64 {
    (segment as u64 + 1) << 32 | offset & 0xffff_ffff
}

impl Lines {
    /// Reads a section `.debug_line` whose addresses are those of [`address`].
    pub(crate) fn parse(section: &[u8]) -> Self {
        let table = DebugLine::new(section, LittleEndian);
        let mut lines = Self::default();
        let mut at = 0;
        // Nothing says where the next unit is but the length of the one before it.
        while let Ok(program) = table.program(DebugLineOffset(at), 8, None, None) {
            let length = program.header().unit_length();
            let mut names = HashMap::new();
            let mut rows = program.rows();
            while let Ok(Some((header, row))) = rows.next_row() {
                let number = row.file_index();
                let file = *names.entry(number).or_insert_with(|| {
                    let name = row.file(header).and_then(|file| name(file, header));
                    lines.file(name.unwrap_or_default())
                });
                let line = row.line().filter(|_| !row.end_sequence());
                lines.rows.push(Row {
                    address: row.address(),
                    file,
                    line: line.map_or(0, u64::from),
                });
            }
            let header_bytes = program_start(section, at);
            let Some(next) = at
                .checked_add(header_bytes)
                .and_then(|at| at.checked_add(length))
            else {
                break;
            };
            at = next;
        }
        // Of rows at one address the last counts, but for the end of what lies before.
        lines.rows.sort_by_key(|row| (row.address, row.line != 0));
        lines
    }

    /// Where the instruction at an [`address`] comes from.
    pub(crate) fn at(&self, address: u64) -> Option<SourceLine> {
        let behind = self.rows.partition_point(|row| row.address <= address);
        let row = self.rows.get(behind.checked_sub(1)?)?;
        if row.line == 0 || row.address >> 32 != address >> 32 {
            return None;
        }
        Some(SourceLine {
            file: self.files.get(row.file)?.clone(),
            line: row.line,
        })
    }

    /// Where the lines of a segment end.
    pub(crate) fn end(&self, segment: usize) -> Option<u64> {
        let behind = address(segment + 1, 0);
        let last = self.rows.partition_point(|row| row.address < behind);
        let row = self.rows.get(last.checked_sub(1)?)?;
        (row.address >= address(segment, 0)).then_some(row.address & 0xffff_ffff)
    }

    /// What says where the instructions of the code in a segment come from, if any line is known.
    pub(crate) fn of_kernel(self: &Arc<Self>, segment: usize) -> Option<SourceLines> {
        if self.rows.is_empty() {
            return None;
        }
        let lines = self.clone();
        Some(Arc::new(move |offset| {
            Some(lines.at(address(segment, offset))?.to_string())
        }))
    }

    fn file(&mut self, name: String) -> usize {
        let known = self.files.iter().position(|file| *file == name);
        known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        })
    }
}

/// The bytes of a unit's length: 4, or 12 in the 64-bit format.
fn program_start(section: &[u8], at: usize) -> usize {
    let length = section.get(at..).and_then(<[u8]>::first_chunk);
    match length.map(|length| u32::from_le_bytes(*length)) {
        Some(u32::MAX) => 12,
        _ => 4,
    }
}

/// A file's name, with the directory that the compiler gave with it.
fn name(file: &FileEntry<Slice<'_>>, header: &LineProgramHeader<Slice<'_>>) -> Option<String> {
    let text = |value: AttributeValue<Slice<'_>>| match value {
        AttributeValue::String(text) => Some(text.to_string_lossy().into_owned()),
        _ => None,
    };
    let name = text(file.path_name())?;
    // Directory 0 is that of the compiler, which not every version of the format has here.
    let folder = match file.directory_index() {
        0 => None,
        _ => file.directory(header).and_then(text),
    };
    Some(match folder {
        Some(folder) => Path::new(&folder).join(name).display().to_string(),
        None => name,
    })
}
