//! Compiled files: what they are for, and what their kernels take.
//!
//! Three forms are read: the zebin of Intel's compilers (also inside `ocloc`'s archive), assembled
//! text with the `//.` directives, and raw instructions.

mod accesses;
mod archive;
mod assembled;
mod audit;
mod check;
mod elf;
mod entry;
mod error;
mod find;
mod image;
mod info;
mod lines;
mod lower;
mod notes;
mod pointers;
mod variables;
mod zeinfo;

use std::ops::Range;
use std::sync::Arc;

use devinfo::{Family, Platform};
use isa_encoder::AsmOptions;
use isa_encoder::asm::{self, Diagnostic};

pub use batchbuffer::dispatch::ThreadScheduling;
pub use entry::{
    EuMode, IMPLICIT_ARGUMENTS, ImageQuery, KernelAbi, LocalIds, PAYLOAD_UNIT, PayloadEntry,
    PayloadValue, PrivateMemory, SamplerQuery, SamplerSlot, SamplerSource, SurfaceSlot,
    SurfaceSource,
};
pub use error::BinaryError;
pub(crate) use image::{Patch, Relocation, Segment, SegmentKind};
pub use info::{
    AccessQualifier, AddressSpace, ArgInfo, ArgKind, KernelInfo, RawIsa, Target, ValueType,
};
pub use lines::SourceLine;
pub(crate) use lower::MAX_SAMPLERS;

pub(crate) use lines::Lines;
use variables::Variable;
use zeinfo::{ZeFunction, ZeKernel};

/// What a zebin begins with.
const ELF_MAGIC: &[u8] = b"\x7fELF";
/// The kernel that compilers emit to hold a module's symbols. It is never run.
const SYMBOL_HOLDER: &str = "Intel_Symbol_Table_Void_Program";

/// A compiled file, parsed and checked. It needs no device.
#[derive(Clone, Debug)]
pub struct Binary {
    bytes: Arc<[u8]>,
    target: Target,
    entries: Vec<Arc<KernelAbi>>,
    segments: Vec<Segment>,
    relocations: Vec<Relocation>,
    kernels: Vec<KernelInfo>,
    printf_strings: Vec<String>,
    warnings: Vec<Diagnostic>,
    undefined: Vec<String>,
    lines: Arc<Lines>,
    /// Constants and variables of the program, as far as the file tells of them.
    variables: Vec<Variable>,
    /// Where the file has the module that the code was compiled from.
    module: Option<Range<usize>>,
    /// The options that it was compiled with, if it says them.
    options: Option<String>,
    /// This project's compiler made it.
    is_of_own_compiler: bool,
    /// Its kernels are this driver's own.
    is_own: bool,
}

impl Binary {
    /// Reads a zebin, or the first one of an archive that `ocloc` made.
    ///
    /// # Errors
    /// What is wrong with the file, with the section and the offset.
    pub fn parse(bytes: &[u8]) -> Result<Self, BinaryError> {
        let first = Self::members(bytes)?.into_iter().next();
        Self::zebin(first.ok_or(BinaryError::UnknownFormat)?)
    }

    /// Reads a zebin, or the one of an archive's that is for `platform`, at `revision` if one
    /// there was built for it.
    ///
    /// # Errors
    /// What is wrong with the file; none of an archive's zebins is for the platform.
    pub fn parse_for(bytes: &[u8], platform: &Platform, revision: u8) -> Result<Self, BinaryError> {
        let mut others = Vec::new();
        let mut error = None;
        for member in Self::members(bytes)? {
            match Self::zebin(member) {
                Ok(binary) => match binary.check_target(platform, revision) {
                    Ok(()) => return Ok(binary),
                    Err(_) => others.push(binary.target.to_string()),
                },
                Err(why) => error = Some(why),
            }
        }
        match error {
            Some(error) if others.is_empty() => Err(error),
            _ if others.is_empty() => Err(BinaryError::UnknownFormat),
            _ => Err(BinaryError::OtherPlatform {
                built_for: others.join(" and "),
                device: format!("{platform} revision {revision}"),
            }),
        }
    }

    /// Bytes of the variables at program scope.
    pub fn globals_size(&self) -> u64 {
        let segments = self.segments.iter();
        let globals = segments.filter(|segment| segment.kind == SegmentKind::Globals);
        globals.map(Segment::size).sum()
    }

