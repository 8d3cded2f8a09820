//! The line table of a zebin: DWARF's section `.debug_line`, in version 4, as IGC's are.

use gimli::write::{
    Address, DebugLine, EndianVec, FileId, LineProgram, LineString, LineStringTable,
    RelocateWriter, Relocation, RelocationTarget, StringTable,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian};

use crate::front::Lines;

/// What gimli takes for the folder that the compiler was called in; no table of this version has it.
const HERE: &str = ".";

/// The lines of a kernel's code: offsets, from where on the code is of the instruction at a word of the
/// module.
#[derive(Clone, Debug, Default)]
pub struct CodeLines(pub Vec<(u32, u32)>);

/// A line table.
#[derive(Debug)]
pub struct Table {
    /// The section.
    pub bytes: Vec<u8>,
    /// Where in it an address in a kernel's code is to be: offset, the kernel's index, what is added.
    pub addresses: Vec<(u64, usize, i64)>,
}

/// The table of kernels: their lines, and the sizes of their code. `None` if no line is known.
///
/// # Errors
/// What gimli cannot write.
pub fn table(lines: &Lines, kernels: &[(&CodeLines, u64)]) -> gimli::write::Result<Option<Table>> {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 4,
        address_size: 8,
    };
    let text = |text: &str| LineString::String(text.as_bytes().to_vec());
    let rules = LineEncoding::default();
    let mut program = LineProgram::new(encoding, rules, text(HERE), None, text(HERE), None);
    let files: Vec<FileId> = lines
        .files
        .iter()
        .map(|file| {
            let folder = match &file.folder {
                Some(folder) => program.add_directory(text(folder)),
                None => program.default_directory(),
            };
            // A file without a name would end the list.
            let name = if file.name.is_empty() {
                HERE
            } else {
                &file.name
            };
            program.add_file(text(name), folder, None)
        })
        .collect();
    for (kernel, (code, size)) in kernels.iter().enumerate() {
        let known = code.0.iter().filter_map(|(offset, word)| {
            let (file, line) = lines.at(*word)?;
            Some((*offset, *files.get(file)?, line))
        });
        let mut first = None;
        for (offset, file, line) in known {
            let begin = *first.get_or_insert_with(|| {
                program.begin_sequence(Some(Address::Symbol {
                    symbol: kernel,
                    addend: offset.into(),
                }));
                offset
            });
            let row = program.row();
            row.address_offset = (offset - begin).into();
            row.file = file;
            row.line = line.into();
            program.generate_row();
        }
        if let Some(begin) = first {
            program.end_sequence(size.saturating_sub(begin.into()));
        }
    }
    if program.is_empty() {
        return Ok(None);
    }
    let mut out = DebugLine::from(Section::default());
    let (mut texts, mut strings) = (LineStringTable::default(), StringTable::default());
    program.write(&mut out, encoding, &mut texts, &mut strings)?;
    let Section { bytes, addresses } = out.0;
    Ok(Some(Table {
        bytes: bytes.into_vec(),
        addresses,
    }))
}

/// What is written.
#[derive(Debug)]
struct Section {
    bytes: EndianVec<LittleEndian>,
    addresses: Vec<(u64, usize, i64)>,
}

impl Default for Section {
    fn default() -> Self {
        Self {
            bytes: EndianVec::new(LittleEndian),
            addresses: Vec::new(),
        }
    }
}

impl RelocateWriter for Section {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        if let RelocationTarget::Symbol(kernel) = relocation.target {
            let offset = relocation.offset as u64;
            self.addresses.push((offset, kernel, relocation.addend));
        }
    }
}
