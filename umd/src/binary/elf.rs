//! A zebin's ELF container: sections, symbols and relocations.
//!
//! Source: IGC `ZEBinWriter/zebin/spec/elf.md`.

use std::collections::HashMap;
use std::ops::Range;

use object::LittleEndian as Le;
use object::elf::{
    FileHeader64, SHT_NOBITS, SHT_PROGBITS, SHT_REL, SHT_RELA, SHT_SYMTAB, STT_FUNC, STT_OBJECT,
};
use object::elf::{SHN_ABS, SHN_UNDEF, SectionHeader64};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, SectionTable, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};

use super::error::BinaryError;
use super::image::{Patch, Relocation, Segment, SegmentKind};
use super::lines::{self, Lines};
use super::notes;
use super::variables::Variable;

/// `EM_INTELGT`.
const MACHINE: u16 = 205;
/// What the names of sections with a kernel's code begin with.
const CODE: &str = ".text.";
/// The section of the module that the code was compiled from.
const MODULE: &str = ".spv";
/// The section of the options that it was compiled with.
const OPTIONS: &str = ".misc.buildOptions";
/// The section of the line table.
const LINE_TABLE: &str = ".debug_line";
/// The most bytes that the zero-initialised sections may have together: they are the one thing in
/// a file that can ask for more memory than the file has bytes.
const MAX_ZEROS: u64 = 4 << 30;

/// The bytes from what r0.0 points to to the cross-thread payload: those of the implicit arguments
/// of kernels that need them, else none (IGC `RelocationInfo.h`, NEO `linker.h`).
const CROSS_THREAD_OFFSET: &str = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

/// The parts of a zebin.
#[derive(Debug)]
pub(crate) struct Zebin<'a> {
    /// Only files without kernels have none.
    pub ze_info: Option<&'a [u8]>,
    pub compat: Option<&'a [u8]>,
    pub segments: Vec<Segment>,
    pub relocations: Vec<Relocation>,
    /// The segment of each kernel's code.
    pub kernels: HashMap<String, usize>,
    /// Why the code of a segment cannot be relocated.
    pub unresolved: HashMap<usize, String>,
    /// The symbols that code refers to and nothing defines.
    pub undefined: Vec<String>,
    /// Where each deprecated `R_PER_THREAD_PAYLOAD_OFFSET_32` wants the size of its kernel's
    /// cross-thread payload: segment and offset.
    pub payload_sizes: Vec<(usize, usize)>,
    /// Where code wants to know how many bytes lie before the cross-thread payload.
    pub payload_offsets: Vec<PayloadOffset>,
    /// The source lines of the code.
    pub lines: Lines,
    /// Constants and variables of the program.
    pub variables: Vec<Variable>,
    /// Where the file has the module that the code was compiled from.
    pub module: Option<Range<usize>>,
    /// The options that it was compiled with.
    pub options: Option<&'a [u8]>,
    pub is_of_own_compiler: bool,
}

/// A place in the code of a segment that is patched with the bytes before the cross-thread payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadOffset {
    pub segment: usize,
    pub offset: usize,
    pub patch: Patch,
}

type Header = FileHeader64<Le>;

struct Reader<'a> {
    file: &'a [u8],
    sections: SectionTable<'a, Header>,
    symbols: SymbolTable<'a, Header>,
    /// Section index to the segment and the offset of the section in it.
    places: HashMap<usize, (usize, u64)>,
}