    /// Whether bytes begin as a zebin or an archive of them does.
    pub fn recognizes(bytes: &[u8]) -> bool {
        bytes.starts_with(ELF_MAGIC) || bytes.starts_with(archive::MAGIC)
    }

    /// The zebins of a file: itself, or the members of an archive that `ocloc` made.
    ///
    /// # Errors
    /// The file is neither, or the archive is broken.
    pub fn members(bytes: &[u8]) -> Result<Vec<&[u8]>, BinaryError> {
        if bytes.starts_with(ELF_MAGIC) {
            return Ok(vec![bytes]);
        }
        if !bytes.starts_with(archive::MAGIC) {
            return Err(BinaryError::UnknownFormat);
        }
        let members = archive::elf_members(bytes)?;
        if members.is_empty() {
            return Err(BinaryError::Malformed {
                section: "archive".to_owned(),
                offset: 0,
                why: "there is no zebin in it".to_owned(),
            });
        }
        Ok(members.into_iter().map(|(_, data)| data).collect())
    }

    fn zebin(bytes: &[u8]) -> Result<Self, BinaryError> {
        let elf = elf::parse(bytes)?;
        let info = elf.ze_info.map(zeinfo::parse).transpose()?;
        let version = info.as_ref().map(|info| info.version.clone());
        let info = info.unwrap_or_default();
        for misc in &info.kernels_misc_info {
            if !info.kernels.iter().any(|kernel| kernel.name == misc.name) {
                return Err(BinaryError::Info {
                    path: "kernels_misc_info".to_owned(),
                    why: format!(
                        "it describes {:?}, which is no kernel of the file",
                        misc.name
                    ),
                });
            }
        }
        for key in &info.unknown {
            tracing::warn!(key, ".ze_info has a field that is not known");
        }
        let mut target = notes::parse(elf.compat.unwrap_or_default())?;
        target.version = version;
        let platform = target.platform;
        let mut segments = elf.segments;
        let mut entries: Vec<KernelAbi> = Vec::new();
        for (number, kernel) in info.kernels.iter().enumerate() {
            if kernel.name == SYMBOL_HOLDER {
                continue;
            }
            let path = format!("kernels[{number}]");
            let &segment = elf
                .kernels
                .get(&kernel.name)
                .ok_or_else(|| BinaryError::Info {
                    path: path.clone(),
                    why: format!("there is no section .text.{}", kernel.name),
                })?;
            if entries.iter().any(|entry| entry.info.name == kernel.name) {
                let why = format!("there are two kernels {:?}", kernel.name);
                return Err(BinaryError::Info { path, why });
            }
            let misc = info
                .kernels_misc_info
                .iter()
                .find(|m| m.name == kernel.name);
            let misc = misc.map(|m| m.args_info.as_slice());
            let relocated = elf.payload_offsets.iter().any(|at| at.segment == segment);
            let mut entry = lower::kernel(&path, kernel, misc, platform, relocated)?;
            entry.segment = segment;
            call(&mut entry, kernel, &info.functions);
            if let Some(why) = elf.unresolved.get(&segment) {
                entry.unsupported.get_or_insert_with(|| why.clone());
            }
            if let Some(code) = segments.get(segment) {
                entry.info.code_size = code.data.len() as u64;
                mark_accesses(&mut entry, platform.family, &code.data);
            }
            entries.push(entry);
        }
        for &(segment, offset) in &elf.payload_sizes {
            let entry = entries.iter().find(|entry| entry.segment == segment);
            let size = entry.map_or(0, |entry| entry.cross_thread_size);
            patch(&mut segments, segment, offset, Patch::Low32, size)?;
        }
        for at in &elf.payload_offsets {
            let mut kernels = entries.iter().filter(|entry| entry.segment == at.segment);
            let size = match kernels.any(|entry| entry.implicit_block) {
                true => IMPLICIT_ARGUMENTS,
                false => 0,
            };
            patch(&mut segments, at.segment, at.offset, at.patch, size)?;
        }
        refuse_device_enqueue(&mut entries);
        let printf_strings = segments
            .iter()
            .filter(|segment| segment.kind == SegmentKind::Strings)
            .flat_map(|segment| segment.data.split(|&byte| byte == 0))
            .filter(|text| !text.is_empty())
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        let options = elf.options.map(String::from_utf8_lossy);
        let options = options.map(|options| options.trim_end_matches('\0').to_owned());
        let binary = Self::new(
            bytes,
            target,
            entries,
            segments,
            elf.relocations,
            printf_strings,
        );
        Ok(Self {
            undefined: elf.undefined,
            lines: Arc::new(elf.lines),
            variables: elf.variables,
            module: elf.module,
            options,
            is_of_own_compiler: elf.is_of_own_compiler,
            ..binary
        })
    }

