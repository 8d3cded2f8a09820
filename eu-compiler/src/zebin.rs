//! The zebin: an ELF file with each kernel's code and `.ze_info`, which says what it is given.
//!
//! Sources: IGC `ZEBinWriter/zebin/spec/{elf,zeinfo}.md`, and what ocloc writes.

use std::fmt::Write;

use hashbrown::HashMap;

use crate::abi::{Abi, Field, FieldKind, ImageField, SamplerState};
use crate::emit::Emitted;
use crate::front::{Data, Entry, Lines, Section};
use crate::ir::Symbol;
use crate::lines;
use crate::relocate::Relocation;
use crate::target::Target;

/// The version of the format.
const VERSION: &str = "1.20";

/// The least scratch memory of a thread, in bytes.
const LEAST_SCRATCH: u32 = 1024;

/// A compiled kernel.
#[derive(Clone, Debug)]
pub struct CompiledKernel {
    /// Its name and attributes.
    pub entry: Entry,
    /// What it is given.
    pub abi: Abi,
    /// Its code.
    pub emitted: Emitted,
    /// Lanes and registers.
    pub target: Target,
    /// Addresses in the code.
    pub relocations: Vec<Relocation>,
}

/// Writes a zebin.
///
/// # Errors
/// A line table that cannot be written.
pub fn write(
    kernels: &[CompiledKernel],
    data: &Data,
    lines: &Lines,
    target: &Target,
    revision: u8,
    spirv: &[u8],
) -> gimli::write::Result<Vec<u8>> {
    let mut elf = Elf::default();
    let mut symbols = Symbols::new();
    let mut code = Vec::new();
    for kernel in kernels {
        let name = format!(".text.{}", kernel.entry.name);
        let mut bytes = kernel.emitted.bytes.clone();
        let size = bytes.len() as u64;
        // The instruction fetch runs ahead of the end.
        bytes.resize((bytes.len() + 128).next_multiple_of(64), 0);
        let section = elf.section(&name, 1, 6, bytes, 64);
        symbols.add(&kernel.entry.name, LOCAL_FUNCTION, section, 0, size);
        code.push(section);
    }
    let known: Vec<_> = kernels
        .iter()
        .map(|kernel| (&kernel.emitted.lines, kernel.emitted.bytes.len() as u64))
        .collect();
    let table = lines::table(lines, &known)?;
    // The table's addresses are told by symbols with the names of sections, which other symbols are in front of.
    let sources: Vec<u32> = match &table {
        Some(_) => kernels
            .iter()
            .zip(&code)
            .map(|(kernel, section)| {
                let name = format!(".text.{}", kernel.entry.name);
                symbols.add(&name, LOCAL_SECTION, *section, 0, 0)
            })
            .collect(),
        None => Vec::new(),
    };
    let locals = symbols.count();
    let sections = [
        (Section::Constants, ".data.const", &data.constants.bytes),
        (Section::Globals, ".data.global", &data.globals),
        (Section::Strings, ".data.const.string", &data.strings),
    ];
    // A section's number, and that of the symbol of its begin.
    let mut begins = HashMap::new();
    let mut texts = HashMap::new();
    for (section, name, bytes) in sections {
        if bytes.is_empty() {
            continue;
        }
        let number = elf.section(name, 1, 2, bytes.clone(), 64);
        let symbol = symbols.add(name, GLOBAL_OBJECT, number, 0, bytes.len() as u64);
        begins.insert(section, (number, symbol));
        if section == Section::Strings {
            let mut offsets: Vec<u32> = kernels
                .iter()
                .flat_map(|kernel| &kernel.relocations)
                .filter_map(|relocation| match relocation.of.of {
                    Symbol::Text(offset) => Some(offset),
                    Symbol::Constants | Symbol::Globals => None,
                })
                .collect();
            offsets.sort_unstable();
            offsets.dedup();
            for offset in offsets {
                let name = format!(".str.{offset}");
                let symbol = symbols.add(&name, GLOBAL_OBJECT, number, offset.into(), 0);
                texts.insert(offset, symbol);
            }
        }
    }
    let mut relocations: Vec<(usize, String, Vec<u8>)> = Vec::new();
    for (kernel, section) in kernels.iter().zip(code) {
        let mut entries = Vec::new();
        for relocation in &kernel.relocations {
            let begin = |section| begins.get(&section).map(|(_, symbol)| *symbol);
            let symbol = match relocation.of.of {
                Symbol::Text(offset) => texts.get(&offset).copied(),
                Symbol::Constants => begin(Section::Constants),
                Symbol::Globals => begin(Section::Globals),
            };
            let symbol = symbol.unwrap_or(0);
            let kind = match relocation.of.high {
                false => ADDRESS_LOW,
                true => ADDRESS_HIGH,
            };
            relocate(&mut entries, relocation.at, symbol, kind);
        }
        let name = format!(".rel.text.{}", kernel.entry.name);
        relocations.push((section, name, entries));
    }
    for (section, name, _) in sections {
        let mut entries = Vec::new();
        for (at, to) in data
            .addresses
            .iter()
            .filter(|(at, _)| at.section == section)
        {
            if let Some((_, symbol)) = begins.get(to) {
                relocate(&mut entries, at.offset, *symbol, ADDRESS);
            }
        }
        if let Some((number, _)) = begins.get(&section) {
            relocations.push((*number, format!(".rel{name}"), entries));
        }
    }
    let mut links = Vec::new();
    for (section, name, entries) in relocations {
        if entries.is_empty() {
            continue;
        }
        let number = elf.section(&name, 9, 0, entries, 8);
        links.push((number, section, 16));
    }
    if let Some(table) = table {
        let number = elf.section(".debug_line", 1, 0, table.bytes, 1);
        let mut entries = Vec::new();
        for (at, kernel, addend) in table.addresses {
            let symbol = sources.get(kernel).copied().unwrap_or(0);
            entries.extend(at.to_le_bytes());
            entries.extend((u64::from(symbol) << 32 | ADDRESS).to_le_bytes());
            entries.extend(addend.to_le_bytes());
        }
        let list = elf.section(".rela.debug_line", 4, 0, entries, 8);
        links.push((list, number, 24));
    }
    elf.section(".spv", 0xff00_0009, 0, spirv.to_vec(), 4);
    elf.section(".ze_info", 0xff00_0011, 0, info(kernels).into_bytes(), 4);
    elf.section(".note.intelgt.compat", 7, 0, notes(target, revision), 4);
    let mut made_by = Vec::new();
    note(&mut made_by, 1, b"eu-compiler\0", &[]);
    elf.section(devinfo::COMPILER_NOTE, 7, 0, made_by, 4);
    let table = elf.section(".symtab", 2, 0, symbols.table, 8);
    let names = elf.section(".strtab", 3, 0, symbols.names, 1);
    elf.link(table, names, locals, 24);
    for (number, section, entry) in links {
        elf.link(number, table, section as u32, entry);
    }
    Ok(elf.finish())
}