/// Reads a zebin's container.
///
/// # Errors
/// What is broken, with the section and the offset.
pub(crate) fn parse(file: &[u8]) -> Result<Zebin<'_>, BinaryError> {
    let in_header = |offset: u64, why: String| malformed("ELF header", offset, why);
    let header = Header::parse(file).map_err(|error| in_header(0, error.to_string()))?;
    if header.is_big_endian() {
        return Err(in_header(5, "it is big endian".to_owned()));
    }
    match header.e_machine(Le).0 {
        MACHINE => {}
        // Intel's own container of programs names none.
        0 => {
            let why = "an older OpenCL binary, made without -cl-intel-allow-zebin";
            return Err(in_header(18, why.to_owned()));
        }
        other => {
            let why =
                format!("no GPU code: the machine is {other}, not {MACHINE} (Intel graphics)");
            return Err(in_header(18, why));
        }
    }
    let sections = header
        .sections(Le, file)
        .map_err(|error| in_header(0x28, error.to_string()))?;
    let symbols = sections
        .symbols(Le, file, SHT_SYMTAB)
        .map_err(|error| malformed(".symtab", 0, error.to_string()))?;
    let mut reader = Reader {
        file,
        sections,
        symbols,
        places: HashMap::new(),
    };
    reader.read()
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<Zebin<'a>, BinaryError> {
        let mut zebin = Zebin {
            ze_info: None,
            compat: None,
            segments: Vec::new(),
            relocations: Vec::new(),
            kernels: HashMap::new(),
            unresolved: HashMap::new(),
            undefined: Vec::new(),
            payload_sizes: Vec::new(),
            payload_offsets: Vec::new(),
            lines: Lines::default(),
            variables: Vec::new(),
            module: None,
            options: None,
            is_of_own_compiler: false,
        };
        for (index, section) in self.sections.enumerate() {
            let name = self.name(index, section)?;
            if name == ".ze_info" {
                zebin.ze_info = Some(self.data(&name, section)?);
            } else if name == notes::SECTION {
                zebin.compat = Some(self.data(&name, section)?);
            } else if name == OPTIONS {
                zebin.options = Some(self.data(&name, section)?);
            } else if name == devinfo::COMPILER_NOTE {
                zebin.is_of_own_compiler = true;
            } else if name == MODULE {
                let size = self.data(&name, section)?.len();
                let start: u64 = section.sh_offset(Le);
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                zebin.module = Some(start..start.saturating_add(size));
            } else if section.sh_type(Le) == SHT_PROGBITS
                && let Some(kind) = segment_kind(&name)
            {
                let data = self.data(&name, section)?.to_vec();
                self.places.insert(index.0, (zebin.segments.len(), 0));
                if let Some(kernel) = name.strip_prefix(CODE) {
                    zebin
                        .kernels
                        .insert(kernel.to_owned(), zebin.segments.len());
                }
                zebin.segments.push(Segment {
                    kind,
                    data,
                    zeros: 0,
                });
            }
        }
        // Of source without kernels Intel's compiler makes a file that only says what it is for.
        let is_empty = zebin.compat.is_some() && zebin.kernels.is_empty();
        if zebin.ze_info.is_none() && !is_empty {
            return Err(malformed("ELF file", 0, "there is no .ze_info".to_owned()));
        }
        self.zero_sections(&mut zebin)?;
        for (index, section) in self.sections.enumerate() {
            let kind = section.sh_type(Le);
            if kind == SHT_REL || kind == SHT_RELA {
                self.relocations(index, section, &mut zebin)?;
            }
        }
        zebin.lines = self.lines(&zebin.kernels).unwrap_or_default();
        zebin.variables = self.variables();
        Ok(zebin)
    }

    /// The line table, if there is one that can be read. The symbols of its relocations have the names
    /// of the sections that they mean, and the numbers of those that refer to them. Where IGC leaves out the
    /// names, the parts of the table are in the order of the functions, and end where these do.
    fn lines(&self, kernels: &HashMap<String, usize>) -> Option<Lines> {
        let named = |name: &str| {
            let sections = self.sections.enumerate();
            let mut found = sections.filter(|(index, section)| {
                self.name(*index, section).is_ok_and(|found| found == name)
            });
            found.next()
        };
        let (target, section) = named(LINE_TABLE)?;
        let mut table = section.data(Le, self.file).ok()?.to_vec();
        let mut functions = self.functions().into_iter();
        let mut guessed = Vec::new();
        for section in self.sections.iter() {
            let Ok(Some((list, _))) = section.rela(Le, self.file) else {
                continue;
            };
            for entry in list
                .iter()
                .filter(|_| section.sh_info(Le) as usize == target.0)
            {
                let symbol = SymbolIndex(entry.r_sym(Le, false) as usize);
                let symbol = self.symbols.symbol(symbol).ok()?;
                let name = symbol.name(Le, self.symbols.strings()).ok()?;
                let name = String::from_utf8_lossy(name);
                let named = name.strip_prefix(CODE).and_then(|name| kernels.get(name));
                let segment = match named {
                    Some(&segment) => segment,
                    None if name.is_empty() => {
                        let function = functions.next()?;
                        guessed.push(function);
                        function.0
                    }
                    None => continue,
                };
                let value: u64 = symbol.st_value(Le);
                let value = value.wrapping_add_signed(entry.r_addend(Le));
                let at = usize::try_from(entry.r_offset(Le)).ok()?;
                if let Some(place) = table.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                    *place = lines::address(segment, value).to_le_bytes();
                }
            }
        }
        let lines = Lines::parse(&table);
        let ends = |&(segment, size): &(usize, u64)| lines.end(segment) == Some(size);
        guessed.iter().all(ends).then_some(lines)
    }

    /// The constants and variables that the symbols tell of.
    fn variables(&self) -> Vec<Variable> {
        let symbols = self.symbols.symbols().iter();
        let objects = symbols.filter(|symbol| symbol.st_type() == STT_OBJECT);
        let found = objects.filter_map(|symbol| {
            let section = usize::from(symbol.st_shndx(Le).0);
            let (segment, base) = *self.places.get(&section)?;
            let name = symbol.name(Le, self.symbols.strings()).ok()?;
            Some(Variable {
                segment,
                offset: base.wrapping_add(symbol.st_value(Le)),
                size: symbol.st_size(Le),
                name: String::from_utf8_lossy(name).into_owned(),
            })
        });
        found.collect()
    }

    /// The segments of the functions that begin one, in the order of the symbols, and the functions'
    /// sizes.
    fn functions(&self) -> Vec<(usize, u64)> {
        let functions = self.symbols.symbols().iter().filter_map(|symbol| {
            let section = usize::from(symbol.st_shndx(Le).0);
            let (segment, base) = *self.places.get(&section)?;
            let first = base == 0 && symbol.st_value(Le) == 0;
            (first && symbol.st_type() == STT_FUNC).then_some((segment, symbol.st_size(Le)))
        });
        functions.collect()
    }

    /// Zero-initialised sections lie after the data of the same kind.
    fn zero_sections(&mut self, zebin: &mut Zebin<'a>) -> Result<(), BinaryError> {
        let mut total = 0u64;
        for (index, section) in self.sections.enumerate() {
            let name = self.name(index, section)?;
            let kind = match name.as_str() {
                ".bss.const" => SegmentKind::Constants,
                ".bss.global" => SegmentKind::Globals,
                _ => continue,
            };
            if section.sh_type(Le) != SHT_NOBITS {
                continue;
            }
            let size: u64 = section.sh_size(Le);
            total = total.saturating_add(size);
            if total > MAX_ZEROS {
                let why = format!("{total:#x} zero bytes in all, the limit is {MAX_ZEROS:#x}");
                return Err(malformed(&name, 0, why));
            }
            let segment = match zebin.segments.iter().position(|s| s.kind == kind) {
                Some(segment) => segment,
                None => {
                    zebin.segments.push(Segment {
                        kind,
                        data: Vec::new(),
                        zeros: 0,
                    });
                    zebin.segments.len() - 1
                }
            };
            if let Some(place) = zebin.segments.get_mut(segment) {
                self.places.insert(index.0, (segment, place.size()));
                place.zeros += size;
            }
        }
        Ok(())
    }

    fn relocations(
        &self,
        index: SectionIndex,
        section: &SectionHeader64<Le>,
        zebin: &mut Zebin<'a>,
    ) -> Result<(), BinaryError> {
        let name = self.name(index, section)?;
        let target = section.sh_info(Le) as usize;
        let Some(&(segment, base)) = self.places.get(&target) else {
            // Debug information and the like.
            return Ok(());
        };
        let broken = |error: object::read::Error| malformed(&name, 0, error.to_string());
        let mut entries: Vec<(u64, u32, u32, i64)> = Vec::new();
        if let Some((list, _)) = section.rel(Le, self.file).map_err(broken)? {
            entries.extend(
                list.iter()
                    .map(|r| (r.r_offset(Le), r.r_sym(Le), r.r_type(Le).0, 0)),
            );
        }
        if let Some((list, _)) = section.rela(Le, self.file).map_err(broken)? {
            entries.extend(list.iter().map(|r| {
                (
                    r.r_offset(Le),
                    r.r_sym(Le, false),
                    r.r_type(Le, false).0,
                    r.r_addend(Le),
                )
            }));
        }
        for (number, (offset, symbol, kind, addend)) in entries.into_iter().enumerate() {
            let at = |why: String| malformed(&name, number as u64 * 16, why);
            let patch = match kind {
                0 => continue,
                1 => Some(Patch::Address64),
                2 | 4 => Some(Patch::Low32),
                3 => Some(Patch::High32),
                7 => Some(Patch::Low16),
                _ => None,
            };
            let Some(patch) = patch else {
                zebin.unresolved.entry(segment).or_insert_with(|| {
                    format!("{name} has a relocation of type {kind}, which is not supported")
                });
                continue;
            };
            let size = zebin.segments.get(segment).map_or(0, |s| s.data.len());
            let offset = offset
                .checked_add(base)
                .and_then(|offset| usize::try_from(offset).ok())
                .filter(|offset| {
                    offset
                        .checked_add(patch.bytes())
                        .is_some_and(|end| end <= size)
                })
                .ok_or_else(|| {
                    let bytes = patch.bytes();
                    at(format!(
                        "{bytes} bytes at {offset:#x}, of a section of {size:#x}"
                    ))
                })?;
            if kind == 4 {
                zebin.payload_sizes.push((segment, offset));
                continue;
            }
            match self.symbol(symbol).map_err(at)? {
                Target::Place(target, value) => zebin.relocations.push(Relocation {
                    segment,
                    offset,
                    patch,
                    target,
                    value: value.wrapping_add_signed(addend),
                }),
                Target::Undefined(symbol) if symbol == CROSS_THREAD_OFFSET => {
                    zebin.payload_offsets.push(PayloadOffset {
                        segment,
                        offset,
                        patch,
                    });
                }
                Target::Undefined(symbol) => {
                    zebin.unresolved.entry(segment).or_insert_with(|| {
                        format!("it refers to {symbol:?}, which the file does not define")
                    });
                    if !zebin.undefined.contains(&symbol) {
                        zebin.undefined.push(symbol);
                    }
                }
            }
        }
        Ok(())
    }

    fn symbol(&self, index: u32) -> Result<Target, String> {
        let symbol = self
            .symbols
            .symbol(SymbolIndex(index as usize))
            .map_err(|error| format!("symbol {index}: {error}"))?;
        let name = symbol.name(Le, self.symbols.strings()).unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let section = symbol.st_shndx(Le);
        if section == SHN_UNDEF || section == SHN_ABS {
            return Ok(Target::Undefined(name));
        }
        let &(segment, base) = self.places.get(&usize::from(section.0)).ok_or_else(|| {
            format!("symbol {name:?} is in section {section:?}, which is not loaded")
        })?;
        let value: u64 = symbol.st_value(Le);
        Ok(Target::Place(segment, base.wrapping_add(value)))
    }

    fn name(
        &self,
        index: SectionIndex,
        section: &SectionHeader64<Le>,
    ) -> Result<String, BinaryError> {
        let name = self.sections.section_name(Le, section).map_err(|error| {
            malformed("section headers", index.0 as u64 * 64, error.to_string())
        })?;
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    fn data(&self, name: &str, section: &SectionHeader64<Le>) -> Result<&'a [u8], BinaryError> {
        section.data(Le, self.file).map_err(|_| {
            let offset: u64 = section.sh_offset(Le);
            let size: u64 = section.sh_size(Le);
            let length = self.file.len();
            let why = format!("{size:#x} bytes, but the file ends at {length:#x}");
            malformed(name, offset, why)
        })
    }
}

enum Target {
    Place(usize, u64),
    Undefined(String),
}

fn segment_kind(name: &str) -> Option<SegmentKind> {
    match name {
        ".text" => Some(SegmentKind::Code),
        ".data.const" => Some(SegmentKind::Constants),
        ".data.global" => Some(SegmentKind::Globals),
        ".data.const.string" => Some(SegmentKind::Strings),
        _ => name.starts_with(".text.").then_some(SegmentKind::Code),
    }
}

fn malformed(section: &str, offset: u64, why: String) -> BinaryError {
    BinaryError::Malformed {
        section: section.to_owned(),
        offset,
        why,
    }
}