    fn new(
        bytes: &[u8],
        target: Target,
        mut entries: Vec<KernelAbi>,
        segments: Vec<Segment>,
        relocations: Vec<Relocation>,
        printf_strings: Vec<String>,
    ) -> Self {
        let family = target.platform.family;
        for entry in &mut entries {
            entry.info.cross_thread_register = entry.cross_thread_register(family);
        }
        Self {
            bytes: bytes.into(),
            kernels: entries.iter().map(|entry| entry.info.clone()).collect(),
            target,
            entries: entries.into_iter().map(Arc::new).collect(),
            segments,
            relocations,
            printf_strings,
            warnings: Vec::new(),
            undefined: Vec::new(),
            lines: Arc::default(),
            variables: Vec::new(),
            module: None,
            options: None,
            is_of_own_compiler: false,
            is_own: false,
        }
    }

    /// Assembles a text with the `//.` directives, as it stands: nothing is compacted that does not
    /// say `{Compacted}`. A text that names no platform is assembled for `default`. What the
    /// assembler warns of is in [`Self::warnings`].
    ///
    /// # Errors
    /// The assembler's diagnostics, or directives that the platform cannot do.
    pub fn assemble(text: &str, default: Option<&devinfo::Target>) -> Result<Self, BinaryError> {
        // The directive has precedence over the default.
        let options = AsmOptions {
            family: match default {
                Some(target) if !asm::states_platform(text) => Some(target.platform.family),
                _ => None,
            },
            platform: default.map(|target| target.platform),
            ..AsmOptions::default()
        };
        let assembly = isa_encoder::assemble(text, &options).map_err(BinaryError::Assembly)?;
        let (platform, revision) = match &assembly.target {
            Some(target) => {
                let platform =
                    devinfo::by_name(&target.platform).ok_or_else(|| BinaryError::Malformed {
                        section: ".platform".to_owned(),
                        offset: 0,
                        why: format!("there is no platform {:?}", target.platform),
                    })?;
                (platform, target.revision)
            }
            None => {
                let default = default.filter(|target| target.platform.family == assembly.family);
                let target = default.ok_or_else(|| BinaryError::Malformed {
                    section: ".platform".to_owned(),
                    offset: 0,
                    why: format!(
                        "the file is for {}, and code is loaded for a platform: name one with \
                         `//.platform` or -p",
                        assembly.family
                    ),
                })?;
                (target.platform, None)
            }
        };
        let revision = revision.and_then(|revision| u8::try_from(revision).ok());
        let target = Target {
            revisions: revision.map(|revision| (revision, revision)),
            only_revisions: true,
            ..Target::of(platform)
        };
        let mut entries = Vec::new();
        let mut segments = Vec::new();
        for kernel in &assembly.kernels {
            let mut entry = assembled::kernel(kernel, platform, segments.len())?;
            let code = assembly.code_of(kernel);
            mark_accesses(&mut entry, platform.family, code);
            segments.push(Segment {
                kind: SegmentKind::Code,
                data: code.to_vec(),
                zeros: 0,
            });
            entries.push(entry);
        }
        let mut binary = Self::new(
            &assembly.code,
            target,
            entries,
            segments,
            Vec::new(),
            Vec::new(),
        );
        binary.warnings = assembly.warnings;
        Ok(binary)
    }

    /// Takes raw instructions, described by `isa`.
    ///
    /// # Errors
    /// A platform that is not known; a SIMD width or register count that it does not have.
    pub fn raw(code: &[u8], isa: &RawIsa) -> Result<Self, BinaryError> {
        let platform = devinfo::by_name(&isa.platform).ok_or_else(|| BinaryError::Unsupported {
            kernel: isa.name.clone(),
            why: format!("there is no platform {:?}", isa.platform),
        })?;
        let entry = assembled::raw(code, isa, platform)?;
        let segment = Segment {
            kind: SegmentKind::Code,
            data: code.to_vec(),
            zeros: 0,
        };
        Ok(Self::new(
            code,
            Target::of(platform),
            vec![entry],
            vec![segment],
            Vec::new(),
            Vec::new(),
        ))
    }