/// Kinds of symbols: binding and type.
const LOCAL_FUNCTION: u8 = 2;
const LOCAL_SECTION: u8 = 3;
const GLOBAL_OBJECT: u8 = 0x11;
/// Kinds of relocations: an address, which is added to what is there; its halves.
const ADDRESS: u64 = 1;
const ADDRESS_LOW: u64 = 2;
const ADDRESS_HIGH: u64 = 3;

fn relocate(entries: &mut Vec<u8>, at: u32, symbol: u32, kind: u64) {
    entries.extend(u64::from(at).to_le_bytes());
    entries.extend((u64::from(symbol) << 32 | kind).to_le_bytes());
}

/// Symbols and their names.
struct Symbols {
    table: Vec<u8>,
    names: Vec<u8>,
}

impl Symbols {
    /// The first symbol means none.
    fn new() -> Self {
        Self {
            table: vec![0; 24],
            names: vec![0],
        }
    }

    fn count(&self) -> u32 {
        self.table.len() as u32 / 24
    }

    /// Adds a symbol, and gives its number.
    fn add(&mut self, name: &str, kind: u8, section: usize, value: u64, size: u64) -> u32 {
        self.table.extend((self.names.len() as u32).to_le_bytes());
        self.table.extend([kind, 0]);
        self.table.extend((section as u16).to_le_bytes());
        self.table.extend(value.to_le_bytes());
        self.table.extend(size.to_le_bytes());
        self.names.extend(name.as_bytes());
        self.names.push(0);
        self.count() - 1
    }
}