    /// Takes kernels that somebody else compiled for `target`: what each needs, and its
    /// instructions. They have no program-scope constants and variables and no `printf` strings.
    ///
    /// [`KernelAbi`] has an example.
    ///
    /// # Errors
    /// [`BinaryError::Abi`] names the field that is out of its limits; two kernels have the same
    /// name; a SIMD width or register count that the platform does not have.
    pub fn from_kernels(
        target: Target,
        kernels: Vec<(KernelAbi, Vec<u8>)>,
    ) -> Result<Self, BinaryError> {
        let platform = target.platform;
        let mut bytes = Vec::new();
        let mut entries: Vec<KernelAbi> = Vec::new();
        let mut segments = Vec::new();
        for (mut abi, code) in kernels {
            check::kernel(&abi, &code, platform)?;
            if entries.iter().any(|entry| entry.info.name == abi.info.name) {
                let why = "there are two kernels of this name".to_owned();
                return Err(check::error(&abi, "info.name", why));
            }
            abi.segment = segments.len();
            abi.info.code_size = code.len() as u64;
            abi.info.scratch_size = abi.scratch[0].saturating_add(abi.scratch[1]);
            abi.info.private_size = abi.private.size;
            mark_accesses(&mut abi, platform.family, &code);
            bytes.extend_from_slice(&code);
            segments.push(Segment {
                kind: SegmentKind::Code,
                data: code,
                zeros: 0,
            });
            entries.push(abi);
        }
        let none = (Vec::new(), Vec::new());
        Ok(Self::new(&bytes, target, entries, segments, none.0, none.1))
    }

    /// The bytes that it was made from: the zebin, without the archive around it. Of an assembled
    /// text and of raw instructions it is the code; of several kernels, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The SPIR-V that a zebin was compiled from, if the compiler put it there.
    pub fn module(&self) -> Option<&[u8]> {
        self.bytes.get(self.module.clone()?)
    }

    /// The options that a zebin was compiled with. `None` if it does not say, as Intel's compiler has it where there
    /// were none.
    pub fn options(&self) -> Option<&str> {
        self.options.as_deref()
    }

    /// Whether this project's compiler made it, as a zebin of it says.
    pub fn is_of_own_compiler(&self) -> bool {
        self.is_of_own_compiler
    }

    /// What a kernel needs to be started.
    pub fn abi(&self, kernel: &str) -> Option<&KernelAbi> {
        self.entry(kernel).map(|entry| &**entry)
    }

    /// The platform that it was built for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The same, where it is known that its sub-groups write no blocks to buffers: what looks like one
    /// in code for the load/store unit is a value that all channels share, and asks for no alignment.
    #[must_use]
    pub fn without_block_writes(mut self) -> Self {
        let entries = self.entries.iter_mut().map(Arc::make_mut);
        let infos = entries.map(|entry| &mut entry.info);
        for info in infos.chain(&mut self.kernels) {
            let buffers = info
                .args
                .iter_mut()
                .filter(|arg| arg.kind == ArgKind::Buffer);
            buffers.for_each(|arg| arg.alignment = arg.alignment.min(accesses::BLOCK_READ));
        }
        self
    }