/// Adds a note. The owner's name has a multiple of four bytes.
fn note(out: &mut Vec<u8>, kind: u32, owner: &[u8], bytes: &[u8]) {
    out.extend((owner.len() as u32).to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(kind.to_le_bytes());
    out.extend(owner);
    out.extend(bytes);
    out.resize(out.len().next_multiple_of(4), 0);
}

fn notes(target: &Target, revision: u8) -> Vec<u8> {
    let mut out = Vec::new();
    let mut note = |kind, bytes: &[u8]| note(&mut out, kind, b"IntelGT\0", bytes);
    let zebin = target.platform.zebin;
    note(1, &zebin.product_family.to_le_bytes());
    note(2, &zebin.gfxcore_family.to_le_bytes());
    // The revisions that take the same code: bits 12:8 the first, 20:16 the last.
    let changes = target.platform.code_changes;
    let first = changes.iter().rev().find(|change| **change <= revision);
    let last = changes.iter().find(|change| **change > revision);
    let first = u32::from(first.copied().unwrap_or(0));
    let last = u32::from(last.map_or(0x1f, |change| change - 1));
    note(3, &(first << 8 | last << 16).to_le_bytes());
    note(4, format!("{VERSION}\0").as_bytes());
    out
}

fn info(kernels: &[CompiledKernel]) -> String {
    let mut out = format!("---\nversion: '{VERSION}'\nkernels:\n");
    for kernel in kernels {
        let _ = describe(&mut out, kernel);
    }
    out += "kernels_misc_info:\n";
    for kernel in kernels {
        let _ = arguments(&mut out, kernel);
    }
    out += "...\n";
    out
}

/// A name in YAML.
fn quoted(text: &str) -> String {
    // The printable characters of YAML 1.2, 5.1, but for the ends of lines.
    let printable = |c: char| {
        matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
            && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    };
    if text.chars().all(printable) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if printable(c) => c.into(),
        c => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn describe(out: &mut String, kernel: &CompiledKernel) -> std::fmt::Result {
    let (entry, abi, target) = (&kernel.entry, &kernel.abi, &kernel.target);
    writeln!(out, "  - name: {}", quoted(&entry.name))?;
    writeln!(out, "    execution_env:")?;
    if abi.barrier {
        writeln!(out, "      barrier_count: 1")?;
    }
    writeln!(out, "      grf_count: {}", target.registers)?;
    if target.inline_data() != 0 {
        let bytes = target.inline_data();
        writeln!(out, "      inline_data_payload_size: {bytes}")?;
    }
    if kernel.emitted.entry_with_ids != 0 {
        let offset = kernel.emitted.entry_with_ids;
        writeln!(out, "      offset_to_skip_per_thread_data_load: {offset}")?;
    }
    if let Some([x, y, z]) = entry.local_size {
        writeln!(out, "      required_work_group_size: [ {x}, {y}, {z} ]")?;
    }
    writeln!(out, "      simd_size: {}", target.simd)?;
    if abi.slm != 0 {
        writeln!(out, "      slm_size: {}", abi.slm)?;
    }
    if target.platform.independent_forward_progress {
        writeln!(out, "      subgroup_independent_forward_progress: true")?;
    }
    let sizes = [
        ("reqd_work_group_size", entry.local_size),
        ("work_group_size_hint", entry.local_size_hint),
    ];
    let vector = entry.vector_hint.and_then(vector_name);
    let any = sizes.iter().any(|(_, size)| size.is_some());
    if any || entry.sub_group_size.is_some() || vector.is_some() {
        writeln!(out, "    user_attributes:")?;
    }
    if let Some(size) = entry.sub_group_size {
        writeln!(out, "      intel_reqd_sub_group_size: {size}")?;
    }
    for (name, size) in sizes {
        if let Some([x, y, z]) = size {
            writeln!(out, "      {name}: [ {x}, {y}, {z} ]")?;
        }
    }
    if let Some(name) = vector {
        writeln!(out, "      vec_type_hint: {name}")?;
    }
    let sampler = |state: &SamplerState| matches!(state, SamplerState::Argument(_));
    if !abi.fields.is_empty() || !abi.images.is_empty() || abi.samplers.iter().any(sampler) {
        writeln!(out, "    payload_arguments:")?;
    }
    for field in &abi.fields {
        payload(out, field)?;
    }
    surfaces(out, abi)?;
    tables(out, abi)?;
    if abi.private != 0 || abi.scratch != 0 {
        writeln!(out, "    per_thread_memory_buffers:")?;
    }
    if abi.scratch != 0 {
        // Runtimes take powers of two only.
        let size = abi.scratch.next_power_of_two().max(LEAST_SCRATCH);
        writeln!(out, "      - type: scratch")?;
        writeln!(out, "        usage: spill_fill_space")?;
        writeln!(out, "        size: {size}")?;
    }
    if abi.private != 0 {
        writeln!(out, "      - type: global")?;
        writeln!(out, "        usage: private_space")?;
        writeln!(out, "        size: {}", abi.private)?;
        writeln!(out, "        is_simt_thread: true")?;
    }
    if abi.local_ids == 0 {
        return Ok(());
    }
    writeln!(out, "    per_thread_payload_arguments:")?;
    writeln!(out, "      - arg_type: local_id")?;
    writeln!(out, "        offset: 0")?;
    writeln!(
        out,
        "        size: {}",
        abi.local_ids * target.local_id_bytes()
    )
}

/// The type of a `vec_type_hint` as OpenCL C calls it. SPIR-V does not say whether an integer has a sign;
/// Intel's compiler calls it one without.
fn vector_name(hint: u32) -> Option<String> {
    const SCALARS: [&str; 7] = [
        "uchar", "ushort", "uint", "ulong", "half", "float", "double",
    ];
    let scalar = SCALARS.get((hint & 0xffff) as usize)?;
    Some(match hint >> 16 {
        0 | 1 => (*scalar).to_owned(),
        count => format!("{scalar}{count}"),
    })
}

fn payload(out: &mut String, field: &Field) -> std::fmt::Result {
    let (kind, arg) = match field.kind {
        FieldKind::PrivateBase => ("private_base_stateless", None),
        FieldKind::PrintfBuffer => ("printf_buffer", None),
        FieldKind::GlobalOffset => ("global_id_offset", None),
        FieldKind::EnqueuedLocalSize => ("enqueued_local_size", None),
        FieldKind::LocalSize => ("local_size", None),
        FieldKind::GroupCount => ("group_count", None),
        FieldKind::GlobalSize => ("global_size", None),
        FieldKind::WorkDimensions => ("work_dimensions", None),
        FieldKind::Image { arg, query } => {
            let kind = match query {
                ImageField::Width => "image_width",
                ImageField::Height => "image_height",
                ImageField::Depth => "image_depth",
                ImageField::ArraySize => "image_array_size",
                ImageField::ChannelOrder => "image_channel_order",
                ImageField::ChannelType => "image_channel_data_type",
            };
            (kind, Some(arg))
        }
        FieldKind::BufferOffset { arg } => ("buffer_offset", Some(arg)),
        FieldKind::SnapsCoordinates { arg } => ("sampler_snap_wa", Some(arg)),
        FieldKind::Value { arg, .. } => ("arg_byvalue", Some(arg)),
        FieldKind::Pointer { arg, .. } | FieldKind::Local { arg, .. } => {
            ("arg_bypointer", Some(arg))
        }
    };
    writeln!(out, "      - arg_type: {kind}")?;
    writeln!(out, "        offset: {}", field.offset)?;
    writeln!(out, "        size: {}", field.size)?;
    if let Some(arg) = arg {
        writeln!(out, "        arg_index: {arg}")?;
    }
    match field.kind {
        FieldKind::Value { source, .. } if source != 0 => {
            writeln!(out, "        source_offset: {source}")?;
        }
        FieldKind::Pointer { constant, .. } => {
            let (space, access) = match constant {
                true => ("constant", "readonly"),
                false => ("global", "readwrite"),
            };
            writeln!(out, "        addrmode: stateless")?;
            writeln!(out, "        addrspace: {space}")?;
            writeln!(out, "        access_type: {access}")?;
        }
        FieldKind::Local { align, .. } => {
            writeln!(out, "        addrmode: slm")?;
            writeln!(out, "        addrspace: local")?;
            writeln!(out, "        access_type: readwrite")?;
            writeln!(out, "        slm_alignment: {align}")?;
        }
        _ => {}
    }
    Ok(())
}

/// Images and samplers: nothing in the payload, but an entry each.
fn surfaces(out: &mut String, abi: &Abi) -> std::fmt::Result {
    let entry = |out: &mut String, arg: u32, space: &str, access: &str| {
        writeln!(out, "      - arg_type: arg_bypointer")?;
        writeln!(out, "        offset: 0")?;
        writeln!(out, "        size: 0")?;
        writeln!(out, "        arg_index: {arg}")?;
        writeln!(out, "        addrmode: stateful")?;
        writeln!(out, "        addrspace: {space}")?;
        writeln!(out, "        access_type: {access}")
    };
    for image in &abi.images {
        entry(out, image.arg, "image", image.access)?;
        let blocks = if image.blocks { "_media_block" } else { "" };
        writeln!(out, "        image_type: image_{}{blocks}", image.kind)?;
    }
    for (index, sampler) in abi.samplers.iter().enumerate() {
        if let SamplerState::Argument(arg) = sampler {
            entry(out, *arg, "sampler", "readwrite")?;
            writeln!(out, "        sampler_index: {index}")?;
            writeln!(out, "        sampler_type: texture")?;
        }
    }
    Ok(())
}

/// The binding table and the samplers of the source.
fn tables(out: &mut String, abi: &Abi) -> std::fmt::Result {
    let images = abi.images.iter().map(|image| image.arg);
    let buffers = abi
        .buffers
        .iter()
        .map(|(index, arg)| (usize::from(*index), *arg));
    let entries: Vec<(usize, u32)> = images.enumerate().chain(buffers).collect();
    if !entries.is_empty() {
        writeln!(out, "    binding_table_indices:")?;
    }
    for (index, arg) in entries {
        writeln!(out, "      - bti_value: {index}")?;
        writeln!(out, "        arg_index: {arg}")?;
    }
    let mut first = true;
    for (index, sampler) in abi.samplers.iter().enumerate() {
        if let SamplerState::Literal {
            addressing,
            linear,
            normalized,
        } = sampler
        {
            if std::mem::take(&mut first) {
                writeln!(out, "    inline_samplers:")?;
            }
            let filter = if *linear { "linear" } else { "nearest" };
            writeln!(out, "      - sampler_index: {index}")?;
            writeln!(out, "        addrmode: {addressing}")?;
            writeln!(out, "        filtermode: {filter}")?;
            writeln!(out, "        normalized: {normalized}")?;
        }
    }
    Ok(())
}

fn arguments(out: &mut String, kernel: &CompiledKernel) -> std::fmt::Result {
    writeln!(out, "  - name: {}", quoted(&kernel.entry.name))?;
    writeln!(out, "    args_info:")?;
    for (index, argument) in kernel.abi.arguments.iter().enumerate() {
        writeln!(out, "      - index: {index}")?;
        writeln!(out, "        name: {}", quoted(&argument.name))?;
        writeln!(out, "        address_qualifier: {}", argument.address_space)?;
        let access = argument.access.unwrap_or("NONE");
        writeln!(out, "        access_qualifier: {access}")?;
        let type_name = format!("{};{}", argument.type_name, argument.size);
        writeln!(out, "        type_name: {}", quoted(&type_name))?;
        let qualifiers = match argument.qualifiers.as_slice() {
            [] => "NONE".to_owned(),
            all => all.join(" "),
        };
        writeln!(out, "        type_qualifiers: {qualifiers}")?;
    }
    Ok(())
}

/// A section of the file.
#[derive(Debug, Default)]
struct ElfSection {
    name: u32,
    kind: u32,
    flags: u64,
    bytes: Vec<u8>,
    align: u64,
    link: u32,
    info: u32,
    entry: u64,
}

/// An ELF file of 64 bits.
#[derive(Debug, Default)]
struct Elf {
    sections: Vec<ElfSection>,
    names: Vec<u8>,
}

/// The machine: Intel Graphics Technology.
const EM_INTELGT: u16 = 205;

impl Elf {
    /// Adds a section, and gives its number.
    fn section(&mut self, name: &str, kind: u32, flags: u64, bytes: Vec<u8>, align: u64) -> usize {
        if self.names.is_empty() {
            self.names.push(0);
        }
        let at = self.names.len() as u32;
        self.names.extend(name.as_bytes());
        self.names.push(0);
        self.sections.push(ElfSection {
            name: at,
            kind,
            flags,
            bytes,
            align,
            ..ElfSection::default()
        });
        self.sections.len()
    }

    /// Says what a section refers to, and the size of its entries.
    fn link(&mut self, section: usize, link: usize, info: u32, entry: u64) {
        if let Some(section) = self.sections.get_mut(section - 1) {
            section.link = link as u32;
            section.info = info;
            section.entry = entry;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let names = self.section(".shstrtab", 3, 0, Vec::new(), 1);
        if let Some(last) = self.sections.last_mut() {
            last.bytes = self.names.clone();
        }
        let mut out = vec![0u8; 64];
        let mut headers = vec![0u8; 64];
        for section in &self.sections {
            out.resize(out.len().next_multiple_of(section.align as usize), 0);
            headers.extend(section.name.to_le_bytes());
            headers.extend(section.kind.to_le_bytes());
            headers.extend(section.flags.to_le_bytes());
            headers.extend(0u64.to_le_bytes());
            headers.extend((out.len() as u64).to_le_bytes());
            headers.extend((section.bytes.len() as u64).to_le_bytes());
            headers.extend(section.link.to_le_bytes());
            headers.extend(section.info.to_le_bytes());
            headers.extend(section.align.to_le_bytes());
            headers.extend(section.entry.to_le_bytes());
            out.extend(&section.bytes);
        }
        out.resize(out.len().next_multiple_of(8), 0);
        let table = out.len() as u64;
        out.extend(&headers);
        let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0];
        header.resize(16, 0);
        // A relocatable file.
        header.extend(1u16.to_le_bytes());
        header.extend(EM_INTELGT.to_le_bytes());
        header.extend(1u32.to_le_bytes());
        header.extend(0u64.to_le_bytes());
        header.extend(0u64.to_le_bytes());
        header.extend(table.to_le_bytes());
        header.extend(0u32.to_le_bytes());
        header.extend(64u16.to_le_bytes());
        header.extend([0; 4]);
        header.extend(64u16.to_le_bytes());
        header.extend((self.sections.len() as u16 + 1).to_le_bytes());
        header.extend((names as u16).to_le_bytes());
        out[..64].copy_from_slice(&header);
        out
    }
}