    /// Its kernels, in the order of the file.
    pub fn kernels(&self) -> &[KernelInfo] {
        &self.kernels
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// The instructions of a kernel, as the file has them: addresses are not patched in.
    pub fn code(&self, kernel: &str) -> Option<&[u8]> {
        let entry = self.entry(kernel)?;
        let segment = self.segments.get(entry.segment)?;
        Some(&segment.data)
    }

    /// Where the instruction at `offset` of a kernel comes from, if the file says so: if it is a zebin
    /// that was compiled with `-g`.
    pub fn source_line(&self, kernel: &str, offset: u64) -> Option<SourceLine> {
        let segment = self.entry(kernel)?.segment;
        self.lines.at(lines::address(segment, offset))
    }

    /// The functions and variables that the code refers to and the file does not define.
    pub fn undefined(&self) -> &[String] {
        &self.undefined
    }

    /// Why a kernel cannot be run, if so.
    pub fn unsupported(&self, kernel: &str) -> Option<&str> {
        self.entry(kernel)?.unsupported.as_deref()
    }

    /// The `printf` strings, in the order of the file: formats and constant `%s` arguments.
    pub fn printf_strings(&self) -> &[String] {
        &self.printf_strings
    }

    /// What the assembler warned of, if the file was assembled.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether the file runs on a platform and revision.
    ///
    /// # Errors
    /// [`BinaryError::OtherPlatform`] with both names.
    pub fn check_target(&self, platform: &Platform, revision: u8) -> Result<(), BinaryError> {
        let same_platform = self.target.platform == platform;
        let same_code = match self.target.revisions {
            None => true,
            Some((low, high)) if self.target.only_revisions => (low..=high).contains(&revision),
            Some((low, _)) => platform.shares_code(low, revision),
        };
        if same_platform && same_code {
            return Ok(());
        }
        Err(BinaryError::OtherPlatform {
            built_for: self.target.to_string(),
            device: format!("{platform} revision {revision}"),
        })
    }

    pub(crate) fn entry(&self, kernel: &str) -> Option<&Arc<KernelAbi>> {
        self.entries.iter().find(|entry| entry.info.name == kernel)
    }

    /// The same as kernels of this driver's own, which move bytes that may have no content.
    pub(crate) fn into_own(self) -> Self {
        Self {
            is_own: true,
            ..self
        }
    }

    pub(crate) fn is_own(&self) -> bool {
        self.is_own
    }

    pub(crate) fn lines(&self) -> &Arc<Lines> {
        &self.lines
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub(crate) fn relocations(&self) -> &[Relocation] {
        &self.relocations
    }
}

/// Patches a number into a segment.
fn patch(
    segments: &mut [Segment],
    index: usize,
    offset: usize,
    patch: Patch,
    value: u32,
) -> Result<(), BinaryError> {
    let segment = segments.get_mut(index);
    let segment = segment.ok_or_else(|| BinaryError::Malformed {
        section: "relocations".to_owned(),
        offset: offset as u64,
        why: format!("there is no segment {index} to patch"),
    })?;
    patch.apply(segment.kind, &mut segment.data, offset, value.into())
}

fn mark_accesses(entry: &mut KernelAbi, family: Family, code: &[u8]) {
    let pointers = pointers::of(entry, family, code);
    let is_examined = |index: usize| pointers.examined.contains(&index);
    for &(index, alignment) in &pointers.alignments {
        if let Some(arg) = entry.info.args.get_mut(index)
            && !is_examined(index)
        {
            arg.alignment = arg.alignment.max(alignment);
        }
    }
    let accesses = accesses::Accesses::of(family, code);
    for slot in &mut entry.surfaces {
        if let SurfaceSource::Argument(index) = slot.source
            && let Some(arg) = entry.info.args.get_mut(index)
        {
            let own = accesses
                .blocks
                .iter()
                .filter(|(i, _)| slot.index == (*i).into());
            let own = own.filter(|_| !is_examined(index));
            let needed = own.map(|(_, alignment)| *alignment).max().unwrap_or(1);
            arg.alignment = arg.alignment.max(needed);
        }
        slot.used = accesses.may_use(slot.index);
        let is_of = |list: &[u8]| list.iter().any(|&i| slot.index == i.into());
        slot.media_block |= is_of(&accesses.media_blocks);
        slot.other |= is_of(&accesses.others);
    }
}

/// What functions need that other files can call, a kernel needs that calls by the stack: it may
/// call any of them.
fn call(entry: &mut KernelAbi, kernel: &ZeKernel, functions: &[ZeFunction]) {
    if !kernel.execution_env.has_stack_calls {
        return;
    }
    for function in functions {
        let env = &function.execution_env;
        entry.info.barriers = entry.info.barriers.max(env.barrier_count);
        entry.info.slm_size = entry.info.slm_size.max(env.slm_size);
        if env.has_rtcalls {
            let why = format!("function {} traces rays (has_rtcalls)", function.name);
            entry.unsupported.get_or_insert(why);
        }
    }
}

/// Kernels that enqueue others, or ask for their sub-groups, have siblings `NAME_dispatch_N`.
/// The compilers leave out the payload that both would read.
fn refuse_device_enqueue(entries: &mut [KernelAbi]) {
    let names: Vec<String> = entries.iter().map(|e| e.info.name.clone()).collect();
    let parent = |name: &str| {
        let (parent, number) = name.rsplit_once("_dispatch_")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| parent.to_owned())
    };
    for entry in entries.iter_mut() {
        let name = &entry.info.name;
        let why = if names.iter().any(|n| parent(n).as_ref() == Some(name)) {
            "it enqueues kernels from the device, or asks for their sub-groups"
        } else if parent(name).is_some_and(|parent| names.contains(&parent)) {
            "it is enqueued by another kernel from the device"
        } else {
            continue;
        };
        entry.unsupported.get_or_insert_with(|| why.to_owned());
    }
}
